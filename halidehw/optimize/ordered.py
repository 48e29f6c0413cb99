"""What mappings without register files run at least, order by order: how early each part of a nest can have begun.

A *prefix* of a nest is all that is before some step (`nest.py`). The words under it must have come before the step at
which the last of them is wanted; all other steps come after that, and then the sums that are complete no sooner. So of
each prefix, with T steps in all:

    run >= load - last + T + way + tail

where `load` are the cycles of the port for its words, `last` is the step at which the last of them is wanted, `way`
the way of a sum out of the array, and `tail` the cycles in which those sums leave that are complete after `last`. At
a port that all tensors share, words that are written go first: when the last word of the prefix comes, all sums have
left that were complete `LATE` and the hops before. If by then the array is through with `e` steps, of which W(e)
cycles of sums are complete, then

    run >= load + W(e) - e + T + way + tail, for some e up to `last`.

Sums leave in pieces, each when all of it is complete, and a piece leaves at the end; so both are taken with each piece
that loops of the tile make, and the least of these is what counts. All loops are there once in a tile, and once
outside.
"""

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
from halidehw.optimize.least import WAY, Least
from halidehw.optimize.nest import LEAD, OUT, Arrival, NestLoop, Prefix, moves
from halidehw.optimize.objective import CLOSE
from halidehw.optimize.orders import ORDERS, distinct, stays
from halidehw.optimize.pieces import OPERANDS
from halidehw.optimize.registers import filled, pace

LATE = 16
"""Cycles at most from the array's step until its sum asks for the port, but for its hops."""

MOST = 1 << 19
"""Nests that are looked at, at most; of more nothing is said."""

AGAIN = (1, 1 << 12), (2, 1 << 8)
"""How deep prefixes are with which nests are looked at again, and how many of the least runs."""

STATIONARY = 3
"""Orders of the loops outside a tile: the first of ORDERS."""

TOGETHER = 1 << 12
"""Nests that are looked at together."""

SAMPLE, WORTH = 1 << 7, 1.001
"""Of so many lanes and tiles, evenly drawn, all orders are looked at before those of all others; these are looked at
where each of the first runs at least so many times the least run of all lanes and tiles."""


@dataclass(frozen=True)
class Order:
    """Some nests of a space with their loops in one of ORDERS `inside` a tile and one outside: their `least` runs,
    float64 (n,), their lanes (`ways` of the space) and tiles (`points` of its grid), int64 (n,)."""

    inside: int
    outside: int
    ways: np.ndarray
    points: np.ndarray
    least: np.ndarray

    def take(self, some: np.ndarray) -> Order:
        """Those that are `some`, bool (n,)."""
        return Order(self.inside, self.outside, *(each[some] for each in (self.ways, self.points, self.least)))


