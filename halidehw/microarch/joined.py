"""Dimensions of memory that a tile takes as one, so that a port's words are full though its rows are short.

Where a tile has all of the fastest dimension, and the next one goes on right behind that, both are one dimension to a
load: of pixels with three channels each, a row of the tile is three times as many neighbours.

Wider words take wider memories on their whole way to the array. So they are joined where what cycles fall by is more
than what that adds to the hardware.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import gcd, prod

from halidehw.expr.tree import nodes
from halidehw.ir.nest import Tensor
from halidehw.microarch.layout import Index
from halidehw.microarch.level import Outside
from halidehw.microarch.reader import Reader
from halidehw.microarch.spacetime import SpaceTime
from halidehw.microarch.supply import port_cycles, port_words

FULL = 63 / 64
"""The part of a port's lanes with a word from which on no more dimensions are joined."""


def joined(st: SpaceTime, name: str, lanes: int) -> int:
    """How many dimensions of an input in memory, the fastest first, are one: more than 1 where neighbours along the
    first leave much of the port's `lanes` without a word."""
    tensor = st.tensor(name)
    levels = st.nest.levels(name)
    if any(buffer.inside and (buffer.inside.order or buffer.inside.aligned) for buffer in levels):
        return 1
    if not levels or name in st.nest.tables or (tensor.boundary and tensor.boundary.kind != "constant_exterior"):
        return 1
    reads = [st.index(access) for access in st.nest.reads if access.tensor == name]
    reads += [st.place(name, index) for buffer in levels for index in buffer.also]
    slides = {st.part(name, buffer.slide.dimension) for buffer in levels if buffer.slide}
    count = 1
    while (
        count < len(tensor.extents) and _used(prod(tensor.extents[:count]), lanes) < FULL
        and count not in slides and 0 not in slides
        and tensor.strides[count] == prod(tensor.extents[:count]) and _whole(st, tensor, reads, count - 1)
    ):  # fmt: skip
        count += 1
    while count > 1 and (tensor.extents[count - 1] == 1 or not _close(st, tensor, reads, count - 1)):
        count -= 1
    return count


def _used(words: int, lanes: int) -> float:
    """The part of the lanes with a word, where so many neighbours come through a port."""
    return words / (-(-words // lanes) * lanes)


def paying(st: SpaceTime, most: Mapping[str, int], lanes: Mapping[str, int]) -> dict[str, int]:
    """Of each input how many dimensions are one: the `most` that can be, or 1 where cycles times wires are no more so.
    """
    chosen = dict(most)
    for name, count in most.items():
        if count > 1:
            alone = {**chosen, name: 1}
            chosen = min(alone, chosen, key=lambda each: _cost(replace(st, joined=each), lanes))
    return chosen


def _cost(st: SpaceTime, lanes: Mapping[str, int]) -> int:
    """The cycles of a stage and its loads, as if one were after the other, times the bits that its PEs work on and that
    its words are wide on their way from the ports."""
    loads = [_load(st, name, lanes[name]) for name in st.joined if name not in st.nest.tables]
    cycles = prod(axis.extent for axis in st.steps) + sum(cycles for cycles, _ in loads)
    pes = prod(space.extent for space in st.spaces)
    worked = sum(node.type.bits for node in nodes(st.nest.value)) + st.nest.output.type.bits
    return cycles * (pes * worked + sum(wires for _, wires in loads))


def _load(st: SpaceTime, name: str, lanes: int) -> tuple[int, int]:
    """The cycles in which an input comes through its port, and the bits beside each other at the port and in each
    memory."""
    tensor, levels = st.tensor(name), st.nest.levels(name)
    first, *others = (st.index(access) for access in st.nest.reads if access.tensor == name)
    terms = [form.terms for form in first]
    alike = (first, *(index for index in others if [form.terms for form in index] == terms))
    reader = Reader(st.steps, {space.name: space.extent for space in st.spaces}, st.limits, alike)
    outside = st.outside(levels[0].at) if levels else frozenset(axis.name for axis in st.steps)
    tile = reader.tile(outside)
    port, box = Outside(tensor, lanes, name), reader.box(tile, [name for name in reader.lanes if name in outside])
    times = prod(axis.extent for axis in st.steps[:tile])
    return times * port_cycles(port, box), (1 + len(levels)) * port_words(port, box) * tensor.type.bits


def _close(st: SpaceTime, tensor: Tensor, reads: list[Index], dimension: int) -> bool:
    """Whether a tile that comes through the port takes one element of a dimension, or neighbours."""
    first = st.nest.levels(tensor.name)[0]
    outer = st.outside(first.pieces.at if first.pieces else first.at)
    forms = [index[dimension] for index in reads]
    steps = [value for form in forms for name, value in form.terms if name not in outer]
    return gcd(*steps, *(form.constant - forms[0].constant for form in forms)) < 2


def _whole(st: SpaceTime, tensor: Tensor, reads: list[Index], dimension: int) -> bool:
    """Whether every tile that comes through the port has all of a dimension, and each one further in as much of it, or
    a single element."""
    outer = [st.outside(buffer.pieces.at if buffer.pieces else buffer.at) for buffer in st.nest.levels(tensor.name)]
    names = {axis for index in reads for axis in index[dimension].names}
    if names & outer[0] or any(names & outside and not names <= outside for outside in outer[1:]):
        return False
    forms, last = [index[dimension] for index in reads], tensor.extents[dimension] - 1
    lows, highs = zip(*(form.range_over(st.extents) for form in forms), strict=True)
    steps = gcd(*(value for form in forms for _, value in form.terms), *(form.constant for form in forms))
    every = steps == 1 or last == 0
    least, first = min(lows), tensor.mins[dimension]
    return every and least == first and (max(highs) - first == last if tensor.boundary else max(highs) - first >= last)
