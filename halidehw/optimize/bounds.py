"""Lower bounds on what happens inside a tile, for all tile shapes at once.

Given the tile v of a level, the cost of everything inside is a minimum over the tiles u inside v. For one loop
order it is a sum, over tensors, of a part that depends on u times a part that depends on v. Where the u part is
constant, it is moved out of the minimum; where the v part takes few values, the minimum is taken for each. So one
`minimum_below` over the lattice gives the bound for every v, exact but for the constants that differ between
unrollings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halidehw.mapping.counts import OUTPUT
from halidehw.optimize.inside import Choices
from halidehw.optimize.rules import THROUGH
from halidehw.optimize.space import Space

MANY = 24
"""Up to so many values of a part, a minimum is taken for each."""

PAIRS = 1 << 22
"""Up to so many pairs of an inner and an outer tile are looked at one by one."""

CACHED = 1 << 16
"""So many of these pairs at once."""

ALIKE = 1.2
"""Costs within this ratio are bounded together, by the least of them."""


@dataclass(frozen=True)
class Inside:
    """Bounds by THROUGH set of the tiles `held` (n,), points that rise: `least` (5, n), pJ at and inside the boundary
    below the tile, without what the tensors of the set cost there; they cost at least `weight` (3,) pJ per word that
    enters the tile (by the exact rules the output nothing: it passes by).
    """

    held: np.ndarray
    least: np.ndarray
    weight: np.ndarray

    def of(self, index: int, at: np.ndarray) -> np.ndarray:
        """float64 (n,): by the set at `index` those of the tiles `at` (points), which are among the `held`."""
        found: np.ndarray = self.least[index, np.searchsorted(self.held, at)]
        return found

    def total(self, entering: np.ndarray, at: np.ndarray) -> np.ndarray:
        """float64 (n,): bounds for the tiles `at` (points) with `entering` (3, n) words of each tensor."""
        found = self.of(0, at)
        for index, tensors in enumerate(THROUGH[1 : len(self.least)], 1):
            through = self.of(index, at) + sum(self.weight[t] * entering[t] for t in tensors)
            found = np.minimum(found, through)
        return found


def bound_inside(space: Space, choices: Choices, words: np.ndarray, held: np.ndarray) -> Inside:
    """The bounds of a level with the tiles `held` (points), its inner tiles `choices`.

    `words` (3, points): words of all tiles of a shape.
    """
    order, held = np.argsort(choices.point, kind="stable"), np.sort(held)
    sorted_choices = choices.take(order)
    sets = THROUGH if space.rule.through else THROUGH[:1]
    weight = (choices.factor / words[:, choices.point]).min(axis=1, initial=np.inf)
    if space.rule.through:
        weight[OUTPUT] = 0
    if len(order) * len(held) <= PAIRS:
        return Inside(held, _paired(space, sorted_choices, held, sets), weight)
    least = [np.min([_ordered(space, sorted_choices, stationary, held) for stationary in range(3)], axis=0)]
    least += [_through(space, sorted_choices, tensors) for tensors in sets[1:]]
    return Inside(held, np.stack([each[held] for each in least]), weight)


def _paired(space: Space, choices: Choices, held: np.ndarray, sets: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """All bounds (sets, held), every choice with every one of `held`; `choices.point` is in rising order."""
    found = np.full((len(sets), len(held)), np.inf)
    starts = np.flatnonzero(np.diff(choices.point, prepend=-1))
    if not len(starts):
        return found
    point = choices.point[starts]
    trips = choices.factor * space.shapes.outer_counts[:, choices.point]
    again = choices.factor * space.shapes.trips[:, :, choices.point]
    for own in np.array_split(np.arange(len(held)), 1 + len(choices.point) * len(held) // CACHED):
        tiles = held[own]
        inside = space.grid.inside(point[:, None], tiles)
        for stationary, cost in enumerate(again):
            cost = cost.T @ space.shapes.outlived(stationary, tiles) + choices.const[:, None]
            found[0, own] = np.minimum(found[0, own], _least(np.minimum.reduceat(cost, starts), inside))
        for at, tensors in enumerate(sets[1:], 1):
            same = np.all(
                [space.shapes.places[t][point][:, None] == space.shapes.places[t][tiles] for t in tensors], axis=0
            )
            cost = choices.const + trips[[t for t in range(3) if t not in tensors]].sum(axis=0)
            found[at, own] = _least(np.minimum.reduceat(cost, starts)[:, None], inside & same)
    return found


def _least(values: np.ndarray, which: np.ndarray) -> np.ndarray:
    """The least of each column where `which` is true."""
    return np.where(which, values, np.inf).min(axis=0)


def _ordered(space: Space, choices: Choices, stationary: int, held: np.ndarray) -> np.ndarray:
    """Bound (points,) with one stationary tensor and nothing that goes through."""
    outlived = space.rule.outlived[stationary]
    parts = choices.factor * space.shapes.trips[stationary][:, choices.point]
    fixed = choices.const + sum(parts[t] for t in range(3) if not outlived[t])
    mixed = [t for t in range(3) if t != stationary and outlived[t]]
    outer = space.shapes.outer_counts / space.shapes.trips[stationary]
    if not mixed and len(np.unique(outer[stationary, held])) <= MANY:
        return _mixed(space, choices.point, fixed, parts[stationary], outer[stationary], held)
    found = np.full(space.grid.top + 1, np.inf)
    for alike in _alike(parts[stationary]):
        moved_out = parts[stationary][alike].min() * outer[stationary]
        points = choices.point[alike]
        if mixed:
            inside = _mixed(space, points, fixed[alike], parts[mixed[0]][alike], outer[mixed[0]], held)
        else:
            inside = space.grid.minimum_below(_scatter(space, points, fixed[alike]))
        np.minimum(found, inside + moved_out, out=found)
    return found


def _mixed(
    space: Space, point: np.ndarray, fixed: np.ndarray, part: np.ndarray, outer: np.ndarray, held: np.ndarray
) -> np.ndarray:
    """Bound (points,) of `fixed` + `part` (over choices) times `outer` (over points), for each value of `outer`."""
    found = np.full(space.grid.top + 1, np.inf)
    for value in np.unique(outer[held]):
        here = held[outer[held] == value]
        found[here] = space.grid.minimum_below(_scatter(space, point, fixed + value * part))[here]
    return found


def _alike(values: np.ndarray) -> list[np.ndarray]:
    """Indices of values that differ by no more than ALIKE, together."""
    if not len(values):
        return []
    step = np.floor(np.log(values / values.min()) / np.log(ALIKE) + 1e-9)
    return [np.flatnonzero(step == each) for each in np.unique(step)]


def _through(space: Space, choices: Choices, tensors: tuple[int, ...]) -> np.ndarray:
    """Bound (points,) where `tensors` outlive all loops of the level: only loops that move none of them are there."""
    fixed = choices.const + sum(
        choices.factor[t] * space.shapes.outer_counts[t, choices.point] for t in range(3) if t not in tensors
    )
    free = set.intersection(*(set(space.rule.others[t]) for t in tensors))
    return space.grid.minimum_below(_scatter(space, choices.point, fixed), free)


def _scatter(space: Space, point: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The least of `values` at each point; `point` is in rising order."""
    found = np.full(space.grid.top + 1, np.inf)
    if len(values):
        starts = np.flatnonzero(np.diff(point, prepend=-1))
        found[point[starts]] = np.minimum.reduceat(values, starts)
    return found
