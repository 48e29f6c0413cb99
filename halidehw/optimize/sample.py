"""Random legal mappings: what blocking without a search gives, and a check on the search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from halidehw.mapping.architecture import Architecture, Level
from halidehw.mapping.counts import exists, footprint
from halidehw.mapping.evaluate import batch
from halidehw.mapping.layer import DIMS, Layer
from halidehw.mapping.mapping import Axes, Tiling

ATTEMPTS = 24
"""How often the tiles of one level are made to grow, at most."""


def drawn_costs(
    layer: Layer, arch: Architecture, flows: list[Axes], count: int, rng: np.random.Generator, counting: str = "exact"
) -> np.ndarray:
    """float64 (2, `count` or fewer): pJ and cycles of random legal mappings, their dataflows among `flows`; by the
    exact counts those that have the levels which are dearer than what is outside them."""
    kept = arch.dear if counting == "exact" else []
    found = []
    for nest in nests(layer, arch, flows, count, rng, counting):
        there = exists(nest, arch.pe_levels)[kept].all(axis=0)
        found.append(np.stack(batch(nest, arch, counting))[:, there])
    return np.concatenate(found, axis=1)


def nests(
    layer: Layer,
    arch: Architecture,
    flows: list[Axes],
    count: int,
    rng: np.random.Generator,
    counting: str = "exact",
    together: int = 1000,
) -> Iterator[Tiling]:
    """`count` or a few more random legal mappings, up to `together` with the same loop orders and dataflow."""
    drawn = 0
    while drawn < count:
        nest = sample(layer, arch, flows[rng.integers(len(flows))], together, rng, counting)
        drawn += nest.lanes.shape[1]
        yield nest


def sample(
    layer: Layer, arch: Architecture, axes: Axes, count: int, rng: np.random.Generator, counting: str = "exact"
) -> Tiling:
    """Up to `count` legal mappings of one nest: random orders and lanes, and tiles that grow by prime factors where
    there is room, each level's for a random while. All sizes divide the layer's.
    """
    extents = np.array(layer.extents, np.int64)[:, None]
    lanes = np.ones((len(DIMS), count), np.int64)
    for axis, size in zip(axes, arch.array, strict=False):
        lanes = _grown(lanes, extents // lanes, axis, _Row(axis, size).fits, rng)
    tiles = [np.ones_like(lanes)]
    legal = np.ones(count, bool)
    for level in arch.levels[:-1]:
        room = _Room(layer, level, np.ones_like(lanes) if level.per_pe else lanes, counting, arch.sum_width)
        legal &= room.fits(tiles[-1])
        tiles.append(_grown(tiles[-1], extents // (lanes * tiles[-1]), tuple(range(len(DIMS))), room.fits, rng))
    orders = tuple(tuple(rng.permutation(len(DIMS)).tolist()) for _ in arch.levels)
    return Tiling(layer, np.stack([*tiles[1:], extents // lanes])[:, :, legal], lanes[:, legal], orders, axes)


@dataclass(frozen=True)
class _Row:
    """A dimension of the array."""

    axis: tuple[int, ...]
    size: int

    def fits(self, lanes: np.ndarray) -> np.ndarray:
        return lanes[list(self.axis)].prod(axis=0) <= self.size


@dataclass(frozen=True)
class _Room:
    """A level that holds the tiles of `lanes` (dims, n) PEs."""

    layer: Layer
    level: Level
    lanes: np.ndarray
    counting: str
    sum_width: float

    def fits(self, tiles: np.ndarray) -> np.ndarray:
        assert self.level.words is not None
        words = footprint(self.layer, tiles * self.lanes, self.counting, self.sum_width)
        return self.level.buffers * words <= self.level.words


def _grown(
    sizes: np.ndarray,
    rest: np.ndarray,
    dims: tuple[int, ...],
    fits: Callable[[np.ndarray], np.ndarray],
    rng: np.random.Generator,
) -> np.ndarray:
    """`sizes` (dims, n) multiplied by some primes of `rest` (dims, n) in random `dims`, where that still `fits`."""
    columns = np.arange(sizes.shape[1])
    patience = rng.integers(ATTEMPTS + 1, size=len(columns))
    least = _least_factors(int(rest.max()))
    for attempt in range(ATTEMPTS):
        dim = np.array(dims)[rng.integers(len(dims), size=len(columns))]
        larger, smaller = sizes.copy(), rest.copy()
        prime = least[rest[dim, columns]]
        larger[dim, columns] *= prime
        smaller[dim, columns] //= prime
        taken = fits(larger) & (attempt < patience)
        sizes, rest = np.where(taken, larger, sizes), np.where(taken, smaller, rest)
    return sizes


def _least_factors(largest: int) -> np.ndarray:
    """int64 (largest + 1,): the least prime factor of each number; 1 of 1."""
    found = np.arange(largest + 1)
    for prime in range(2, int(largest**0.5) + 1):
        multiples = found[prime * prime :: prime]
        multiples[multiples == np.arange(prime * prime, largest + 1, prime)] = prime
    return found
