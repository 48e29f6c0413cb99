"""What can happen inside the PEs: every tile, unrolling and inner loop order, with its cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halidehw.energy_model.counts import INPUT, OUTPUT, WEIGHT
from halidehw.scheduler.optimize.dataflow import Unrolling
from halidehw.scheduler.optimize.rules import innermost_energy, pe_factors, refund
from halidehw.scheduler.optimize.space import Space

THROUGH: tuple[tuple[int, ...], ...] = ((), (INPUT,), (WEIGHT,), (OUTPUT,), (INPUT, WEIGHT, OUTPUT))
"""The sets of tensors that can outlive all loops of a level: none, one (all loops are its others), all (no loops)."""


@dataclass(frozen=True)
class Choices:
    """n ways to fill the PEs, as arrays over n.

    `point`: the tile of all PEs together, in the lattice; `tiles` (levels in the PE, n): the tile of one PE at each
    level; `stationary` (those levels - 1, n): the order between them; `way`: the unrolling; `through`: index into
    THROUGH at the outermost boundary inside. `factor` (3, n): pJ per time that all tiles cross into the PEs;
    `const`: pJ spent inside.
    """

    point: np.ndarray
    tiles: np.ndarray
    stationary: np.ndarray
    way: np.ndarray
    through: np.ndarray
    factor: np.ndarray
    const: np.ndarray

    def take(self, chosen: np.ndarray) -> Choices:
        """The choices at an index or mask."""
        return Choices(
            self.point[chosen],
            self.tiles[:, chosen],
            self.stationary[:, chosen],
            self.way[chosen],
            self.through[chosen],
            self.factor[:, chosen],
            self.const[chosen],
        )


def join(parts: list[Choices]) -> Choices:
    """All of `parts`, in their order."""
    return Choices(
        *(np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in Choices.__dataclass_fields__)
    )


def pe_choices(space: Space, ways: list[int]) -> Choices:
    """All useful choices with the given unrollings (indices into `space.ways`); may be empty.

    Of choices that look the same from outside the PEs only the cheapest is kept, the first of equals.
    """
    return join([_with_way(space, way) for way in ways])


def _with_way(space: Space, at: int) -> Choices:
    way = space.ways[at]
    found = _innermost(space, at, way)
    for level in range(1, space.arch.pe_levels):
        found = _outer_tiles(space, found, level, way)
    factor = found.factor + pe_factors(
        space.rule, space.arch, space.layer, space.arch.pe_levels, space.grid.points[:, found.tiles[-1]], way
    )
    const = found.const + refund(space.rule, space.arch, space.layer, space.arch.pe_levels)
    return Choices(found.point, found.tiles, found.stationary, found.way, found.through, factor, const)


def _innermost(space: Space, at: int, way: Unrolling) -> Choices:
    tiles, point = _tiles(space, 0, way)
    size = len(tiles)
    const = np.full(size, innermost_energy(space.rule, space.arch, space.layer, way))
    none = np.zeros((0, size), np.int64)
    return Choices(point, tiles[None], none, np.full(size, at), np.zeros(size, np.int64), np.zeros((3, size)), const)


def _tiles(space: Space, level: int, way: Unrolling) -> tuple[np.ndarray, np.ndarray]:
    """The tiles of one PE that `level` takes, and those of all PEs, as lattice points."""
    tiles = np.flatnonzero(space.holds(space.arch.levels[level]))
    lanes = np.array(way.lanes)[:, None]
    shapes = space.grid.points[:, tiles]
    point = space.grid.index(shapes * lanes)
    busy = (shapes * (lanes - 1) < np.array(space.layer.extents)[:, None]).all(axis=0) & (point >= 0)
    return tiles[busy], point[busy]


def _outer_tiles(space: Space, inner: Choices, level: int, way: Unrolling) -> Choices:
    """Wrap the tiles of `level` around `inner`, all in one PE."""
    tiles, point = _tiles(space, level, way)
    outer, chosen = np.nonzero(space.grid.inside(inner.tiles[-1][None], tiles[:, None]))
    child = inner.take(chosen)
    factor = child.factor + pe_factors(
        space.rule, space.arch, space.layer, level, space.grid.points[:, child.tiles[-1]], way
    )
    base = child.const + refund(space.rule, space.arch, space.layer, level)
    shapes = np.vstack((child.tiles, tiles[outer]))
    found = []
    for stationary in range(3):
        cost = base + (factor * crossings(space, stationary, child.point, point[outer])).sum(axis=0)
        found.append(_wrapped(child, shapes, point[outer], stationary, 0, np.zeros_like(factor), cost))
    for at, tensors in enumerate(THROUGH[1:] if space.rule.through else (), 1):
        same = np.all([space.places[t][child.point] == space.places[t][point[outer]] for t in tensors], axis=0)
        cost = base + sum(factor[t] * space.outer_counts[t][child.point] for t in range(3) if t not in tensors)
        carried = factor * np.array([[t in tensors] for t in range(3)])
        found.append(_wrapped(child, shapes, point[outer], tensors[0], at, carried, cost).take(same))
    return _cheapest(join(found))


def _wrapped(
    child: Choices,
    tiles: np.ndarray,
    point: np.ndarray,
    stationary: int,
    through: int,
    carried: np.ndarray,
    const: np.ndarray,
) -> Choices:
    size = len(point)
    orders = np.vstack((child.stationary, np.full(size, stationary)))
    return Choices(point, tiles, orders, child.way, np.full(size, through), carried, const)


def _cheapest(found: Choices) -> Choices:
    """Of choices with one outer tile and the same tensors through, and equal factors, the cheapest."""
    keys = np.vstack((found.tiles[-1], found.through, found.factor.view(np.int64)))
    order = np.lexsort((found.const, *keys))
    changed = np.ones(len(order), bool)
    changed[1:] = (keys[:, order[1:]] != keys[:, order[:-1]]).any(axis=0)
    return found.take(np.sort(order[changed]))


def crossings(space: Space, stationary: int, inner: np.ndarray, outer: np.ndarray | int) -> np.ndarray:
    """float64 (3, n): how often all tiles `inner` of each tensor cross a level with tile `outer` (both points)."""
    outlived = space.outlived_counts[stationary]
    return space.outer_counts[:, inner] / outlived[:, inner] * outlived[:, outer].reshape(3, -1)
