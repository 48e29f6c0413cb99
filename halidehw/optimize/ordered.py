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
outside. `nests.py` works this out for many mappings at once, and says of which loops.

Of the few that may still be far shorter, words come in as hardware brings them: by pieces that a tile's loops make,
each as a whole, no step on it before that, and at the pace of a piece, whose neighbours are fewer than the tile's. With
which pieces is not known: those with which a nest runs least count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from halidehw.optimize.least import Least
from halidehw.optimize.nests import Nests
from halidehw.optimize.objective import CLOSE
from halidehw.optimize.orders import ORDERS
from halidehw.optimize.pieced import in_pieces

MOST = 1 << 19
"""Nests that are looked at, at most; of more nothing is said."""

AGAIN = (1, 1 << 12), (2, 1 << 8)
"""How deep prefixes are with which nests are looked at again, and how many of the least runs."""

PIECES = (0, 1 << 11), (1, 1 << 8)
"""How deep they are where all pieces are looked at, and of how many nests at most that may be over a hundredth
shorter than the best."""

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


Bounds = Callable[[Nests, tuple[int, ...], tuple[int, ...]], np.ndarray]
"""What some nests run at least with their loops inside and outside a tile in two of ORDERS."""


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
            low = [each.least < limit for each in self.near]
            self._look_again(best, low, partial(Nests.run, deep=deep))
        for deep, most in PIECES:
            low = [each.least * CLOSE < best for each in self.near]
            if sum(some.sum() for some in low) <= most:
                self._look_again(best, low, partial(in_pieces, deep=deep))
        return min([best, *(float(each.least.min()) for each in self.near if len(each.least))])

    def _look_again(self, best: float, low: list[np.ndarray], runs: Bounds) -> None:
        """At some of those that are near, bool (n,) of each order; those stay that may run shorter than the best."""
        for at, (each, some) in enumerate(zip(self.near, low, strict=True)):
            least = each.least.copy()
            if some.any():
                found = runs(self._nests(each.ways[some], each.points[some]), ORDERS[each.inside], ORDERS[each.outside])
                least[some] = np.maximum(least[some], found)
            self.near[at] = replace(each, least=least).take(least < best)

    def _nests(self, ways: np.ndarray, points: np.ndarray) -> Nests:
        """With some lanes and tiles."""
        space = self.least.space
        return Nests(space.layer, space.arch, space.unrolled.lanes[:, ways], space.grid.points[:, points])
