"""Dimensions of memory that a tile takes as one, so that a port's words are full though its rows are short.

Where a tile has all of the fastest dimension, and the next one goes on right behind that, both are one dimension to a
load: of pixels with three channels each, a row of the tile is three times as many neighbours.
"""

from __future__ import annotations

from math import gcd, prod

from halidehw.ir.nest import Tensor
from halidehw.microarch.layout import Index
from halidehw.microarch.spacetime import SpaceTime


def joined(st: SpaceTime, name: str, lanes: int) -> int:
    """How many dimensions of an input in memory, the fastest first, are one: more than 1 where the port has more
    `lanes` than a tile has neighbours along the first."""
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
        count < len(tensor.extents) and prod(tensor.extents[:count]) < lanes and count not in slides and 0 not in slides
        and tensor.strides[count] == prod(tensor.extents[:count]) and _whole(st, tensor, reads, count - 1)
    ):  # fmt: skip
        count += 1
    while count > 1 and (tensor.extents[count - 1] == 1 or not _close(st, tensor, reads, count - 1)):
        count -= 1
    return count


def _close(st: SpaceTime, tensor: Tensor, reads: list[Index], dimension: int) -> bool:
    """Whether a tile that comes through the port takes one element of a dimension, or neighbours."""
    outer = st.outside(st.nest.levels(tensor.name)[0].at)
    forms = [index[dimension] for index in reads]
    steps = [value for form in forms for name, value in form.terms if name not in outer]
    return gcd(*steps, *(form.constant - forms[0].constant for form in forms)) < 2


def _whole(st: SpaceTime, tensor: Tensor, reads: list[Index], dimension: int) -> bool:
    """Whether every tile that comes through the port has all of a dimension, and each one further in as much of it, or
    a single element."""
    outer = [st.outside(buffer.at) for buffer in st.nest.levels(tensor.name)]
    names = {axis for index in reads for axis in index[dimension].names}
    if names & outer[0] or any(names & outside and not names <= outside for outside in outer[1:]):
        return False
    forms, last = [index[dimension] for index in reads], tensor.extents[dimension] - 1
    lows, highs = zip(*(form.range_over(st.extents) for form in forms), strict=True)
    steps = gcd(*(value for form in forms for _, value in form.terms), *(form.constant for form in forms))
    every = steps == 1 or last == 0
    least, first = min(lows), tensor.mins[dimension]
    return every and least == first and (max(highs) - first == last if tensor.boundary else max(highs) - first >= last)
