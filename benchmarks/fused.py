"""What fused pairs of layers move and take: the formulas for GPUs, our tiles, and rows that are kept.

    python benchmarks/fused.py [--rtl]

The pairs of `fusion_pairs.csv` that pay in int8 on a GTX-1660, with its tiles, as `examples/fused/modules.py` builds
them at full size, eight channels of each layer side by side, on an ideal memory. `--rtl` simulates one of each kind at
full size instead: every word of the result, and every counter, must be what the model says; exits with 1 if not.
"""

from __future__ import annotations

import argparse
import csv
import runpy
import sys
from pathlib import Path
from typing import Any

from report import table

import halidehw as hl
from halidehw.energy_model.counters import predicted
from halidehw.energy_model.cycles import cycles
from halidehw.energy_model.traffic import traffic
from halidehw.microarch.derive import derive
from halidehw.scheduler import lower_graph

HERE = Path(__file__).parent
FUSED = runpy.run_path(str(HERE.parent / "examples" / "fused" / "modules.py"))["fused"]
HEADS = ("pair", "kind", "layer by layer", "fused, formula", "tiles", "cycles", "rows kept", "cycles", "work saved")
LANES = (8, 8)
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
            assert kept <= words <= int(row["fused"])
            found.append((f"{row['model']} {row['layer1']}-{row['layer2']}", row["fcm"], row["lbl_sum"], row["fused"],
                          words, taken, kept, shorter, f"{1 - less / work:.1%}"))  # fmt: skip
    return found


def simulated(model: str, layer: str, kind: str, keep: bool) -> tuple[Any, ...]:
    """One pair at full size in RTL, MobileNetV1's first with all 64 filters in a tile."""
    row = next(each for each in pairs("FP32" if model == "mob_v1" else "INT8")
               if (each["model"], each["layer1"], each["fcm"]) == (model, layer, kind))  # fmt: skip
    compiled = hl.compile(module(row, keep), counters="all")
    result = hl.simulate(compiled, seed=1)
    expected = predicted(compiled.graph, compiled.accelerator)
    equal = result.match and all(expected[name] == count for name, count in result.counters.items())
    words = sum(count for name, count in result.counters.items() if name.endswith("_words"))
    name = f"{model} {layer}-{row['layer2']}{', rows kept' if keep else ''}"
    return name, kind, row["fused"], words, result.cycles, "equal" if equal else "DIFFERENT"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rtl", action="store_true", help="one of each kind at full size, simulated")
    if not parser.parse_args().rtl:
        print(table(HEADS, lines()))
        sys.exit()
    runs = [simulated(*each) for each in FULL]
    print(table(("pair", "kind", "formula", "words counted", "cycles", "result and counters"), runs))
    sys.exit(any(run[-1] != "equal" for run in runs))
