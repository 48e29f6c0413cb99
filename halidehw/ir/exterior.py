"""Where an index outside a tensor is read: the meaning of each boundary condition, and its pieces for hardware."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

Kind = Literal["constant_exterior", "repeat_edge", "repeat_image", "mirror_image", "mirror_interior"]
"""Halide's names: a value; the nearest edge; the tensor again; its mirror image, with the edge twice, or once."""


def nearest(kind: Kind, places: np.ndarray, size: int) -> np.ndarray:
    """The places, 0 to `size` - 1, that are read in a dimension for places anywhere (an edge beside a constant)."""
    match kind:
        case "repeat_image":
            return places % size
        case "mirror_image":
            inside = places % (2 * size)
            return np.minimum(inside, 2 * size - 1 - inside)
        case "mirror_interior":
            period = max(2 * size - 2, 1)
            inside = places % period
            return np.minimum(inside, period - inside)
    return np.clip(places, 0, size - 1)


def within(kind: Kind, bounds: tuple[int, int], span: tuple[int, int]) -> tuple[int, int]:
    """The first and the last index that are read in a dimension for those from one to another. `bounds`: its least
    index and its size."""
    low, size = bounds
    found = nearest(kind, np.arange(span[0] - low, span[1] - low + 1), size)
    return low + int(found.min()), low + int(found.max())


@dataclass(frozen=True)
class Piece:
    """From place `first` on, up to the next piece's first, `slope * place + constant` is read; slope is -1, 0 or 1."""

    first: int
    slope: int
    constant: int


def pieces(kind: Kind, size: int, low: int, high: int) -> tuple[Piece, ...]:
    """`nearest` over places `low` to `high` as straight pieces, so that an address needs no divider.

    For example `mirror_image` of 4 over -2 .. 3: from -2 on -place - 1, from 0 on place.
    """
    found = nearest(kind, np.arange(low, high + 1), size)
    result: list[Piece] = []
    start = 0
    while start < len(found):
        slope = int(found[start + 1] - found[start]) if start + 1 < len(found) else 0
        slope = slope if abs(slope) <= 1 else 0
        end = start + 1
        while end < len(found) and found[end] - found[end - 1] == slope:
            end += 1
        result.append(Piece(low + start, slope, int(found[start]) - slope * (low + start)))
        start = end
    return tuple(result)
