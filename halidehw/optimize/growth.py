"""What lanes make of the tile in a PE: the tile of all PEs together, where there is one and it is worth having."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from halidehw.mapping.layer import DIMS
from halidehw.optimize.space import Space

FREE = tuple(DIMS.index(name) for name in ("B", "G", "K"))
"""Loops whose lanes only copy words, in any layer."""

WINDOW = tuple(DIMS.index(name) for name in ("Z", "Y", "X"))
"""Loops whose lanes only copy words and overlap windows, where no stride or dilation leaves gaps."""


TOGETHER = 1 << 17
"""Points that are looked up at once."""


@dataclass(frozen=True)
class Growth:
    """`tiles` (points) of the outermost level in a PE, with `lanes` int64 (dims, n).

    `fewest`: leave out lanes that a larger tile makes superfluous: with fewer lanes of a loop that does not reduce,
    and so much more of it in each PE, the PEs together hold the same, from fewer copies that travel less. That holds
    where nothing but energy matters and one level in the PE has room for the larger tile.
    """

    space: Space
    tiles: np.ndarray
    lanes: np.ndarray
    fewest: bool

    @cached_property
    def values(self) -> list[np.ndarray]:
        """Per dim: the lanes it may have, rising."""
        return [np.unique(lanes) for lanes in self.lanes]

    @cached_property
    def which(self) -> np.ndarray:
        """int64 (dims, n): the place of each of `lanes` among its dim's values."""
        return np.stack([np.searchsorted(values, own) for values, own in zip(self.values, self.lanes, strict=True)])

    @cached_property
    def moves(self) -> list[np.ndarray]:
        """Per dim, int64 (m, values): what a value adds to the point of a tile."""
        found, stride = [], self.space.grid.top + 1
        for dim, sizes in enumerate(self.space.grid.sizes):
            stride //= len(sizes)
            moved = (np.searchsorted(sizes, self._together(dim)) - np.arange(len(sizes))[:, None]) * stride
            found.append(moved[self.space.grid.places[dim, self.tiles]])
        return found

    @cached_property
    def bits(self) -> list[np.ndarray]:
        """Per dim, uint8 (values, m / 8): the tiles that a value is good for, a bit each."""
        return [np.packbits(self._legal(dim) & ~self._superfluous(dim), axis=0).T for dim in range(len(DIMS))]

    def points(self, tile: np.ndarray, lane: np.ndarray) -> np.ndarray:
        """int64 (n,): the points of all PEs together, of places in `tiles` and `lanes`."""
        point = self.tiles[tile]
        for values, moves, which in zip(self.values, self.moves, self.which, strict=True):
            if values[-1] > 1:
                point = point + moves[tile, which[lane]]
        return point

    def around(self, values: np.ndarray, lane: int) -> np.ndarray:
        """`values` (points) of what all PEs hold together, with a place in `lanes`: float64 (m,)."""
        every = np.arange(len(self.tiles))
        point = self.points(every, np.full_like(every, lane)).clip(0, self.space.grid.top)
        good = [self._legal(dim)[:, which] for dim, which in enumerate(self.which[:, lane])]
        return np.where(np.logical_and.reduce(good), values[point], np.inf)

    def least(self, values: np.ndarray, dims: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """The least of `values` (points) around the lanes of `dims` alone, for all lanes of equal product: float64
        (products, m), and the products, rising.
        """
        shape = tuple(len(self.values[dim]) for dim in dims)
        some = np.zeros(prod(shape), bool)
        some[np.ravel_multi_index(tuple(self.which[list(dims)]), shape)] = True
        combined = np.stack(np.unravel_index(np.flatnonzero(some), shape))
        lanes = np.prod([self.values[dim][at] for dim, at in zip(dims, combined, strict=True)], axis=0)
        products, place = np.unique(lanes, return_inverse=True)
        found = np.full((len(products), len(self.tiles)), np.inf)
        legal = {dim: self._legal(dim).T for dim in dims}
        for at in np.array_split(np.argsort(place, kind="stable"), 1 + place.size * len(self.tiles) // TOGETHER):
            point, good = self.tiles[None], np.ones((at.size, 1), bool)
            for dim, which in zip(dims, combined[:, at], strict=True):
                point, good = point + self.moves[dim].T[which], good & legal[dim][which]
            rows, starts = np.unique(place[at], return_index=True)
            here = np.minimum.reduceat(np.where(good, values[point], np.inf), starts)
            found[rows] = np.minimum(found[rows], here)
        return found, products

    def _together(self, dim: int) -> np.ndarray:
        """int64 (sizes, values): what all lanes of a loop hold."""
        sizes, extent = np.array(self.space.grid.sizes[dim])[:, None], self.space.layer.extents[dim]
        return np.minimum(sizes * self.values[dim], extent)

    def _busy(self, dim: int) -> np.ndarray:
        """bool (sizes, values): whether that is in the lattice, and each lane has something to do."""
        sizes, together = np.array(self.space.grid.sizes[dim]), self._together(dim)
        some = sizes[:, None] * (self.values[dim] - 1) < self.space.layer.extents[dim]
        return some & (sizes[np.searchsorted(sizes, together)] == together)

    def _legal(self, dim: int) -> np.ndarray:
        return self._busy(dim)[self.space.grid.places[dim, self.tiles]]

    def _superfluous(self, dim: int) -> np.ndarray:
        """bool (m, values): whether fewer lanes with a larger tile would hold the same."""
        found = np.zeros((len(self.tiles), len(self.values[dim])), bool)
        dense = tuple(each for each in WINDOW if self.space.layer.steps(DIMS[each]) == (1, 1))
        if not self.fewest or dim not in FREE + dense:
            return found
        level, sizes = self.space.arch.levels[self.space.arch.pe_levels - 1], np.array(self.space.grid.sizes[dim])
        place, larger = self.space.grid.places[dim, self.tiles], self._larger(dim)
        for value in range(1, len(self.values[dim])):
            grown = self.space.grid.points[:, self.tiles]
            grown[dim] = np.append(sizes, 0)[larger[place, value]]
            fits = self.space.shapes.footprint(grown) * level.buffers <= (level.words or 0)
            found[:, value] = fits & (larger[place, value] < len(sizes))
        return found

    def _larger(self, dim: int) -> np.ndarray:
        """int64 (sizes, values): the place of the next size that holds the same with fewer lanes, and leaves no more of
        them idle; at the end: none."""
        together, sizes = np.where(self._busy(dim), self._together(dim), 0), np.array(self.space.grid.sizes[dim])
        found = np.full(together.shape, len(together))
        latest = np.full(self.space.layer.extents[dim] + 1, len(together))
        filled = np.zeros_like(latest)
        for value, (lanes, totals) in enumerate(zip(self.values[dim], together.T, strict=True)):
            busy = np.flatnonzero(totals)[::-1]
            held, own = totals[busy], sizes[busy] * lanes
            found[busy, value] = np.where(filled[held] <= own, latest[held], len(together))
            latest[held], filled[held] = busy, own
        return found
