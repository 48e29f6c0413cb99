"""A layer as {direct, im2col, spatial pack} x types x {default, transferred, optimal} x arrays: expected and achieved.

python examples/grouped/sweep.py --channels 64 --filter 3 --out 16 --groups 16 --arrays 8,16 --bank DIR --plot sweep.png

Each cell is the model's, from start to done, and says which part of the stack has lost the rest of what the array could
do; or why there is none. Cells run side by side; with --journal FILE the same command resumes where it stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path

import halidehw as hl
from halidehw.energy_model.estimate import Estimate
from halidehw.frontend.text import parse
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import Layer
from halidehw.microarch.options import Options as Ports
from halidehw.optimize import Options, architecture
from halidehw.optimize.plots import figure, save
from halidehw.optimize.solve import optimize_with
from halidehw.optimize.sweep import Journal
from halidehw.transfer import load_bank
from halidehw.transfer.kernels import default, func_of, kind
from halidehw.transfer.transfer import evaluate

sys.path.insert(0, str(Path(__file__).parent))
import layer as packing

ALGORITHMS, TYPES, SCHEDULES = ("direct", "im2col", "pack"), (4, 8, 16), ("default", "transferred", "optimal")


@dataclass(frozen=True)
class Cell:
    """One square of the table. `bank`: a folder of schedules, or nothing."""

    layer: Layer
    algorithm: str
    bits: int
    schedule: str
    array: int
    bank: str | None

    @property
    def key(self) -> str:
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:24]

    @property
    def target(self) -> Architecture:
        """Interstellar's memories, in words of so many bits, under an array of this size."""
        found = architecture("interstellar")
        levels = tuple(
            replace(level, words=level.words and level.words * found.word_bits // self.bits) for level in found.levels
        )
        shape = (self.array, self.array)
        return replace(found, array=shape, port_bits=packing.PORT_BITS, word_bits=self.bits, sum_bits=32, levels=levels)


class Unsupported(Exception):
    """Why a square is empty."""


def result(cell: Cell) -> dict[str, object]:
    """Cycles, what part of the array's they are, and what loses the rest; or the reason why there are none."""
    try:
        found, reshaped = packed(cell) if cell.algorithm == "pack" else looped(cell)
    except (Unsupported, hl.HalideHWError) as error:
        return {"reason": error.message if isinstance(error, hl.HalideHWError) else str(error)}
    ideal = cell.layer.macs / cell.array**2
    stage = next((each for each in found.cycles.stages if each.name == "conv"), found.cycles.stages[-1])
    total = found.cycles.total + reshaped
    lost = {
        "idle lanes": stage.busy - ideal, "waits for ports and memories": sum(stage.stalls.values()),
        "fill and drain": 0 if cell.algorithm == "pack" else stage.fill + stage.drain,
        "reshaping": reshaped + (stage.fill + stage.drain if cell.algorithm == "pack" else 0),
    }  # fmt: skip
    return {"ideal": ideal, "cycles": total, "achieved": ideal / total, "lost": lost}


def looped(cell: Cell) -> tuple[Estimate, int]:
    """The loops of the layer, or of the matrix product that it becomes; and cycles to make that one's matrix. Optimal
    is what the optimizer proves for the steady state, or the default where that is faster from start to done."""
    layer, target, reshaped = cell.layer, cell.target, 0
    if cell.algorithm == "im2col":
        taps = layer.fx * layer.fy
        layer = Layer(b=layer.b * layer.ox * layer.oy, c=layer.c * taps, k=layer.k, groups=layer.groups)
        reshaped = -(-layer.words[0] // Ports(target.port_bits).lanes(cell.bits)) if taps > 1 else 0
    match cell.schedule:
        case "transferred":
            every = [given(cell, layer, target)]
        case "default":
            every = [parse(default(layer, target)[1]).output]
        case _:
            texts = default(layer, target)[1], optimize_with(layer, target, Options(objective="delay")).schedule
            every = [parse(text).output for text in texts]
    found = [hl.estimate(func, port_bits=target.port_bits) for func in every]
    return min(found, key=lambda each: each.cycles.total), reshaped


def given(cell: Cell, layer: Layer, target: Architecture) -> hl.Func:
    """With the fastest schedule of the layer's class in the bank."""
    if cell.bank is None:
        raise Unsupported("no bank of schedules is given: --bank DIR")
    entries = [entry for entry in load_bank(Path(cell.bank), target).entries if entry.kind == kind(layer)]
    found = [(choice.cycles, n) for n, entry in enumerate(entries)
             if (choice := evaluate(entry, layer, target)).cycles is not None]  # fmt: skip
    if not found:
        raise Unsupported(f"none of {len(entries)} schedules for a {kind(layer)} fits")
    entry = entries[min(found)[1]]
    return entry.schedule.parametric(guarded=True).apply(func_of(layer, target, entry.arranged))


def packed(cell: Cell) -> tuple[Estimate, int]:
    """Spatial pack. Optimal: over groups as well. Transferred: the schedule of a layer with twice the groups."""
    layer = cell.layer
    over = packing.over_channels if cell.schedule == "default" else packing.over_groups
    lanes = over(layer, cell.array)
    tiles = packing.tiles_for(layer, cell.array, lanes)
    if cell.schedule != "transferred":
        func = packing.schedule(packing.gspc(layer, tiles, cell.bits), lanes)
    else:
        other = replace(layer, c=2 * layer.c, k=2 * layer.k, groups=2 * layer.groups)
        found = hl.Schedule.of(packing.schedule(packing.gspc(other, tiles, cell.bits), lanes))
        func = found.parametric(guarded=True).apply(packing.gspc(layer, tiles, cell.bits).output)
    return hl.estimate(func, port_bits=packing.PORT_BITS), 0


def cells(layer: Layer, arrays: list[int], bank: str | None) -> list[Cell]:
    every = product(ALGORITHMS, TYPES, SCHEDULES, arrays)
    return [Cell(layer, *each, bank) for each in every]  # type: ignore[arg-type]


def sweep(every: list[Cell], journal: Path | None, workers: int) -> list[dict[str, object]]:
    """The results, in order; with those of the journal."""
    from joblib import Parallel, delayed

    store = Journal(journal) if journal else None
    known = store.read() if store else {}
    missing = [cell for cell in every if cell.key not in known]
    run = Parallel(n_jobs=workers, return_as="generator")
    for cell, found in zip(missing, run(delayed(result)(cell) for cell in missing), strict=True):
        known[cell.key] = found
        if store:
            store.append(cell.key, found)
    return [known[cell.key] for cell in every]


def written(cell: Cell, found: dict[str, object]) -> str:
    head = f"{cell.algorithm:8} int{cell.bits:<3} {cell.schedule:12} {cell.array:3}x{cell.array:<3}"
    if "reason" in found:
        return f"{head} none: {found['reason']}"
    lost: dict[str, float] = found["lost"]  # type: ignore[assignment]
    order = sorted(lost.items(), key=lambda item: -item[1])
    most = ", ".join(f"{name} {cycles:.0f}" for name, cycles in order if cycles)
    return f"{head} {found['cycles']:10} of {found['ideal']:8.0f} {found['achieved']:7.1%}  {most}"


def draw(every: list[Cell], found: list[dict[str, object]], file: Path) -> None:
    """The part of the expected speed that each cell achieves, a picture for each array."""
    arrays = sorted({cell.array for cell in every})
    page = figure("achieved of expected")
    for axes, array in zip(page.subplots(1, len(arrays), squeeze=False)[0], arrays, strict=True):
        shown = [(f"{cell.algorithm} int{cell.bits} {cell.schedule}", each.get("achieved", 0.0))
                 for cell, each in zip(every, found, strict=True) if cell.array == array]  # fmt: skip
        axes.barh([name for name, _ in shown], [part for _, part in shown])
        axes.invert_yaxis()
        axes.set_xlim(0, 1)
        axes.set_title(f"{array}x{array}")
        axes.tick_params(axis="y", labelsize=5)
    save(page, file)


def main() -> None:
    parser = argparse.ArgumentParser(description="A layer in many ways: expected and achieved.")
    for name, default_value in (("channels", 64), ("filters", None), ("filter", 3), ("out", 16), ("groups", 1),
                                ("stride", 1), ("batch", 1), ("workers", -1)):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=default_value)
    parser.add_argument("--arrays", default="8,16", help="PEs on each side, with commas")
    parser.add_argument("--bank", help="folder of schedules for the transferred cells")
    parser.add_argument("--journal", type=Path)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    try:
        every = cells(packing.layer_of(args), [int(text) for text in args.arrays.split(",")], args.bank)
    except (hl.HalideHWError, ValueError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    found = sweep(every, args.journal, args.workers)
    if args.json:
        names = ("algorithm", "bits", "schedule", "array")
        named = [{name: getattr(cell, name) for name in names} for cell in every]
        print(json.dumps([cell | each for cell, each in zip(named, found, strict=True)]))
    else:
        print(*map(written, every, found), sep="\n")
    if args.plot:
        draw(every, found, args.plot)


if __name__ == "__main__":
    main()
