"""How fast operands come into the array's registers, where there are no register files."""

from __future__ import annotations

from math import prod

import numpy as np

from halidehw.mapping.layer import DIMS, RELEVANT
from halidehw.microarch.registers import buses
from halidehw.optimize.orders import stays
from halidehw.optimize.pieces import OPERANDS

READ = 2048
"""Words of a tensor that a step of the array reads at once from a shared memory, at most."""


def filled(lanes: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each operand the words of a step of `lanes` (dims, n), and cycles until they are in the registers, int64 (n,).
    """
    own, of = _different(lanes)
    words = [own[np.flatnonzero(RELEVANT[tensor])].prod(axis=0) for tensor in OPERANDS]
    at_once = [[_bus(each, tensor) for each in own.T] for tensor in OPERANDS]
    return [(each[of], (each // many)[of]) for each, many in zip(words, at_once, strict=True)]


def pace(
    order: tuple[int, ...], trips: np.ndarray, outside: list[np.ndarray], steps: np.ndarray,
    comes: list[tuple[np.ndarray, np.ndarray]],
) -> np.ndarray:  # fmt: skip
    """float64 (n,): cycles of the array at least, for its `steps` and what `comes` into the registers (`filled`), with
    loops of so many `trips` (dims, n) in a tile in an `order`, and each operand's tile in place for so many tiles
    (`outside`); infinite where a step would read too many words."""
    found = steps
    for tensor, (words, cycles), tiles in zip(OPERANDS, comes, outside, strict=True):
        moved = (trips[np.flatnonzero(RELEVANT[tensor])] > 1).any(axis=0)
        stay = stays(order, tensor, trips) * np.where(moved, 1, tiles)
        late = np.where(stay > 1, cycles / stay, np.where(words <= READ, 1, np.inf))
        found = np.maximum(found, steps * np.maximum(late, 1))
    return found


def _different(lanes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each choice of lanes (dims, n) once, and which of these each one is, int64 (n,)."""
    numbers, many = np.zeros(lanes.shape[1], np.int64), 1
    for row in lanes:
        most = int(row.max(initial=0)) + 1
        if many * most >= 1 << 63:
            numbers, many = np.unique(numbers, return_inverse=True)[1], len(numbers)
        numbers, many = numbers * most + row, many * most
    _, first, of = np.unique(numbers, return_index=True, return_inverse=True)
    return lanes[:, first], of


def _bus(lanes: np.ndarray, tensor: int) -> int:
    """Words that come into the registers of a tensor at once, at most, of `lanes` (dims,)."""
    own = {name: int(lanes[dim]) for dim, name in enumerate(DIMS) if RELEVANT[tensor][dim] and lanes[dim] > 1}
    return prod(own[name] for name in buses(own, ())[1])
