"""What fused pairs of layers move and take: the formulas for GPUs, our tiles, and rows that are kept.

    python benchmarks/fused.py [--rtl | --plan mobilenet_v2 | --objectives mobilenet_v2]

The pairs of `fusion_pairs.csv` that pay in int8 on a GTX-1660, with its tiles, as `examples/fused/modules.py` builds
them at full size, eight channels of each layer side by side, on an ideal memory. `--rtl` simulates one of each kind at
full size instead: every word of the result, and every counter, must be what the model says; exits with 1 if not.
`--plan` plans a network at an eighth of its channels, rows and columns, in 2 KB, and simulates each group of the plan;
the words counted at the ports must be those planned. `--objectives` has the plans of fewest words, least energy and
least run time of a network at full size, in 128 KB with 64 PEs and ports of 128 bits: what each takes, and what its
layers take by themselves.
"""

from __future__ import annotations

import argparse
import csv
import runpy
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from report import table, verdict

import halidehw as hl
from halidehw.driver.draw import random_inputs
from halidehw.energy_model.counters import predicted
from halidehw.energy_model.cycles import cycles
from halidehw.energy_model.traffic import traffic
from halidehw.frontend.text import parse
from halidehw.mapping.layer import Layer, load_network
from halidehw.microarch.derive import derive
from halidehw.optimize.fusion.chain import lanes
from halidehw.optimize.fusion.measure import Meter
from halidehw.optimize.fusion.network import nodes_of
from halidehw.optimize.fusion.plan import plan
from halidehw.optimize.fusion.program import Program
from halidehw.optimize.fusion.targets import KB, OBJECTIVES, Target
from halidehw.scheduler import lower_graph

HERE = Path(__file__).parent
FUSED = runpy.run_path(str(HERE.parent / "examples" / "fused" / "modules.py"))["fused"]
HEADS = ("pair", "kind", "layer by layer", "fused, formula", "tiles", "cycles", "rows kept", "cycles", "work saved")
LANES, SCALE = (8, 8), 8
FULL = (("mob_v1", "2", "dwpw", False), ("mob_v2", "16", "pwdw", False), ("mob_v2", "16", "pwdw", True),
        ("mob_v2", "3", "pwpw", False))  # fmt: skip
"""Network, first layer, kind, whether rows are kept."""


def pairs(precision: str) -> list[dict[str, str]]:
    """The rows of the table for a GTX-1660, each shape once."""
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for row in csv.DictReader((HERE / "fusion_pairs.csv").open()):
        if (row["gpu_SMs"], row["precision"]) == ("GTX1660", precision):
            sizes = ("C_in", "C_mid", "C_out", "H_in", "S_dw")
            found.setdefault((row["fcm"], *(row[size] for size in sizes)), row)
    return list(found.values())


def module(row: dict[str, str], keep: bool) -> hl.Func:
    """A row's pair, in its tiles."""
    channels = tuple(int(row[name]) for name in ("C_in", "C_mid", "C_out"))
    tile = tuple(int(row[name]) for name in ("tileF", "tile_oh", "tile_ow"))
    return FUSED(row["fcm"], channels, int(row["H_in"]), int(row["S_dw"]), tile, keep, LANES)


def measured(row: dict[str, str], keep: bool) -> tuple[int, int, int]:
    """Words at the ports, cycles, and multiply-accumulates, those done again included."""
    graph = lower_graph(module(row, keep))
    network = derive(graph)
    counts = traffic(network, graph)
    words = sum(count.words for count in counts if count.level == "memory")
    return words, cycles(network).total, sum(count.words for count in counts if count.event == "mac")


def lines() -> list[tuple[Any, ...]]:
    found = []
    for row in pairs("INT8"):
        if row["fuse"] == "True":
            words, taken, work = measured(row, keep=False)
            kept, shorter, less = measured(row, keep=True)
            assert max(words, kept) <= int(row["fused"])
            found.append((f"{row['model']} {row['layer1']}-{row['layer2']}", row["fcm"], row["lbl_sum"], row["fused"],
                          words, taken, kept, shorter, f"{1 - less / work:.1%}"))  # fmt: skip
    return found


