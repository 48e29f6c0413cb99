"""A layer as {direct, im2col, spatial pack} x types x {default, transferred, optimal} x arrays: expected and achieved.

python examples/grouped/sweep.py --channels 64 --filter 3 --out 16 --groups 16 --arrays 8,16 --plot sweep.png
python examples/grouped/sweep.py --network resnet.onnx --arrays 8 --journal resnet.journal

Each cell is the model's, from start to done, and says which part of the stack has lost the rest of what the array could
do; or why there is none. Of a network it is the sum of its layers. Cells run side by side; with --journal FILE the same
command resumes where it stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import halidehw as hl
from halidehw.energy_model.estimate import Estimate
from halidehw.frontend.text import parse
from halidehw.importers.kernels import load_kernels
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import Layer, Network
from halidehw.microarch.options import Options as Ports
from halidehw.optimize import Options, architecture
from halidehw.optimize.plots import figure, save
from halidehw.optimize.sweep import Journal
from halidehw.optimize.timed import filed
from halidehw.transfer.bank import search
from halidehw.transfer.kernels import default, func_of, kind, shape_of
from halidehw.transfer.transfer import evaluate

sys.path.insert(0, str(Path(__file__).parent))
import layer as packing

ALGORITHMS, TYPES, SCHEDULES = ("direct", "im2col", "pack"), (4, 8, 16), ("default", "transferred", "optimal")

SOURCE = f"{Path(__file__).parents[1] / 'networks.json'}:alexnet"
"""Whose schedules are transferred: dense and grouped convolutions, and products."""


@dataclass(frozen=True)
class Cell:
    """A layer in one square of the table. `source`: the network whose schedules it may have."""

    layer: Layer
    algorithm: str
    bits: int
    schedule: str
    array: int
    source: str

    @property
    def name(self) -> tuple[str, int, str, int]:
        """What it shares with the cells of other layers."""
        return self.algorithm, self.bits, self.schedule, self.array

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


def result(cell: Cell) -> dict[str, Any]:
    """Cycles, those of an array that is never idle, and what loses the rest; or the reason why there are none. `note`:
    why it is not what the square says, if it is not."""
    try:
        found, reshaped, note = packed(cell) if cell.algorithm == "pack" else looped(cell)
    except hl.HalideHWError as error:
        return {"reason": error.message}
    ideal = cell.layer.macs / cell.array**2
    stages = {each.name: each for each in found.cycles.stages}
    stage = stages.get("conv", found.cycles.stages[-1])
    total, idle = found.cycles.total + reshaped, stage.busy - ideal
    if cell.algorithm == "pack":
        reshaped = min(stages["pack"].busy, stage.fill) + min(stages["output"].busy, stage.drain)
    lost = {"idle lanes": idle, "waits for ports and memories": sum(stage.stalls.values()), "reshaping": reshaped}
    lost |= {"fill and drain": total - ideal - sum(lost.values())}
    return {"ideal": ideal, "cycles": total, "lost": lost} | ({"note": note} if note else {})


def lowered(layer: Layer, algorithm: str) -> Layer:
    """What the array computes of a layer: itself, or the matrix product that it becomes."""
    if algorithm == "direct":
        return layer
    depth = layer.c * layer.fx * layer.fy
    return replace(Layer(b=layer.b * layer.ox * layer.oy, c=depth, k=layer.k, groups=layer.groups), name=layer.name)


def looped(cell: Cell) -> tuple[Estimate, int, str]:
    """The loops of the layer, or of the matrix product that it becomes; cycles to make that one's matrix; a note.

    Transferred is the fastest of the default and the schedules of other layers, optimal that of the default and what
    the optimizer proves for the steady state: from start to done.
    """
    layer, target, reshaped, note = lowered(cell.layer, cell.algorithm), cell.target, 0, ""
    if cell.algorithm == "im2col" and cell.layer.fx * cell.layer.fy > 1:
        reshaped = -(-layer.words[0] // Ports(target.port_bits).lanes(cell.bits))
    every = [parse(default(layer, target)[1]).output]
    if cell.schedule == "transferred":
        given, note = others(cell, layer, target)
        every += given
    elif cell.schedule == "optimal":
        every += [parse(text).output for text in proven(layer, target)]
    found = [hl.estimate(func, port_bits=target.port_bits) for func in every]
    best = min(found, key=lambda each: each.cycles.total)
    if cell.schedule == "transferred" and best is found[0]:
        note = note or "the default is faster"
    return best, reshaped, note


def proven(layer: Layer, target: Architecture) -> Iterator[str]:
    """The best schedules of the array's own dataflow, of any, and of lanes over groups."""
    for dataflow in (None, "any", *(["G | X", "G | FX"] if layer.groups > 1 else [])):
        with suppress(hl.HalideHWError):
            yield filed(layer, target, Options(dataflow, "delay")).schedule


def others(cell: Cell, layer: Layer, target: Architecture) -> tuple[list[hl.Func], str]:
    """With each of the schedules that are best, on this array, for layers of its class in another network; or why
    there are none."""
    source = {shape_of(each): each for each in (lowered(each, cell.algorithm) for each in network(cell.source).layers)}
    alike = [each for each in source.values() if kind(each) == kind(layer) and shape_of(each) != shape_of(layer)]
    found, reason = list[hl.Func](), f"no {kind(layer)} in {Path(cell.source).name}"
    for each in alike:
        entry = search(each, cell.source, target, Options("any", "delay"))
        choice = evaluate(entry, layer, target)
        if choice.cycles is None:
            reason = f"{entry.layer.name} does not fit: {choice.reason}"
        else:
            found.append(entry.schedule.parametric(guarded=True).apply(func_of(layer, target, entry.arranged)))
    return found, "" if found else reason


