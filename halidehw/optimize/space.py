"""The space that is searched: tile shapes per level, loop orders, unrollings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture, Level
from halidehw.mapping.counts import touched
from halidehw.mapping.layer import DIMS, Layer
from halidehw.mapping.mapping import Axes, Mapping, tiling
from halidehw.optimize.lattice import Lattice, lattice
from halidehw.optimize.rules import EXACT, Rules
from halidehw.optimize.shapes import Shapes
from halidehw.optimize.unrolling import Unrollings


def port_cycles(layer: Layer, arch: Architecture) -> int:
    """Cycles in which every word passes its tensor's port once, and the one that they share."""
    words = touched(layer)
    shared = sum(words[:2]) + words[2] * arch.sum_width
    own = (-(-each // many) for each, many in zip(words, arch.port_words, strict=True))
    return max(*own, ceil(shared / arch.bandwidth(len(arch.levels) - 1)))


@dataclass(frozen=True)
class Space:
    """All mappings of a layer on `arch` with tiles of those `shapes` and lanes of `unrolled`.

    `half_full`: only those whose tiles fill at least half of every on-chip level, or hold the whole layer.
    `all_levels`: only those that have the levels which are dearer than what is outside them.
    """

    shapes: Shapes
    arch: Architecture
    unrolled: Unrollings
    half_full: bool
    all_levels: bool = False

    @property
    def layer(self) -> Layer:
        return self.shapes.layer

    @property
    def rule(self) -> Rules:
        return self.shapes.rule

    @property
    def grid(self) -> Lattice:
        return self.shapes.grid

    @cached_property
    def required(self) -> list[int]:
        """Levels that every mapping has. Without the innermost shared one a single PE would be at work."""
        dear = self.arch.dear if self.rule is EXACT else []
        return [level for level in dear if self.all_levels or level == self.arch.pe_levels]

    def holds(self, level: Level) -> np.ndarray:
        """bool (points,): the tile shapes that `level` takes: of the outermost memory on the chip, tensors that a tile
        has whole are there once."""
        assert level.words is not None
        needs = self.shapes.needs
        taken = needs <= level.words // level.buffers
        if level is self.arch.levels[-2] and level.buffers > 1 and not level.per_pe and self.rule is EXACT:
            taken = self.shapes.outermost(level.buffers) <= level.words
        if self.half_full:
            taken &= (2 * level.buffers * needs >= level.words) | (needs == needs[-1])
        return taken

    def steps(self, lanes: np.ndarray) -> np.ndarray:
        """int64 (n,): cycles of the array with `lanes` (dims, n) when nothing stalls it."""
        return np.asarray(np.prod(-(-np.array(self.layer.extents)[:, None] // lanes), axis=0))

    def has(self, mapping: Mapping) -> bool:
        """Whether a mapping whose tiles the levels take is one of these."""
        nest, pe = tiling(self.layer, mapping), self.arch.pe_levels
        tiles = np.hstack([*nest.tiles[:pe], *nest.array_tiles[pe - 1 :]])
        return self.unrolled.have(nest.lanes, nest.axes) and bool((self.grid.index(tiles) >= 0).all())

    def mapping(self, held: Sequence[np.ndarray], lanes: np.ndarray, axes: Axes, stationary: Sequence[int]) -> Mapping:
        """That of tiles (dims,): what one memory of each level on the chip holds; with `lanes` (dims,) on `axes`, and
        the loop order of each level in which one tensor stays."""
        pe, extents = self.arch.pe_levels, np.array(self.layer.extents)
        inner = [np.ones_like(extents), *held[: pe - 1], held[pe - 1] * lanes, *held[pe:]]
        trips = (-(-out // into) for out, into in zip((*held, extents), inner, strict=True))
        temporal = tuple(
            tuple((DIMS[dim], int(many[dim])) for dim in self.rule.orders[tensor] if many[dim] > 1)
            for tensor, many in zip(stationary, trips, strict=True)
        )
        return Mapping(temporal, tuple(tuple((DIMS[dim], int(lanes[dim])) for dim in axis) for axis in axes))

    @cached_property
    def port_cycles(self) -> int:
        """Cycles in which every word passes its port once."""
        return port_cycles(self.layer, self.arch) if self.rule is EXACT else 0


def build_space(
    layer: Layer, arch: Architecture, rule: Rules, unrolled: Unrollings, half_full: bool, ragged: bool,
    all_levels: bool = False, known: Iterable[Shapes] = (), tails: bool = False,
) -> Space:  # fmt: skip
    """With those of the `known` shapes that are its own. Raises CostError when a level takes no tile, with what it
    would need."""
    shapes = Shapes(layer, rule, lattice(layer, unrolled.most, arch.array, ragged, tails), arch.sum_width)
    shapes = next((each for each in known if each == shapes), shapes)
    space = Space(shapes, arch, unrolled, half_full, all_levels)
    for level in arch.levels[:-1]:
        if not space.holds(level).any():
            raise CostError(_infeasible(space, level), legal=["half_full=False"] if half_full else [])
    return space


def _infeasible(space: Space, level: Level) -> str:
    smallest, largest = space.shapes.needs.min() * level.buffers, space.shapes.needs.max() * level.buffers
    has = f"{level.name} has {level.words} words, tiles need {smallest} to {largest}"
    must = ", and must fill half of it" if space.half_full else ""
    return f"{space.layer.title} on {space.arch.name}: no tile fits: {has}{must}"
