"""Partial sums, level by level: accumulators in the lanes of the array, memories outside, and folds between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

from halidehw.ir.affine import Affine
from halidehw.ir.nest import Buffer
from halidehw.ir.sums import identity, in_lanes, spilling, sums_depths
from halidehw.microarch.accelerator import Accumulator, Fold, Mask
from halidehw.microarch.drain import Drain, drain
from halidehw.microarch.spacetime import SpaceTime

SHORT_TILE = 64
"""Tiles of fewer steps than this get more than two parts, so that the latency of whoever takes them stays hidden."""

WIDEST = 256
"""Lanes that are taken together from several axes of the array; from a single one all may be."""


@dataclass(frozen=True)
class Level:
    """A level's tile at depth `tile` of the time axes: the address of a word among `words`, those of one lane; `steps`
    of the array inside it. `held`: lanes of each output axis side by side, of `extents`."""

    name: str
    tile: int
    local: Affine
    words: int
    steps: int
    halves: int
    held: dict[str, int]
    extents: dict[str, int]

    def address(self, rows: Mapping[str, Affine]) -> Affine:
        """The word's address in a part, given which of the lanes that are not side by side it is of."""
        address, words = self.local, self.words
        for name in reversed(self.held):
            address = address + rows[name] * words
            words *= self.extents[name] // self.held[name]
        return address

    @property
    def part(self) -> int:
        """Words of a part."""
        return self.words * prod(extent // self.held[name] for name, extent in self.extents.items())


def derive_sums(st: SpaceTime, least: Mapping[str, int]) -> tuple[Accumulator, tuple[Fold, ...], Level]:
    """The accumulators of the array, the folds from there outwards, and the last level. `least`: the lanes of an output
    axis that the writer takes together."""
    buffers = st.nest.sums[::-1]
    extents = {space.name: space.extent for space in st.spaces if not space.reduction}
    level = _level(st, buffers[0] if buffers else None, extents, "sums")
    accumulator = _accumulator(st, level, level.local, len(st.times), len(buffers) < 2)
    folds = []
    for number, buffer in enumerate(buffers[1:], 2):
        inside = in_lanes(st.nest, buffer)
        widths = extents if inside else _widths(level, least)
        by = drain(st, level.tile, level.held, widths)
        outer = _level(st, buffer, {name: widths.get(name, 1) for name in extents}, buffer.name)
        sums = _accumulator(st, outer, outer.address(by.groups), level.tile, number == len(buffers))
        folds.append(
            Fold(
                f"{outer.name}_fold", by.walk, level.tile, level.address(by.rows),
                () if inside else tuple(by.selects.items()), () if inside else tuple(_masks(by, widths)), sums, inside,
            )
        )  # fmt: skip
        level = outer
    return accumulator, tuple(folds), level


def _level(st: SpaceTime, buffer: Buffer | None, held: dict[str, int], name: str) -> Level:
    written = st.written
    tile = next((i for i, axis in enumerate(st.times) if axis.name not in written), len(st.times))
    if buffer:
        depth = sums_depths(st.nest)[st.nest.sums.index(buffer)]
        tile = sum(loop.steps > 1 for loop in st.nest.loops[:depth])
    address, words = Affine(), 1
    for axis in reversed(st.times[tile:]):
        if axis.name in written:
            address = address + Affine.of([(axis.name, words)])
            words *= axis.extent
    steps = prod(axis.extent for axis in st.times[tile:])
    halves = 2 if steps >= SHORT_TILE else 2 + -(-SHORT_TILE // steps)
    extents = {space.name: space.extent for space in st.spaces if not space.reduction}
    halves = 1 if buffer and buffer.halves == 1 else halves
    return Level(name, tile, address, words, steps, halves, held, extents)


def _accumulator(st: SpaceTime, level: Level, address: Affine, inner: int, outermost: bool) -> Accumulator:
    """`inner`: the depth of the tiles that are combined in it."""
    nest = st.nest
    written = st.written
    reductions = tuple(axis.name for axis in st.times[level.tile : inner] if axis.name not in written)
    begins = nest.combine and (spilling(nest) or not outermost)
    init = identity(nest.combine, nest.type) if begins and nest.combine else nest.init
    return Accumulator(
        level.part, level.halves, address, level.tile, reductions, nest.combine, init, nest.type, level.name,
        tuple(level.held.items()),
    )  # fmt: skip


def _widths(level: Level, least: Mapping[str, int]) -> dict[str, int]:
    """The lanes of each output axis that are taken together, where more than one or as many as the writer takes: the
    fewest with which a tile is taken while the array works on the next one; the most where none are enough, or there is
    but one part, for which the array waits."""
    use = min(level.steps, (level.halves - 1) * level.steps - SHORT_TILE)
    choices = []
    for widths in product(*(_divisors(count, least.get(name, 1)) for name, count in level.held.items())):
        lanes, several = prod(widths), sum(width > 1 for width in widths)
        if lanes > WIDEST and several > 1:
            continue
        slow = level.words * prod(level.extents.values()) // lanes > use
        choices.append((slow, -lanes if slow else lanes, several, widths))
    chosen = dict(zip(level.held, min(choices)[3], strict=True))
    return {name: width for name, width in chosen.items() if width > 1 or name in least}


def _divisors(count: int, least: int) -> list[int]:
    return [width for width in range(least, count + 1, least) if count % width == 0]


def _masks(by: Drain, widths: Mapping[str, int]) -> Iterator[Mask]:
    """The limits that leave some of the lanes taken together without a word."""
    for number, form in enumerate(by.limits):
        weights = tuple((name, -form[f"{name}.vector"]) for name in widths if form[f"{name}.vector"])
        room = form.only(by.walk.extents) + form.constant
        most = sum(weight * (widths[name] - 1) for name, weight in weights)
        if weights and room.range_over(by.walk.extents)[0] < most:
            yield Mask(f"room{number}", room, weights)