def packed(cell: Cell) -> tuple[Estimate, int, str]:
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
    return hl.estimate(func, port_bits=packing.PORT_BITS), 0, ""


def summed(cells: list[Cell], found: list[dict[str, Any]]) -> dict[tuple[str, int, str, int], dict[str, Any]]:
    """The squares of the table: of each the cells of all layers, as often as the network has them."""
    table: dict[tuple[str, int, str, int], dict[str, Any]] = {}
    for cell, each in zip(cells, found, strict=True):
        square = table.setdefault(cell.name, {"ideal": 0, "cycles": 0, "lost": {}})
        named = "" if cell.layer.name == "layer" else f"{cell.layer.name}: "
        for why in ("reason", "note"):
            if why in each:
                square.setdefault(why, named + each[why])
        for name in ("ideal", "cycles"):
            square[name] += each.get(name, 0) * cell.layer.repeat
        for name, lost in each.get("lost", {}).items():
            square["lost"][name] = square["lost"].get(name, 0) + lost * cell.layer.repeat
    return {
        name: {"reason": each["reason"]} if "reason" in each else each | {"achieved": each["ideal"] / each["cycles"]}
        for name, each in table.items()
    }


def network(reference: str) -> Network:
    """The distinct layers of a network, each with how often there is one."""
    layers: dict[Layer, Layer] = {}
    found = load_kernels(reference)
    for layer in found.layers:
        known = layers.get(shape_of(layer))
        layers[shape_of(layer)] = replace(known or layer, repeat=layer.repeat + (known.repeat if known else 0))
    return Network(found.name, tuple(layers.values()))


def cells(layers: Iterable[Layer], arrays: list[int], source: str) -> list[Cell]:
    return [Cell(layer, *each, source) for layer in layers for each in product(ALGORITHMS, TYPES, SCHEDULES, arrays)]


def sweep(every: list[Cell], journal: Path | None, workers: int) -> list[dict[str, Any]]:
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


def written(name: tuple[str, int, str, int], found: dict[str, Any]) -> str:
    algorithm, bits, schedule, array = name
    head = f"{algorithm:8} int{bits:<3} {schedule:12} {array:3}x{array:<3}"
    if "reason" in found:
        return f"{head} none: {found['reason']}"
    order = sorted(found["lost"].items(), key=lambda item: -item[1])
    most = ", ".join(f"{name} {cycles:.0f}" for name, cycles in order if round(cycles))
    note = f" ({found['note']})" if "note" in found else ""
    return f"{head} {found['cycles']:10} of {found['ideal']:8.0f} {found['achieved']:7.1%}  {most}{note}"


def draw(table: dict[tuple[str, int, str, int], dict[str, Any]], file: Path) -> None:
    """The part of the expected speed that each square achieves, a picture for each array."""
    arrays = sorted({name[-1] for name in table})
    page = figure("achieved of expected")
    for axes, array in zip(page.subplots(1, len(arrays), squeeze=False)[0], arrays, strict=True):
        shown = [(f"{name[0]} int{name[1]} {name[2]}", each.get("achieved", 0.0))
                 for name, each in table.items() if name[-1] == array]  # fmt: skip
        axes.barh([name for name, _ in shown], [part for _, part in shown])
        axes.invert_yaxis()
        axes.set_xlim(0, 1)
        axes.set_title(f"{array}x{array}")
        axes.tick_params(axis="y", labelsize=5)
    save(page, file)


def sizes(text: str) -> list[int]:
    """Arrays of the command line. Raises HalideHWError for what is no list of them."""
    found = [int(each) if each.isdecimal() else 0 for each in text.split(",")]
    if min(found) < 1:
        raise hl.HalideHWError(f"--arrays {text}: PEs on each side, with commas", legal=("--arrays 8,16",))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="A layer, or a network, in many ways: expected and achieved.")
    for name, default_value in (("channels", 64), ("filters", None), ("filter", 3), ("out", 16), ("groups", 1),
                                ("stride", 1), ("batch", 1), ("workers", -1)):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=default_value)
    parser.add_argument("--network", metavar="FILE.json:NAME|FILE.onnx", help="all layers of it instead")
    parser.add_argument("--arrays", default="8,16", help="PEs on each side, with commas")
    parser.add_argument("--source", default=SOURCE, metavar="FILE.json:NAME", help="whose schedules are transferred")
    parser.add_argument("--journal", type=Path)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    try:
        layers = network(args.network).layers if args.network else (packing.layer_of(args),)
        network(args.source)
        every = cells(layers, sizes(args.arrays), args.source)
        table = summed(every, sweep(every, args.journal, args.workers or -1))
    except hl.HalideHWError as error:
        print(error.message, *error.proposed, sep="\n    ", file=sys.stderr)
        sys.exit(2)
    if args.json:
        names = ("algorithm", "bits", "schedule", "array")
        print(json.dumps([dict(zip(names, name, strict=True)) | each for name, each in table.items()]))
    else:
        print(*(written(*each) for each in table.items()), sep="\n")
    if args.plot:
        draw(table, args.plot)


if __name__ == "__main__":
    main()
