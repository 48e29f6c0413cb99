"""Which fillings of the PEs can be part of the optimum: tiles and lanes, by a bound on the whole mapping.

Given the tile in a PE and the lanes, the energy inside the PEs and at their boundary is bounded as in `floors`, and so
is that of all levels outside. The sum is seldom far from the best mapping: of millions of fillings only thousands have
a bound below a good one.

Tiles and lanes meet in a few products only (the copies of each tensor), so a first bound is a sum of products of two
small matrices: tiles by lanes with equal products.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product

import numpy as np

from halidehw.mapping.counts import OUTPUT, array_steps
from halidehw.mapping.layer import DIMS
from halidehw.optimize.floors import Floors
from halidehw.optimize.growth import Growth
from halidehw.optimize.objective import Objective
from halidehw.optimize.rules import (
    innermost_cycles,
    innermost_energy,
    least_spreads,
    load_weights,
    pe_factors,
    read_weights,
    refund,
    shared_weights,
    visited,
)
from halidehw.optimize.space import Space
from halidehw.optimize.unrolling import Ways

TOGETHER = 1 << 13
"""Fillings that are bounded at once."""

ROUNDING = 4e-6
"""Single precision is this close, relatively, in sums of up to twenty numbers that are not negative."""

CACHED = 1 << 15
"""Bounds that stay in a processor's cache while they are summed, few enough for matrix products of one thread: several
wait for each other where other processes run."""

BYTES = 1 << 23
"""Of tiles and lanes, a bit for each pair, that are looked at together."""


@dataclass(frozen=True)
class Fillings:
    """n fillings of the PEs, by rising `score`; no mapping with it has less, nor less than `energy` pJ.

    `tile`: of the outermost level in a PE, `point`: of all PEs together (both points); `way`: its lanes, an index;
    `steps`: of the array, or of the ports if they need more.
    """

    tile: np.ndarray
    point: np.ndarray
    way: np.ndarray
    steps: np.ndarray
    energy: np.ndarray
    score: np.ndarray

    def take(self, chosen: np.ndarray | slice) -> Fillings:
        """Those at an index, a mask or in a range."""
        return Fillings(*(getattr(self, name)[chosen] for name in Fillings.__dataclass_fields__))


NONE = Fillings(*(np.zeros(0, kind) for kind in (np.int64,) * 4 + (np.float64,) * 2))
"""No fillings."""


def ranges(start: np.ndarray, length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ranges of `length` from each `start`, one after another: which range each number is of, and the number."""
    which = np.repeat(np.arange(len(start)), length)
    return which, np.arange(length.sum()) + (start - np.cumsum(length) + length)[which]


def _low(energy: np.ndarray) -> np.ndarray:
    """In single precision, with all that may be lost in sums."""
    return (energy * (1 - ROUNDING)).astype(np.float32)


def _least(arrays: list[np.ndarray], choose: np.ufunc = np.minimum) -> np.ndarray:
    """The least of each entry, or the greatest; takes the place of the first array."""
    return reduce(lambda found, other: choose(found, other, out=found), arrays)


