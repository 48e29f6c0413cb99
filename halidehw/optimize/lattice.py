"""Tile shapes of a layer as points of a grid, and minima over all tiles that fit into a tile.

A shape has one size per loop; shape u lies below shape v when each of its sizes divides v's, or v's is the whole
extent (the last tile is then clipped). Below is an order, so the minimum over all shapes below each shape follows
from one sweep per loop over its covering pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from halidehw.errors import CostError
from halidehw.mapping.layer import DIMS, Layer

UNEVEN = (2, 3), (4, 5)
"""Shares of an extent."""

POINTS = 1 << 19
"""Up to so many tile shapes, every size is among them."""

LONGEST = 1 << 20
"""Iterations of a loop that is searched, at most."""


@dataclass(frozen=True)
class Lattice:
    """`sizes[dim]`: the tile sizes of a loop, rising, from 1 to its extent. Points are flat indices, int64."""

    layer: Layer
    sizes: tuple[tuple[int, ...], ...]

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(sizes) for sizes in self.sizes)

    @cached_property
    def top(self) -> int:
        """The point of the whole layer."""
        return prod(self.shape) - 1

    @cached_property
    def points(self) -> np.ndarray:
        """int64 (dims, points): the sizes of every point."""
        return np.stack([np.array(sizes, np.int64)[at] for sizes, at in zip(self.sizes, self.places, strict=True)])

    @cached_property
    def places(self) -> np.ndarray:
        """int64 (dims, points): the position of every point among each loop's sizes."""
        return np.stack(np.unravel_index(np.arange(self.top + 1), self.shape))

    @cached_property
    def counts(self) -> np.ndarray:
        """float64 (dims, points): how many tiles of each point's sizes cover each loop."""
        extents = np.array(self.layer.extents, np.int64)[:, None]
        return (-(-extents // self.points)).astype(float)

    @cached_property
    def below(self) -> tuple[np.ndarray, ...]:
        """Per dim, bool (n, n): whether size i may lie inside size j."""
        found = []
        for sizes, extent in zip(self.sizes, self.layer.extents, strict=True):
            inner, outer = np.array(sizes)[:, None], np.array(sizes)[None, :]
            found.append((outer % inner == 0) | (outer == extent))
        return tuple(found)

    @cached_property
    def covers(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """Per dim and size j: the sizes right below j, with none in between."""
        found = []
        for below in self.below:
            strict = below & ~np.eye(len(below), dtype=bool)
            between = strict.astype(np.float32) @ strict.astype(np.float32)
            direct = strict & (between == 0)
            found.append(tuple(tuple(np.flatnonzero(direct[:, j]).tolist()) for j in range(len(below))))
        return tuple(found)

    def index(self, tiles: np.ndarray) -> np.ndarray:
        """Points of `tiles` int64 (dims, n), clipped to the layer; -1 where a size is not in the lattice."""
        flat = np.zeros(tiles.shape[1], np.int64)
        missing = np.zeros(tiles.shape[1], bool)
        for dim, (sizes, extent) in enumerate(zip(self.sizes, self.layer.extents, strict=True)):
            place = np.full(extent + 1, -1, np.int64)
            place[list(sizes)] = np.arange(len(sizes))
            at = place[np.minimum(tiles[dim], extent)]
            missing |= at < 0
            flat = flat * len(sizes) + at
        return np.where(missing, -1, flat)

    def inside(self, inner: np.ndarray, outer: np.ndarray | int) -> np.ndarray:
        """Whether points may lie inside others: bool, of the shape that int64 `inner` and `outer` broadcast to."""
        mask = np.ones(np.broadcast_shapes(np.shape(inner), np.shape(outer)), bool)
        for below, place in zip(self.below, self.places, strict=True):
            if len(below) > 1:
                mask &= below[place[inner], place[outer]]
        return mask

    def minimum_below(self, values: np.ndarray, dims: Iterable[int] = range(len(DIMS))) -> np.ndarray:
        """For each point the least of `values` (points) over the points inside it that differ only in `dims`."""
        grid = values.reshape(self.shape).copy()
        for dim in dims:
            rows = np.moveaxis(grid, dim, 0)
            for at, lower in enumerate(self.covers[dim]):
                for other in lower:
                    np.minimum(rows[at], rows[other], out=rows[at])
        return grid.ravel()

    def minimum_above(self, values: np.ndarray, dims: Iterable[int] = range(len(DIMS))) -> np.ndarray:
        """For each point the least of `values` (points) over those that it may lie inside and differ only in `dims`."""
        grid = values.reshape(self.shape).copy()
        for dim in dims:
            rows = np.moveaxis(grid, dim, 0)
            for at in reversed(range(len(self.covers[dim]))):
                for lower in self.covers[dim][at]:
                    np.minimum(rows[lower], rows[at], out=rows[lower])
        return grid.ravel()


def lattice(layer: Layer, lanes: Sequence[Sequence[int]], array: Iterable[int], ragged: bool) -> Lattice:
    """The divisors of each extent, and of its multiples of `lanes[dim]` the fewest for any number of trips.

    With `ragged` also the divisors of the extents rounded up to multiples of the `array`, those of which a second tile
    is smaller, and for as many loops as POINTS allows, the shortest first, every size. Raises CostError on a loop
    longer than LONGEST.
    """
    for name, extent in zip(DIMS, layer.extents, strict=True):
        if extent > LONGEST:
            message = f"{layer.title}: loop {name} has {extent} iterations, more than {LONGEST}, the most of a search"
            raise CostError(message, legal=[_shortened(layer, name)])
    sizes = [tuple(range(1, extent + 1)) for extent in layer.extents]
    for dim in sorted(range(len(DIMS)), key=lambda dim: -layer.extents[dim]):
        if not ragged or prod(map(len, sizes)) > POINTS:
            extent = layer.extents[dim]
            found = {*_dividing(extent, array if ragged else ()), *_multiples(extent, lanes[dim])}
            found |= _uneven(extent, lanes[dim]) if ragged else set()
            sizes[dim] = tuple(sorted(found))
    return Lattice(layer, tuple(sizes))


def _dividing(extent: int, lanes: Iterable[int]) -> tuple[int, ...]:
    """The sizes that divide the extent, or the extent rounded up to a multiple of one of `lanes`."""
    padded = {-(-extent // count) * count for count in (1, *lanes) if count <= extent}
    return tuple(size for size in range(1, extent + 1) if any(total % size == 0 for total in padded))


def _multiples(extent: int, lanes: Iterable[int]) -> set[int]:
    """The fewest steps for any number of trips by each number of several `lanes`, and all lanes together in them."""
    found = set()
    for count in (each for each in lanes if each > 1):
        rounds = -(-extent // count)
        steps = {-(-rounds // trips) for trips in range(1, rounds + 1)}
        found |= {each for own in steps for each in (own, own * count) if each < extent}
    return found


def _uneven(extent: int, lanes: Iterable[int]) -> set[int]:
    """Of two tiles the larger first one, which is most: what comes of the last one is soon out."""
    sizes = (-(-extent * share // (whole * count)) * count for share, whole in UNEVEN for count in lanes)
    return {size for size in sizes if extent < 2 * size < 2 * extent}


def _shortened(layer: Layer, dim: str) -> str:
    """The size that makes a loop LONGEST."""
    if dim in ("K", "C"):
        return f"{dim.lower()}={LONGEST * layer.groups}"
    return f"groups={LONGEST}" if dim == "G" else f"{'o' * (dim in 'XYZ')}{dim.lower()}={LONGEST}"
