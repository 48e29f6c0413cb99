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

TAILS = {"K": 32, "B": 8}
"""Loops of which the last tile may be small: so many tiles at least have a size of one measure, and less than twice as
many."""

POINTS = 1 << 19
"""Up to so many tile shapes, every size is among them."""

NEAR = 700
"""So many neighbours of a point are turned to the front for their sweeps."""

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
        return self._spread([np.array(sizes, np.int64) for sizes in self.sizes])

    @cached_property
    def places(self) -> np.ndarray:
        """int32 (dims, points): the position of every point among each loop's sizes."""
        return self._spread([np.arange(many, dtype=np.int32) for many in self.shape])

    @cached_property
    def counts(self) -> np.ndarray:
        """float64 (dims, points): how many tiles of each point's sizes cover each loop."""
        return self._spread(self._rounds)

    @cached_property
    def _rounds(self) -> list[np.ndarray]:
        """Per dim, float64 (sizes,): how many tiles of each size cover the loop."""
        return [np.ceil(extent / np.array(sizes)) for sizes, extent in zip(self.sizes, self.layer.extents, strict=True)]

    def _spread(self, each: Sequence[np.ndarray]) -> np.ndarray:
        """(dims, points): of every point, the value of its size of each loop."""
        found = np.empty((len(DIMS), *self.shape), each[0].dtype)
        for own, values in zip(found, np.ix_(*each), strict=True):
            own[:] = values
        return found.reshape(len(DIMS), -1)

    def rounds(self, dims: Iterable[int]) -> np.ndarray:
        """float64 (points,): how many tiles of each point's sizes cover the loops `dims` together."""
        chosen, found = set(dims), np.ones(1)
        for dim, many in reversed([*enumerate(self._rounds)]):
            found = np.multiply.outer(many if dim in chosen else np.ones_like(many), found).ravel()
        return found

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
        return self._swept(values, set(dims), up=True)

    def minimum_above(self, values: np.ndarray, dims: Iterable[int] = range(len(DIMS))) -> np.ndarray:
        """For each point the least of `values` (points) over those that it may lie inside and differ only in `dims`."""
        return self._swept(values, set(dims), up=False)

    @cached_property
    def _near(self) -> int:
        """The first of the loops whose sizes lie so near each other that a sweep of one takes small steps."""
        return next(dim for dim in range(len(DIMS) + 1) if prod(self.shape[dim:]) <= NEAR)

    def _swept(self, values: np.ndarray, dims: set[int], up: bool) -> np.ndarray:
        """`values`, each the least of its own and those right below it, or above it, in one of `dims` after the other.
        The loops that lie near are swept with all others inside them."""
        found, first = values.copy(), self._near
        grid = found.reshape(*self.shape[:first], -1)
        for dim in range(first):
            if dim in dims:
                _sweep(np.moveaxis(grid, dim, 0), self.covers[dim], up)
        near = [dim for dim in range(first, len(DIMS)) if dim in dims and self.shape[dim] > 1]
        if not near:
            return found
        turned = np.ascontiguousarray(found.reshape(-1, prod(self.shape[first:])).T)
        grid = turned.reshape(*self.shape[first:], -1)
        for dim in near:
            _sweep(np.moveaxis(grid, dim - first, 0), self.covers[dim], up)
        return turned.T.ravel()


def _sweep(rows: np.ndarray, covers: Sequence[tuple[int, ...]], up: bool) -> None:
    """Each of `rows` becomes the least of itself and those right below it, or above it."""
    for at in range(len(covers)) if up else reversed(range(len(covers))):
        for lower in covers[at]:
            into, of = (at, lower) if up else (lower, at)
            np.minimum(rows[into], rows[of], out=rows[into])


def lattice(
    layer: Layer, lanes: Sequence[Sequence[int]], array: Iterable[int], ragged: bool, tails: bool = False
) -> Lattice:
    """The divisors of each extent, and of its multiples of `lanes[dim]` the fewest for any number of trips.

    With `tails` also some of which the last tile is small, of the loops TAILS. With `ragged` also the
    divisors of the extents rounded up to multiples of the `array`, those of which a second tile is smaller, and for as
    many loops as POINTS allows, the shortest first, every size. Raises CostError on a loop longer than LONGEST.
    """
    for name, extent in zip(DIMS, layer.extents, strict=True):
        if extent > LONGEST:
            message = f"{layer.title}: loop {name} has {extent} iterations, more than {LONGEST}, the most of a search"
            long = (dim for dim, each in zip(DIMS, layer.extents, strict=True) if each > LONGEST)
            raise CostError(message, legal=[" ".join(_shortened(layer, each) for each in long)])
    sizes = [tuple(range(1, extent + 1)) for extent in layer.extents]
    for dim in sorted(range(len(DIMS)), key=lambda dim: -layer.extents[dim]):
        if not ragged or prod(map(len, sizes)) > POINTS:
            extent = layer.extents[dim]
            found = {*_dividing(extent, array if ragged else ()), *_multiples(extent, lanes[dim])}
            found |= _uneven(extent, lanes[dim]) if ragged else set()
            found |= _tails(extent, TAILS[DIMS[dim]]) if tails and DIMS[dim] in TAILS else set()
            sizes[dim] = tuple(sorted(found))
    return Lattice(layer, tuple(sizes))


def _dividing(extent: int, lanes: Iterable[int]) -> tuple[int, ...]:
    """The sizes that divide the extent, or the extent rounded up to a multiple of one of `lanes`."""
    padded = {-(-extent // count) * count for count in (1, *lanes) if count <= extent}
    sizes = np.arange(1, extent + 1)
    return tuple(sizes[np.logical_or.reduce([total % sizes == 0 for total in padded])].tolist())


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


def _tails(extent: int, even: int) -> set[int]:
    """The multiples of a power of two, at least so many of them (`even`) in a long loop: of some the last tile is
    small, and what comes of it soon out."""
    measure = 1 << max(0, (extent // even).bit_length() - 1)
    return set(range(measure, extent, measure))


def _shortened(layer: Layer, dim: str) -> str:
    """The size that makes a loop LONGEST."""
    if dim in ("K", "C"):
        return f"{dim.lower()}={LONGEST * layer.groups}"
    return f"groups={LONGEST}" if dim == "G" else f"{'o' * (dim in 'XYZ')}{dim.lower()}={LONGEST}"
