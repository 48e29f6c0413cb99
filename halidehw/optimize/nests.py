"""What mappings without register files run at least with their loops in one order, many at once. How: `ordered.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from halidehw.mapping.architecture import Architecture
from halidehw.mapping.counts import OUTPUT
from halidehw.mapping.layer import Layer
from halidehw.optimize.layout import held_words, rates, stored
from halidehw.optimize.least import WAY
from halidehw.optimize.nest import LEAD, OUT, Arrival, NestLoop, Prefix, moves
from halidehw.optimize.orders import ORDERS, distinct, stays
from halidehw.optimize.pieces import OPERANDS
from halidehw.optimize.registers import filled, pace
from halidehw.optimize.room import ROOM, last_ones, visits
from halidehw.optimize.written import Piece, Sums, steps_of

LATE = 16
"""Cycles at most from the array's step until its sum asks for the port, but for its hops."""

STATIONARY = 3
"""Orders of the loops outside a tile: the first of ORDERS."""

TOGETHER = 1 << 12
"""Nests that are looked at together."""


def _once(orders: Sequence[int], trips: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Some of ORDERS, and of which loops of so many `trips` (dims, n) each is the first one in which those of several
    are in that sequence, bool (n,)."""
    known = list[np.ndarray]()
    for order in orders:
        code = np.zeros(trips.shape[1], np.int64)
        for dim in ORDERS[order]:
            code = np.where(trips[dim] > 1, code * (len(trips) + 1) + dim + 1, code)
        yield order, np.all([code != other for other in known], axis=0) & np.ones(len(code), bool)
        known.append(code)


@dataclass(frozen=True)
class Nests:
    """Mappings of a layer without register files: n choices of `lanes` and `tiles`, int64 (dims, n)."""

    layer: Layer
    arch: Architecture
    lanes: np.ndarray
    tiles: np.ndarray

    def orders(self) -> Iterator[tuple[tuple[int, int], np.ndarray]]:
        """The orders inside and outside a tile that are tried, and of which nests these are the first ones in which
        they are the same, bool (n,)."""
        inside = _once(distinct(self.layer), -(-self.tiles // self.lanes))
        outside = _once(range(STATIONARY), -(-self.extents // self.tiles))
        for (inner, own), (outer, first) in product(inside, outside):
            yield (inner, outer), own & first

    def run(self, inner: tuple[int, ...], outer: tuple[int, ...], deep: int = 0) -> np.ndarray:
        """float64 (n,): cycles that each runs at least, with loops inside and outside a tile in those orders (dims,
        innermost first), by prefixes so `deep`; infinite where a step would read more than READ words of a tensor."""
        every = (slice(first, first + TOGETHER) for first in range(0, self.lanes.shape[1], TOGETHER))
        few = (replace(self, lanes=self.lanes[:, some], tiles=self.tiles[:, some]) for some in every)
        found = np.concatenate([np.zeros(0), *(each._ordered(inner, outer, deep) for each in few)])
        outside = [stays(outer, tensor, -(-self.extents // self.tiles)) for tensor in OPERANDS]
        return np.maximum(found, pace(inner, -(-self.tiles // self.lanes), outside, self.steps, self.filled))

    def _ordered(self, inner: tuple[int, ...], outer: tuple[int, ...], deep: int) -> np.ndarray:
        """As `run`, but for what comes into the registers."""
        loops = self._loops(inner, outer)
        ways, pieces = self._arrivals(loops), self._pieces(loops)
        prefixes, shared = [way.prefixes(deep) for way in ways], self.arch.shared_port_bits
        return (self._together if shared else self._apart)(loops, pieces, ways, prefixes)

    def _together(
        self, loops: list[NestLoop], pieces: list[Piece], ways: list[Arrival], prefixes: list[Prefix]
    ) -> np.ndarray:
        """With one port that all tensors share: it moves all words, sums each time that they leave or come back."""
        load, last = np.add(*(each.load for each in prefixes)), np.maximum(*(each.last for each in prefixes))
        there = self._there(loops, pieces, last)
        found = self._put_off(pieces, load, last, there) + self.steps + WAY + self.hops
        words, again = self.layer.words[OUTPUT], visits(loops)
        found = np.maximum(found, load[0] + words * (again / self.wide + (again - 1) / self.arch.port_words[OUTPUT]))
        return np.maximum(found, self._last(loops, ways, load, last))

    def _apart(
        self, loops: list[NestLoop], pieces: list[Piece], ways: list[Arrival], prefixes: list[Prefix]
    ) -> np.ndarray:
        """Where each tensor has its own port: when the words of a prefix have come, all sums are left that are complete
        after it, and what two tiles of the other operand have no room for and is not read yet."""
        found, busy = np.zeros_like(self.steps), np.zeros_like(self.steps)
        stored = visits(loops) * self.layer.words[OUTPUT] / self.wide
        rate = np.stack([way.rate for way in ways])
        tiles, reads = (held_words(self.layer, each)[:OUTPUT] / rate for each in (self.tiles, self.lanes))
        for own, other in zip(OPERANDS, OPERANDS[::-1], strict=True):
            each, load, complete = prefixes[own], prefixes[other].load[0], prefixes[other].complete[0]
            end = np.maximum(stored - complete, 1 + self.hops)
            left = load - (ways[own].free(each) + ROOM) * tiles[other] - LEAD * reads[other]
            rest = np.maximum(stored - each.complete, np.where(left > 0, left + end, 0))
            busy = np.maximum(busy, (each.load + rest).max(axis=0))
            found = np.maximum(found, self._put_off(pieces, each.load, each.last, [-each.last] * len(pieces)))
        load, last = (np.concatenate([getattr(each, name) for each in prefixes]) for name in ("load", "last"))
        busy = np.maximum(busy, self._last(loops, ways, load, last))
        return np.maximum(found + self.steps + self.hops, busy) + WAY

    def _last(self, loops: list[NestLoop], ways: list[Arrival], load: np.ndarray, last: np.ndarray) -> np.ndarray:
        """With the last iterations of a loop outside a tile after all that comes before them: their sums leave, and
        words come in for which there is no room before; where prefixes have come as in `_put_off`."""
        found, moved = np.zeros_like(self.steps), [moves(loops, tensor) for tensor in range(3)]
        for each in last_ones(loops, self.extents, self.lanes, self.tiles, self.ends):
            coming = [each.words(self.layer, way.tensor, self.tiles, moved[way.tensor]) / way.rate for way in ways]
            left = np.stack([each.sums(moved[OUTPUT]) / self.wide, *coming])
            every = left.sum(axis=0) if self.arch.shared_port_bits else left.max(axis=0)
            found = np.maximum(found, np.where(each.some, each.begun(load, last) + every, 0))
        return found

    def _put_off(
        self, pieces: list[Piece], load: np.ndarray, last: np.ndarray, there: list[np.ndarray]
    ) -> np.ndarray:
        """float64 (n,): cycles at least but for the steps and the way out, where prefixes have come after `load`
        cycles, whose last words are wanted at step `last`, each (k, n); with those of the pieces with which they are
        least, of which sums less steps are `there` then."""
        after = [np.where(piece.before < self.steps - last, piece.end - piece.before, 0) for piece in pieces]
        tail, found = np.max(after, axis=0), np.full(len(self.steps), np.inf)
        for piece, begun in zip(pieces, there, strict=True):
            late = load + np.maximum(begun, -last) + np.maximum(tail, piece.end)
            found = np.minimum(found, late.max(axis=0))
        return np.maximum(found, 0)

    def _there(self, loops: list[NestLoop], pieces: list[Piece], last: np.ndarray) -> list[np.ndarray]:
        """Of each of the pieces W(e) - e at least for all e up to `last`, float64 (k, n); -inf where nothing is known
        of it: where tiles are cut off, as not all of them have as many steps then."""
        found = [np.full(last.shape, -np.inf) for _ in pieces]
        even, late = np.flatnonzero(self.even), LATE + self.hops
        if not len(even):
            return found
        loops, last, late = [loop.take(even) for loop in loops], last[:, even], late[even]
        places = steps_of(loops, last - late)
        for piece, there in zip(pieces, found, strict=True):
            least = np.minimum(Sums(loops, piece.take(even)).least(places) - late, -np.minimum(last, late))
            there[:, even] = np.where(last > late, least, -np.inf)
        return found

    @cached_property
    def extents(self) -> np.ndarray:
        """int64 (dims, 1)."""
        return np.array(self.layer.extents)[:, None]

    @cached_property
    def steps(self) -> np.ndarray:
        """float64 (n,): of the array, in all."""
        return np.asarray(np.prod(-(-self.extents // self.lanes), axis=0), float)

    @cached_property
    def hops(self) -> np.ndarray:
        """int64 (n,): from the first PE to the last."""
        return np.asarray((self.lanes - 1).sum(axis=0) * self.arch.links)

    @cached_property
    def filled(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Of each operand, as in `registers.filled`."""
        return filled(self.lanes)

    @cached_property
    def wide(self) -> np.ndarray:
        """int64 (n,): words of the output that leave in a cycle."""
        return stored(self.layer, self.lanes, self.arch.port_words[OUTPUT])

    @cached_property
    def ends(self) -> np.ndarray:
        """int64 (dims, n): the last tile."""
        return np.asarray(self.extents - (-(-self.extents // self.tiles) - 1) * self.tiles)

    @cached_property
    def even(self) -> np.ndarray:
        """bool (n,): all tiles are as large."""
        return np.asarray((self.ends == self.tiles).all(axis=0))

    @cached_property
    def ports(self) -> np.ndarray:
        """float64 (operands 2, n): words in a cycle at most, of all tiles."""
        port = self.arch.port_words
        moved = [rates(self.layer, self.tiles, tensor, port[tensor]) for tensor in OPERANDS]
        return np.where(self.even, moved, np.array(port[:OUTPUT])[:, None])

    def _loops(self, inner: tuple[int, ...], outer: tuple[int, ...]) -> list[NestLoop]:
        """Innermost first."""
        found, steps = list[NestLoop](), np.ones(self.lanes.shape[1])
        for order, size, step in ((inner, self.tiles, self.lanes), (outer, self.extents, self.tiles)):
            for dim in order:
                trips = -(-size[dim] // step[dim])
                if (trips > 1).any():
                    found.append(NestLoop(dim, trips, steps, size is self.tiles))
                    steps = steps * trips
        return found

    def _arrivals(self, loops: list[NestLoop]) -> list[Arrival]:
        """Of each operand."""
        port, each, none = self.arch.port_words, self._leaves(self.lanes), np.zeros(self.lanes.shape, bool)
        return [Arrival(self.layer, loops, self.lanes, self.tiles, tensor, port[tensor], self.ports[tensor], each, none)
                for tensor in OPERANDS]  # fmt: skip

    def _pieces(self, loops: list[NestLoop]) -> list[Piece]:
        """Those of a step, and of each loop of the output inside a tile with all inside it."""
        trips = -(-self.ends // self.lanes)
        part = self.ends - (trips - 1) * self.lanes
        steps, before = np.ones(part.shape[1]), np.zeros(part.shape[1])
        found = [Piece(self._leaves(part), before, 0)]
        for at, loop in enumerate(loops):
            if loop.inside and loop.dim in OUT:
                part[loop.dim] = self.ends[loop.dim]
                before = before + (trips[loop.dim] - 1) * steps
                found.append(Piece(self._leaves(part), before, at + 1))
            steps = steps * np.where(loop.inside, trips[loop.dim], 1)
        return found

    def _leaves(self, box: np.ndarray) -> np.ndarray:
        """float64 (n,): cycles in which the sums of a box (dims, n) leave."""
        return np.asarray(box[OUT].prod(axis=0) / self.wide)
