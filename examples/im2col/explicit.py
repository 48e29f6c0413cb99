"""The same layer by explicit im2col: a stage writes the lowered matrix to the memory outside, a product reads it.

python examples/im2col/explicit.py

The product fills the rows of the array with whatever channels and positions come next. What that costs is the lowered
matrix: its words at the ports, its room, and the cycles before the product begins.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from implicit import Built, Layer, conv

import halidehw as hl


def explicit(layer: Layer) -> Built:
    """The algorithm, and its schedule; tensors as in `implicit`, weights [output channel, row, tile of rows].

    Column q of the lowered matrix is channel q mod C_I of position q / C_I.
    """
    n, q, x, y, k, ko, ki = hl.vars("n q x y k ko ki")
    image, weights = hl.ImageParam(hl.Int(8), 4, "image"), hl.ImageParam(hl.Int(8), 3, "weights")
    lowered, output = hl.Func("lowered"), hl.Func("output")
    box = [(0, layer.n), (0, layer.ci), (0, layer.h), (0, layer.h)]
    every = hl.BoundaryConditions.constant_exterior(image, 0, box)
    place, size = q / layer.ci, layer.array
    at = [layer.stride * pixel + layer.dilation * by - layer.padding
          for pixel, by in ((x, place % layer.filter), (y, place / layer.filter))]  # fmt: skip
    lowered[n, q, x, y] = every[n, q % layer.ci, *at]
    r = hl.RDom([(0, size), (0, tiles(layer))], "r")
    output[k, n, x, y] += hl.i32(lowered[n, r.x + size * r.y, x, y]) * hl.i32(weights[k, r.x, r.y])
    output.set_bounds([(0, layer.co_tiles * size), (0, layer.n), (0, layer.out), (0, layer.out)])

    sums = output.update()
    sums.split(k, ko, ki, size).reorder(r.x, ki, n, x, y, r.y, ko).unroll(r.x).unroll(ki).systolic(r.x, ki)
    output.in_().compute_at(output, ko)
    lowered.compute_root().store_in(hl.MemoryType.Heap)
    if (lanes := max(n for n in (1, 2, 4, 8) if layer.n % n == 0)) > 1:
        lowered.vectorize(n, lanes)
    lowered.in_().compute_root()
    weights.in_().compute_root()
    weights.in_().in_().compute_at(output, r.x).vectorize(size)
    return Built(layer, output.accelerate([image, weights]), (image, weights), lowered)


def tiles(layer: Layer) -> int:
    """Passes for a column of output channels: the lowered matrix's columns, as many as the array has rows at a time."""
    return -(-layer.ci * layer.filter**2 // layer.array)


def columns(layer: Layer, filters: np.ndarray) -> np.ndarray:
    """Filters [co, ci, y, x] as the product takes them, [tile of rows, row, column], zero elsewhere."""
    found = np.zeros((tiles(layer) * layer.array, layer.co_tiles * layer.array), filters.dtype)
    found[: layer.ci * layer.filter**2, : layer.co] = filters.transpose(2, 3, 1, 0).reshape(-1, layer.co)
    return found.reshape(tiles(layer), layer.array, -1)


@dataclass(frozen=True)
class Costs:
    """`cycles` of the array from its first to its last step, `total` of the whole run; words of the input and of what
    is made of it, through ports and (`room`) on the chip."""

    cycles: int
    total: int
    words: int
    room: int


def costs(built: Built) -> Costs:
    """By the model."""
    found = hl.estimate(built.output, port_bits=built.port_bits)
    outside = ("image_words", "lowered_words", "output_lowered_words")
    counts = {count.name: count.words for count in found.counts}
    room = sum(m.words * m.halves for m in found.accelerator.memories if m.tensor in ("rows", "lowered"))
    busy = found.cycles.busy + sum(found.cycles.stalls.values())
    return Costs(busy, found.cycles.total, sum(counts.get(name, 0) for name in outside), room)


def main() -> None:
    layer = Layer(n=8, ci=16, h=32, co=16, filter=3, array=16, padding=1)
    print(f"{'':19}cycles an output   words of the input and its copies")
    print("way         stride   array   whole run   ports   on the chip")
    for stride in (1, 2, 4):
        each = replace(layer, stride=stride)
        for name, built in (("implicit", conv(each, 8)), ("explicit", explicit(each))):
            found = costs(built)
            per = f"{found.cycles / each.m:7.3f} {found.total / each.m:11.3f}"
            print(f"{name:11} {stride:6} {per} {found.words:7} {found.room:13}")


if __name__ == "__main__":
    main()
