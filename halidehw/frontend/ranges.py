"""Ranges of indices: a min and an extent."""

from __future__ import annotations

from halidehw.errors import AlgorithmError, BoundsError, SourceLine
from halidehw.expr.types import Int

Range = tuple[int, int]
"""Minimum and extent of a dimension."""


def checked_range(pair: Range) -> Range:
    """A pair of integers (min, extent). Raises `BoundsError` if the extent is not positive, or an index no int32."""
    try:
        low, extent = (value.__index__() for value in pair)
    except (AttributeError, TypeError, ValueError, AlgorithmError):
        raise BoundsError(f"bounds are a min and an extent, two integers, not {pair!r}", legal=("(0, 16)",)) from None
    if extent < 1:
        raise BoundsError(f"an extent of {extent} is not positive", legal=(f"({low}, 16)",))
    check_indices(low, low + extent - 1)
    return low, extent


def check_indices(low: int, high: int, source: SourceLine | None = None) -> None:
    """Raises `BoundsError` if not all indices from `low` to `high` are int32."""
    if not (Int(32).represents(low) and Int(32).represents(high)):
        raise BoundsError(f"the indices {low} .. {high} are not all int32", legal=("(0, 16)",), source=source)
