"""What mappings without register files run at least, order by order: how early each part of a nest can have begun.

A *prefix* of a nest is the first iterations of its outer loops, with all of the loops inside. The words under it must
have come before the step at which the last of them is wanted; all other steps come after that, and then the sums that
are complete no sooner. So of each prefix, with T steps in all:

    run >= load - last + T + way + tail

where `load` are the cycles of the port for its words, `last` is the step at which the last of them is wanted, `way`
the way of a sum out of the array, and `tail` the cycles in which those sums leave that are complete after `last`. At
a port that all tensors share, words that are written go first: when the last word of the prefix comes, all sums have
left that were complete `LATE` and the hops before. If by then the array is through with `e` steps, of which W(e)
cycles of sums are complete, then

    run >= load + W(e) - e + T + way + tail, for some e up to `last`.

Sums leave in pieces: all that is complete but for a piece has left, and a piece leaves at the end; so both are taken
with each piece that loops of the tile make, and the least of these is what counts. All loops are there once in a tile,
and once outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from halidehw.mapping.architecture import Architecture
from halidehw.mapping.counts import OUTPUT
from halidehw.mapping.layer import Layer
from halidehw.optimize.layout import held_words, rates, stored
from halidehw.optimize.least import WAY, Least
from halidehw.optimize.nest import LEAD, OUT, Arrival, NestLoop, Prefix, moves
from halidehw.optimize.orders import ORDERS, distinct
from halidehw.optimize.pieces import OPERANDS

LATE = 16
"""Cycles at most from the array's step until its sum asks for the port, but for its hops."""

MOST = 1 << 19
"""Nests that are looked at, at most: tiles with lanes, in each of the orders; of more nothing is said."""

STATIONARY = 3
"""Orders of the loops outside a tile: the first of ORDERS."""


