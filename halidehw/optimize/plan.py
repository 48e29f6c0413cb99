"""Everything that bounds need to know about some fillings of the PEs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from halidehw.mapping.counts import OUTPUT
from halidehw.mapping.evaluate import sum_width
from halidehw.optimize.bounds import Inside, bound_inside
from halidehw.optimize.candidates import Fillings
from halidehw.optimize.floors import Floors
from halidehw.optimize.inside import Choices, crossings, file_words, join, pe_choices
from halidehw.optimize.rules import EXACT, THROUGH, alone, first_words, refund, shared_weights, visited
from halidehw.optimize.space import Space
from halidehw.optimize.unrolling import Ways


@dataclass(frozen=True)
class Node:
    """A tile `point` of `level`, with all that is outside it.

    `outside`: pJ spent at the boundaries outside; `cycles`: at least so many; `crossed` (3,): how often all tiles of
    this shape come in; `moved`: words of operands that this writes in the level; `path`: (point, stationary) from the
    outermost level's boundary to this tile's.
    """

    level: int
    point: int
    outside: float
    cycles: float
    moved: float
    crossed: tuple[float, ...]
    path: tuple[tuple[int, int], ...]

    def no_worse_than(self, other: Node) -> bool:
        """Whether every completion of this node costs at most as much as the same completion of `other`."""
        mine, yours = ((node.outside, node.cycles, node.moved, *node.crossed) for node in (self, other))
        return all(a <= b for a, b in zip(mine, yours, strict=True))


@dataclass(frozen=True)
class Children:
    """Of one node, over (stationary 3, n): lower bounds of `energy` (pJ; exact when complete) and `cycles`.

    `outside`: pJ without the bound of what is inside; `crossed` (tensor 3, stationary 3, n), `moved` (stationary 3,
    n): as in Node; `inner` (n,): the tile (a point), or the index of the choice in the PEs when that is complete.
    """

    energy: np.ndarray
    cycles: np.ndarray
    moved: np.ndarray
    outside: np.ndarray
    crossed: np.ndarray
    inner: np.ndarray


@dataclass(frozen=True)
class Plan:
    """`tiles[level]`: points that a shared level takes; `inside[level]`: bounds below its tile; `steps`: of the array,
    at least; `words` (3, points): words of all tiles of a shape.
    """

    space: Space
    ways: Ways
    choices: Choices
    tiles: dict[int, np.ndarray]
    inside: dict[int, Inside]
    steps: int
    words: np.ndarray

    @property
    def root(self) -> Node:
        """The whole layer in the outermost level."""
        return Node(len(self.space.arch.levels) - 1, self.space.grid.top, 0.0, self.steps, 0.0, (1.0, 1.0, 1.0), ())

    def expand(self, node: Node) -> Children:
        """All tiles and loop orders one level further in."""
        if node.level == self.space.arch.pe_levels:
            return self._complete(node)
        tiles = self.tiles[node.level - 1]
        tiles = tiles[self.space.grid.inside(tiles, node.point) & self._built(node, tiles)]
        words = self.words[:, tiles]
        factor = words * shared_weights(self.space.rule, self.space.arch, node.level)[:, None]
        crossed = self._crossed(node, tiles)
        outside = node.outside + refund(self.space.rule, self.space.arch, self.space.layer, node.level)
        paid = self._paid(node, tiles, crossed)
        spent = outside + np.einsum("tn,tsn->sn", factor, paid)
        entering = words[:, None] * paid
        energy = spent + np.stack([self.inside[node.level - 1].total(entering[:, s], tiles) for s in range(3)])
        return Children(energy, *self._cycles(node, entering), spent, crossed, tiles)

    def _complete(self, node: Node) -> Children:
        built = self._built(node, self.choices.point) | ~alone(self.ways.lanes[:, self.choices.way])
        chosen = np.flatnonzero(self.space.grid.inside(self.choices.point, node.point) & built)
        crossed = self._crossed(node, self.choices.point[chosen])
        paid = self._paid(node, self.choices.point[chosen], crossed)
        spent = node.outside + np.einsum("tn,tsn->sn", self.choices.factor[:, chosen], paid)
        energy = spent + self.choices.const[chosen]
        entering = self.words[:, None, self.choices.tiles[-1, chosen]] * paid
        cycles, moved = self._cycles(node, entering)
        cycles = np.maximum(np.maximum(cycles, self.choices.steps[chosen]), self._innermost(chosen, crossed))
        return Children(energy, cycles, moved, spent, crossed, chosen)

    def _innermost(self, chosen: np.ndarray, crossed: np.ndarray) -> np.ndarray:
        """float64 (stationary 3, n): cycles of the innermost level, where its bandwidth is stated and it is the only
        one in the PEs: 0 where not."""
        if self._files is None:
            return np.zeros((3, len(chosen)))
        inside, loaded = self._files
        words = inside[chosen] + np.einsum("tn,tsn->sn", loaded[:, chosen], crossed[:OUTPUT])
        return np.asarray(np.ceil(words / self.space.arch.bandwidth(0)))

    @cached_property
    def _files(self) -> tuple[np.ndarray, np.ndarray] | None:
        """As `file_words`, where they may limit something."""
        space = self.space
        if space.rule is not EXACT or space.arch.bandwidth(0) == np.inf or space.arch.pe_levels > 1:
            return None
        return file_words(space, self.ways, self.choices)

    def _built(self, node: Node, inner: np.ndarray) -> np.ndarray:
        """bool (n,): whether the node's level has loops outside tiles `inner` (points), where it has to be there."""
        return np.asarray((inner != node.point) | (node.level not in self.space.required))

    def _crossed(self, node: Node, inner: np.ndarray) -> np.ndarray:
        """float64 (tensor 3, stationary 3, n): how often all tiles `inner` (points) come in."""
        crossed = np.stack([crossings(self.space, s, inner, node.point) for s in range(3)], axis=1)
        if self.space.rule.through:
            same = self.space.shapes.places[:, inner] == self.space.shapes.places[:, node.point][:, None]
            crossed = np.where(same[:, None], np.array(node.crossed)[:, None, None], crossed)
        return crossed

    def _paid(self, node: Node, inner: np.ndarray, crossed: np.ndarray) -> np.ndarray:
        """`crossed` without the sums that pass the node's level by."""
        if not visited(self.space.rule, self.space.arch, node.level):
            return crossed
        paid = crossed.copy()
        paid[OUTPUT, :, self.space.shapes.places[OUTPUT, inner] == self.space.shapes.places[OUTPUT, node.point]] = 0
        return paid

    def _cycles(self, node: Node, entering: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Cycles at least, and words of operands, when `entering` (3, 3, n) words of each tensor leave the level."""
        space, operands = self.space, entering[:OUTPUT].sum(axis=0)
        sums = 2 * entering[OUTPUT] - first_words(space.rule, space.arch, space.layer, node.level)
        arriving = node.moved if space.rule.through else 0.0
        moved = operands + arriving + sums * float(sum_width(space.arch, space.rule.name))
        cycles = np.maximum(np.ceil(moved / space.arch.bandwidth(node.level)), node.cycles)
        if node.level == len(space.arch.levels) - 1 and space.rule is EXACT:
            ports = np.array(space.arch.port_words, float)[:, None, None]
            cycles = np.maximum(cycles, np.ceil(entering / ports).max(axis=0))
        return cycles, operands


def build_plan(
    floors: Floors, ways: Ways, fillings: Fillings, tiles: dict[int, np.ndarray], limit: float
) -> Plan | None:
    """The plan for some fillings of the PEs and some tiles (points) of each shared level but the outermost, without
    those that lead to `limit` pJ or more; None when nothing is left.
    """
    space, words = floors.space, floors.space.shapes.words
    choices = pe_choices(space, ways, fillings)
    if not len(choices.point):
        return None
    kept: dict[int, np.ndarray] = {}
    inside: dict[int, Inside] = {}
    for level, held in tiles.items():
        outermost = level == space.arch.pe_levels
        inner = choices if outermost else _tiles_as_choices(space, kept[level - 1], inside[level - 1], level, words)
        inside[level] = bound_inside(space, inner, words, held)
        kept[level] = held[floors.beyond[level][held] + inside[level].total(words[:, held], held) < limit]
        if not len(kept[level]):
            return None
    return Plan(space, ways, choices, kept, inside, int(choices.steps.min()), words)


def _tiles_as_choices(space: Space, tiles: np.ndarray, inside: Inside, level: int, words: np.ndarray) -> Choices:
    """The tiles of the shared level inside `level`, with bounds of what is inside them as their cost."""
    parts = []
    base = refund(space.rule, space.arch, space.layer, level)
    for index, tensors in enumerate(THROUGH[: len(inside.least)]):
        weight = shared_weights(space.rule, space.arch, level).copy()
        weight[list(tensors)] += inside.weight[list(tensors)]
        const = base + inside.of(index, tiles)
        none = np.zeros((0, len(tiles)), np.int64)
        same = np.zeros(len(tiles), np.int64)
        factor = words[:, tiles] * weight[:, None]
        parts.append(Choices(tiles, tiles[None], none, same, same + index, factor, const, same))
    found = join(parts)
    return found.take(np.isfinite(found.const))
