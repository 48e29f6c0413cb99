"""SECDA's vector-MAC accelerator as a schedule: units of 4 x 4 outputs, 4 deep, beside its published cycles.

python examples/transfer/vector_mac.py

A layer is a matrix product: pixels by output channels, and as deep as the words under a filter, padded to 16. Its
published cycles are tiles * (depth / 4 + 7): in each tile 7 cycles in which nothing is summed. Here a tile takes
depth / 4, as its sums leave while the next tile is summed; with one half of accumulators (`halves=1`) the array waits,
in each stage of the way out as `waits` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import halidehw as hl
from halidehw.mapping.layer import Layer, load_network

HERE = Path(__file__).parent
OTHERS = HERE.parent / "networks.json"
SIDE = 4
"""Outputs on each side of a unit, and how deep it is."""

PORT_BITS = 128
"""16 operands, or the four sums of a pixel."""

APART = 7
"""Cycles of a tile of the published design in which nothing is summed."""


@dataclass(frozen=True)
class Product:
    """A layer of pixels x channels outputs, each of so many words, padded."""

    name: str
    pixels: int
    channels: int
    depth: int

    @property
    def tiles(self) -> int:
        return -(-self.pixels // SIDE) * -(-self.channels // SIDE)

    @property
    def published(self) -> int:
        return self.tiles * (self.depth // SIDE + APART)


def product(layer: Layer) -> Product:
    """Of one item."""
    return Product(layer.name, layer.ox * layer.oy, layer.k, -(-layer.c * layer.fx * layer.fy // 16) * 16)


def networks() -> dict[str, list[Product]]:
    """The convolutions of both networks, depthwise ones excluded; of MobileNetV1 its classifier is one."""
    both = load_network(f"{OTHERS}:mobilenet_v1"), load_network(f"{HERE / 'networks.json'}:mobilenet_v2")
    v1, v2 = ([product(layer) for layer in each.layers if layer.groups == 1] for each in both)
    return {"mobilenet_v1": v1, "mobilenet_v2": v2[:-1]}


def vector_mac(layer: Product, halves: int = 2) -> hl.Func:
    """`halves`: of the accumulators."""
    n, m, no, ni, mo, mi = hl.vars("n m no ni mo mi")
    k = hl.RDom([(0, layer.depth)], "k")
    a, b, c = hl.ImageParam(hl.Int(8), 2, "a"), hl.ImageParam(hl.Int(8), 2, "b"), hl.Func("c")
    c[n, m] += hl.i32(a[k, m]) * hl.i32(b[k, n])
    c.bound(n, 0, layer.channels).bound(m, 0, layer.pixels)
    unit = c.update().split(n, no, ni, SIDE).split(m, mo, mi, SIDE).split("k.x", "ko", "ki", SIDE)
    unit.reorder("ki", ni, mi, "ko", no, mo).unroll("ki").unroll(ni).unroll(mi)
    a.in_().compute_root()
    b.in_().compute_root()
    sums = c.in_().compute_at(c, no)
    if halves == 1:
        sums.single_buffer()
    return c.accelerate([a, b])


def waits(layer: Product) -> dict[str, int]:
    """Cycles between the last step of a tile and the first one of the next, with one half of accumulators, by stage of
    the way out: of tiles with as many pixels as the first one."""
    (sums,) = hl.compile(vector_mac(layer, 1), port_bits=PORT_BITS).accelerator.output.sums
    written = min(SIDE, layer.pixels)
    return {"products are summed": sums.landed, "sums are written": written, "the last one is out": sums.drained}


def cycles(layer: Product, halves: int = 2) -> int:
    """From the array's first step to its last, by the model."""
    found = hl.estimate(vector_mac(layer, halves), port_bits=PORT_BITS).cycles
    return found.busy + sum(found.stalls.values())


def main() -> None:
    print(f"{'layer':14} {'tiles':>7} {'depth':>6} {'published':>10} {'here':>10} {'apart':>9} {'one half':>10}")
    for name, layers in networks().items():
        print(name)
        for each in layers:
            here, alone = cycles(each), cycles(each, 1)
            apart = each.published - here
            print(f"{each.name:14} {each.tiles:7} {each.depth:6} {each.published:10} {here:10} {apart:9} {alone:10}")
    print("with one half, between two tiles:", ", ".join(f"{name} {n}" for name, n in waits(layers[0]).items()))


if __name__ == "__main__":
    main()