class Ordered:
    """What each mapping of a space without register files runs at least, as far as it may be less than the shortest run
    that is known; what was found for a longer one holds for a shorter one."""

    def __init__(self, least: Least):
        self.least, self.found = least, 0.0

    def __call__(self, best: float) -> float:
        """These cycles, `best` if they are no less, and 0 if there are too many mappings to look at."""
        orders = STATIONARY * len(distinct(self.least.space.layer))
        if not self.found and (pairs := self.least.pairs(best, MOST // orders)):
            nests = Nests(self.least.space.layer, self.least.space.arch, *pairs)
            self.found = min([best, *nests.runs()]) if pairs[0].size else best
        return min(best, self.found)


@dataclass(frozen=True)
class Piece:
    """Sums that leave together, float64 (n,): cycles of the port for those of a whole tile (`cycles`), and for the last
    ones of all (`end`); of these the first are complete so many steps (`before`) before the last."""

    cycles: np.ndarray
    end: np.ndarray
    before: np.ndarray


@dataclass(frozen=True)
class Nests:
    """Mappings of a layer without register files: n choices of `lanes` and `tiles`, int64 (dims, n)."""

    layer: Layer
    arch: Architecture
    lanes: np.ndarray
    tiles: np.ndarray

    def runs(self) -> Iterator[float]:
        """Cycles that all of them run at least, with each of the orders that are tried."""
        for inner, outer in product(distinct(self.layer), range(STATIONARY)):
            yield float(self.run(ORDERS[inner], ORDERS[outer]).min())

    def run(self, inner: tuple[int, ...], outer: tuple[int, ...]) -> np.ndarray:
        """float64 (n,): cycles that each runs at least, with loops inside and outside a tile in those orders (dims,
        innermost first)."""
        loops, pieces = self._loops(inner, outer), self._pieces(inner)
        return self._together(loops, pieces) if self.arch.shared_port_bits else self._apart(loops, pieces)

    def _together(self, loops: list[NestLoop], pieces: list[Piece]) -> np.ndarray:
        """With one port that all tensors share."""
        sums, late = Sums(loops, pieces[0].cycles), LATE + self.hops
        found, load = np.zeros((len(pieces), len(late))), np.zeros_like(self.steps)
        for both in zip(*self._prefixes(loops), strict=True):
            load, last = sum(each.load for each in both), np.maximum(*(each.last for each in both))
            there = self._written(sums, last, late)
            self._put_off(found, pieces, load, last, [there - piece.cycles for piece in pieces])
        every = load + self.layer.words[OUTPUT] / self.wide
        return np.maximum(found.min(axis=0) + self.steps + WAY + self.hops, every)

    def _apart(self, loops: list[NestLoop], pieces: list[Piece]) -> np.ndarray:
        """Where each tensor has its own port: when the words of a prefix have come, all sums are left that are complete
        after it, and what two tiles of the other operand have no room for and is not read yet."""
        found, busy = np.zeros((len(pieces), len(self.steps))), np.zeros_like(self.steps)
        stored = self.layer.words[OUTPUT] / self.wide
        for loop, move in zip(loops, moves(loops, OUTPUT), strict=True):
            stored = stored * np.where(move & (loop.dim not in OUT), loop.trips, 1)
        tiles, reads = (held_words(self.layer, each)[:OUTPUT] / self.ports for each in (self.tiles, self.lanes))
        prefixes = self._prefixes(loops)
        for own, others, tile, step in zip(prefixes, prefixes[::-1], tiles[::-1], reads[::-1], strict=True):
            every = others[-1]
            end = np.maximum(stored - every.complete, 1 + self.hops)
            for each in own:
                left = every.load - (each.through + 2) * tile - LEAD * step
                rest = np.maximum(stored - each.complete, np.where(left > 0, left + end, 0))
                busy = np.maximum(busy, each.load + rest)
                self._put_off(found, pieces, each.load, each.last, [-each.last] * len(pieces))
        return np.maximum(found.min(axis=0) + self.steps + self.hops, busy) + WAY

    def _put_off(
        self, found: np.ndarray, pieces: list[Piece], load: np.ndarray, last: np.ndarray, there: list[np.ndarray]
    ) -> None:
        """Raises what is `found` of each of the pieces, (pieces, n): the cycles at least but for the steps and the way
        out, where a prefix has come after `load` cycles, whose last word is wanted at step `last`."""
        after = [np.where(piece.before < self.steps - last, piece.end - piece.before, 0) for piece in pieces]
        tail = np.max(after, axis=0)
        for at, (piece, begun) in enumerate(zip(pieces, there, strict=True)):
            late = load + np.maximum(begun, -last) + np.maximum(tail, piece.end)
            found[at] = np.maximum(found[at], late)

    def _written(self, sums: Sums, last: np.ndarray, late: np.ndarray) -> np.ndarray:
        """float64 (n,): W(e) - e at least for all e up to `last`; -inf where nothing is known of it: where tiles or
        lanes are cut off, as not all steps have as many sums then."""
        least = np.minimum(sums.least(last - late) - late, -np.minimum(last, late))
        full = self.even & (self.tiles % self.lanes == 0).all(axis=0)
        return np.where(full & (last > late), least, -np.inf)

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

    def _prefixes(self, loops: list[NestLoop]) -> list[list[Prefix]]:
        """Of each operand, those of the same loops at the same place."""
        each, port = self._leaves(self.lanes), self.arch.port_words
        ways = [Arrival(self.layer, loops, self.lanes, self.tiles, tensor, port[tensor], self.ports[tensor], each)
                for tensor in OPERANDS]  # fmt: skip
        return [list(way.prefixes()) for way in ways]

    def _pieces(self, inner: tuple[int, ...]) -> list[Piece]:
        """Those of a step, and of each loop of the output inside a tile with all inside it."""
        trips = -(-self.ends // self.lanes)
        part, each = self.ends - (trips - 1) * self.lanes, self.lanes.copy()
        steps, before = np.ones(part.shape[1]), np.zeros(part.shape[1])
        found = [Piece(self._leaves(each), self._leaves(part), before)]
        for dim in inner:
            if dim in OUT and (self.tiles[dim] > self.lanes[dim]).any():
                part[dim], each[dim] = self.ends[dim], self.tiles[dim]
                before = before + (trips[dim] - 1) * steps
                found.append(Piece(self._leaves(each), self._leaves(part), before))
            steps = steps * trips[dim]
        return found

    def _leaves(self, box: np.ndarray) -> np.ndarray:
        """float64 (n,): cycles in which the sums of a box (dims, n) leave."""
        return np.asarray(box[OUT].prod(axis=0) / self.wide)


class Sums:
    """How W(e) - e falls and rises in nests of `loops`, innermost first, where the sums of a step leave in so many
    cycles (`each`).

    Of a loop over the output all iterations have as many sums; of one over a reduction only the last one has any. So
    where a loop begins an iteration W(e) - e is linear in its number, and least in the first or the last of these; what
    is least inside of an iteration follows from the loops inside.
    """

    def __init__(self, loops: list[NestLoop], each: np.ndarray):
        self.loops = loops
        self.inside = list[tuple[np.ndarray, np.ndarray, np.ndarray]]()
        """Of an iteration of each loop, float64 (n,): what is least in it, if it has sums, and if it has none; its sums
        less its steps."""
        least = idle = -np.ones_like(each)
        gained = each
        for loop in loops:
            self.inside.append((least, idle, gained - loop.steps))
            more = loop.trips - 1
            if loop.dim in OUT:
                least = np.minimum(least, more * (gained - loop.steps) + least)
                gained = gained * loop.trips
            else:
                before = np.where(more > 0, idle - np.maximum(more - 1, 0) * loop.steps, 0)
                least = np.minimum(before, least - more * loop.steps)
            idle = idle - more * loop.steps

    def least(self, last: np.ndarray) -> np.ndarray:
        """float64 (n,): W(e) - e at least, for all e up to `last` (n,)."""
        now, found, summed = np.zeros_like(last), np.zeros_like(last), np.ones(last.shape, bool)
        for loop, (least, idle, gained) in zip(reversed(self.loops), reversed(self.inside), strict=True):
            over = np.clip(np.floor(last / loop.steps), 0, loop.trips - 1)
            last = last - over * loop.steps
            none = idle - (over - 1) * loop.steps
            if loop.dim in OUT:
                some = np.where(summed, np.minimum(least, (over - 1) * gained + least), none)
                change = np.where(summed, gained, -loop.steps)
            else:
                some, change = none, -loop.steps
            found = np.where(over > 0, np.minimum(found, now + some), found)
            now = now + over * change
            if loop.dim not in OUT:
                summed = summed & (over == loop.trips - 1)
        return np.minimum(found, now)
