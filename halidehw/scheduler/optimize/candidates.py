"""Which fillings of the PEs can be part of the optimum: tiles and lanes, by a bound on the whole mapping.

Of all loops outside the PEs the innermost leaves one tensor in place at most. All others come in once for each trip of
the loops that do not move them, whatever the levels outside and their orders. With the least that the shared levels
outside a tile cost, this bounds every mapping with given tiles and lanes, and it is seldom far from the best of them:
of millions of fillings only thousands have a bound below a good mapping.

Tiles and lanes meet in a few products only (the copies of each tensor), so the first bound, without the levels
outside, is a product of two small matrices: tiles by lanes with equal products.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from halidehw.energy_model.counts import INPUT, WEIGHT, array_steps
from halidehw.scheduler.optimize.objective import Objective
from halidehw.scheduler.optimize.rules import (
    EXACT,
    crossing_words,
    innermost_energy,
    least_spreads,
    load_weights,
    pe_factors,
    read_weights,
    refund,
    shared_weights,
)
from halidehw.scheduler.optimize.space import Space
from halidehw.scheduler.optimize.unrolling import Ways

TOGETHER = 1 << 18
"""Fillings that are bounded at once."""

NOWHERE = np.iinfo(np.int64).min // 16
"""Added to a point that is none."""


@dataclass(frozen=True)
class Fillings:
    """n fillings of the PEs, by rising `score`, which no mapping with it is below. `tile`: of the outermost level in a
    PE, `point`: of all PEs together (both points); `way`: its lanes, an index; `steps`: of the array, at least.
    """

    tile: np.ndarray
    point: np.ndarray
    way: np.ndarray
    steps: np.ndarray
    score: np.ndarray

    def take(self, chosen: np.ndarray | slice) -> Fillings:
        """Those at an index, a mask or in a range."""
        return Fillings(*(getattr(self, name)[chosen] for name in Fillings.__dataclass_fields__))


def ranges(start: np.ndarray, length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ranges of `length` from each `start`, one after another: which range each number is of, and the number."""
    which = np.repeat(np.arange(len(start)), length)
    return which, np.arange(length.sum()) + (start - np.cumsum(length) + length)[which]


