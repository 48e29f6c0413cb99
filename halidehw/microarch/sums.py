"""Partial sums, level by level: accumulators in the lanes of the array, memories outside, and folds between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from halidehw.ir.affine import Affine
from halidehw.ir.declared import Inside
from halidehw.ir.nest import Buffer
from halidehw.ir.sums import identity, in_lanes, spilling, sums_depths
from halidehw.microarch.choices import Choices
from halidehw.microarch.drain import Drain, drain
from halidehw.microarch.parts import SHORT_TILE, sums_parts, sums_trip
from halidehw.microarch.pieces import finished, not_by_pieces
from halidehw.microarch.processes import Fold, Transfer
from halidehw.microarch.spacetime import SpaceTime
from halidehw.microarch.steps import at, steps_of, tiles
from halidehw.microarch.stores import LEAD, RAM_LATENCY, Sums
from halidehw.microarch.taps import Mask, SumsSink, SumsTap
from halidehw.microarch.turns import met
from halidehw.microarch.walk import Walk, clipping

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


@dataclass
class Derived:
    """The levels of a nest, innermost first, their stores, how the array brings words to the first one, and the folds
    between them."""

    levels: list[Level]
    stores: list[Sums]
    sink: SumsSink
    folds: list[Fold]


def derive_sums(st: SpaceTime, least: Mapping[str, int], label: str, product: int, choices: Choices) -> Derived:
    """From the array outwards. `least`: the lanes of an output axis that the writer takes together; `label`: what the
    names of the levels begin with; `product`: cycles from a step of the array to its first lane's sum."""
    buffers = st.nest.sums[::-1]
    for several in (each for each in buffers if each.pieces and len(buffers) > 1):
        raise not_by_pieces(several, "they pass through several memories, each of which hands on whole tiles")
    extents = {space.name: space.extent for space in st.spaces if not space.reduction}
    level = _level(st, buffers[0] if buffers else None, extents, f"{label}sums", choices)
    sink = _sink(st, level, level.local.only(axis.name for axis in st.steps), len(st.steps))
    sink = replace(sink, finished=finished(st, level.tile, buffers[0]) if buffers else None)
    skew = sum(space.extent - 1 for space in st.spaces if space.systolic and not space.reduction)
    inside = [True, *(in_lanes(st.nest, buffer) for buffer in buffers[1:]), False]
    arrival, drained = product + skew, _drained(level, inside[1])
    first = replace(_store(st, level, sink, True, len(buffers) < 2, arrival, drained), soon=_soon(st, level, sink))
    found = Derived([level], [_taking_turns(st, first, sink, buffers[0].inside if buffers else None)], sink, [])
    for number, buffer in enumerate(buffers[1:], 1):
        if buffer.inside:
            raise buffer.inside.refused("only the innermost sums, which the array adds to, take turns at a port")
        own = inside[number]
        widths = choices.of("held", f"{label}{buffer.name}", extents if own else _widths(level, least, _trip(st)))
        by = drain(st, level.tile, level.held, widths)
        outer = _level(st, buffer, {name: widths.get(name, 1) for name in extents}, f"{label}{buffer.name}", choices)
        sink = _sink(st, outer, outer.address(by.groups), level.tile)
        selects, masks = ((), ()) if own else (tuple(by.selects.items()), tuple(_masks(by, widths)))
        tap = SumsTap(level.name, level.address(by.rows), level.tile, selects, masks)
        found.folds.append(Transfer(f"{outer.name}_fold", by.walk, tap, sink))
        arrival, drained = LEAD + 1 + skew if own else folded(drained), _drained(outer, inside[number + 1])
        found.stores.append(_store(st, outer, sink, own, number + 1 == len(buffers), arrival, drained))
        found.levels.append(outer)
        level = outer
    return found


def _taking_turns(st: SpaceTime, sums: Sums, sink: SumsSink, inside: Inside | None) -> Sums:
    """The accumulators, with one port where it is said. Raises HardwareError where a sum would be read and one written
    in the same memory in a cycle."""
    if inside is None:
        return sums
    if sums.scattered:
        raise inside.refused(f"a word of {sums.tensor} is read and one written in each step, wherever the data says")
    steps = steps_of(Walk(st.steps, clipping(st.steps, list(st.limits))))
    parts = tiles(steps, [axis.name for axis in st.steps[: sink.tile]]) % sums.halves
    words = at(sink.address, steps) + parts * sums.words
    many = 0 if sums.single else met(words, inside.ports, LEAD + 1)
    even = inside.ports & (inside.ports - 1) == 0
    if even and not many:
        return replace(sums, ports=inside.ports)
    most = (sums.halves * sums.words).bit_length()
    works = [each for each in (1 << n for n in range(most + 1)) if sums.single or not met(words, each, LEAD + 1)]
    if not even:
        raise inside.refused(
            f"the low bits of a sum's address say in which memory it lies, so there are a power of two of them, not "
            f"{inside.ports}" + ("" if works else "; remove the line"),
            *(f"{inside.subject}.single_port({each})" for each in works[:3]),
        )
    beside = f"{inside.ports} memories side by side" if inside.ports > 1 else "one memory"
    raise inside.refused(
        f"a sum is read in each of {len(words)} steps, and written {LEAD + 1} cycles later; in {beside} with one port "
        f"a read and a write may meet {many} times"
        + ("" if works else ", and as steps come back to a sum too soon, in any number of them; remove the line"),
        *(f"{inside.subject}.single_port({each})" for each in works[:3]),
    )


