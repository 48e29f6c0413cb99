"""Blocked channel-first im2col on an array of dot products, and what it saves to keep the last position's sub-tile.

python examples/im2col/dot.py

A block is `pixels` outputs by as many output channels as there are lanes; a lane sums up `depth` channels in a tree, so
a word of the input is all its channels of a pixel (HWC). Blocks of channels are outside, filter positions inside:
neighbouring positions have most of their pixels in common, which a line buffer keeps: along a row of the filter, or in
all of it. Of strided ones it keeps what lies between, and so what the position before the last has in common with the
next.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

import halidehw as hl

Position = tuple[int, int]
"""Of a filter, down and across."""

RASTER = tuple(product(range(3), repeat=2))
SNAKE = tuple((r, 2 - s if r % 2 else s) for r, s in RASTER)
"""Row by row, each in the other direction than the one before: neighbours all the way."""
STRIDED = tuple((r, s) for r in range(3) for s in (0, 2, 1))
"""At stride 2 the first and the last position of a row have pixels in common."""


@dataclass(frozen=True)
class Block:
    """A 3x3 convolution, padded, of n images of h x h pixels, in blocks of `pixels` outputs in the order n, y, x."""

    h: int
    pixels: int
    stride: int = 1
    n: int = 1

    @property
    def out(self) -> int:
        return (self.h - 1) // self.stride + 1


BLOCKS = (Block(32, 16), Block(8, 16), Block(16, 32), Block(8, 32), Block(8, 8, 2), Block(16, 16, 2))
"""Of a row of pixels and of several, small enough to simulate."""


def fetched(block: Block, order: tuple[Position, ...], keep: int) -> int:
    """Pixels that come to the chip for a block of channels: those of each position's sub-tile which are not padding,
    but for those of the last `keep` sub-tiles of the same block."""
    total, out = 0, block.out
    everything = np.arange(block.n * out * out)
    for first in range(0, everything.size, block.pixels):
        at = everything[first : first + block.pixels]
        n, y, x = at // out**2, at // out % out, at % out
        kept: list[set[int]] = []
        for r, s in order:
            down, across = y * block.stride + r - 1, x * block.stride + s - 1
            inside = (down >= 0) & (down < block.h) & (across >= 0) & (across < block.h)
            tile = set(((n * block.h + down) * block.h + across)[inside].tolist())
            total += len(tile.difference(*kept))
            kept = [*kept, tile][-keep:] if keep else []
    return total


def saved(block: Block, order: tuple[Position, ...], keep: int = 1) -> float:
    """The part of all pixels that need not come again."""
    return 1 - fetched(block, order, keep) / fetched(block, RASTER, 0)


def common(out: int, stride: int, one: Position, other: Position) -> float:
    """The part of a position's pixels, of a whole map of out x out, that another one has too; 0 between pixels."""
    apart = [abs(a - b) for a, b in zip(one, other, strict=True)]
    shared = [max(0, out - each // stride) / out for each in apart]
    return 0.0 if any(each % stride for each in apart) else shared[0] * shared[1]


def dot(block: Block, channels: int, lanes: int, depth: int, keep: str = "row") -> hl.Func:
    """image [c, x, y, n] and weights [c, k, s, r]: `channels` of them, and `lanes` of k, in trees of `depth` channels.

    `keep`: how long pixels stay: for one "position", while a "row" of the filter is gone through, or the "filter".
    Blocks are `Block`'s where they are whole parts of a row of pixels, or whole rows.
    """
    k, x, y, n, xo, xi, yo, yi = hl.vars("k x y n xo xi yo yi")
    co, ci = map(hl.RVar, ("co", "ci"))
    image, weights = hl.ImageParam(hl.Int(8), 4, "image"), hl.ImageParam(hl.Int(8), 4, "weights")
    output, r = hl.Func("output"), hl.RDom([(0, channels), (0, 3), (0, 3)], "r")
    box = [(0, channels), (0, block.h), (0, block.h), (0, block.n)]
    every = hl.BoundaryConditions.constant_exterior(image, 0, box)
    pixel = every[r.x, block.stride * x + r.y - 1, block.stride * y + r.z - 1, n]
    output[k, x, y, n] += hl.i32(pixel) * hl.i32(weights[r.x, k, r.y, r.z])
    output.set_bounds([(0, lanes), (0, block.out), (0, block.out), (0, block.n)])

    sums = output.update()
    sums.split(r.x, co, ci, depth).split(x, xo, xi, min(block.pixels, block.out))
    sums.split(y, yo, yi, max(1, block.pixels // block.out))
    sums.reorder(ci, k, xi, yi, r.y, r.z, co, xo, yo, n).unroll(ci).unroll(k)
    image.in_().compute_at(output, r.y)
    if keep != "position":
        image.in_().store_at(output, {"row": r.z, "filter": co}[keep])
    weights.in_().compute_root()
    return output.accelerate([image, weights])


def main() -> None:
    print("maps of     saved, stride 1   stride 2: one kept   two kept   positions 0 and 2 first")
    for h in (224, 56, 28, 14):
        one, two = Block(h, 128, 1, 8), Block(h, 128, 2, 8)
        found = saved(one, SNAKE), saved(two, RASTER), saved(two, RASTER, 2), saved(two, STRIDED)
        print(f"{h:4} {found[0]:22.1%} {found[1]:22.1%} {found[2]:10.1%} {found[3]:25.1%}")
    print("words at the port of one image of 4 channels, 4 to 4 dot products: kept for a position, a row, the filter")
    for block in BLOCKS:
        words = [hl.estimate(dot(block, 4, 4, 4, keep)).count("image_words") for keep in ("position", "row", "filter")]
        parts = "".join(f"{each:7} ({1 - each / words[0]:5.1%})" for each in words)
        print(f"{block.h:2} x {block.h:<2}, blocks of {block.pixels:2}, stride {block.stride}:{parts}")
    print(f"(1,1) and (1,3), 99x99, stride 2: {common(49, 2, (0, 0), (0, 2)):.2%} in common")
    print(f"(1,1) and (3,3), 99x99, stride 2: {common(49, 2, (0, 0), (2, 2)):.2%} in common")


if __name__ == "__main__":
    main()