def simulated(model: str, layer: str, kind: str, keep: bool) -> tuple[Any, ...]:
    """One pair at full size in RTL, MobileNetV1's first with all 64 filters in a tile."""
    row = next(each for each in pairs("FP32" if model == "mob_v1" else "INT8")
               if (each["model"], each["layer1"], each["fcm"]) == (model, layer, kind))  # fmt: skip
    compiled = hl.compile(module(row, keep), counters="all")
    words, taken, equal = simulation(compiled)
    name = f"{model} {layer}-{row['layer2']}{', rows kept' if keep else ''}"
    return name, kind, row["fused"], words, taken, verdict(equal)


def scaled(layer: Layer) -> Layer:
    """An eighth of its channels, rows and columns."""
    sizes = {name: -(-getattr(layer, name) // SCALE) for name in ("k", "ox", "oy")}
    inputs = layer.c if layer.c < SCALE else -(-layer.c // SCALE)
    return replace(layer, **sizes, c=inputs, b=1, groups=inputs if layer.groups > 1 else 1)


def planned(name: str) -> Iterator[tuple[Any, ...]]:
    """Each group of a network's plan in RTL, those that differ in names only once."""
    network = load_network(f"{HERE.parent / 'examples' / 'networks.json'}:{name}")
    small = replace(network, layers=tuple(map(scaled, network.layers)))
    seen = set()
    for group in plan(nodes_of(small), Target("own", 2048)).groups:
        program = Program(group, 8, lanes(group.chain, group.filters, 2 * len(group.chain.nodes)))
        if program.alike in seen:
            continue
        seen.add(program.alike)
        compiled = hl.compile(parse(program.text()), counters="all")
        words, cycles, equal = simulation(compiled)
        names = group.chain.names
        named = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
        yield named, len(names), group.way, group.words, words, cycles, verdict(equal and words == group.words)


def objectives(name: str) -> Iterator[tuple[Any, ...]]:
    """Of each plan words, cycles and uJ, fused and by themselves; what could be saved at most; designs and seconds."""
    nodes = nodes_of(load_network(f"{HERE.parent / 'examples' / 'networks.json'}:{name}"))
    for objective in OBJECTIVES:
        start = time.process_time()
        target = Target("own", 128 * KB, objective=objective, pes=64, port_bits=128)
        meter = Meter(target)
        found = plan(nodes, target, meter=meter)
        seconds = time.process_time() - start
        for kind, groups in (("fused", found.groups), ("layer by layer", found.unfused)):
            runs = [(meter.run(group), group.chain.last.layer.repeat) for group in groups]
            words = sum(group.words * repeat for group, (_, repeat) in zip(groups, runs, strict=True))
            taken, pj = (sum(repeat * getattr(run, of) for run, repeat in runs) for of in ("cycles", "energy_pj"))
            proof = (f"{found.gap:.2%}", found.measured, f"{seconds:.0f}") if kind == "fused" else ("", "", "")
            yield objective, kind, len(groups), words, taken, f"{pj / 1e6:.1f}", *proof


def simulation(compiled: hl.Compiled) -> tuple[int, int, bool]:
    """Words at the ports and cycles, and whether all is as expected."""
    result = hl.simulate(compiled, random_inputs(compiled.graph, seed=1), once=True)
    expected = predicted(compiled.graph, compiled.accelerator)
    equal = result.match and all(expected[name] == count for name, count in result.counters.items())
    ports = [f"{port.name}_words" for port in compiled.interface.ports]
    return sum(result.counters[name] for name in ports), result.cycles, equal


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rtl", action="store_true", help="one of each kind at full size, simulated")
    parser.add_argument("--plan", metavar="NETWORK", help="a network of examples/networks.json, scaled down, simulated")
    parser.add_argument("--objectives", metavar="NETWORK", help="the plans for each objective, by the model")
    arguments = parser.parse_args()
    if arguments.objectives:
        heads = ("objective", "plan", "groups", "words", "cycles", "uJ", "at most", "designs", "s")
        print(table(heads, objectives(arguments.objectives)))
        sys.exit()
    if not (arguments.rtl or arguments.plan):
        print(table(HEADS, lines()))
        sys.exit()
    runs = list(planned(arguments.plan)) if arguments.plan else [simulated(*each) for each in FULL]
    heads = ("group", "layers", "way", "words planned") if arguments.plan else ("pair", "kind", "formula")
    print(table((*heads, "words counted", "cycles", "equal"), runs))
    sys.exit(any(run[-1] != verdict(True) for run in runs))
