"""Mappings: how a layer's loops are split over memory levels and the array."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from halidehw.errors import CostError
from halidehw.mapping.layer import DIMS, Layer

Loops = tuple[tuple[str, int], ...]

Axes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Mapping:
    """`temporal[level]`: the loops (name, trips) of each level, innermost level first, innermost loop first.

    `spatial[dimension]`: the loops (name, lanes) unrolled on each dimension of the array, nearest first. Trips need
    not divide a layer's extents: the last tile is then smaller, and the last lanes idle.
    """

    temporal: tuple[Loops, ...]
    spatial: tuple[Loops, ...]

    def with_empty(self, levels: Iterable[int]) -> Mapping:
        """The same on an architecture that also has levels at these places, rising: they have no loops."""
        trips = list(self.temporal)
        for level in levels:
            trips.insert(level, ())
        return replace(self, temporal=tuple(trips))

    def as_json(self, levels: tuple[str, ...]) -> dict[str, Any]:
        """A plain description; `levels` are the names of the memory levels."""
        return {
            "levels": [
                {"level": name, "loops": [[dim, trips] for dim, trips in loops]}
                for name, loops in zip(levels, self.temporal, strict=True)
            ],
            "spatial": [[[dim, lanes] for dim, lanes in loops] for loops in self.spatial],
        }


@dataclass(frozen=True)
class Tiling:
    """Many mappings of one nest: equal loop orders, any tile sizes.

    `tiles`: int64 (levels, dims, n), the extent of each dim of DIMS in one PE over the loops of that level and those
    inside; `lanes`: int64 (dims, n); `orders[level]`: dims, innermost first; `axes[dimension]`: dims, nearest first.
    """

    layer: Layer
    tiles: np.ndarray
    lanes: np.ndarray
    orders: tuple[tuple[int, ...], ...]
    axes: Axes

    @property
    def array_tiles(self) -> np.ndarray:
        """As `tiles`, over all PEs: what one level holds, in all of them together, of each dim; clipped."""
        return np.minimum(self.tiles * self.lanes, np.array(self.layer.extents)[:, None])


def tiling(layer: Layer, mapping: Mapping) -> Tiling:
    """The one-element Tiling of `mapping`.

    Raises CostError on an unknown loop, a loop twice in a level, trips or lanes below 1, or loops that do not cover
    the layer.
    """
    trips = np.ones((len(mapping.temporal), len(DIMS), 1), np.int64)
    orders = []
    for level, loops in enumerate(mapping.temporal):
        orders.append(_dims(loops))
        for dim, count in loops:
            trips[level, DIMS.index(dim)] = count
    axes = tuple(_dims(loops) for loops in mapping.spatial)
    lanes = np.ones((len(DIMS), 1), np.int64)
    for dim, count in (loop for loops in mapping.spatial for loop in loops):
        lanes[DIMS.index(dim)] *= count
    if (trips < 1).any() or (lanes < 1).any():
        raise CostError("mapping: trips and lanes are 1 or more")
    tiles = np.cumprod(trips, axis=0)
    for dim, extent, covered in zip(DIMS, layer.extents, (tiles[-1] * lanes)[:, 0], strict=True):
        if covered < extent:
            raise CostError(f"mapping: the loops of {dim} cover {covered} of {extent}")
    return Tiling(layer, tiles, lanes, tuple(orders), axes)


def _dims(loops: Loops) -> tuple[int, ...]:
    names = [dim for dim, _ in loops]
    for name in names:
        if name not in DIMS:
            raise CostError(f"mapping: unknown loop {name!r}", legal=DIMS)
        if names.count(name) > 1:
            raise CostError(f"mapping: loop {name} is twice in one level")
    return tuple(DIMS.index(name) for name in names)
