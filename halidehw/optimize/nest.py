"""Nests of mappings without register files, many at once, and their prefixes: when an operand's words under one are
there, and what has left by then.

Times and counts are float64 (n,), of n nests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from halidehw.mapping.counts import OUTPUT, read
from halidehw.mapping.layer import RELEVANT, Layer

OUT = [dim for dim, moved in enumerate(RELEVANT[OUTPUT]) if moved]
"""Dimensions of the output."""

LEAD = 4
"""Steps whose words are read before the array makes them, at most."""


@dataclass(frozen=True)
class NestLoop:
    """A loop of many nests: its dim, trips and steps of one iteration, float64 (n,); whether it is `inside` a tile."""

    dim: int
    trips: np.ndarray
    steps: np.ndarray
    inside: bool


@dataclass(frozen=True)
class Prefix:
    """Of the first iterations of some loops: cycles of a port until an operand's words under them are there (`load`),
    and the step at which the `last` of these is wanted. Before that step sums are `complete` that leave in so many
    cycles at most, and so many tiles of the other operand are `through`, of the one in use the share whose room may be
    free."""

    load: np.ndarray
    last: np.ndarray
    complete: np.ndarray
    through: np.ndarray


def moves(loops: list[NestLoop], tensor: int) -> list[np.ndarray]:
    """Of each loop, innermost first, whether its iterations have words of a tensor of their own, bool (n,): inside a
    tile those that it depends on, outside those and all around them."""
    found, moved = list[np.ndarray](), np.zeros(1, bool)
    for loop in loops:
        own = RELEVANT[tensor][loop.dim] & (loop.trips > 1)
        moved = moved | own & (not loop.inside)
        found.append(own if loop.inside else moved)
    return found


@dataclass(frozen=True)
class Arrival:
    """How an operand (`tensor`) comes in, in nests of `loops`, innermost first, of a layer with some `lanes` and
    `tiles`, int64 (dims, n): at most so many words in a cycle (`port`, of whole tiles `rate`). The sums of a step leave
    in so many cycles (`each`)."""

    layer: Layer
    loops: list[NestLoop]
    lanes: np.ndarray
    tiles: np.ndarray
    tensor: int
    port: int
    rate: np.ndarray
    each: np.ndarray

    def prefixes(self) -> Iterator[Prefix]:
        """Of no loop, so that the words of a step are there, and of each with those inside it; of a reduction without
        its last iteration as well, before which none of its sums are complete."""
        extents = np.array(self.layer.extents)[:, None]
        own, sums, other = (moves(self.loops, tensor) for tensor in (self.tensor, OUTPUT, 1 - self.tensor))
        apart = [move & (not loop.inside) for loop, move in zip(self.loops, other, strict=True)]
        each, tiles = self._all(sums, self.each), self._all(apart, np.ones_like(self.each))
        size, again, none = self.lanes.copy(), np.ones_like(self.each), np.zeros_like(self.each)
        at_end = self._at_end(sums)
        life = self._all([~move for move in apart], np.ones_like(self.each))[-1]
        yield Prefix(self._load(size, again, self.port), none, none, np.minimum(LEAD / life, 1))
        last = complete = through = place = none
        for at, loop in enumerate(self.loops):
            within, most = size[loop.dim].copy(), (self.tiles if loop.inside else extents)[loop.dim]
            for trips in [*[np.maximum(loop.trips - 1, 1)] * (loop.dim not in OUT), loop.trips]:
                over, size[loop.dim] = np.where(own[at], trips - 1, 0), np.minimum(within * trips, most)
                back = again * np.where(own[at] & (not RELEVANT[self.tensor][loop.dim]), trips, 1)
                done = np.where(sums[at], over * each[at] + complete, np.where(over == loop.trips - 1, complete, 0))
                begun, until = through + np.where(apart[at], over * tiles[at], 0), last + over * loop.steps
                inside = place + np.where(apart[at], 0, over * loop.steps)
                load = self._load(size, back, self.port if loop.inside else self.rate)
                free = begun + np.minimum((inside + LEAD) / life, 1)
                yield Prefix(load, until, np.where(at_end[at], done, 0), free)
            last, again, complete, through, place = until, back, done, begun, inside

    def _load(self, size: np.ndarray, again: np.ndarray, rate: int | np.ndarray) -> np.ndarray:
        return np.asarray(read(self.layer, size)[self.tensor] * again / rate)

    def _all(self, moving: list[np.ndarray], each: np.ndarray) -> list[np.ndarray]:
        """What an iteration of each loop has, and last of all, if one of all loops has `each`."""
        factors = (np.where(move, loop.trips, 1) for loop, move in zip(self.loops, moving, strict=True))
        return list(accumulate(factors, np.multiply, initial=each))

    def _at_end(self, sums: list[np.ndarray]) -> list[np.ndarray]:
        """Of each loop whether sums are complete in the first iterations of all loops around it, bool (n,): those move
        the sums, or have one iteration."""
        found = [np.ones(len(self.each), bool)]
        for loop, move in list(zip(self.loops, sums, strict=True))[:0:-1]:
            found.append(found[-1] & (move | (loop.trips == 1)))
        return found[::-1]