@dataclass(frozen=True)
class Candidates:
    """The fillings of a space, bounded for one goal."""

    space: Space
    goal: Objective
    max_cycles: float

    @cached_property
    def lanes(self) -> np.ndarray:
        """int64 (n,): indices into the space's unrollings, those that are fast enough."""
        return np.flatnonzero(self.space.steps(self.space.unrolled.lanes) <= self.max_cycles)

    @cached_property
    def tiles(self) -> np.ndarray:
        """int64 (m,): points that the outermost level in a PE takes."""
        return np.flatnonzero(self.space.holds(self.space.arch.levels[self.space.arch.pe_levels - 1]))

    @cached_property
    def words(self) -> np.ndarray:
        """float64 (3, points)."""
        return crossing_words(self.space.rule, self.space.layer, self.space.grid.points)

    @cached_property
    def outside(self) -> np.ndarray:
        """float64 (points,): pJ at least at the boundaries outside the shared level that holds a point."""
        space, found = self.space, np.zeros(self.space.grid.top + 1)
        for level in reversed(range(space.arch.pe_levels + 1, len(space.arch.levels))):
            factor = self.words * shared_weights(space.rule, space.arch, level)[:, None]
            found += self._crossing(factor) + refund(space.rule, space.arch, space.layer, level)
            found[~space.holds(space.arch.levels[level - 1])] = np.inf
            found = space.grid.minimum_above(found)
        return found

    @cached_property
    def inside(self) -> np.ndarray:
        """float64 (points,): pJ at least at the boundaries inside a tile of the outermost level in a PE.

        Whatever the lanes: in the exact convention they copy an operand's words as often as they save trips.
        """
        space, found = self.space, np.zeros(self.space.grid.top + 1)
        kept = [INPUT, WEIGHT] if space.rule is EXACT else []
        for level in range(1, space.arch.pe_levels):
            factor = self.words * shared_weights(space.rule, space.arch, level)[:, None]
            once = factor[[tensor for tensor in range(3) if tensor not in kept]].sum(axis=0)
            found += once + np.einsum("tn,stn->sn", factor[kept], space.trips[:, kept]).min(axis=0)
            found[~space.holds(space.arch.levels[level - 1])] = np.inf
            found = space.grid.minimum_below(found) + refund(space.rule, space.arch, space.layer, level)
        return found

    def _crossing(self, factor: np.ndarray) -> np.ndarray:
        """float64 (points,): `factor` (3, points) per crossing, with the best stationary tensor."""
        return np.asarray(np.einsum("tn,stn->sn", factor, self.space.trips).min(axis=0))

    @cached_property
    def alike(self) -> tuple[np.ndarray, np.ndarray]:
        """The group of each of `lanes`, int64 (n,), and the first of each group, int64 (groups,).

        Lanes of a group have equal products over all sets of loops that matter, and equal steps if cycles do.
        """
        space, lanes = self.space, self.space.unrolled.lanes[:, self.lanes]
        sets = {*space.rule.others, *(tuple(space.rule.left(*each)) for each in product(range(3), repeat=2))}
        keys = [lanes[list(dims)].prod(axis=0) for dims in sorted(sets)]
        keys += [space.steps(lanes)] if self.goal.timed else []
        group = np.zeros(lanes.shape[1], np.int64)
        for key in keys:
            _, place = np.unique(key, return_inverse=True)
            _, group = np.unique(group * (place.max(initial=0) + 1) + place, return_inverse=True)
        return group, np.unique(group, return_index=True)[1]

    @cached_property
    def matrix(self) -> np.ndarray:
        """float64 (m, groups): pJ at least with a tile and lanes of a group, but for what is `outside`."""
        space, arch = self.space, self.space.arch
        group, first = self.alike
        every = space.unrolled.lanes[:, self.lanes]
        lanes, spread = every[:, first].astype(float), np.full((3, len(first)), np.inf)
        for tensor, hops in enumerate(least_spreads(space.rule, every)):
            np.minimum.at(spread[tensor], group, hops)
        weights = read_weights(space.rule, arch, spread) * self.words.min(axis=1)[:, None]
        loading = load_weights(space.rule, arch, lanes)
        found = np.full((len(self.tiles), len(first)), np.inf)
        for stationary in range(3):
            parts, times = [], []
            for tensor in range(3):
                left = space.rule.left(stationary, tensor)
                trips, saved = space.grid.counts[left][:, self.tiles].prod(axis=0), lanes[left].prod(axis=0)
                parts += [self.words[tensor, self.tiles] * trips, trips]
                times += [loading[tensor] / saved, weights[tensor] / saved]
            np.minimum(found, np.stack(parts).T @ np.stack(times), out=found)
        least = np.array(space.layer.extents)[:, None] / lanes
        work = innermost_energy(space.rule, arch, space.layer, least, spread)
        inner = self.inside[self.tiles] + refund(space.rule, arch, space.layer, arch.pe_levels)
        return found + work + inner[:, None]

    @cached_property
    def moves(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Per dim: what its lanes add to a point, int64 (sizes, values), and which value each of `lanes` has."""
        grid, found, stride = self.space.grid, [], self.space.grid.top + 1
        for dim, (known, extent) in enumerate(zip(grid.sizes, self.space.layer.extents, strict=True)):
            stride //= len(known)
            sizes = np.array(known)
            values, which = np.unique(self.space.unrolled.lanes[dim, self.lanes], return_inverse=True)
            grown = np.minimum(sizes[:, None] * values, extent)
            place = np.searchsorted(sizes, grown)
            legal = (sizes[place] == grown) & (sizes[:, None] * (values - 1) < extent)
            moved = (place - np.arange(len(sizes))[:, None]) * stride
            found.append((np.where(legal, moved, NOWHERE), which))
        return found

    @cached_property
    def steps(self) -> np.ndarray:
        """int64 (groups,): cycles of the array, at least."""
        group, first = self.alike
        found = np.full(len(first), np.iinfo(np.int64).max)
        np.minimum.at(found, group, self.space.steps(self.space.unrolled.lanes[:, self.lanes]))
        return found

    @cached_property
    def least(self) -> float:
        """No mapping has a lower score."""
        return float(self.goal.score(self.matrix.min(axis=0) + self.outside.min(), self.steps).min(initial=np.inf))

    def below(self, limit: float) -> Fillings:
        """All fillings whose bound is below `limit`, with the hops of the best layout that may exist."""
        group, _ = self.alike
        members = np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])
        scores = self.goal.score(self.matrix + self.outside.min(), self.steps)
        found = []
        for each in np.flatnonzero((scores < limit).any(axis=0)):
            rows = np.flatnonzero(scores[:, each] < limit)
            tiles, own = self.tiles[rows], members[each]
            point = np.broadcast_to(tiles[:, None], (len(rows), len(own))).copy()
            for dim, (moves, which) in enumerate(self.moves):
                if self.space.unrolled.lanes[dim, self.lanes[own]].max() > 1:
                    point += moves[self.space.grid.places[dim, tiles][:, None], which[own]]
            row, at = np.nonzero(point >= 0)
            bound = self.matrix[rows[row], each] + self.outside[point[row, at]]
            near = self.goal.score(bound, self.steps[each]) < limit
            found.append((tiles[row[near]], point[row, at][near], self.lanes[own[at[near]]]))
        none = np.zeros(0, np.int64)
        tile, point, way = (np.concatenate(parts) for parts in zip((none,) * 3, *found, strict=True))
        hops = least_spreads(self.space.rule, self.space.unrolled.lanes)
        return self._scored(tile, point, way, self.space.unrolled.lanes, hops, limit)

    def lay_out(self, fillings: Fillings, limit: float) -> tuple[Ways, Fillings]:
        """The fillings in all their layouts whose bound is still below `limit`; `way` is an index into the Ways."""
        chosen, which = np.unique(fillings.way, return_inverse=True)
        ways, place = self.space.unrolled.lay_out(self.space.rule, chosen)
        order, count = np.argsort(place, kind="stable"), np.bincount(place, minlength=len(chosen))
        filling, at = ranges((np.cumsum(count) - count)[which], count[which])
        tile, point = fillings.tile[filling], fillings.point[filling]
        return ways, self._scored(tile, point, order[at], ways.lanes, ways.hops, limit)

    def _scored(
        self, tile: np.ndarray, point: np.ndarray, way: np.ndarray, lanes: np.ndarray, hops: np.ndarray, limit: float
    ) -> Fillings:
        """Fillings with `lanes` (8, ways) and `hops` (3, ways), those whose score is below `limit`."""
        parts = [
            self._bounded(tile[at : at + TOGETHER], point[at : at + TOGETHER], way[at : at + TOGETHER], lanes, hops)
            for at in range(0, len(tile) or 1, TOGETHER)
        ]
        steps, score = (np.concatenate(each) for each in zip(*parts, strict=True))
        kept = np.flatnonzero((score < limit) & (steps <= self.max_cycles))
        return Fillings(tile, point, way, steps, score).take(kept[np.argsort(score[kept], kind="stable")])

    def _bounded(
        self, tile: np.ndarray, point: np.ndarray, way: np.ndarray, lanes: np.ndarray, hops: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Steps and scores."""
        space, arch, layer = self.space, self.space.arch, self.space.layer
        shapes, own, travel = space.grid.points[:, tile], lanes[:, way], hops[:, way]
        steps = array_steps(layer, shapes, own)
        factor = pe_factors(space.rule, arch, layer, arch.pe_levels, shapes, own, travel)
        energy = np.einsum("tn,stn->sn", factor, space.trips[:, :, point]).min(axis=0)
        energy += self.outside[point] + self.inside[tile] + innermost_energy(space.rule, arch, layer, steps, travel)
        energy += refund(space.rule, arch, layer, arch.pe_levels)
        total = steps.prod(axis=0)
        return total, self.goal.score(energy, total)
