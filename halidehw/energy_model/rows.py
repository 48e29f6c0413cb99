"""The rows of a line buffer as its reader takes and leaves them, tile by tile."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from halidehw.energy_model.domain import Trip, Values, outer_term, trips
from halidehw.ir.affine import Affine
from halidehw.microarch.stores import Memory
from halidehw.microarch.taps import MemoryTap
from halidehw.microarch.walk import Walk


@dataclass(frozen=True)
class Rows:
    """A tile at depth `tile` of the reader's `walk` is a window of `window` rows, `step` further on than the last one,
    or anew for each iteration of the outer `anew` axes. The least of `left`, forms over the walk, is how many rows
    there are from a window's first one to the last.
    """

    walk: Walk
    anew: int
    tile: int
    window: int
    step: int
    left: tuple[Affine, ...]

    @property
    def passed(self) -> Affine:
        """The rows before a tile's window, since it began anew."""
        slide = self.walk.axes[self.anew : self.tile]
        tiles = (prod(inner.extent for inner in slide[place + 1 :]) for place in range(len(slide)))
        return Affine.of((axis.name, self.step * count) for axis, count in zip(slide, tiles, strict=True))

    @cached_property
    def _trips(self) -> tuple[Trip, ...]:
        return trips(self.walk)

    def _left(self, values: Values) -> int:
        return min(outer_term(form, self.walk, self.tile).at(values) for form in self.left)

    def held(self, values: Values) -> int:
        """The rows of a tile."""
        return min(self.window, self._left(values))

    def new(self, values: Values) -> range:
        """Those rows, counted from where the window began anew, that no tile before this one has needed."""
        first = outer_term(self.passed, self.walk, self.tile).at(values)
        before = first - self.step + min(self.window, self._left(values) + self.step) if first else 0
        return range(before, first + self.held(values))

    def freed(self, values: Values) -> int:
        """The rows that the reader gives back after a tile: those before the next one's, or all."""
        ends = (self._trips[place].at(values[:place]) for place in range(self.anew, self.tile))
        last = all(value == end - 1 for value, end in zip(values[self.anew :], ends, strict=True))
        assert not last or self._left(values) <= self.window, "rows that no tile takes"
        return self.held(values) if last else self.step


def rows_of(memory: Memory, read: MemoryTap, walk: Walk) -> Rows | None:
    """The rows of a memory that the process with `walk` reads, if it is a line buffer."""
    ring = memory.ring
    if ring is None:
        return None
    tiles = prod(axis.extent for axis in walk.axes[read.anew : read.tile])
    found = Rows(walk, read.anew, read.tile, ring.window, ring.step, ())
    left = Affine((), ring.window + ring.step * (tiles - 1)) - found.passed
    return replace(found, left=(left, *(form.divided(ring.unit) for form in read.left)))
