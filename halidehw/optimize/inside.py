"""What can happen inside the PEs: every tile, unrolling and inner loop order, with its cost."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from halidehw.mapping.counts import OUTPUT, array_steps
from halidehw.mapping.layer import DIMS
from halidehw.optimize.candidates import Fillings, ranges
from halidehw.optimize.floors import OPERANDS
from halidehw.optimize.rules import (
    EXACT,
    PAPER,
    THROUGH,
    alone,
    crossing_words,
    innermost_cycles,
    innermost_energy,
    innermost_words,
    pe_factors,
    refund,
    visited,
)
from halidehw.optimize.space import Space
from halidehw.optimize.unrolling import Ways


@dataclass(frozen=True)
class Choices:
    """n ways to fill the PEs, as arrays over n.

    `point`: the tile of all PEs together, in the lattice; `tiles` (levels in the PE, n): the tile of one PE at each
    level; `stationary` (those levels, n): the order of each; `way`: the unrolling; `through`: index into
    THROUGH at the outermost boundary inside. `factor` (3, n): pJ per time that all tiles cross into the PEs;
    `const`: pJ spent inside; `steps`: of the array, or cycles of the innermost level.
    """

    point: np.ndarray
    tiles: np.ndarray
    stationary: np.ndarray
    way: np.ndarray
    through: np.ndarray
    factor: np.ndarray
    const: np.ndarray
    steps: np.ndarray

    def take(self, chosen: np.ndarray) -> Choices:
        """The choices at an index or mask."""
        return Choices(*(getattr(self, name)[..., chosen] for name in Choices.__dataclass_fields__))


def join(parts: list[Choices]) -> Choices:
    """All of `parts`, in their order."""
    return Choices(
        *(np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in Choices.__dataclass_fields__)
    )


def pe_choices(space: Space, ways: Ways, fillings: Fillings) -> Choices:
    """All useful choices with the given fillings; may be empty.

    Of choices that look the same from outside the PEs only the cheapest is kept, the first of equals.
    """
    found = _choices(space, ways, space.arch.pe_levels - 1, fillings.tile, fillings.way)
    lanes, hops = ways.lanes[:, found.way], ways.hops[:, found.way]
    steps = array_steps(space.layer, space.grid.points[:, found.tiles[-1]], lanes)
    work = innermost_energy(space.rule, space.arch, space.layer, steps, lanes, hops)
    factor = found.factor + _factors(space, ways, found, space.arch.pe_levels)
    const = found.const + work + refund(space.rule, space.arch, space.layer, space.arch.pe_levels)
    files = innermost_cycles(space.rule, space.arch, space.layer, steps, lanes).astype(np.int64)
    found = replace(found, factor=factor, const=const, steps=np.maximum(steps.prod(axis=0), files))
    return _cheapest(found, found.point * len(THROUGH) + found.through, found.steps)


def _choices(space: Space, ways: Ways, level: int, tile: np.ndarray, way: np.ndarray) -> Choices:
    """All choices inside the tiles `tile` (points) of a level in the PE with the unrollings `way`, pair by pair."""
    if level == 0:
        same, none = np.zeros(len(tile), np.int64), np.zeros((3, len(tile)))
        point = _around(space, ways, tile, way)
        stationary, words = _steps(space, ways, tile, way)
        const = words * space.arch.levels[0].energy
        found = Choices(point, tile[None], stationary[None], way, same, none, const, same)
        return found.take(point >= 0)
    held = np.flatnonzero(space.holds(space.arch.levels[level - 1]))
    outer, place = np.unique(tile, return_inverse=True)
    pair, at = np.nonzero(space.grid.inside(held, outer[:, None])[place])
    inner = np.unique(way[pair] * (space.grid.top + 1) + held[at])
    child = _choices(space, ways, level - 1, inner % (space.grid.top + 1), inner // (space.grid.top + 1))
    return _outer_tiles(space, ways, child, level, tile, way)


def _around(space: Space, ways: Ways, tiles: np.ndarray, way: np.ndarray) -> np.ndarray:
    """The tiles of all PEs together, whose own are `tiles`; -1 where some lanes would have nothing to do."""
    shapes, lanes = space.grid.points[:, tiles], ways.lanes[:, way]
    busy = (shapes * (lanes - 1) < np.array(space.layer.extents)[:, None]).all(axis=0)
    return np.where(busy, space.grid.index(shapes * lanes), -1)


def _steps(space: Space, ways: Ways, tile: np.ndarray, way: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of a single PE's innermost tiles (points): the operand that stays in place from step to step where it can, and
    the words read beside the one in every step that `innermost_energy` has. One whose tile is a word is read when that
    comes in (`_factors`).
    """
    stationary, read = np.zeros(len(tile), np.int64), np.zeros(len(tile))
    one = np.flatnonzero(alone(ways.lanes[:, way]))
    if space.rule is PAPER or not len(one):
        return stationary, read
    words = crossing_words(space.rule, space.layer, np.ones((len(DIMS), 1), np.int64))[OPERANDS]
    word = _words_alone(space, tile[one])
    again = np.where(word, 0, words * space.shapes.outer_counts[:OUTPUT, tile[one]])
    stationary[one] = again.argmin(axis=0)
    read[one] = again.min(axis=0) - space.layer.macs * word.all(axis=0)
    return stationary, read


