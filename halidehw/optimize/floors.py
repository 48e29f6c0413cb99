"""What the boundaries between levels cost at least, by the tile inside them, whatever happens at the other levels.

Of all loops outside a tile the innermost leaves one tensor in place at most. All others come in once for each trip of
the loops that do not move them, whatever the levels outside and their orders.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise

import numpy as np

from halidehw.mapping.counts import INPUT, OUTPUT, WEIGHT
from halidehw.mapping.layer import DIMS, TENSORS
from halidehw.optimize.rules import EXACT, THROUGH, refund, shared_weights, visited
from halidehw.optimize.space import Space

OPERANDS = [INPUT, WEIGHT]

PAIRS = 1 << 20
"""Up to so many pairs of an inner and an outer tile are looked at one by one."""


@dataclass(frozen=True)
class Floors:
    """Least energies in pJ, each float64 (points,)."""

    space: Space

    @cached_property
    def boundaries(self) -> dict[int, np.ndarray]:
        """By shared level: at the boundary below it, where the level inside holds the point; elsewhere infinite."""
        levels = range(self.space.arch.pe_levels + 1, len(self.space.arch.levels))
        return {level: self._boundary(level, len(TENSORS)) for level in levels}

    @cached_property
    def passing(self) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """As `boundaries`, where sums pass the level by: its loops leave them in place, or it has none."""
        levels = [level for level in self.boundaries if visited(self.space.rule, self.space.arch, level)]
        return {level: (self._boundary(level, OUTPUT, [OUTPUT]), self._boundary(level, OUTPUT)) for level in levels}

    @cached_property
    def beyond(self) -> dict[int, np.ndarray]:
        """By shared level that holds the point: at all boundaries outside it."""
        top = len(self.space.arch.levels) - 1
        found = {top: np.zeros(self.space.grid.top + 1)}
        for level, boundary in sorted(self.boundaries.items(), reverse=True):
            least = boundary if level == top else boundary + self.space.grid.minimum_above(found[level])
            if level in self.passing:
                still, same = self.passing[level]
                least = np.minimum(least, still + self._above(found[level]))
                least = np.minimum(least, same + found[level])
            found[level - 1] = least
        return found

    @cached_property
    def outside(self) -> np.ndarray:
        """At all boundaries outside the innermost shared level, of a point that all PEs hold together."""
        return self.space.grid.minimum_above(self.outside_operands[INPUT], self.space.rule.others[INPUT])

    @cached_property
    def outside_passed(self) -> np.ndarray:
        """As `outside`, where the innermost shared level has only loops that leave the output in place."""
        return self._above(self.beyond[self.space.arch.pe_levels])

    @cached_property
    def outside_operands(self) -> dict[int, np.ndarray]:
        """As `outside`, where of the loops that leave an operand in place that level has only those that leave the
        output in place too."""
        others = self.space.rule.others
        moving = {operand: set(range(len(DIMS))).difference(others[operand], others[OUTPUT]) for operand in OPERANDS}
        return {operand: self.space.grid.minimum_above(self.outside_passed, moving[operand]) for operand in OPERANDS}

    def inside(self, tiles: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """float64 (sums, n): at all boundaries inside `tiles` (points) of the outermost level in a PE, where as many
        lanes as `sums` add to one word of the output.

        Whatever the other lanes: they copy an operand's words as often as they save trips, and in the paper's
        convention a sum's too.
        """
        space, levels = self.space, self.space.arch.levels[: self.space.arch.pe_levels]
        held = [*(np.flatnonzero(space.holds(level)) for level in levels[:-1]), tiles]
        found = np.zeros((len(sums), len(held[0])))
        for level, (inner, outer) in enumerate(pairwise(held), 1):
            if len(inner) * len(outer) <= PAIRS:
                found = self._around(level, inner, found, outer, sums)
            else:
                least = np.full(space.grid.top + 1, np.inf)
                least[inner] = found.min(axis=0)
                least += self._boundary(level, OUTPUT if space.rule is EXACT else 0)
                found = np.tile(space.grid.minimum_below(least)[outer], (len(sums), 1))
        return found

    def _around(
        self, level: int, inner: np.ndarray, spent: np.ndarray, outer: np.ndarray, sums: np.ndarray
    ) -> np.ndarray:
        """`spent` inside the tiles `inner` of the level inside `level`, a level further out."""
        space, counts = self.space, self.space.shapes.outer_counts[:, inner, None]
        shared = sums if space.rule is EXACT else np.ones_like(sums)
        weight = (space.shapes.words[:, inner] * shared_weights(space.rule, space.arch, level)[:, None])[:, :, None]
        fits = space.grid.inside(inner[:, None], outer)
        again, outlived = space.shapes.trips[:, :, inner, None], space.shapes.outlived
        ways = [(again[s] * outlived(s, outer)[:, None], fits, 1) for s in range(len(again))]
        for tensors in THROUGH[1:] if space.rule.through else ():
            places = [space.shapes.places[tensor] for tensor in tensors]
            same = [each[inner, None] == each[outer] for each in places]
            visits = int(not (OUTPUT in tensors and visited(space.rule, space.arch, level)))
            trips = counts.copy()
            trips[list(tensors)] = [[[visits if tensor == OUTPUT else 1]] for tensor in tensors]
            ways.append((trips, np.logical_and.reduce([fits, *same]), visits))
        found = np.full((len(sums), len(outer)), np.inf)
        for trips, legal, visits in ways:
            operands = np.where(legal, (weight * trips)[:OUTPUT].sum(axis=0), np.inf)
            for at, lanes in enumerate(shared):
                cost = operands + spent[at][:, None] + weight[OUTPUT] * np.maximum(trips[OUTPUT] / lanes, visits)
                np.minimum(found[at], cost.min(axis=0), out=found[at])
        return found + refund(space.rule, space.arch, space.layer, level)

    def _above(self, values: np.ndarray) -> np.ndarray:
        """For each point the least of `values` over those that it may lie inside with the same words of the output."""
        return self.space.grid.minimum_above(values, self.space.rule.others[OUTPUT])

    def _boundary(self, level: int, tensors: int, stationary: Sequence[int] = range(3)) -> np.ndarray:
        """Below `level`, where the level inside holds the point; the first `tensors` come in again, with one of
        `stationary` in place, the others once (sums that pass by: never)."""
        space, shapes = self.space, self.space.shapes
        weight = shared_weights(space.rule, space.arch, level)
        if tensors == OUTPUT and visited(space.rule, space.arch, level):
            weight[OUTPUT] = 0
        paid = weight[:tensors, None] * shapes.words[:tensors]
        cost = reduce(np.minimum, (np.einsum("tn,tn->n", paid, shapes.trips[s, :tensors]) for s in stationary))
        cost += weight[tensors:] @ shapes.words[tensors:] + refund(space.rule, space.arch, space.layer, level)
        return np.where(space.holds(space.arch.levels[level - 1]), cost, np.inf)

    def worth(self, energy: np.ndarray, point: np.ndarray, limit: float) -> dict[int, np.ndarray]:
        """Tiles (points) of each shared level but the outermost that mappings of less than `limit` pJ may have, by
        rising floor.

        `energy`: of mappings with a filling of the PEs, at least; `point`: what all PEs then hold together.
        """
        space = self.space
        pe, top, grid = space.arch.pe_levels, len(space.arch.levels) - 1, space.grid
        paths: list[tuple[np.ndarray, Iterable[int]]] = [(self.outside, range(len(DIMS)))]
        if visited(space.rule, space.arch, pe):
            paths += [(self.outside_passed, space.rule.others[OUTPUT]), (self.beyond[pe], ())]
        within = np.full(grid.top + 1, np.inf)
        for outside, dims in paths:
            own = np.full(grid.top + 1, np.inf)
            may = np.isfinite(outside[point])
            np.minimum.at(own, point[may], energy[may] - outside[point[may]])
            within = np.minimum(within, grid.minimum_below(own, dims))
        found = {}
        for level in range(pe, top):
            if level > pe:
                within = self._a_level_out(within, level)
            floor = self.beyond[level] + within
            tiles = np.flatnonzero(floor < limit)
            found[level] = tiles[np.argsort(floor[tiles], kind="stable")]
        return found

    def _a_level_out(self, within: np.ndarray, level: int) -> np.ndarray:
        """What is spent `within` the tiles of the level inside `level` and at the boundary below that, by its tiles."""
        grid = self.space.grid
        least = grid.minimum_below(within + self.boundaries[level])
        if level in self.passing:
            still, same = self.passing[level]
            least = np.minimum(least, grid.minimum_below(within + still, self.space.rule.others[OUTPUT]))
            least = np.minimum(least, within + same)
        return least
