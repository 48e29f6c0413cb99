"""Line buffers: memories whose tile is a window that slides over rows, each of which is loaded once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from halidehw.ir.affine import Affine
from halidehw.ir.nest import Slide
from halidehw.microarch.banking import Dim
from halidehw.microarch.box import Box
from halidehw.microarch.reader import Reader
from halidehw.microarch.stores import Ring


@dataclass(frozen=True)
class Line:
    """A reader's sliding window.

    `window`: the box of a tile, in rows along `dimension`; a tile moves on by `step` rows. `whole`: the box of all
    tiles from where the window starts anew, inside the reader's outer `anew` axes. `left`: where an end is ragged,
    forms over the reader's axes, the least of which counts the rows from the window's first to the last of `whole`.
    """

    dimension: int
    window: Box
    step: int
    whole: Box
    anew: int
    left: tuple[Affine, ...]

    def rows(self, halves: int) -> tuple[int, ...]:
        """The extents of the memory: the window's, and with a second half the rows that it moves on by."""
        extents = list(self.window.extents)
        extents[self.dimension] += (halves - 1) * self.step
        return tuple(extents)

    def ring(self, rows: Dim, extents: dict[str, int]) -> Ring:
        """The ring of a memory whose dimension along the rows is `rows`. `extents`: the reader's."""
        unit = rows.stride if rows.factor == 1 else 1
        ends = tuple(form.range_over(extents)[1] for form in self.units(unit))
        return Ring(self.dimension, self.window.extents[self.dimension], self.step, unit, ends)

    def units(self, unit: int) -> tuple[Affine, ...]:
        """`left` where each row is that many."""
        return tuple(form * unit for form in self.left)


def line(reader: Reader, tile: int, slide: Slide) -> Line:
    """The window inside the reader's outer `tile` axes, the last of which slide it."""
    d, anew = slide.dimension, tile - len(slide.loops)
    assert tuple(axis.name for axis in reader.axes[anew:tile]) == slide.loops, "other axes move the window"
    box, whole = reader.box(tile), reader.box(anew)
    unit = whole.steps[d]
    extents = list(box.extents)
    extents[d] = (extents[d] - 1) * box.steps[d] // unit + 1
    passed = reader.indices[0][d].only(slide.loops).divided(unit)
    extent = {axis.name: axis.extent for axis in reader.axes}
    cutting = [bound for bound in whole.reach[d] if bound.range_over(extent)[0] < (whole.extents[d] - 1) * unit]
    left = tuple(bound.divided(unit) + 1 - passed for bound in cutting)
    return Line(d, replace(box, extents=tuple(extents), steps=whole.steps), slide.step // unit, whole, anew, left)
