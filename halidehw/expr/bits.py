"""Counting bits, in plain operators: trees as deep as the logarithm of the width."""

from __future__ import annotations

from halidehw.expr.expr import cast, select
from halidehw.expr.nodes import Expr, constant
from halidehw.expr.types import UInt


def popcount(a: Expr) -> Expr:
    """A tree of adders over the bits."""
    raw = cast(UInt(a.type.bits), a)

    def count(low: int, high: int) -> Expr:
        if high - low == 1:
            return cast(UInt(1), raw >> low)
        kind, middle = UInt((high - low).bit_length()), (low + high) // 2
        return cast(kind, count(low, middle)) + cast(kind, count(middle, high))

    return cast(a.type, count(0, a.type.bits))


def zeros(a: Expr, leading: bool) -> Expr:
    """How many zeros stand before the first one, from above (`leading`) or from below; all bits for 0. Of a's type.

    The near half decides: where it is all zero, its length and the zeros of the far half; else its own zeros.
    """
    raw = cast(UInt(a.type.bits), a)

    def bits(low: int, high: int) -> Expr:
        return cast(UInt(high - low), raw >> low)

    def zeros(low: int, high: int) -> Expr:
        if high - low == 1:
            return cast(UInt(1), bits(low, high) == 0)
        kind, middle = UInt((high - low).bit_length()), (low + high) // 2
        near, far = ((middle, high), (low, middle)) if leading else ((low, middle), (middle, high))
        beyond = cast(kind, zeros(*far)) + (near[1] - near[0])
        return select(bits(*near) == 0, beyond, cast(kind, zeros(*near)))

    return cast(a.type, zeros(0, a.type.bits))


def bit_length(a: Expr) -> Expr:
    """How many bits an unsigned value needs; 0 for 0. Of the least type."""
    kind = UInt(a.type.bits.bit_length())
    return constant(kind, a.type.bits) - cast(kind, zeros(a, leading=True))
