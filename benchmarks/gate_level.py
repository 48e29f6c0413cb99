"""The model's energy against gate-level energy: calibrated on sixteen designs, compared on Table 4's three, and on
examples that neither look like those of the calibration nor have their types.

    python benchmarks/gate_level.py [--jobs 2] [--table FOLDER]

Writes what every tool did into build/synth. `--table`: the folder into which the calibrated table osu018.toml goes.
Exits with 1 where an error is over its target.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import joblib

import halidehw as hl
from halidehw.energy_model.cells import MEMORIES
from halidehw.energy_model.costs.table import CostTable, load_costs
from halidehw.synthesis.calibrate import Part, compare, fit, sample, total
from halidehw.synthesis.measure import Measured, measure
from halidehw.synthesis.table import write_osu018
from halidehw.synthesis.tools import Tools, find_tools

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build" / "synth"
TOTAL, PART, LARGE = 0.02, 0.05, 0.1
"""Targets: errors of a total, and of a part that is over a tenth of it."""


def line(lanes: int, columns: int, taps: int, kept: int, channels: int, filters: int, rows: int) -> hl.Func:
    """Dataflow X on a line of PEs, each with `columns` x `kept` sums and a row of the filters of `kept` outputs."""
    x, y, k, xo, ko, kj = map(hl.Var, ("x", "y", "k", "xo", "ko", "kj"))
    f, image, weights, output = _convolution(taps, taps, channels)
    output[x, y, k] += image[x + f.x, y + f.y, f.z] * weights[f.x, f.y, f.z, k]
    output.set_bounds([(0, lanes * columns), (0, rows), (0, filters)])
    stage = output.update().split(k, ko, k, filters // 2).split(x, xo, x, lanes)
    if kept > 1:
        stage.split(k, kj, k, kept).reorder(f.x, k, xo, f.y, x, f.z, kj, y, ko)
    else:
        stage.reorder(f.x, xo, f.y, x, f.z, k, y, ko)
    stage.dataflow("X").systolic(x)
    image.in_().compute_at(output, ko)
    weights.in_().compute_at(output, ko)
    weights.in_().in_().compute_at(output, f.y)
    return output.accelerate([image, weights])


def grid(down: int, across: int, width: int, height: int, deep: int) -> hl.Func:
    """Dataflow C | K on down x across PEs, each with the filter (width x height) of one pair of channels."""
    x, y, k, ko, kj, ki = map(hl.Var, ("x", "y", "k", "ko", "kj", "ki"))
    c, co = map(hl.RVar, ("c", "co"))
    f, image, weights, output = _convolution(width, height, down * deep)
    output[x, y, k] += image[x + f.x, y + f.y, f.z] * weights[f.x, f.y, f.z, k]
    output.set_bounds([(0, 8), (0, 8), (0, across * 8)])
    stage = output.update().split(k, ko, k, across * 4).split(k, kj, ki, across).split(f.z, co, c, down)
    stage.reorder(x, y, f.x, f.y, c, ki, co, kj, ko).dataflow("C | KI").systolic(c, ki)
    image.in_().compute_at(output, ko)
    weights.in_().compute_at(output, ko)
    weights.in_().in_().compute_at(output, c)
    return output.accelerate([image, weights])


def _convolution(width: int, height: int, channels: int) -> tuple[hl.RDom, hl.ImageParam, hl.ImageParam, hl.Func]:
    f = hl.RDom([(0, width), (0, height), (0, channels)], "f")
    return (
        f,
        hl.ImageParam(hl.Int(16), 3, "image"),
        hl.ImageParam(hl.Int(16), 4, "weights"),
        hl.Func(hl.Int(16), 3, "output"),
    )


@dataclass(frozen=True)
class Case:
    name: str
    what: str
    make: Callable[[], hl.Func | hl.Design]

    def measured(self, tools: Tools) -> Measured:
        folder = BUILD / self.name
        folder.mkdir(parents=True, exist_ok=True)
        return measure(hl.compile(self.make()), tools, folder)


def _line(*sizes: int) -> Case:
    lanes, columns, taps, kept, *_ = sizes
    return Case(f"line{lanes}x{columns}x{taps}x{kept}", f"X on {lanes}", lambda: line(*sizes))


def _grid(*sizes: int) -> Case:
    down, across, width, height, _ = sizes
    return Case(f"grid{down}x{across}x{width}x{height}", f"C \\| K on {down}x{across}", lambda: grid(*sizes))


CALIBRATION = (
    _line(3, 1, 3, 1, 16, 16, 8), _line(4, 2, 3, 1, 16, 16, 8),
    _line(2, 3, 3, 1, 16, 16, 8), _line(2, 8, 3, 4, 4, 16, 4), _line(3, 4, 3, 1, 8, 16, 8),
    _line(3, 5, 4, 1, 8, 8, 8), _line(4, 2, 4, 2, 8, 8, 8), _line(5, 4, 5, 2, 4, 8, 4), _line(6, 2, 2, 2, 16, 16, 8),
    _line(6, 4, 3, 2, 8, 8, 4), _line(8, 2, 4, 2, 8, 8, 8), _line(12, 2, 3, 2, 16, 8, 8),
    _grid(2, 2, 2, 2, 8), _grid(2, 5, 3, 3, 4), _grid(3, 3, 3, 2, 4), _grid(5, 3, 2, 4, 4),
)  # fmt: skip
WHAT = {"os4": "X on 4", "os8": "X on 8", "ws16": "C \\| K on 4x4"}


OUTSIDE = ("conv.hh", "gemm.hh", "line_buffer.py", "stencil.py", *(
    f"dataflows/{name}.py"
    for name in ("weight_stationary", "row_stationary", "reduction_tree", "systolic_trees", "channels", "line",
                 "output_stationary", "broadcast_columns", "replicated_columns", "replicated_rows")
))  # fmt: skip
"""All other examples: other dataflows than the calibration's, sums of 32 bits, and a stencil without sums."""


