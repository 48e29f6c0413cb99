"""The optimizer beside ZigZag (zigzag-dse): the same layers, array and memories, both mappings under the same models.

    python benchmarks/optimizer.py examples/networks.json:alexnet [--batch 1] [--objective delay] [--rtl]

A mapping's energy is counted as the optimizer counts it, and both mappings are printed as schedules, of whose hardware
the model gives energy and cycles, ports and waits included. `--rtl` simulates the hardware of our mappings, of layers
scaled down, beside that model; exits with 1 if any cycle or counter differs.

Needs `pip install zigzag-dse six` for the comparison; without it only our own numbers are printed. ZigZag searches
with its default engine and loop limit, for energy or latency, with mappings in which all operands split their loops at
the same places (`even`), so that both tools search the same kind of mapping; sums are as wide as words for both.
Memories have one half, as ZigZag is asked; for the least delay our search may halve them, and ZigZag's mapping has them
in two halves too where that runs shorter and what it keeps fits. Seconds are processor time. `--keep FILE` keeps
ZigZag's mappings and seconds, as it takes minutes, and takes those that are there: to cost them by another model.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from report import table, verdict

import halidehw as hl
from halidehw.driver.draw import random_inputs
from halidehw.energy_model.counters import predicted
from halidehw.errors import CostError
from halidehw.frontend.text import parse
from halidehw.mapping.architecture import Architecture, doubled
from halidehw.mapping.evaluate import evaluate
from halidehw.mapping.layer import DIMS, Layer, load_network
from halidehw.mapping.mapping import Mapping
from halidehw.optimize import architecture, optimize
from halidehw.optimize.files import ALL
from halidehw.optimize.lowered import by_pieces
from halidehw.optimize.pieces import WHOLE
from halidehw.optimize.result import Result

NAMES = {"B": "B", "G": "G", "K": "K", "C": "C", "Y": "OY", "X": "OX", "FY": "FY", "FX": "FX"}
MEMORY_OPERANDS = {"I": "I1", "W": "I2", "O": "O"}


@dataclass(frozen=True)
class Cost:
    """Processor seconds of a search; of the mapping it found the pJ counted, and pJ and cycles of its hardware."""

    seconds: float
    counted: float
    pj: float
    cycles: int

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.seconds + other.seconds, self.counted + other.counted, self.pj + other.pj, self.cycles + other.cycles
        )


Row = tuple[str, Cost, Cost | None]
HEADS = ("layer", "ours, s", "counted, uJ", "hardware, uJ", "cycles")
"""A layer, ours, ZigZag's."""


def line(row: Row) -> list[str]:
    """A line of the table: ours, theirs, and theirs over ours."""
    name, ours, theirs = row
    cells = [name]
    for each in filter(None, (ours, theirs)):
        cells += [f"{each.seconds:.3f}", f"{each.counted / 1e6:.1f}", f"{each.pj / 1e6:.1f}", str(each.cycles)]
    if theirs:
        ratios = (theirs.counted / ours.counted, theirs.pj / ours.pj, theirs.cycles / ours.cycles)
        cells += [f"{ratio:.3f}" for ratio in ratios]
    return cells


def memory(arch: Architecture, at: int, apart: bool) -> dict[str, Any]:
    """One level of ours as ZigZag describes it: accesses of one word each, so that it costs what it does here; outside
    the chip a port for each tensor, as wide as ours. `apart`: on the chip a port for each way in or out of a tensor, as
    the hardware has, where ZigZag's least latency counts; else two, where ways wait for each other."""
    level, word = arch.levels[at], arch.word_bits
    outermost = at == len(arch.levels) - 1
    inside = [[f"{operand}, tl" for operand in ("I1", "I2")], ["O, tl", "O, fl"]]
    if outermost:
        ports = [[each] for each in inside[0]] + [inside[1]]
        wide = dict(zip(("I1", "I2", "O"), arch.port_words, strict=True))
    else:
        ports = [[*inside[0], *inside[1]], ["I1, fh", "I2, fh", "O, fh", "O, th"]]
        ports = [[way] for port in ports for way in port] if apart else ports
        wide = dict.fromkeys(("I1", "I2", "O"), max(1024, 4 * arch.pes))
    return {
        "size": (level.words or 10**12) * word,
        "r_cost": level.energy,
        "w_cost": level.energy,
        "area": 0,
        "latency": 1,
        "auto_cost_extraction": False,
        "operands": list(MEMORY_OPERANDS.values()),
        "ports": [
            {"name": f"rw_port_{n}", "type": "read_write", "bandwidth_min": word,
             "bandwidth_max": wide[served[0].split(",")[0]] * word, "allocation": served}
            for n, served in enumerate(ports, 1)
        ],
        "served_dimensions": [] if level.per_pe else [f"D{d + 1}" for d in range(len(arch.array))],
    }


