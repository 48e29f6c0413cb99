"""The rows of a line buffer as its reader takes and leaves them, tile by tile."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

from halidehw.energy_model.domain import Trip, Values, outer_term, trips
from halidehw.ir.affine import Affine
from halidehw.microarch.accelerator import Memory, Read
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
    def slide(self) -> tuple[str, ...]:
        """The axes that move the window on."""
        return tuple(axis.name for axis in self.walk.axes[self.anew : self.tile])

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
        sliding = values[self.anew :]
        extents = [axis.extent for axis in self.walk.axes[self.anew : self.tile]]
        first = self.step * sum(value * prod(extents[place + 1 :]) for place, value in enumerate(sliding))
        before = first - self.step + min(self.window, self._left(values) + self.step) if first else 0
        return range(before, first + self.held(values))

    def freed(self, values: Values) -> int:
        """The rows that the reader gives back after a tile: those before the next one's, or all."""
        ends = (self._trips[place].at(values[:place]) for place in range(self.anew, self.tile))
        last = all(value == end - 1 for value, end in zip(values[self.anew :], ends, strict=True))
        return self.held(values) if last else self.step


def rows_of(memory: Memory, read: Read, walk: Walk) -> Rows | None:
    """The rows of a memory that the process with `walk` reads, if it is a line buffer."""
    ring = memory.ring
    if ring is None:
        return None
    slide = walk.axes[read.anew : read.tile]
    passed = Affine.of((axis.name, ring.step * prod(a.extent for a in slide[k + 1 :])) for k, axis in enumerate(slide))
    rows = ring.window + ring.step * (prod(axis.extent for axis in slide) - 1)
    left = (Affine((), rows) - passed, *(form.divided(ring.unit) for form in read.left))
    return Rows(walk, read.anew, read.tile, ring.window, ring.step, left)
