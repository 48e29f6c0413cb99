"""Cycles of designs behind AXI4 beside those on native ports, memory of the same latency, in RTL: a 3x3 filter of 64x48
pixels on 4 PEs, a convolution of 14x14x64x64, 3x3, on 8x8.

    python -m benchmarks.bus_cycles [--bits 128] [--latency 30 200]
"""

from __future__ import annotations

import argparse

import halidehw as hl
from benchmarks.layers import convolution
from benchmarks.report import table
from halidehw.driver.build import design_and_graph
from halidehw.driver.draw import random_inputs


def image_filter() -> hl.Func:
    """Four pixels of a row side by side, whose tile of rows comes in while the one before is used."""
    x, y, xi, yo, yi = hl.vars("x y xi yo yi")
    image, kernel = hl.ImageParam(hl.UInt(8), 2, "image"), hl.ImageParam(hl.Int(8), 2, "kernel")
    r, out = hl.RDom([(0, 3), (0, 3)], "r"), hl.Func("filtered")
    out[x, y] += hl.i32(image[x + r.x, y + r.y]) * kernel[r.x, r.y]
    out.set_bounds([(0, 64), (0, 48)])
    out.update().split(x, x, xi, 4).split(y, yo, yi, 4).reorder(xi, r.x, r.y, x, yi, yo).unroll(xi)
    image.in_().compute_at(out, yo)
    kernel.in_().compute_root()
    return out


def cycles(out: hl.Func, bits: int, latency: int, bus: hl.AXI | None) -> int:
    """Of a run in RTL. Raises AssertionError for wrong words, or where the model says another number."""
    memory, inputs = hl.Memory(latency), random_inputs(design_and_graph(out)[1], 0)
    design = hl.compile(out, port_bits=bits)
    found = hl.simulate(design, inputs, memory=memory, bus=bus)
    told = hl.estimate(design, memory=memory, bus=bus).cycles.total
    assert found.match and found.cycles == told, (found.match, found.cycles, told)
    return found.cycles


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bits", type=int, default=128)
    parser.add_argument("--latency", type=int, nargs="+", default=[30, 200])
    given = parser.parse_args()
    conv = convolution("", x=14, y=14, c=64, k=64, f=3, rows=8, cols=8, groups=8, bits=8).output
    cases = [("filter", image_filter(), 48 * 64 * 9 // 4, 8), ("filter", image_filter(), 48 * 64 * 9 // 4, 64),
             ("convolution", conv, 14 * 14 * 64 * 9, 64), ("convolution", conv, 14 * 14 * 64 * 9, 128)]  # fmt: skip
    heads = ["design", "cycles of work", *(f"{kind}, {late}" for late in given.latency for kind in ("native", "AXI"))]
    rows = list[list[object]]()
    for name, out, work, bits in cases:
        found = [cycles(out, bits, late, bus) for late in given.latency for bus in (None, hl.AXI(given.bits))]
        rows.append([f"{name}, ports of {bits} bits", work, *found])
    print(table(tuple(heads), rows))


if __name__ == "__main__":
    main()