def accelerator(arch: Architecture, apart: bool) -> dict[str, Any]:
    return {
        "name": arch.name,
        "memories": {level.name: memory(arch, at, apart) for at, level in enumerate(arch.levels)},
        "operational_array": {
            "unit_energy": arch.mac,
            "unit_area": 1,
            "input_precision": [arch.word_bits, arch.word_bits],
            "dimensions": [f"D{d + 1}" for d in range(len(arch.array))],
            "sizes": list(arch.array),
        },
    }


def workload(layer: Layer, word: int, sums: int) -> list[dict[str, Any]]:
    """`word`: bits of operands and of the output; `sums`: of partial sums."""
    relations = [
        f"{i} = {stride}*{out} + {dilation}*{tap}"
        for i, out, tap in (("IX", "OX", "FX"), ("IY", "OY", "FY"))
        for stride, dilation in [layer.steps(out[1])]
    ]
    return [
        {
            "id": 0,
            "name": layer.name,
            "operator_type": "Conv",
            "equation": "O[b][g][k][oy][ox]+=W[g][k][c][fy][fx]*I[b][g][c][iy][ix]",
            "dimension_relations": [relation.lower() for relation in relations],
            "loop_dims": list(NAMES.values()),
            "loop_sizes": list(layer.extents),
            "operand_precision": {"W": word, "I": word, "O": sums, "O_final": word},
            "operand_source": {"I": 0, "W": 0},
        }
    ]


def lanes(layer: Layer, dim: str, size: int) -> int:
    """The most of `size` PEs that divide the loop."""
    extent = layer.extents[DIMS.index(dim)]
    return max(n for n in range(1, size + 1) if extent % n == 0)