def _level(st: SpaceTime, buffer: Buffer | None, held: dict[str, int], name: str, choices: Choices) -> Level:
    written = st.written
    tile = next((i for i, axis in enumerate(st.times) if axis.name not in written), len(st.steps))
    if buffer:
        depth = sums_depths(st.nest)[st.nest.sums.index(buffer)]
        tile = sum(loop.steps > 1 for loop in st.nest.loops[:depth])
    tile = choices.summed(name, [axis.name for axis in st.times], tile, st.shared)
    address, words = Affine(), 1
    for axis in reversed(st.times[tile:]):
        if axis.name in written:
            address = address + Affine.of([(axis.name, words)])
            words *= axis.extent
    steps = prod(axis.extent for axis in st.times[tile:])
    extents = {space.name: space.extent for space in st.spaces if not space.reduction}
    single = bool(st.nest.scattered) or (buffer is not None and buffer.halves == 1)
    halves = choices.of("parts", name, 1 if single else sums_parts(steps, _trip(st)))
    if buffer and buffer.capacity:
        lanes = prod(extents[name] for name in extents.keys() - st.outside(buffer.at))
        buffer.capacity.check(buffer.name, words * lanes, f"{words} in {lanes} lane{'s' * (lanes > 1)}")
    return Level(name, tile, address, words, steps, halves, held, extents)


def _sink(st: SpaceTime, level: Level, address: Affine, inner: int) -> SumsSink:
    """`inner`: the depth of the tiles that are combined in the level."""
    reductions = tuple(axis.name for axis in st.times[level.tile : inner] if axis.name not in st.written)
    return SumsSink(level.name, address, level.tile, reductions)


def _soon(st: SpaceTime, level: Level, sink: SumsSink) -> bool:
    """Whether the array may come back to a word before its sum is in memory.

    From one visit to the next one an axis of the reduction steps, and all axes inside it that limits leave whole go on
    from where they are until they are there again, those of the reduction from their last value to their first.
    """
    clipped = {name for limit in clipping(st.times, list(st.limits)) for name in limit.form.names}
    apart, inside, least = 1, 1, LEAD + 2
    for axis in reversed(st.times[level.tile :]):
        if axis.name in sink.reductions:
            least = min(least, apart)
        if axis.name not in clipped:
            apart += (axis.extent - 1) * inside * (axis.name not in sink.reductions)
            inside *= axis.extent
    return bool(st.nest.scattered) or least <= LEAD + 1


def _drained(level: Level, within: bool) -> int:
    """Cycles from the step that takes a sum until that is outside: to a level `within` the same lanes none; else an
    axis of the lanes has a register on the way down and one on the way up."""
    return 0 if within else RAM_LATENCY + 2 * sum(count > 1 for count in level.held.values())


def folded(drained: int) -> int:
    """Cycles from a fold's step to its words' arrival at the next level, whose control is LEAD cycles ahead of them."""
    return max(drained, LEAD) + 1


def _store(
    st: SpaceTime, level: Level, sink: SumsSink, inside: bool, outermost: bool, arrival: int, drained: int
) -> Sums:
    nest = st.nest
    begins = nest.combine and (spilling(nest) or not outermost)
    init = identity(nest.combine, nest.type) if begins and nest.combine else nest.init
    return Sums(
        level.name, nest.output.name, nest.type, level.halves, level.part, nest.combine, init,
        not sink.reductions and not nest.scattered, tuple(level.held.items()), inside, arrival, drained,
        bool(nest.scattered),
    )  # fmt: skip


def _trip(st: SpaceTime) -> int:
    return sums_trip(sum(space.extent for space in st.spaces if space.systolic))


def _widths(level: Level, least: Mapping[str, int], trip: int = SHORT_TILE) -> dict[str, int]:
    """The lanes of each output axis that are taken together, where more than one or as many as the writer takes: the
    fewest with which a tile is taken while the array works on the next one; the most where none are enough, or there is
    but one part, for which the array waits."""
    use = min(level.steps, (level.halves - 1) * level.steps - trip)
    choices = []
    for widths in product(*(_divisors(count, least.get(name, 1)) for name, count in level.held.items())):
        lanes, several = prod(widths), sum(width > 1 for width in widths)
        if lanes > max(WIDEST, prod(least.values())) and several > 1:
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
