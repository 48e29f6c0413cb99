"""What can happen inside the PEs: every tile, unrolling and inner loop order, with its cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from halidehw.energy_model.counts import INPUT, OUTPUT, WEIGHT, array_steps
from halidehw.scheduler.optimize.rules import innermost_energy, pe_factors, refund
from halidehw.scheduler.optimize.space import Space

THROUGH: tuple[tuple[int, ...], ...] = ((), (INPUT,), (WEIGHT,), (OUTPUT,), (INPUT, WEIGHT, OUTPUT))
"""The sets of tensors that can outlive all loops of a level: none, one (all loops are its others), all (no loops)."""

TOGETHER = 1 << 16
"""Choices that are costed at once, about."""


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


def pe_choices(space: Space, ways: np.ndarray) -> Choices:
    """All useful choices with the given unrollings (indices into `space.ways`); may be empty.

    Of choices that look the same from outside the PEs only the cheapest is kept, the first of equals.
    """
    held = [np.flatnonzero(space.holds(level)) for level in space.arch.levels[: space.arch.pe_levels]]
    pairs = [len(held[0]), *(space.grid.inside(*np.ix_(*each)).sum() for each in pairwise(held))]
    parts = np.array_split(ways, -(-len(ways) * max(pairs) // TOGETHER))
    found = join([_with_ways(space, held, part) for part in parts])
    steps = array_steps(space.layer, space.grid.points[:, found.tiles[-1]], space.lanes[:, found.way]).prod(axis=0)
    return _cheapest(found, found.point * len(THROUGH) + found.through, steps)


def _with_ways(space: Space, held: list[np.ndarray], ways: np.ndarray) -> Choices:
    """`held[level]`: the tiles of one PE that the level takes."""
    found = _innermost(space, held[0], ways)
    for level in range(1, space.arch.pe_levels):
        found = _outer_tiles(space, found, level, held[level])
    lanes, hops = space.lanes[:, found.way], space.hops[:, found.way]
    work = innermost_energy(space.rule, space.arch, space.layer, space.grid.points[:, found.tiles[-1]], lanes, hops)
    factor = found.factor + _factors(space, found, space.arch.pe_levels)
    const = found.const + work + refund(space.rule, space.arch, space.layer, space.arch.pe_levels)
    return replace(found, factor=factor, const=const)


def _innermost(space: Space, tiles: np.ndarray, ways: np.ndarray) -> Choices:
    tile, way = np.tile(tiles, len(ways)), np.repeat(ways, len(tiles))
    size = len(tile)
    none, same = np.zeros((0, size), np.int64), np.zeros(size, np.int64)
    point = _around(space, tile, way)
    return Choices(point, tile[None], none, way, same, np.zeros((3, size)), np.zeros(size)).take(point >= 0)


def _around(space: Space, tiles: np.ndarray, ways: np.ndarray) -> np.ndarray:
    """The tiles of all PEs together, whose own are `tiles`; -1 where some lanes would have nothing to do."""
    shapes, lanes = space.grid.points[:, tiles], space.lanes[:, ways]
    busy = (shapes * (lanes - 1) < np.array(space.layer.extents)[:, None]).all(axis=0)
    return np.where(busy, space.grid.index(shapes * lanes), -1)


def _factors(space: Space, inner: Choices, level: int) -> np.ndarray:
    """float64 (3, n): pJ per crossing from `level` into the tiles of the PEs."""
    tiles = space.grid.points[:, inner.tiles[-1]]
    lanes, hops = space.lanes[:, inner.way], space.hops[:, inner.way]
    return pe_factors(space.rule, space.arch, space.layer, level, tiles, lanes, hops)


def _outer_tiles(space: Space, inner: Choices, level: int, tiles: np.ndarray) -> Choices:
    """Wrap the tiles of `level` around `inner`, all in one PE."""
    outer, chosen = np.nonzero(space.grid.inside(inner.tiles[-1][None], tiles[:, None]))
    point = _around(space, tiles[outer], inner.way[chosen])
    outer, chosen, point = outer[point >= 0], chosen[point >= 0], point[point >= 0]
    child = inner.take(chosen)
    factor = child.factor + _factors(space, child, level)
    base = child.const + refund(space.rule, space.arch, space.layer, level)
    shapes = np.vstack((child.tiles, tiles[outer]))
    costs = [(factor * crossings(space, stationary, child.point, point)).sum(axis=0) for stationary in range(3)]
    stationary = np.argmin(costs, axis=0)
    found = [_wrapped(child, shapes, point, stationary, 0, np.zeros_like(factor), base + np.min(costs, axis=0))]
    for at, tensors in enumerate(THROUGH[1:] if space.rule.through else (), 1):
        same = np.all([space.places[t][child.point] == space.places[t][point] for t in tensors], axis=0)
        cost = base + sum(factor[t] * space.outer_counts[t][child.point] for t in range(3) if t not in tensors)
        carried = factor * np.array([[t in tensors] for t in range(3)])
        first = np.full(len(point), tensors[0])
        found.append(_wrapped(child, shapes, point, first, at, carried, cost).take(same))
    return join([_cheapest(each, each.way * (space.grid.top + 1) + each.tiles[-1]) for each in found])


def _wrapped(
    child: Choices,
    tiles: np.ndarray,
    point: np.ndarray,
    stationary: np.ndarray,
    through: int,
    carried: np.ndarray,
    const: np.ndarray,
) -> Choices:
    size = len(point)
    orders = np.vstack((child.stationary, stationary))
    return Choices(point, tiles, orders, child.way, np.full(size, through), carried, const)


def _cheapest(found: Choices, *alike: np.ndarray) -> Choices:
    """Of choices that are equal in `alike` and in their factors, the cheapest."""
    keys = np.vstack((*alike, found.factor.view(np.int64)))
    order = np.lexsort((found.const, *keys))
    changed = np.ones(len(order), bool)
    changed[1:] = (keys[:, order[1:]] != keys[:, order[:-1]]).any(axis=0)
    return found.take(np.sort(order[changed]))


def crossings(space: Space, stationary: int, inner: np.ndarray, outer: np.ndarray | int) -> np.ndarray:
    """float64 (3, n): how often all tiles `inner` of each tensor cross a level with tile `outer` (both points)."""
    outlived = space.outlived_counts[stationary]
    return space.outer_counts[:, inner] / outlived[:, inner] * outlived[:, outer].reshape(3, -1)
