"""What the boundaries between levels cost at least, by the tile inside them, whatever happens at the other levels.

Of all loops outside a tile the innermost leaves one tensor in place at most. All others come in once for each trip of
the loops that do not move them, whatever the levels outside and their orders.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from halidehw.energy_model.counts import INPUT, WEIGHT
from halidehw.scheduler.optimize.rules import EXACT, crossing_words, refund, shared_weights
from halidehw.scheduler.optimize.space import Space


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
    def beyond(self) -> dict[int, np.ndarray]:
        """By shared level that holds the point: at all boundaries outside it."""
        found = {len(self.space.arch.levels) - 1: np.zeros(self.space.grid.top + 1)}
        for level, boundary in sorted(self.boundaries.items(), reverse=True):
            found[level - 1] = boundary + self.space.grid.minimum_above(found[level])
        return found

    @cached_property
    def outside(self) -> np.ndarray:
        """At all boundaries outside the innermost shared level, of a point that all PEs hold together."""
        return self.space.grid.minimum_above(self.beyond[self.space.arch.pe_levels])

    @cached_property
    def inside(self) -> np.ndarray:
        """At all boundaries inside a tile of the outermost level in a PE.

        Whatever the lanes: in the exact convention they copy an operand's words as often as they save trips.
        """
        found = np.zeros(self.space.grid.top + 1)
        for level in range(1, self.space.arch.pe_levels):
            kept = [INPUT, WEIGHT] if self.space.rule is EXACT else []
            found = self.space.grid.minimum_below(found + self._boundary(level, kept))
        return found

    def _boundary(self, level: int, tensors: list[int]) -> np.ndarray:
        """Below `level`, where the level inside holds the point; `tensors` come in again, the others once."""
        space = self.space
        factor = self.words * shared_weights(space.rule, space.arch, level)[:, None]
        once = factor[[tensor for tensor in range(3) if tensor not in tensors]].sum(axis=0)
        again = np.einsum("tn,stn->sn", factor[tensors], space.trips[:, tensors]).min(axis=0)
        spent = once + again + refund(space.rule, space.arch, space.layer, level)
        return np.where(space.holds(space.arch.levels[level - 1]), spent, np.inf)

    def worth(self, energy: np.ndarray, point: np.ndarray, limit: float) -> dict[int, np.ndarray]:
        """Tiles (points) of each shared level but the outermost that mappings of less than `limit` pJ may have, by
        rising floor.

        `energy`: of mappings with a filling of the PEs, at least; `point`: what all PEs then hold together.
        """
        within = np.full(self.space.grid.top + 1, np.inf)
        np.minimum.at(within, point, energy - self.outside[point])
        found = {}
        for level in range(self.space.arch.pe_levels, len(self.space.arch.levels) - 1):
            within = self.space.grid.minimum_below(within)
            floor = self.beyond[level] + within
            tiles = np.flatnonzero(floor < limit)
            found[level] = tiles[np.argsort(floor[tiles], kind="stable")]
            within = within + self.boundaries[level + 1]
        return found
