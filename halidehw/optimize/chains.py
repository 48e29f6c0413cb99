"""Many mappings at once, each memory at the price of its own size, in the loop orders that take the least.

Of each level's loops only the tensor that stays in place matters (`rules`). From the outermost level inwards, every
tensor's tiles come in for all trips of the loops that do not move it, but for those that they outlive; where no loop of
a level moves a tensor, its tiles come in as often as those of the next level out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from halidehw.mapping.architecture import Architecture
from halidehw.mapping.counts import INPUT, OUTPUT, WEIGHT, array_steps
from halidehw.mapping.evaluate import hop_energies
from halidehw.mapping.layer import DIMS, RELEVANT, TENSORS, Layer
from halidehw.optimize.rules import EXACT, crossing_words

EVERY = INPUT, WEIGHT, OUTPUT

_RELEVANT = [np.array(dims) for dims in RELEVANT]
_OTHERS = [list(EXACT.others[tensor]) for tensor in EVERY]

REDUCED = tuple(dim for dim in range(len(DIMS)) if not RELEVANT[OUTPUT][dim])


@dataclass(frozen=True)
class Chains:
    """n mappings but for their loop orders; of arrays with one column, all have that. `held`: of each level on the chip
    what one memory holds, int64 (dims, n); `prices`: pJ of a word in it, float64 (3, n), and outside; `lanes` int64
    (dims, n), `hops` float64 (3, n) of a word of each tensor. `pieced`: a tensor that has to be moved by what is
    innermost outside the chip, as it comes in by pieces, each of them once, and those that may then stay in the
    outermost level on it; None: nothing is asked for. `stored`: sums lie in memories of the levels; else, with one step
    in the PEs, in accumulators of the lanes, from where they leave the innermost shared level."""

    layer: Layer
    arch: Architecture
    held: tuple[np.ndarray, ...]
    prices: tuple[np.ndarray, ...]
    lanes: np.ndarray
    hops: np.ndarray
    pieced: tuple[int, tuple[int, ...]] | None = None
    stored: bool = True

    def least(self) -> tuple[np.ndarray, np.ndarray]:
        """pJ in the orders that take the least, float64 (n,), and which tensor stays in each level, int64 (levels, n).
        Where not all are of one PE alone, each such one is taken to read both operands in each step."""
        crossings = [*self._steps(), *self._crossings()]
        ways, pj = _ordered(crossings)
        stays = np.array([(0, *way)[-len(self.prices) :] for way in ways])
        pj = pj + self._innermost()[stays[:, self.arch.pe_levels]]
        least = pj.argmin(axis=0)
        found = pj[least, np.arange(pj.shape[1])] - self.layer.words[OUTPUT] * self._sum_pj(self.prices[-1])
        return found, stays[least].T

    def _innermost(self) -> np.ndarray:
        """float64 (3, n): pJ of the operations and what they read and write, by which tensor stays in the innermost
        shared level."""
        at = self.arch.pe_levels - 1
        steps = array_steps(self.layer, self.held[at], self.lanes).prod(axis=0, dtype=float)
        slots, prices = steps * self.lanes.prod(axis=0), self.prices[0]
        sums = slots / self._copies(OUTPUT)
        travel = self.hops[OUTPUT] * self.arch.hop * self.arch.sum_width
        operands = slots * (prices[INPUT] + prices[WEIGHT]) * (not self._alone)
        sum_pj = self._sum_pj(prices)[None] if self.stored else self._accumulator_pj()
        pj = operands + sums * (2 * sum_pj + travel) + self.layer.macs * self.arch.mac
        return np.broadcast_to(pj, (len(EVERY), pj.shape[1]))

    def _accumulator_pj(self) -> np.ndarray:
        """float64 (3, n): pJ of a sum in one of the accumulators in the lanes, by which tensor stays in the innermost
        shared level: two parts of as many sums as loops of their reduction, in that level or outside, come back to."""
        assert self.arch.table
        tiles, extents = self.held[self.arch.pe_levels], np.array(self.layer.extents)[:, None]
        trips = -(-tiles // np.minimum(self.lanes, extents))
        several, outside = trips > 1, (tiles < extents)[list(REDUCED)].any(axis=0)
        words = np.ones((len(EVERY), trips.shape[1]))
        for stays, own in enumerate(words):
            back = outside
            for dim in reversed(EXACT.orders[stays]):
                if dim in REDUCED:
                    back = back | several[dim]
                elif several[dim].any():
                    own *= np.where(back, trips[dim], 1)
        width = self.arch.word_bits * self.arch.sum_width
        return np.asarray(self.arch.sum_width * self.arch.levels[0].prices(self.arch.table, 2 * words * width / 8))

    @property
    def _alone(self) -> bool:
        return bool((self.lanes == 1).all())

    def _steps(self) -> Iterator[Crossing]:
        """What one PE alone reads in the steps of its tiles, the boundary inside the innermost level: operands that
        change."""
        if self._alone:
            one, tiles = np.ones_like(self.lanes), self.held[0]
            words = crossing_words(EXACT, self.layer, one)[:OUTPUT] * self.prices[0][:OUTPUT]
            inside, outside = (_rounds(self.layer, each) for each in (one, tiles))
            yield Crossing([*words, np.zeros(1)], _moved(tiles > one), inside, outside)

    def _sum_pj(self, prices: np.ndarray) -> np.ndarray:
        return np.asarray(prices[OUTPUT] * self.arch.sum_width)

    def _copies(self, tensor: int) -> np.ndarray:
        return np.asarray(self.lanes[_OTHERS[tensor]].prod(axis=0, dtype=float))

    def _crossings(self) -> Iterator[Crossing]:
        """Of the boundary inside each level, from the innermost one."""
        extents, at = np.array(self.layer.extents)[:, None], self.arch.pe_levels
        array = [*(np.minimum(held * self.lanes, extents) for held in self.held[:at]), *self.held[at:], extents]
        rounds = [_rounds(self.layer, tiles) for tiles in array]
        grows = [outer > inner for inner, outer in pairwise(array)]
        built = [np.ones(1, bool), *(grow.any(axis=0) for grow in grows[:-1]), np.ones(1, bool)]
        built[at] = built[at] | (self.lanes.prod(axis=0) > 1)
        for level, grow in enumerate(grows, 1):
            moved = _moved(grow)
            kept = moved[OUTPUT] | (level == len(grows))
            pj, outside = self._pj(level, built, kept), level - len(grows) + 1
            if self.pieced and outside == 1:
                tensor = self.pieced[0]
                pj[tensor] = np.where(moved[tensor] | ~grow.any(axis=0), pj[tensor], np.inf)
            yield Crossing(pj, moved, rounds[level - 1], rounds[level], self._stays(outside))

    def _stays(self, outside: int) -> tuple[int, ...]:
        """The tensors that may stay in a level; `outside`: 1 of that outside the chip, 0 of the next one inside."""
        if self.pieced is None or outside < 0:
            return EVERY
        return tuple(tensor for tensor in EVERY if tensor != self.pieced[0]) if outside else self.pieced[1]

    def _pj(self, level: int, built: Sequence[np.ndarray], kept: np.ndarray) -> list[np.ndarray]:
        """pJ for each time that all tiles of a tensor come into those of the level inside this one."""
        found, at = [], self.arch.pe_levels
        words = crossing_words(EXACT, self.layer, self.held[level - 1])
        inner, outer = (self.prices[each] * built[each] for each in (level - 1, level))
        travel = hop_energies(self.arch) * self.hops if level == at else np.zeros((len(TENSORS), 1))
        for tensor in (INPUT, WEIGHT):
            copies = self._copies(tensor) if level <= at else np.ones(1)
            read = np.ones(1) if level == at else copies
            found.append(words[tensor] * (copies * inner[tensor] + read * outer[tensor] + travel[tensor]))
        kept = kept & (self.stored or level != at)
        return [*found, 2 * words[OUTPUT] * self._sum_pj(self.prices[level]) * kept]


@dataclass(frozen=True)
class Crossing:
    """A boundary, of each tensor: `pj` each time that all of its tiles come in, whether the level's loops have `moved`
    it, and the trips of the loops that do not move it, outside the tiles `inside` and those of the level, (3, n) or
    (3, 1). `stays`: the tensors that may stay in place."""

    pj: list[np.ndarray]
    moved: np.ndarray
    inside: np.ndarray
    outside: np.ndarray
    stays: tuple[int, ...] = EVERY


def _ordered(crossings: Sequence[Crossing]) -> tuple[list[tuple[int, ...]], np.ndarray]:
    """Each way in which tensors may stay in the levels, one in each, from the innermost one, and pJ of all boundaries
    then, float64 (ways, n)."""
    ways, times, total = [tuple[int, ...]()], np.ones((1, len(TENSORS), 1)), np.zeros((1, 1))
    for own in reversed(crossings):
        ways = [(stationary, *outer) for outer in ways for stationary in own.stays]
        same = np.array([[[tensor == stationary] for tensor in EVERY] for stationary in own.stays])
        trips = np.where(same, own.outside, own.inside)
        now = np.where(own.moved, trips, times[:, None])
        times = now.reshape(len(ways), *now.shape[2:])
        total = np.repeat(total, len(own.stays), axis=0) + sum(pj * times[:, at] for at, pj in enumerate(own.pj))
    return ways, total


def _moved(grow: np.ndarray) -> np.ndarray:
    """Of each tensor, bool (3, n): whether one of the loops that are there, bool (dims, n), moves it."""
    return np.stack([grow[dims].any(axis=0) for dims in _RELEVANT])


def _rounds(layer: Layer, tiles: np.ndarray) -> np.ndarray:
    """float64 (3, n): of each tensor, the trips of the loops outside `tiles` (dims, n) that do not move it."""
    trips = -(-np.array(layer.extents)[:, None] // tiles)
    return np.stack([trips[others].prod(axis=0, dtype=float) for others in _OTHERS])
