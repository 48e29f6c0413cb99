"""When the sums of mappings without register files are written: piece by piece, in nests many at once.

Times and counts are float64 (n,) of n nests, and (k, n) of k steps of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from halidehw.optimize.nest import OUT, NestLoop


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
