"""What still has to come in or leave when the last iterations of a loop outside a tile begin: of each operand there is
room for two tiles, so what these iterations want besides comes later, and none of their sums are complete.

Counts and cycles are float64 (n,) of n nests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from halidehw.mapping.counts import OUTPUT, read
from halidehw.mapping.layer import RELEVANT, Layer
from halidehw.optimize.nest import LEAD, OUT, NestLoop, moves

ROOM = 2
"""Tiles of an operand that the memory has room for."""


def visits(loops: list[NestLoop]) -> np.ndarray:
    """How often sums leave: each time that a loop of their reduction comes back to their tile."""
    return _again(loops, moves(loops, OUTPUT), OUTPUT)


def _again(loops: Sequence[NestLoop], moved: Sequence[np.ndarray], tensor: int) -> np.ndarray:
    """How often loops outside a tile, of which some have words of a tensor of their own, go through the same words."""
    found = np.ones(1)
    for loop, own in zip(loops, moved, strict=True):
        if not (loop.inside or RELEVANT[tensor][loop.dim]):
            found = found * np.where(own, loop.trips, 1)
    return found


@dataclass(frozen=True)
class Last:
    """The last iterations of a loop outside a tile, of the last ones of all loops around it: those `loops`, the
    outermost one with so few trips; the part of each dimension that they go through, int64 (dims, n); how many `steps`
    come before them; whether that is so of a nest, bool (n,)."""

    loops: list[NestLoop]
    size: np.ndarray
    before: np.ndarray
    some: np.ndarray

    def words(self, layer: Layer, tensor: int, tiles: np.ndarray, moved: Sequence[np.ndarray]) -> np.ndarray:
        """Of an operand those at least for which there is no room before, with such `tiles` (dims, n)."""
        coming = read(layer, self.size, tensor) * _again(self.loops, moved[: len(self.loops)], tensor)
        return np.maximum(coming - ROOM * read(layer, tiles, tensor), 0)

    def sums(self, moved: Sequence[np.ndarray]) -> np.ndarray:
        """Those that leave."""
        return np.asarray(self.size[OUT].prod(axis=0) * _again(self.loops, moved[: len(self.loops)], OUTPUT))

    def begun(self, load: np.ndarray, last: np.ndarray) -> np.ndarray:
        """Cycles at least until a step of the array before which nothing that they read is read, where prefixes, whose
        last words are wanted at step `last`, come in `load` cycles, float64 (k, n)."""
        at = np.maximum(self.before - LEAD, 0)
        return np.asarray(at + np.where(last <= at, load - last, 0).max(axis=0))


def last_ones(
    loops: Sequence[NestLoop], extents: np.ndarray, lanes: np.ndarray, tiles: np.ndarray, ends: np.ndarray
) -> Iterator[Last]:
    """Of each loop outside a tile the last iteration and all but the first, in nests with such `lanes`, `tiles` and
    last tiles `ends`, int64 (dims, n), of a layer of such `extents` (dims, 1)."""
    size = ends.copy()
    steps = np.prod(-(-extents // lanes), axis=0)
    for at, loop in enumerate(loops):
        if loop.inside:
            continue
        fewest = [np.ones_like(loop.trips)] + [np.maximum(loop.trips - 1, 1)] * bool((loop.trips > 2).any())
        for many in fewest:
            own = size.copy()
            own[loop.dim] = extents[loop.dim] - (loop.trips - many) * tiles[loop.dim]
            inner = [*loops[:at], NestLoop(loop.dim, many, loop.steps, inside=False)]
            yield Last(inner, own, steps - np.prod(-(-own // lanes), axis=0), loop.trips > 1)
        size[loop.dim] = extents[loop.dim]