def _example(name: str) -> Case:
    return Case(name, WHAT[name], lambda: hl.load(ROOT / "examples" / "dataflows" / f"{name}.py"))


def _outside(file: str) -> Case:
    return Case(Path(file).stem, file, lambda: hl.load(ROOT / "examples" / file))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--table", type=Path, default=BUILD)
    options = parser.parse_args()
    tools = find_tools()
    cases = (*map(_example, WHAT), *CALIBRATION, *map(_outside, OUTSIDE))
    BUILD.mkdir(parents=True, exist_ok=True)
    measured = joblib.Parallel(options.jobs)(joblib.delayed(Case.measured)(case, tools) for case in cases)
    runs = [Result(case, hl.compile(case.make()), run) for case, run in zip(cases, measured, strict=True)]
    known, outside = runs[len(WHAT) : -len(OUTSIDE)], runs[-len(OUTSIDE) :]
    samples = [sample(each.compiled, each.measured) for each in known]
    costs = load_costs(write_osu018(fit(samples), options.table))
    print("| design | array | part | share | gate level, pJ/cycle | model | error |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: |")
    met = [each.show(costs) for each in runs[: len(WHAT)]]
    print("\n| design | array | cycles | gate level, pJ/cycle | error | left out |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for i, each in enumerate(known):
        others = replace(costs, cells=fit(samples[:i] + samples[i + 1 :]))
        each.show_known(costs, others)
    print("\n| design | gate level, pJ/cycle | datapath | register files | links | control | total |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for each in outside:
        each.show_outside(costs)
    return int(not all(met))


@dataclass(frozen=True)
class Result:
    case: Case
    compiled: hl.Compiled
    measured: Measured

    def show(self, costs: CostTable) -> bool:
        """Print a row for each part; whether the targets are met."""
        parts = compare(self.compiled, self.measured, costs)
        whole, cells = total(parts), total(_cells(parts), "total without memories")
        for part in (*parts, cells, whole):
            pj = f"{part.measured / self.measured.cycles:.1f} | {part.model / self.measured.cycles:.1f}"
            share = part.measured / whole.measured
            print(f"| {self.case.name} | {self.case.what} | {part.name} | {share:.1%} | {pj} | {part.error:+.2%} |")
        large = (part for part in parts if part.measured > LARGE * whole.measured)
        return abs(whole.error) <= TOTAL and all(abs(part.error) <= PART for part in large)

    def show_known(self, costs: CostTable, others: CostTable) -> None:
        """Print one row, of the cells: the error by the calibration, and by one without this design."""
        fitted, apart = (total(_cells(compare(self.compiled, self.measured, each))) for each in (costs, others))
        cycles = self.measured.cycles
        print(
            f"| {self.case.name} | {self.case.what} | {cycles} | {fitted.measured / cycles:.1f} "
            f"| {fitted.error:+.2%} | {apart.error:+.2%} |"
        )

    def show_outside(self, costs: CostTable) -> None:
        """Print one row: the error of each part of the cells, and of all."""
        parts = _cells(compare(self.compiled, self.measured, costs))
        whole = total(parts)
        errors = " | ".join(f"{part.error:+.1%}" for part in (*parts, whole))
        print(f"| {self.case.name} | {whole.measured / self.measured.cycles:.1f} | {errors} |")


def _cells(parts: tuple[Part, ...]) -> list[Part]:
    return [part for part in parts if part.name != MEMORIES]


if __name__ == "__main__":
    sys.exit(main())
