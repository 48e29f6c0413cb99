"""What passes between the steps of a network, and how it lies in memory."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

Shape = tuple[int, ...]
"""Sizes as NumPy has them, the fastest dimension last."""


def order_of(rank: int) -> Shape:
    """How tensors lie in memory, the slowest dimension first: the channels of an image, its second dimension, lie
    together; tensors of up to three dimensions lie as NumPy has them."""
    return (0, *range(2, rank), 1) if rank > 3 else tuple(range(rank))


@dataclass(frozen=True)
class Tensor:
    """What passes between steps: a name, a shape and what NumPy holds its elements in."""

    name: str
    shape: Shape
    dtype: np.dtype

    @property
    def words(self) -> int:
        return prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.words * self.dtype.itemsize

    @property
    def order(self) -> Shape:
        """Its dimensions as they lie in memory, the slowest first."""
        return order_of(len(self.shape))

    @property
    def plain(self) -> bool:
        """Whether its words lie as NumPy has them."""
        long = [axis for axis in self.order if self.shape[axis] > 1]
        return long == sorted(long)

    def laid(self, array: np.ndarray) -> np.ndarray:
        """Its words as they lie in memory."""
        return np.ascontiguousarray(array.transpose(self.order))

    def taken(self, words: np.ndarray) -> np.ndarray:
        """An array of its shape from its words as they lie in memory."""
        stored = words.reshape([self.shape[axis] for axis in self.order])
        return stored.transpose(np.argsort(self.order).tolist())