class Ordered:
    """What each mapping of a space without register files runs at least, as far as it may be less than the shortest run
    that is known; what was found for a longer one holds for a shorter one."""

    def __init__(self, least: Least):
        self.least, self.found = least, 0.0
        self.near = list[Order]()

    def __call__(self, best: float) -> float:
        """These cycles, `best` if they are no less, and 0 if there are too many mappings to look at."""
        if not self.found and (pairs := self.least.pairs(best, MOST)):
            self.found = self._least(best, *pairs) if len(pairs[0]) else best
        return min(best, self.found)

    def hint(self, best: float) -> float:
        """The same; 0 where it would hardly be more than the least run of all lanes and tiles, by some of many."""
        return self(best) if self.found or self._says_more(best) else 0

    def _says_more(self, best: float) -> bool:
        ways, points = self.least.pairs(best, MOST) or (np.zeros(0, np.int64),) * 2
        apart = len(ways) // SAMPLE
        if apart < 2:
            return True
        some = self._nests(ways[::apart], points[::apart])
        every = (some.run(ORDERS[inner], ORDERS[outer]).min() for (inner, outer), _ in some.orders())
        return all(run > WORTH * self.least.run for run in every)

    def _least(self, best: float, ways: np.ndarray, points: np.ndarray) -> float:
        """Of some lanes and tiles, in all orders: those of the least runs are looked at again, with deeper prefixes; 0
        if they are too many."""
        nests = self._nests(ways, points)
        every = [(orders, np.flatnonzero(once)) for orders, once in nests.orders()]
        if sum(len(at) for _, at in every) > MOST:
            return 0
        for (inner, outer), at in every:
            runs = self._nests(ways[at], points[at]).run(ORDERS[inner], ORDERS[outer])
            self.near.append(Order(inner, outer, ways[at], points[at], runs).take(runs < best))
        for deep, few in AGAIN:
            runs = np.concatenate([np.full(1, best), *(each.least for each in self.near)])
            if runs.min() * CLOSE >= best:
                break
            limit = float(np.partition(runs, few)[few]) if len(runs) > few else best
            every_one = [self._deeper(each, limit, deep) for each in self.near]
            self.near = [each.take(each.least < best) for each in every_one]
        return min([best, *(float(each.least.min()) for each in self.near if len(each.least))])

    def _deeper(self, some: Order, limit: float, deep: int) -> Order:
        """The same; those whose least runs are under a limit with prefixes so `deep`."""
        low, least = some.least < limit, some.least.copy()
        if low.any():
            nests = self._nests(some.ways[low], some.points[low])
            least[low] = np.maximum(least[low], nests.run(ORDERS[some.inside], ORDERS[some.outside], deep))
        return replace(some, least=least)

    def _nests(self, ways: np.ndarray, points: np.ndarray) -> Nests:
        """With some lanes and tiles."""
        space = self.least.space
        return Nests(space.layer, space.arch, space.unrolled.lanes[:, ways], space.grid.points[:, points])


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
class Piece:
    """Sums that leave together, float64 (n,): cycles of the port for the last ones of all (`end`), which are fewest;
    of these the first are complete so many steps (`before`) before the last. They are those of the first `loops` of a
    nest."""

    end: np.ndarray
    before: np.ndarray
    loops: int

    def take(self, some: np.ndarray) -> Piece:
        """Those of `some` of the nests."""
        return Piece(self.end[some], self.before[some], self.loops)


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
        return self._together(loops, pieces, prefixes) if shared else self._apart(loops, pieces, ways, prefixes)

    def _together(self, loops: list[NestLoop], pieces: list[Piece], prefixes: list[Prefix]) -> np.ndarray:
        """With one port that all tensors share."""
        load, last = np.add(*(each.load for each in prefixes)), np.maximum(*(each.last for each in prefixes))
        there = self._there(loops, pieces, last)
        every = load[0] + self.layer.words[OUTPUT] / self.wide
        return np.maximum(self._put_off(pieces, load, last, there) + self.steps + WAY + self.hops, every)

    def _apart(
        self, loops: list[NestLoop], pieces: list[Piece], ways: list[Arrival], prefixes: list[Prefix]
    ) -> np.ndarray:
        """Where each tensor has its own port: when the words of a prefix have come, all sums are left that are complete
        after it, and what two tiles of the other operand have no room for and is not read yet."""
        found, busy = np.zeros_like(self.steps), np.zeros_like(self.steps)
        stored = self.layer.words[OUTPUT] / self.wide
        for loop, move in zip(loops, moves(loops, OUTPUT), strict=True):
            stored = stored * np.where(move & (loop.dim not in OUT), loop.trips, 1)
        tiles, reads = (held_words(self.layer, each)[:OUTPUT] / self.ports for each in (self.tiles, self.lanes))
        for own, other in zip(OPERANDS, OPERANDS[::-1], strict=True):
            each, load, complete = prefixes[own], prefixes[other].load[0], prefixes[other].complete[0]
            end = np.maximum(stored - complete, 1 + self.hops)
            left = load - (ways[own].free(each) + 2) * tiles[other] - LEAD * reads[other]
            rest = np.maximum(stored - each.complete, np.where(left > 0, left + end, 0))
            busy = np.maximum(busy, (each.load + rest).max(axis=0))
            found = np.maximum(found, self._put_off(pieces, each.load, each.last, [-each.last] * len(pieces)))
        return np.maximum(found + self.steps + self.hops, busy) + WAY

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
        each, port = self._leaves(self.lanes), self.arch.port_words
        return [Arrival(self.layer, loops, self.lanes, self.tiles, tensor, port[tensor], self.ports[tensor], each)
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


Place = tuple[np.ndarray, np.ndarray]
"""Of steps, float64 (k, n): iterations of a loop before each, and steps since the last of them."""


def steps_of(loops: Sequence[NestLoop], last: np.ndarray) -> list[Place]:
    """Where some steps, `last` (k, n), are in nests of `loops`, innermost first: in each of these, from the outermost,
    and before that in all together."""
    found = [(np.zeros(1), last)]
    for loop in reversed(loops):
        over = np.clip(np.floor(last / loop.steps), 0, loop.trips - 1)
        last = last - over * loop.steps
        found.append((over, last))
    return found


class Sums:
    """How W(e) - e falls and rises in nests of `loops`, innermost first, where sums leave by pieces.

    Of a loop over the output all iterations have as many pieces; of one over a reduction only the last one has any. So
    where a loop begins an iteration W(e) - e is linear in its number, and least in the first or the last of these; what
    is least inside of an iteration follows from the loops inside. A piece is complete at the end of its own loops.
    """

    def __init__(self, loops: list[NestLoop], piece: Piece):
        self.loops = loops[piece.loops :]
        self.inside = list[tuple[np.ndarray, np.ndarray, np.ndarray]]()
        """Of an iteration of each loop, float64 (n,): what is least in it, if it has sums, and if it has none; its sums
        less its steps."""
        self.own = np.asarray(np.prod([loop.trips for loop in loops[: piece.loops]], axis=0) * np.ones_like(piece.end))
        least = idle = -self.own
        gained = piece.end
        for loop in self.loops:
            self.inside.append((least, idle, gained - loop.steps))
            more = loop.trips - 1
            if loop.dim in OUT:
                least = np.minimum(least, more * (gained - loop.steps) + least)
                gained = gained * loop.trips
            else:
                before = np.where(more > 0, idle - np.maximum(more - 1, 0) * loop.steps, 0)
                least = np.minimum(before, least - more * loop.steps)
            idle = idle - more * loop.steps

    def least(self, places: list[Place]) -> np.ndarray:
        """float64 (k, n): W(e) - e at least, for all e up to some steps, which are at `places` (`steps_of`)."""
        last = places[len(self.loops)][1]
        now, found, summed = np.zeros_like(last), np.zeros_like(last), np.ones(last.shape, bool)
        own = zip(reversed(self.loops), reversed(self.inside), strict=True)
        for (loop, (least, idle, gained)), (over, _) in zip(own, places[1:], strict=False):
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
        return np.minimum(found, now - np.clip(last, 0, self.own))
