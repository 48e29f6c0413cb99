"""How a tensor lies in the memory outside: at which word each of its elements is."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np


@dataclass(frozen=True)
class Part:
    """A digit of an index, counted from the tensor's first one along `dimension`: `index // step`, of which there are
    `extent`, each `stride` words after the one before. A dimension that lies in blocks has two."""

    dimension: int
    step: int
    extent: int
    stride: int

    @property
    def reach(self) -> int:
        """Words from the first to the last."""
        return (self.extent - 1) * self.stride


@dataclass(frozen=True)
class Layout:
    """`parts`: of all dimensions, the fastest first; those of a single element last."""

    parts: tuple[Part, ...]

    @property
    def words(self) -> int:
        """From the first to the last, the padding between them included."""
        return 1 + sum(part.reach for part in self.parts)

    @property
    def strides(self) -> tuple[int, ...]:
        """By dimension; of one in blocks, from block to block."""
        last = {part.dimension: part.stride for part in sorted(self.parts, key=lambda part: part.step)}
        return tuple(last[d] for d in sorted(last))

    def block(self, dimension: int) -> int:
        """The elements of a block along a dimension; 1 where it lies in none."""
        return max(part.step for part in self.parts if part.dimension == dimension)

    def ranked(self, dimensions: int) -> Layout:
        """The same of a tensor of so many dimensions; those added, the slowest, have one element."""
        known = max(part.dimension for part in self.parts) + 1
        return Layout((*self.parts, *(Part(d, 1, 1, self.words) for d in range(known, dimensions))))

    def addresses(self, extents: tuple[int, ...]) -> np.ndarray:
        """The word of each element, shape extents[::-1]."""
        total = np.zeros(extents[::-1], np.int64)
        for part in self.parts:
            digits = np.arange(extents[part.dimension]) // part.step % part.extent * part.stride
            total += digits.reshape((-1, *[1] * part.dimension))
        return total


def dense(extents: tuple[int, ...]) -> Layout:
    """Dimension 0 fastest, nothing between."""
    return Layout(tuple(Part(d, 1, extent, prod(extents[:d])) for d, extent in enumerate(extents)))


def ordered(parts: list[Part]) -> Layout:
    """The layout of these parts, in whatever order."""
    return Layout(tuple(sorted(parts, key=lambda part: (part.extent == 1, part.stride))))
