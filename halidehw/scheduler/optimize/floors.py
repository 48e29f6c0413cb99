"""What the boundaries between levels cost at least, by the tile inside them, whatever happens at the other levels.

Of all loops outside a tile the innermost leaves one tensor in place at most. All others come in once for each trip of
the loops that do not move them, whatever the levels outside and their orders.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from halidehw.energy_model.counts import INPUT, OUTPUT, WEIGHT
from halidehw.energy_model.layer import DIMS
from halidehw.scheduler.optimize.rules import EXACT, crossing_words, refund, shared_weights, visited
from halidehw.scheduler.optimize.space import Space

OPERANDS = [INPUT, WEIGHT]


@dataclass(frozen=True)
class Floors:
    """Least energies in pJ, each float64 (points,)."""

    space: Space

    @cached_property
    def words(self) -> np.ndarray:
        """float64 (3, points): words of all tiles of a shape."""
        return crossing_words(self.space.rule, self.space.layer, self.space.grid.points)

    @cached_property
    def boundaries(self) -> dict[int, np.ndarray]:
        """By shared level: at the boundary below it, where the level inside holds the point; elsewhere infinite."""
        levels = range(self.space.arch.pe_levels + 1, len(self.space.arch.levels))
        return {level: self._boundary(level, [0, 1, 2]) for level in levels}

    @cached_property
    def passing(self) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """As `boundaries`, where sums pass the level by: its loops leave them in place, or it has none."""
        levels = [level for level in self.boundaries if visited(self.space.rule, self.space.arch, level)]
        return {level: (self._boundary(level, OPERANDS, [OUTPUT]), self._boundary(level, OPERANDS)) for level in levels}

    @cached_property
    def beyond(self) -> dict[int, np.ndarray]:
        """By shared level that holds the point: at all boundaries outside it."""
        found = {len(self.space.arch.levels) - 1: np.zeros(self.space.grid.top + 1)}
        for level, boundary in sorted(self.boundaries.items(), reverse=True):
            least = boundary + self.space.grid.minimum_above(found[level])
            if level in self.passing:
                still, same = self.passing[level]
                least = np.minimum(least, still + self._above(found[level]))
                least = np.minimum(least, same + found[level])
            found[level - 1] = least
        return found

    @cached_property
    def outside(self) -> np.ndarray:
        """At all boundaries outside the innermost shared level, of a point that all PEs hold together."""
        return self.space.grid.minimum_above(self.beyond[self.space.arch.pe_levels])

    @cached_property
    def outside_passed(self) -> np.ndarray:
        """As `outside`, where the innermost shared level has only loops that leave the output in place."""
        return self._above(self.beyond[self.space.arch.pe_levels])

    @cached_property
    def inside(self) -> np.ndarray:
        """At all boundaries inside a tile of the outermost level in a PE.

        Whatever the lanes: in the exact convention they copy an operand's words as often as they save trips.
        """
        found = np.zeros(self.space.grid.top + 1)
        for level in range(1, self.space.arch.pe_levels):
            kept = OPERANDS if self.space.rule is EXACT else []
            found = self.space.grid.minimum_below(found + self._boundary(level, kept))
        return found

    def _above(self, values: np.ndarray) -> np.ndarray:
        """For each point the least of `values` over those that it may lie inside with the same words of the output."""
        return self.space.grid.minimum_above(values, self.space.rule.others[OUTPUT])

    def _boundary(self, level: int, tensors: list[int], stationary: Sequence[int] = range(3)) -> np.ndarray:
        """Below `level`, where the level inside holds the point; `tensors` come in again, with one of `stationary` in
        place, the others once (sums that pass by: never)."""
        space = self.space
        factor = self.words * shared_weights(space.rule, space.arch, level)[:, None]
        if tensors == OPERANDS and visited(space.rule, space.arch, level):
            factor[OUTPUT] = 0
        once = factor[[tensor for tensor in range(3) if tensor not in tensors]].sum(axis=0)
        trips = space.trips[list(stationary)][:, tensors]
        again = np.einsum("tn,stn->sn", factor[tensors], trips).min(axis=0)
        spent = once + again + refund(space.rule, space.arch, space.layer, level)
        return np.where(space.holds(space.arch.levels[level - 1]), spent, np.inf)

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
            floor = self.beyond[level] + within
            tiles = np.flatnonzero(floor < limit)
            found[level] = tiles[np.argsort(floor[tiles], kind="stable")]
            least = grid.minimum_below(within + self.boundaries[level + 1])
            if level + 1 in self.passing:
                still, same = self.passing[level + 1]
                least = np.minimum(least, grid.minimum_below(within + still, space.rule.others[OUTPUT]))
                least = np.minimum(least, within + same)
            within = least
        return found
