"""TPU-like machines of any size: cycles, utilization and traffic of what `implicit` schedules, by the hardware's model.

python examples/im2col/model.py

Every number of cycles is that of the network which the schedule compiles to, so of hardware that can be simulated;
`layer.expected` is the closed formula beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from implicit import Layer, conv
from layer import expected

import halidehw as hl

BYTES_A_CYCLE = 1000
"""Of the memory outside, of the machine of the paper: 700 GB/s at 700 MHz."""

MOST = 256
"""PEs on a side: no larger array can be built."""


@dataclass(frozen=True)
class Run:
    """A layer on an array: `cycles` as the reference counts them, the words at the ports, and what the array waited."""

    layer: Layer
    cycles: int
    words: dict[str, int]
    stalls: int

    @property
    def utilization(self) -> float:
        return self.layer.macs / (self.cycles * self.layer.array**2)

    @property
    def outside(self) -> float:
        """Cycles of the memory outside, inputs of two bytes, sums of four."""
        inputs = self.words["image"] + self.words["weights"]
        return (2 * inputs + 4 * self.words["output"]) / BYTES_A_CYCLE


@cache
def run(layer: Layer, hidden: bool = True) -> Run:
    """By the model; not `hidden`: weights have one part, so that a pass waits for them."""
    lanes = max(n for n in (1, 2, 4, 8) if layer.n % n == 0)
    built = conv(layer, lanes, hidden)
    found = hl.estimate(built.output, port_bits=built.port_bits)
    stalls = sum(found.cycles.stalls.values())
    words = {name: found.count(f"{name}_words") for name in ("image", "weights", "output")}
    return Run(layer, 3 * layer.array - 2 + found.cycles.busy + stalls, words, stalls)


def gemm(m: int, n: int, k: int, array: int) -> Layer:
    """A product of m x k and k x n: a 1x1 convolution of images of one pixel."""
    return Layer(n=m, ci=k, h=1, co=n, filter=1, array=array)


def positions(array: int, t: int) -> Layer:
    """The layer of the page's multi-tile table."""
    return Layer(n=8, ci=8, h=128, co=array, filter=3, array=array, tile=t, padding=1)


VGG16 = (
    (3, 64, 224), (64, 64, 224), (64, 128, 112), (128, 128, 112), (128, 256, 56), (256, 256, 56), (256, 256, 56),
    (256, 512, 28), (512, 512, 28), (512, 512, 28), (512, 512, 14), (512, 512, 14), (512, 512, 14),
)  # fmt: skip
"""Input and output channels, and pixels on a side, of its convolutions."""


def vgg16(array: int, tiles: int = 3, within: bool = True, n: int = 8) -> list[Layer]:
    """With as many positions on the rows as fit, at most `tiles`."""
    return [
        Layer(n, ci, h, co, 3, array, min(tiles, max(1, array // ci)), padding=1, within=within)
        for ci, co, h in VGG16
    ]


def utilization(layers: Iterable[Layer]) -> float:
    """Of all layers, one after the other; by the formula where the array is larger than any that can be built."""
    layers = list(layers)
    total = sum((run(each).cycles if each.array <= MOST else expected(each)) * each.array**2 for each in layers)
    return sum(each.macs for each in layers) / total


def idle(word: int) -> float:
    """The part of the cycles in which a memory's port, asked for one read and one write in so many, is not used."""
    return max(0.0, 1 - 2 / word)


def unhidden(layer: Layer) -> int:
    """The closed formula where every pass waits for its weights, without latency."""
    return layer.passes * (layer.m + layer.array) + 2 * layer.array - 2


def main() -> None:
    print("M = N = K   weights hidden   not hidden   latency of that   memory")
    for size in (256, 512, 1024, 4096):
        each = gemm(size, size, size, 128)
        found, waiting = run(each), run(each, hidden=False)
        latency = waiting.cycles - unhidden(each)
        print(f"{size:9} {found.cycles:16} {waiting.cycles - latency:12} {latency:17} {found.outside:8.0f}")
    print("\npositions   cycles   speed-up   words of the input on the chip")
    for t in range(1, 10):
        each = positions(128, t)
        found, alone = run(each).cycles, run(positions(128, 1)).cycles
        held = each.slots * (1 + each.wraps) * each.n * each.ci * (each.h + 2 * each.padding) ** 2
        print(f"{t:9} {found:8} {alone / found:10.2f} {held:10}")
    print("\narray   VGG16   one position at a time   groups across the filter")
    for size in (32, 64, 128, 256, 512):
        ways = (vgg16(size), vgg16(size, 1), vgg16(size, within=False))
        print(f"{size:5} " + " ".join(f"{utilization(way):7.1%}" for way in ways))
    print("\nstride   cycles an output pixel")
    for stride in (1, 2, 4):
        each = replace(positions(128, 1), stride=stride)
        print(f"{stride:6} {run(each).cycles / each.m:8.4f}")


if __name__ == "__main__":
    main()
