"""Line buffers, and rows, whose words come in the order of a raster: a queue, and the rows behind it.

A reader that walks over rows, and in each over columns, needs with a step the words of a window. Of these only the last
ones are new, a group of columns in the last row; all others were taken before, in an earlier row or an earlier column.
So the reader has a front that goes ahead of it, over all words in their order: with each step it takes a group from a
queue, gets with it the words of the same columns in the rows before, and puts all of them one row on
(`stores.Behind`). What is earlier in a row is kept in the registers of a window.

The queue is short, whatever the rows are, and the rows behind are those from the first that it reads to the last one
that comes. That is so where other stages take the same words too: each has a queue, and what a reader that lags behind
has not read yet lies in the rows behind its own (`microarch.meeting`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

from halidehw.ir.affine import Affine
from halidehw.microarch.banking import Offset
from halidehw.microarch.box import Box, Index
from halidehw.microarch.line import Line
from halidehw.microarch.reader import Reader
from halidehw.microarch.spacetime import SpaceTime
from halidehw.microarch.stores import RAM_LATENCY
from halidehw.microarch.walk import Axis, Walk, clipping


@dataclass(frozen=True)
class Order:
    """The order in which a stage makes its tensor: the writer's walk, and over it where the first of the `vector` words
    of a step lies."""

    walk: Walk
    index: Index
    vector: int


@dataclass(frozen=True)
class Raster:
    """How a reader takes a line buffer's words as they come. `front`: the process that takes them, whose accesses are
    the words of a group; it is `warm` columns and `rows` rows ahead of the reader, of which the last `idle` columns
    have no word that a lane takes. `taps`: of each access of the reader, and values of its lanes, which word of the
    group, how many rows and how many columns ago.
    """

    front: Reader
    warm: int
    rows: int
    idle: int
    taps: dict[tuple[int, Offset], tuple[int, int, int]]

    @property
    def kept(self) -> int:
        """The rows behind that it reads: those before them are no longer there for it, but for other stages."""
        return max(rows for _, rows, _ in self.taps.values())


def order(st: SpaceTime, vector: Mapping[str, int]) -> Order | None:
    """How the writer of a stage goes over its tensor, if with one group of lanes after the other. `vector`: the lanes
    that it takes together."""
    lanes = {space.name: space.extent for space in st.spaces if not space.reduction}
    if st.nest.scattered or lanes != dict(vector) or _summed_outside(st):
        return None
    axes = tuple(axis for axis in st.times if axis.name in st.written)
    limits = clipping(axes, list(st.limits))
    names = [axis.name for axis in axes]
    index = tuple(form.only(names) + form.constant for form in st.within())
    return Order(Walk(axes, limits), index, prod(vector.values()))


def _summed_outside(st: SpaceTime) -> bool:
    """Whether a reduction steps outside an axis of what is made, which is then drained in another order."""
    kept = [axis.name in st.written for axis in st.times]
    return kept != sorted(kept, reverse=True)


def raster(reader: Reader, held: Line | Box, anew: int, made: Order | None) -> Raster | None:
    """How `reader` takes the words of a line buffer, or of the box of a tile, as they come, through a port or as a
    stage makes them; None where it does not: one row a tile, in each of which one axis goes over the columns. They are
    those inside its outer `anew` axes."""
    slides, axes = held if isinstance(held, Line) else None, reader.axes[anew:]
    whole, d = (slides.whole, slides.dimension) if slides else (held, None)
    assert isinstance(whole, Box)
    rows = slides.window.extents[slides.dimension] - 1 if slides else 0
    if len(axes) != (2 if slides else 1) or (slides and slides.step != 1):
        return None
    column, names = axes[-1], [axis.name for axis in axes]
    along = [e for e, form in enumerate(reader.indices[0]) if form[column.name]]
    if len(along) != 1 or along[0] == d or reader.indices[0][along[0]][column.name] < 0:
        return None
    (across,) = along
    group = reader.indices[0][across][column.name] // whole.steps[across]
    columns, taken = (-(-box.extents[across] // group) for box in (whole, reader.clipped(whole)))
    others = (extent for e, extent in enumerate(whole.extents) if e not in (d, across))
    tied = any(len(limit.names.intersection(names)) > 1 for limit in reader.limits)
    warm = columns - column.extent
    if any(extent > 1 for extent in others) or (across and group > 1) or tied or taken <= max(RAM_LATENCY, warm):
        return None
    counters = [axis.name for axis in (made.walk.axes[anew:] if made else axes)]
    if len(counters) != len(axes):
        return None
    right, first = Affine.variable(counters[-1]), list(whole.origin)
    first[across] = first[across] + right * (whole.steps[across] * group)
    at, ahead = {column.name: right - warm}, [Axis(counters[-1], taken)]
    if d is not None:
        down = Affine.variable(counters[0])
        first[d] = first[d] + down * whole.steps[d]
        at, ahead = at | {axes[0].name: down - rows}, [Axis(counters[0], axes[0].extent + rows), *ahead]
    times = [axis.name for axis in reader.axes]
    limits = tuple((limit.only(times) + limit.constant).substitute(at) for limit in reader.limits)
    heads = [tuple(form + (g * whole.steps[across] if e == across else 0) for e, form in enumerate(first))
             for g in range(group)]  # fmt: skip
    front = Reader((*reader.axes[:anew], *ahead), {}, limits, tuple(heads))
    if columns - taken > warm or (made and not _as_made(front, group, made)):
        return None
    taps: dict[tuple[int, Offset], tuple[int, int, int]] = {}
    positions = list(product(*(range(extent) for extent in reader.lanes.values())))
    for number, index in enumerate(reader.indices):
        place = [form.only((*reader.lanes,)) + form.constant for form in whole.coordinate(index)]
        for values in positions:
            at_lane = dict(zip(reader.lanes, values, strict=True))
            later, word = place[across].at(at_lane), place[d].at(at_lane) if d is not None else 0
            taps[number, values] = (later % group, rows - word, warm - later // group)
    found = Raster(front, warm, rows, columns - taken, taps)
    shortest = Walk(front.axes, clipping(front.axes, list(front.limits))).shortest
    return None if found.kept and shortest <= RAM_LATENCY else found


def _as_made(front: Reader, group: int, made: Order) -> bool:
    """Whether a stage makes the words in the order in which `front` takes them."""
    return (
        made.walk.axes == front.axes
        and set(made.walk.limits) == set(clipping(front.axes, list(front.limits)))
        and made.index == front.indices[0]
        and made.vector == group
    )