@dataclass(frozen=True)
class Candidates:
    """The fillings of a space, bounded for one goal, whose score may be below `limit`."""

    space: Space
    goal: Objective
    max_cycles: float
    limit: float = np.inf

    @cached_property
    def lanes(self) -> np.ndarray:
        """int64 (n,): indices into the space's unrollings, those that are fast enough."""
        return np.flatnonzero(self.space.steps(self.space.unrolled.lanes) <= self.max_cycles)

    @cached_property
    def held(self) -> np.ndarray:
        """int64 (all,): points that the outermost level in a PE takes."""
        return np.flatnonzero(self.space.holds(self.space.arch.levels[self.space.arch.pe_levels - 1]))

    @cached_property
    def worth(self) -> np.ndarray:
        """int64 (m,): the places of the `tiles` in `held`."""
        if self.limit == np.inf:
            return np.arange(len(self.held))
        least = _low(self.floors.beyond[self.space.arch.pe_levels].min(keepdims=True))
        anywhere = np.repeat(least[None], len(self.held), axis=1), np.zeros(len(self.alike[1]), np.int64)
        passing = visited(self.space.rule, self.space.arch, self.space.arch.pe_levels)
        bounds = self._bounds(np.arange(len(self.held)), [anywhere] * (3 if passing else 1))
        return np.flatnonzero(self._below(bounds, self.limit).any(axis=0))

    @cached_property
    def tiles(self) -> np.ndarray:
        """int64 (m,): points that the outermost level in a PE takes, but for those that are not below the limit with
        any lanes, whatever the levels outside hold."""
        return self.held[self.worth]

    @cached_property
    def floors(self) -> Floors:
        """What the levels around a filling cost at least."""
        return Floors(self.space)

    @cached_property
    def alike(self) -> tuple[np.ndarray, np.ndarray]:
        """The group of each of `lanes`, int64 (n,), and the first of each group, int64 (groups,).

        Lanes of a group have equal products over all sets of loops that matter, and equal steps if cycles do.
        """
        space, lanes = self.space, self.space.unrolled.lanes[:, self.lanes]
        sets = {*space.rule.others, *(tuple(space.rule.left(*each)) for each in product(range(3), repeat=2))}
        keys = [lanes[list(dims)].prod(axis=0) for dims in sorted(sets)]
        keys += [self._fewest] if self.goal.timed else []
        group = np.zeros(lanes.shape[1], np.int64)
        for key in keys:
            _, place = np.unique(key, return_inverse=True)
            _, group = np.unique(group * (place.max(initial=0) + 1) + place, return_inverse=True)
        return group, np.unique(group, return_index=True)[1]

    @cached_property
    def matrix(self) -> np.ndarray:
        """float32 (groups, m): pJ at least with lanes of a group and a tile. The levels outside cost what they cost
        around the lanes of one tensor's loops."""
        first = self.alike[1]
        if not len(self.worth):
            return np.empty((len(first), 0), np.float32)
        return self._bounds(self.worth, self._around(first))

    def _bounds(self, chosen: np.ndarray, floors: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """float32 (groups, m): pJ at least with lanes of a group and the tiles at `chosen` in `held`, with `floors` of
        what is outside as `_around` has them.

        Where sums pass the innermost shared level by, it leaves the output in place, or has no loops, and the next one
        has the same tile inside.
        """
        space, arch, tiles = self.space, self.space.arch, self.held[chosen]
        group, first = self.alike
        every = space.unrolled.lanes[:, self.lanes]
        lanes, spread = every[:, first].astype(float), np.full((3, len(first)), np.inf)
        for tensor, hops in enumerate(least_spreads(space.rule, every)):
            np.minimum.at(spread[tensor], group, hops)
        weights = read_weights(space.rule, arch, spread) + load_weights(space.rule, arch, lanes)
        least = np.array(space.layer.extents)[:, None] / lanes
        work = innermost_energy(space.rule, arch, space.layer, least, lanes, spread)
        work += refund(space.rule, arch, space.layer, arch.pe_levels)
        words = space.shapes.words
        trips, saved = self._crossing(tiles, words[:, tiles], weights, lanes)
        more, less = self._crossing(tiles, words.min(axis=1)[:, None], self._next_weights[:, None], lanes)
        both, twice = np.hstack((trips[:, :OUTPUT], more)), np.hstack((saved[:, :OUTPUT], less))
        last = refund(space.rule, arch, space.layer, arch.pe_levels + 1) if arch.pe_levels < len(arch.levels) - 1 else 0
        work, within = _low(work)[:, None], _low(self._inside[:, chosen])
        place = self._adding(every[:, first])
        (outside, by_sums), *passed = floors
        found = np.empty((len(first), len(tiles)), np.float32)
        rows = 1 + CACHED // (1 + len(tiles))
        for own in (slice(at, at + rows) for at in range(0, len(first), rows)):
            around = outside[by_sums[own]]
            least = _least([saved[s, :, own].T @ trips[s] for s in range(3)])
            least += around
            if passed:
                around = _least([around, *(values[which[own]] for values, which in passed)], np.maximum)
                again = _least([twice[s, :, own].T @ both[s] for s in range(3)])
                again += last
                np.maximum(again, around, out=again)
                around += saved[OUTPUT, :OUTPUT, own].T @ trips[OUTPUT, :OUTPUT]
                _least([least, around, again])
            np.add(least, within[place[own]], out=found[own])
            found[own] += work[own]
        return found

    def _crossing(
        self, tiles: np.ndarray, words: np.ndarray, weights: np.ndarray, lanes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """float32 (stationary 3, tensor 3, m), how many of `words` (3, m) come in for all trips outside `tiles`; and
        (stationary 3, tensor 3, n), pJ of each, `weights` (3, n), by the trips that `lanes` (dims, n) save.
        """
        saved = np.empty((3, 3, lanes.shape[1]), np.float32)
        trips = (words * self.space.shapes.trips[:, :, tiles]).astype(np.float32)
        for stationary, tensor in product(range(3), repeat=2):
            left = self.space.rule.left(stationary, tensor)
            saved[stationary, tensor] = _low(weights[tensor] / lanes[left].prod(axis=0))
        return trips, saved

    @cached_property
    def _next_weights(self) -> np.ndarray:
        """float64 (3,): pJ at least per word that crosses into the innermost shared level."""
        space, level = self.space, self.space.arch.pe_levels + 1
        if level == len(space.arch.levels):
            return np.zeros(3)
        weights = shared_weights(space.rule, space.arch, level)
        weights[OUTPUT] *= not visited(space.rule, space.arch, level)
        return weights

    def _around(self, chosen: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """float32 (products, m), pJ outside what a tile and the lanes of some loops hold together, at least, and the
        row of each of `lanes` at `chosen`: by the lanes that add up the output; and, for where sums pass the innermost
        shared level by, by those that copy each operand. Of one choice of lanes it is what all of them hold.
        """
        space, floors = self.space, {OUTPUT: self.floors.outside}
        if visited(space.rule, space.arch, space.arch.pe_levels):
            floors |= self.floors.outside_operands
        if len(self.lanes) == 1:
            outside = _low(self.growth.around(self.floors.outside, chosen[0]))[None]
            return [(outside, np.zeros(1, np.int64))] * len(floors)
        found, lanes = [], space.unrolled.lanes[:, self.lanes[chosen]]
        for tensor, floor in floors.items():
            dims = space.rule.others[tensor]
            outside, products = self.growth.least(floor, dims)
            found.append((_low(outside), np.searchsorted(products, lanes[list(dims)].prod(axis=0))))
        return found

    @cached_property
    def sums(self) -> np.ndarray:
        """int64 (k,): how many lanes may add to one word of the output, rising; one, where nothing depends on it."""
        if self.space.arch.pe_levels == 1:
            return np.ones(1, np.int64)
        dims = list(self.space.rule.others[OUTPUT])
        return np.unique(self.space.unrolled.lanes[dims][:, self.lanes].prod(axis=0))

    def _adding(self, lanes: np.ndarray) -> np.ndarray:
        """int64 (n,): the place of `lanes` (dims, n) among `sums`."""
        sums = lanes[list(self.space.rule.others[OUTPUT])].prod(axis=0)
        return np.searchsorted(self.sums[1:], sums, side="right")

    @cached_property
    def _inside(self) -> np.ndarray:
        """float64 (k, all): pJ inside the tiles `held`, for each of `sums`, at least."""
        return self.floors.inside(self.held, self.sums)

    @cached_property
    def paces(self) -> list[np.ndarray]:
        """Per dim, int64 (sizes, lanes from 0 on): the array's steps over the loop."""
        found, lanes = [], np.arange(max(self.space.arch.array) + 1).clip(1)
        for dim, sizes in enumerate(self.space.grid.sizes):
            tiles, many = np.ones((2, len(DIMS), len(sizes) * len(lanes)), np.int64)
            tiles[dim], many[dim] = np.repeat(sizes, len(lanes)), np.tile(lanes, len(sizes))
            found.append(array_steps(self.space.layer, tiles, many)[dim].reshape(len(sizes), len(lanes)))
        return found

    @cached_property
    def growth(self) -> Growth:
        """What `lanes` make of `tiles`."""
        free = not self.goal.timed and self.max_cycles == float("inf") and self.space.arch.pe_levels == 1
        lanes = self.space.unrolled.lanes[:, self.lanes]
        return Growth(self.space, self.tiles, lanes, free and not self.space.unrolled.share)

    @cached_property
    def steps(self) -> np.ndarray:
        """int64 (groups,): cycles of the array, at least."""
        group, first = self.alike
        found = np.full(len(first), np.iinfo(np.int64).max)
        np.minimum.at(found, group, self._fewest)
        return np.maximum(found, self.space.port_cycles)

    @cached_property
    def _fewest(self) -> np.ndarray:
        """int64 (n,): cycles of each of `lanes`, at least: the array's, or those of the innermost level."""
        space, lanes = self.space, self.space.unrolled.lanes[:, self.lanes]
        least = np.array(space.layer.extents)[:, None] / lanes
        files = innermost_cycles(space.rule, space.arch, space.layer, least, lanes)
        return np.maximum(space.steps(lanes), files.astype(np.int64))

    @property
    def soonest(self) -> float:
        """No mapping has a lower score, whatever its energy."""
        steps = np.maximum(self._fewest, self.space.port_cycles)
        return float(self.goal.score(np.zeros(len(steps)), steps).min(initial=np.inf))

    @cached_property
    def least(self) -> float:
        """No mapping has a lower score."""
        return float(self.goal.score(self.matrix.min(axis=1, initial=np.inf), self.steps).min(initial=np.inf))

    def at_most(self, limit: float) -> int:
        """No fewer fillings than have a bound below `limit`."""
        many = np.count_nonzero(self._below(self.matrix, limit), axis=1)
        return int(many @ np.bincount(self.alike[0], minlength=len(many)))

    def _below(self, bounds: np.ndarray, limit: float) -> np.ndarray:
        """bool (groups, n): those of `bounds` (groups, n) in pJ whose score is below a limit."""
        within = self.goal.within(limit, self.steps)
        return np.asarray(bounds < within.astype(np.float32)[:, None])

    def below(self, limit: float) -> Fillings:
        """All fillings whose bound is below `limit`, with the hops of the best layout that may exist."""
        if not len(self.lanes):
            return NONE
        group, _ = self.alike
        bits = np.packbits(self._below(self.matrix, limit), axis=1)
        good, used = np.flatnonzero(bits.max(axis=1)[group]), np.flatnonzero(bits.any(axis=0))
        bits, grown = bits[:, used], [own[:, used] for own in self.growth.bits]
        found = [(np.zeros(0, np.int64),) * 4]
        for lanes in np.array_split(good, -(-good.size * len(used) // BYTES) or 1):
            both = bits[group[lanes]]
            for own, which in zip(grown, self.growth.which, strict=True):
                both &= own[which[lanes]]
            lane, byte = np.divmod(np.flatnonzero(both.view(bool)), len(used) or 1)
            which, bit = np.nonzero(np.unpackbits(both[lane, byte, None], axis=1))
            lane, row = lanes[lane[which]], used[byte[which]] * 8 + bit
            least = self.matrix[group[lane], row].astype(float)
            found.append((self.tiles[row], self.growth.points(row, lane), self.lanes[lane], least))
        tile, point, way, first = (np.concatenate(parts) for parts in zip(*found, strict=True))
        hops = least_spreads(self.space.rule, self.space.unrolled.lanes)
        return self._scored(tile, point, way, self.space.unrolled.lanes, hops, limit, first)

    def lay_out(self, fillings: Fillings, limit: float) -> tuple[Ways, Fillings]:
        """The fillings in all their layouts whose bound is still below `limit`; `way` is an index into the Ways."""
        chosen, which = np.unique(fillings.way, return_inverse=True)
        ways, place = self.space.unrolled.lay_out(self.space.rule, chosen)
        order, count = np.argsort(place, kind="stable"), np.bincount(place, minlength=len(chosen))
        filling, at = ranges((np.cumsum(count) - count)[which], count[which])
        tile, point = fillings.tile[filling], fillings.point[filling]
        return ways, self._scored(tile, point, order[at], ways.lanes, ways.hops, limit, fillings.energy[filling])

    def _scored(
        self, tile: np.ndarray, point: np.ndarray, way: np.ndarray, lanes: np.ndarray, hops: np.ndarray, limit: float,
        first: np.ndarray,
    ) -> Fillings:  # fmt: skip
        """Fillings with `lanes` (dims, ways) and `hops` (3, ways), those whose score is below `limit`; they have at
        least `first` pJ, so that a filling which one pass leaves to the next is not below it there."""
        bounded = self.bounded if self.goal.priced else self._paced
        parts = [
            bounded(tile[at : at + TOGETHER], point[at : at + TOGETHER], way[at : at + TOGETHER], lanes, hops)
            for at in range(0, len(tile) or 1, TOGETHER)
        ]
        steps, energy = (np.concatenate(each) for each in zip(*parts, strict=True))
        steps, energy = np.maximum(steps, self.space.port_cycles), np.maximum(energy, first)
        score = self.goal.score(energy, steps)
        kept = np.flatnonzero((score < limit) & (steps <= self.max_cycles))
        return Fillings(tile, point, way, steps, energy, score).take(kept[np.argsort(score[kept], kind="stable")])

    def bounded(
        self, tile: np.ndarray, point: np.ndarray, way: np.ndarray, lanes: np.ndarray, hops: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Steps, and pJ at least."""
        space, arch, layer = self.space, self.space.arch, self.space.layer
        shapes, own, travel = space.grid.points[:, tile], lanes[:, way], hops[:, way]
        steps = self._steps(tile, own)
        factor = pe_factors(space.rule, arch, layer, arch.pe_levels, shapes, own, travel)
        trips = space.shapes.trips[:, :, point]
        energy = np.einsum("tn,stn->sn", factor, trips).min(axis=0) + self.floors.outside[point]
        if visited(space.rule, arch, arch.pe_levels):
            passed = np.einsum("tn,stn->sn", factor[:OUTPUT], trips[:, :OUTPUT])
            energy = np.minimum(energy, passed[OUTPUT] + self.floors.outside_passed[point])
            energy = np.minimum(energy, passed.min(axis=0) + self.floors.beyond[arch.pe_levels][point])
        energy += self._inside[self._adding(own), np.searchsorted(self.held, tile)]
        energy += innermost_energy(space.rule, arch, layer, steps, own, travel)
        energy += refund(space.rule, arch, layer, arch.pe_levels)
        return self._cycles(steps, own), energy

    def _paced(
        self, tile: np.ndarray, point: np.ndarray, way: np.ndarray, lanes: np.ndarray, hops: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """As `bounded`, where energy does not matter."""
        own = lanes[:, way]
        return self._cycles(self._steps(tile, own), own), np.zeros(len(tile))

    def _cycles(self, steps: np.ndarray, lanes: np.ndarray) -> np.ndarray:
        """int64 (n,): cycles of the array, or of the innermost level."""
        array, space = steps.prod(axis=0), self.space
        if space.arch.bandwidth(0) == np.inf:
            return np.asarray(array)
        return np.maximum(array, innermost_cycles(space.rule, space.arch, space.layer, steps, lanes).astype(np.int64))

    def _steps(self, tile: np.ndarray, lanes: np.ndarray) -> np.ndarray:
        """int64 (dims, n): the array's steps over each loop."""
        places = self.space.grid.places
        return np.stack([pace[places[dim, tile], lanes[dim]] for dim, pace in enumerate(self.paces)])
