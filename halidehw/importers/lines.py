"""Lines through values: what two tensors of 8 bits become where that is proved against all pairs of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from halidehw.expr.expr import cast, saturating_cast
from halidehw.expr.nodes import Expr, constant
from halidehw.expr.types import Int, Type, type_of_dtype


@dataclass(frozen=True)
class Line:
    """`(sum of factors * terms + offset) >> shift`, saturated."""

    factors: tuple[int, ...]
    offset: int
    shift: int
    kind: Type

    def width(self, bits: int) -> int:
        """Bits in which it is worked out, whole bytes, so that layers alike have the same; `bits`: of the widest
        term."""
        room = (sum(map(abs, self.factors)) << bits) + abs(self.offset) + (1 << self.shift)
        return 8 * (room.bit_length() // 8 + 1)

    def shifted(self, shift: int) -> Line:
        """The same line with more bits after the point."""
        more = shift - self.shift
        return Line(tuple(each << more for each in self.factors), self.offset << more, shift, self.kind)

    def of(self, terms: Sequence[Expr], bits: int, least: int = 0) -> Expr:
        """The value, worked out in at least so many bits."""
        wide = Int(max(self.width(bits), least))
        pairs = zip(self.factors, terms, strict=True)
        total: Expr = constant(wide, self.offset)
        for factor, term in pairs:
            total = total + cast(wide, term) * constant(wide, factor)
        return saturating_cast(self.kind, total >> self.shift)


SHIFTS = range(8, 41)
"""Bits after the point of a line's factors that are tried."""

_MOST = 2.0**60
"""What no sum of a line's terms may reach, nor what is not finite."""

_END = 1 << 62
"""Beyond all offsets: what bounds one where all values are the least, or the greatest, that there is."""


def line_through(terms: Sequence[np.ndarray], slopes: Sequence[float], found: np.ndarray) -> Line | None:
    """The line of fewest bits that gives `found` at every point; None if there is none. `terms`: what each slope is
    multiplied by, at every point."""
    kind = type_of_dtype(found.dtype)
    wide, right = [term.astype(np.int64) for term in terms], found.astype(np.int64)
    reach = sum(abs(slope) * float(np.abs(term).max(initial=0)) for slope, term in zip(slopes, wide, strict=True))
    for shift in SHIFTS:
        if not reach * (1 << shift) < _MOST:
            return None
        factors = tuple(round(slope * (1 << shift)) for slope in slopes)
        partial = np.asarray(sum(factor * term for factor, term in zip(factors, wide, strict=True)))
        over = (right << shift) - partial
        below, above = over[right > kind.min], (over + (1 << shift) - 1)[right < kind.max]
        least, most = (int(each) for each in (below.max(initial=-_END), above.min(initial=_END)))
        if least <= most:
            ends = [end for end in (least, most) if abs(end) < _END]
            return Line(factors, sum(ends) // len(ends), shift, kind)
    return None