def file_words(space: Space, ways: Ways, found: Choices) -> tuple[np.ndarray, np.ndarray]:
    """Words that the only level in the PEs reads and writes, by the exact rules: in all steps of some choices, float64
    (n,), and each time that all tiles of an operand come in, (2, n)."""
    lanes, tiles = ways.lanes[:, found.way], space.grid.points[:, found.tiles[0]]
    steps, one = array_steps(space.layer, tiles, lanes), alone(lanes)
    words = innermost_words(space.rule, space.arch, space.layer, steps, lanes)
    words += one * steps.prod(axis=0) + _steps(space, ways, found.tiles[0], found.way)[1]
    sent = crossing_words(space.rule, space.layer, tiles)[OPERANDS]
    copies = np.stack([lanes[list(space.rule.others[tensor])].prod(axis=0) for tensor in OPERANDS])
    return words, sent * (copies + (one & _words_alone(space, found.tiles[0])))


def _words_alone(space: Space, tile: np.ndarray) -> np.ndarray:
    """bool (2, n): whether a tile (a point) has a single word of an operand."""
    return np.asarray(space.shapes.places[:OUTPUT, tile] == space.shapes.places[:OUTPUT, :1])


def _factors(space: Space, ways: Ways, inner: Choices, level: int) -> np.ndarray:
    """float64 (3, n): pJ per crossing from `level` into the tiles of the PEs."""
    tiles, lanes, hops = space.grid.points[:, inner.tiles[-1]], ways.lanes[:, inner.way], ways.hops[:, inner.way]
    factors = pe_factors(space.rule, space.arch, space.layer, level, tiles, lanes, hops)
    if level == 1 and space.rule is EXACT:
        read = alone(lanes) & _words_alone(space, inner.tiles[-1])
        words = crossing_words(space.rule, space.layer, tiles)[OPERANDS]
        factors[OPERANDS] += read * words * space.arch.levels[0].energy
    return factors


def _outer_tiles(space: Space, ways: Ways, inner: Choices, level: int, tile: np.ndarray, way: np.ndarray) -> Choices:
    """Wrap the tiles `tile` of `level` around those of `inner` with the same `way`, all in one PE."""
    inner = inner.take(np.argsort(inner.way, kind="stable"))
    start, end = (np.searchsorted(inner.way, way, side) for side in ("left", "right"))
    pair, chosen = ranges(start, end - start)
    inside = space.grid.inside(inner.tiles[-1, chosen], tile[pair])
    inside &= (inner.tiles[-1, chosen] != tile[pair]) | (level not in space.required)
    pair, chosen = pair[inside], chosen[inside]
    child, point = inner.take(chosen), _around(space, ways, tile, way)[pair]
    factor = child.factor + _factors(space, ways, child, level)
    base = child.const + refund(space.rule, space.arch, space.layer, level)
    shapes = np.vstack((child.tiles, tile[pair]))
    costs = [(factor * crossings(space, stationary, child.point, point)).sum(axis=0) for stationary in range(3)]
    stationary = np.argmin(costs, axis=0)
    found = [_wrapped(child, shapes, point, stationary, 0, np.zeros_like(factor), base + np.min(costs, axis=0))]
    passed = visited(space.rule, space.arch, level)
    for at, tensors in enumerate(THROUGH[1:] if space.rule.through else (), 1):
        same = np.all([space.shapes.places[t][child.point] == space.shapes.places[t][point] for t in tensors], axis=0)
        cost = base + sum(factor[t] * space.shapes.outer_counts[t][child.point] for t in range(3) if t not in tensors)
        carried = factor * np.array([[t in tensors and not (t == OUTPUT and passed)] for t in range(3)])
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
    return Choices(point, tiles, orders, child.way, np.full(size, through), carried, const, child.steps)


def _cheapest(found: Choices, *alike: np.ndarray) -> Choices:
    """Of choices that are equal in `alike` and in their factors, the cheapest."""
    keys = np.vstack((*alike, found.factor.view(np.int64)))
    order = np.lexsort((found.const, *keys))
    changed = np.ones(len(order), bool)
    changed[1:] = (keys[:, order[1:]] != keys[:, order[:-1]]).any(axis=0)
    return found.take(np.sort(order[changed]))


def crossings(space: Space, stationary: int, inner: np.ndarray, outer: np.ndarray | int) -> np.ndarray:
    """float64 (3, n): how often all tiles `inner` of each tensor cross a level with tile `outer` (both points)."""
    outlived = space.shapes.outlived(stationary, outer).reshape(3, -1)
    return np.asarray(space.shapes.trips[stationary][:, inner] * outlived)
