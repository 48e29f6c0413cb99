"""What tile shapes hold and how often they come in, whatever the memories are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from halidehw.mapping.counts import footprint, outermost_words
from halidehw.mapping.layer import Layer
from halidehw.optimize.lattice import Lattice
from halidehw.optimize.rules import Rules, crossing_words


@dataclass(frozen=True)
class Shapes:
    """The tiles of a layer that are points of `grid`; a sum takes `sum_width` words. Spaces that differ in their
    memories share one."""

    layer: Layer
    rule: Rules
    grid: Lattice
    sum_width: float

    def footprint(self, tiles: np.ndarray) -> np.ndarray:
        """int64 (n,): words of all three tensors in `tiles` (dims, n)."""
        return footprint(self.layer, tiles, self.rule.name, self.sum_width)

    @cached_property
    def needs(self) -> np.ndarray:
        """int64 (points,): words of all three tensors' tiles."""
        return self.footprint(self.grid.points)

    def outermost(self, buffers: int) -> np.ndarray:
        """int64 (points,): words that the outermost memory on the chip needs, whose tiles are those."""
        if buffers not in self._outermost:
            self._outermost[buffers] = outermost_words(self.layer, self.grid.points, self.sum_width, buffers)
        return self._outermost[buffers]

    @cached_property
    def _outermost(self) -> dict[int, np.ndarray]:
        """By the halves of the memory."""
        return {}

    @cached_property
    def words(self) -> np.ndarray:
        """float64 (3, points): words of all tiles of a shape."""
        return crossing_words(self.rule, self.layer, self.grid.points)

    @cached_property
    def outer_counts(self) -> np.ndarray:
        """float64 (3, points): the trips outside a tile of the loops that do not move each tensor."""
        return np.stack([self.grid.rounds(dims) for dims in self.rule.others])

    @cached_property
    def trips(self) -> np.ndarray:
        """float64 (stationary 3, tensor 3, points): the least number of times that all tiles of a point come in."""
        found = np.empty((3, 3, self.grid.top + 1))
        for stationary, tensor in product(range(3), repeat=2):
            found[stationary, tensor] = self.grid.rounds(self.rule.left(stationary, tensor))
        return found

    def outlived(self, stationary: int, at: np.ndarray | int) -> np.ndarray:
        """float64 (3, n): that part of `outer_counts` that tiles `at` points can outlive."""
        return np.asarray(self.outer_counts[:, at] / self.trips[stationary][:, at])

    @cached_property
    def places(self) -> np.ndarray:
        """int64 (3, points): equal where the dims that move a tensor are equal."""
        found = []
        for dims in self.rule.others:
            flat = np.zeros(self.grid.top + 1, np.int64)
            for dim, size in enumerate(self.grid.shape):
                flat = flat if dim in dims else flat * size + self.grid.places[dim]
            found.append(flat)
        return np.stack(found)