def spatial(layer: Layer, arch: Architecture, dataflow: tuple[str, ...]) -> dict[str, Any]:
    axes = enumerate(zip(dataflow, arch.array, strict=True), 1)
    unrolled = {f"D{axis}": [f"{NAMES[dim]}, {lanes(layer, dim, size)}"] for axis, (dim, size) in axes}
    return {"name": "default", "spatial_mapping": unrolled, "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}}


def zigzag(
    layer: Layer, arch: Architecture, dataflow: tuple[str, ...], objective: str, sums: int = 0, apart: bool = False
) -> Any:  # fmt: skip
    """ZigZag's evaluation of its best mapping (by its own cost model), of outputs of one word, as `arch.sum_bits` must
    be. `sums`: bits of partial sums, if not a word's; `apart`: see `memory`."""
    import yaml
    from zigzag.api import get_hardware_performance_zigzag

    word = arch.word_bits
    parts = {
        "workload": workload(layer, word, sums or word),
        "accelerator": accelerator(arch, apart),
        "mapping": [spatial(layer, arch, dataflow)],
    }
    with TemporaryDirectory() as folder:
        files = [Path(folder, f"{name}.yaml") for name in parts]
        for file, content in zip(files, parts.values(), strict=True):
            file.write_text(yaml.safe_dump(content, sort_keys=False))
        *_, found = get_hardware_performance_zigzag(
            *map(str, files),
            opt={"energy": "energy", "delay": "latency"}[objective],
            temporal_mapping_type="even",
            dump_folder=str(Path(folder, "out")),
            loma_show_progress_bar=False,
        )
    evaluation, _ = found[0][1][0]
    return evaluation


def mapping_of(evaluation: Any, layer: Layer, dataflow: tuple[str, ...]) -> Mapping:
    ours = {theirs: name for name, theirs in NAMES.items()}
    levels = next(iter(evaluation.temporal_mapping.mapping_dic_origin.values()))
    temporal = []
    for loops in levels:
        merged: dict[str, int] = {}
        for dim, trips in loops:
            name = ours[str(dim)]
            merged[name] = merged.get(name, 1) * int(trips)
        temporal.append(tuple(merged.items()))
    rest = dict(zip(DIMS, layer.extents, strict=True))
    for loops in temporal:
        for name, trips in loops:
            rest[name] //= trips
    return Mapping(tuple(temporal), tuple(((dim, rest[dim]),) for dim in dataflow))


@dataclass(frozen=True)
class Kept:
    """ZigZag's mapping of each layer and the seconds it took, in a JSON file if there is one."""

    file: Path | None
    objective: str

    def mapping(self, layer: Layer, arch: Architecture, dataflow: tuple[str, ...]) -> tuple[Mapping, float]:
        found = json.loads(self.file.read_text()) if self.file and self.file.exists() else {}
        key = f"{replace(layer, name='layer', repeat=1)} {arch.name} {self.objective}"
        if key not in found:
            start = time.process_time()
            mapping = mapping_of(zigzag(layer, arch, dataflow, self.objective), layer, dataflow)
            found[key] = [mapping.temporal, mapping.spatial, time.process_time() - start]
            if self.file:
                self.file.write_text(json.dumps(found))
        *loops, seconds = found[key]
        temporal, spatial = (tuple(tuple(map(tuple, level)) for level in each) for each in loops)
        return Mapping(temporal, spatial), seconds


def compare(
    layer: Layer, arch: Architecture, dataflow: tuple[str, ...], objective: str, peer: Kept | None
) -> Row:
    """Both mappings by the counts that ours minimises, and by the model of the hardware that their schedules become."""
    start = time.process_time()
    ours = optimize(layer, arch, " | ".join(dataflow), objective)
    found = cost(ours, time.process_time() - start)
    if peer is None:
        return layer.name, found, None
    mapping, seconds = peer.mapping(layer, arch, dataflow)
    theirs = []
    for each in (arch, *doubled(arch)) if objective == "delay" else (arch,):
        try:
            counted = evaluate(layer, each, mapping)
            built = replace(ours, arch=each, mapping=mapping, energy_pj=counted.energy_pj, cycles=counted.cycles,
                            files=ALL, cut=WHOLE)  # fmt: skip
            theirs.append(cost((objective == "delay" and by_pieces(built)) or built, seconds))
        except CostError as reason:
            if each is arch:
                print(f"{layer.name}: ZigZag's mapping is not one of ours: {reason.message}")
    return layer.name, found, min(theirs, key=lambda each: each.cycles, default=None)


def cost(found: Result, seconds: float) -> Cost:
    assert found.hardware_pj is not None
    repeat = found.layer.repeat
    return Cost(seconds, found.energy_pj * repeat, found.hardware_pj * repeat, found.run_cycles * repeat)


def small(layer: Layer) -> Layer:
    """A sixteenth of its channels and an eighth of its rows and columns."""
    sizes = {"c": 16, "k": 16, "oy": 8, "ox": 8}
    return replace(layer, repeat=1, **{name: -(-getattr(layer, name) // by) for name, by in sizes.items()})


def simulated(layer: Layer, arch: Architecture, dataflow: tuple[str, ...]) -> list[str]:
    """Our best mapping of a layer scaled down, on 4x4 PEs, in RTL: words at the ports, cycles, and whether they and all
    other counters are as predicted."""
    found = optimize(small(layer), replace(arch, array=(4, 4)), " | ".join(dataflow))
    compiled = hl.compile(parse(found.schedule), port_bits=arch.port_bits, counters="all")
    result = hl.simulate(compiled, random_inputs(compiled.graph, seed=1), once=True)
    expected = predicted(compiled.graph, compiled.accelerator)
    equal = result.match and result.cycles == found.run_cycles
    equal = equal and all(expected[name] == count for name, count in result.counters.items())
    words = sum(result.counters[f"{port.name}_words"] for port in compiled.interface.ports)
    return [layer.name, str(found.layer.macs), str(words), str(found.run_cycles), str(result.cycles), verdict(equal)]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("network", help="FILE.json:name")
    arguments.add_argument("--arch", default="eyeriss", help="an architecture's file or name")
    arguments.add_argument("--batch", type=int, help="in place of the network's")
    arguments.add_argument("--objective", choices=("energy", "delay"), default="energy")
    arguments.add_argument("--only", nargs="*", help="names of layers")
    arguments.add_argument("--keep", type=Path, help="a file for ZigZag's mappings")
    arguments.add_argument("--rtl", action="store_true", help="simulate our mappings of the layers scaled down instead")
    given = arguments.parse_args()
    arch = architecture(given.arch)
    single = tuple(replace(level, buffers=1) for level in arch.levels)
    arch = replace(arch, levels=single, sum_bits=arch.word_bits)
    layers = [layer for layer in load_network(given.network).layers if not given.only or layer.name in given.only]
    layers = [replace(layer, b=given.batch or layer.b) for layer in layers]
    flow = ("C", "K")
    if given.rtl:
        shapes = {replace(layer, name="layer", repeat=1): layer for layer in reversed(layers)}
        rows = [simulated(layer, arch, flow) for layer in reversed(shapes.values())]
        print(table(("layer", "MACs", "words", "cycles predicted", "simulated", "equal"), rows))
        sys.exit(any(row[-1] != verdict(True) for row in rows))
    logging.disable(logging.CRITICAL)
    try:
        import zigzag.api  # noqa: F401

        peer: Kept | None = Kept(given.keep, given.objective)
    except ImportError:
        peer = None
        print("zigzag-dse is not installed: pip install zigzag-dse six")
    found = [compare(layer, arch, flow, given.objective, peer) for layer in layers]
    theirs = [each for _, _, each in found if each]
    whole = reduce(Cost.__add__, theirs) if len(theirs) == len(found) else None
    theirs_of = [f"ZigZag's, {head.removeprefix('ours, ')}" for head in HEADS[1:]]
    heads = [*HEADS, *theirs_of, "counted", "hardware", "cycles"] if peer else HEADS
    print(table(heads, map(line, [*found, ("total", reduce(Cost.__add__, (ours for _, ours, _ in found)), whole)])))


if __name__ == "__main__":
    main()
