"""Functions of an integer that never fall, as hardware has them: a line that is below by one at most, and a table of
where the next value begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from halidehw.expr.expr import cast, saturating_cast, select
from halidehw.expr.intrinsics import mux
from halidehw.expr.nodes import Expr, Operand, constant
from halidehw.expr.types import Int, Type, UInt

_FINE = 16
"""Bits of the integer that the line sees: it is off by a fraction of a step, where there are 256."""

_POINT = 16
"""Bits after the point of the line's factor."""


@dataclass(frozen=True)
class Stairs:
    """`starts`: the least integer from which on the value is more than the least of `kind`, than the next one, and so
    on, one fewer than there are values; where that is never, one beyond `most`. `most`: what no integer exceeds."""

    starts: tuple[int, ...]
    most: int
    kind: Type

    @property
    def _width(self) -> int:
        return self.most.bit_length() + 2

    def of(self, value: Expr) -> Expr:
        """The function's value, of an integer from -`most` to `most`. Raises `OverflowError` where no line is near."""
        wide, low = Int(self._width), self._below()
        ends: list[Operand] = [constant(wide, start) for start in (*self.starts, self.most + 1)]
        found = low(cast(wide, value))
        start = mux(cast(UInt(self.kind.bits), cast(Int(self.kind.bits + 2), found) - self.kind.min), ends)
        return select(cast(wide, value) >= start, cast(self.kind, found + 1), found)

    def _below(self) -> Callable[[Expr], Expr]:
        """The line: at each integer the function's value, or one less, which neither falls, so that the ends of all
        steps show it. Raises `OverflowError` where that is none."""
        shift = max(self.most.bit_length() - _FINE, 0)
        inside = [(at, step) for step, at in enumerate(self.starts, self.kind.min + 1) if -self.most < at <= self.most]
        (first, low), (last, high) = (inside[0], inside[-1]) if inside else ((0, self.kind.min), (0, self.kind.min))
        slope = (high - low) / max(last - first, 1)
        factor = round(slope * (1 << shift + _POINT))
        offset = round((low - 0.5) * (1 << _POINT)) - factor * (first >> shift)
        wide = Int(max((factor << _FINE + 1) + abs(offset), 1).bit_length() + 2)

        def line(at: Expr) -> Expr:
            total = cast(wide, at >> shift) * constant(wide, factor) + offset
            return saturating_cast(self.kind, total >> _POINT)

        def number(at: int) -> int:
            return min(max(((at >> shift) * factor + offset) >> _POINT, self.kind.min), self.kind.max)

        points = [-self.most, self.most, *(place for at, _ in inside for place in (at, at - 1))]
        if not all(self.value(at) - 1 <= number(at) <= self.value(at) for at in points):
            raise OverflowError("its steps are too unlike each other")
        return line

    def value(self, at: int) -> int:
        """What the function gives for an integer."""
        return self.kind.min + int(np.searchsorted(np.array(self.starts), at, side="right"))
