"""Sums of quantised products back to few bits, in plain operators: the two ways that runtimes have of rounding.

*ONNX Runtime* multiplies floats: `rint(float32(a) * scale) + zero_point`. Both the sum and the product are rounded to
the 24 significant bits of a float32, ties to even, before `rint` rounds to an integer, ties to even. In integers: `a`
is rounded so; its product with the scale's 24 bits is exact. The float's rounding of that product matters only where it
makes a half of a fraction that is none. It does where the distance from one half is at most half of the float's last
place, which is 2**(n - 25) for an integer part of n bits.

*LiteRT* multiplies by a fraction of 31 bits, rounds, shifts right and rounds again, halves away from zero.
"""

from __future__ import annotations

from halidehw.expr.bits import bit_length
from halidehw.expr.expr import cast, max, min, saturating_cast, select
from halidehw.expr.nodes import Const, Expr, Operand, constant, shift, unary
from halidehw.expr.types import Int, UInt

SIGNIFICANT = 24
"""Bits of a float32's significand."""

_BIAS = 150
"""What the exponent of a float32 counts beyond that of its significand's last bit."""

_SHIFTS = (1, 57)
"""By how much a product of 55 bits is shifted right: by more nothing is left, by less it saturates every type."""


def requantize(a: Expr, scale: Expr, zero_point: Expr) -> Expr:
    """`a`: int32; `scale`: uint32, the bits of a float32 that is not negative; the result is of zero_point's type, at
    most 16 bits."""
    product, by = _product(_magnitude(a), scale)
    return _placed(_nearest(product, by, zero_point.type.bits), a < 0, zero_point)


def significant(a: Expr, bits: int = SIGNIFICANT) -> Expr:
    """An unsigned value rounded to so many significant bits, ties to even. The type has room for the result."""
    if a.type.bits <= bits:
        return a
    over = bit_length(a >> bits)
    rest = shift("shl", _one(a), over) - 1
    odd = shift("shr", a, over) & rest & 1
    return (a + (rest >> 1) + odd) & ~rest


def round_significant(a: Expr, bits: Expr) -> Expr:
    """`bits`: a constant."""
    assert isinstance(bits, Const)
    if a.type.bits - a.type.signed <= bits.value:
        return a
    size = cast(a.type, significant(unary("abs", a) if a.type.signed else a, bits.value))
    return select(a < 0, -size, size) if a.type.signed else size


def _magnitude(a: Expr) -> Expr:
    """Rounded as a float32 is. The magnitude of an int32 is at most 2**31, so that a uint32 has room."""
    return significant(unary("abs", a))


def _product(size: Expr, scale: Expr) -> tuple[Expr, Expr | int]:
    """The magnitude times the scale's significand, and how far the point is to the left of it; 58 bits."""
    wide, fraction = UInt(_SHIFTS[1] + 1), (1 << (SIGNIFICANT - 1)) - 1
    least, most = (_BIAS - by for by in reversed(_SHIFTS))
    if isinstance(scale, Const):
        by = _BIAS - sorted((least, scale.value >> (SIGNIFICANT - 1), most))[1]
        return cast(wide, size) * (scale.value & fraction | fraction + 1), by
    significand = cast(wide, scale & fraction | fraction + 1)
    exponent = cast(UInt(8), max(min(scale >> (SIGNIFICANT - 1), most), least))
    return cast(wide, size) * significand, cast(UInt(6), constant(UInt(8), _BIAS) - exponent)


def _nearest(product: Expr, by: Expr | int, bits: int) -> Expr:
    """`product >> by`, rounded to a float32 and then to the nearest; what is beyond all values of `bits` bits is any
    value beyond them."""
    kind, whole, one = UInt(bits + 2), shift("shr", product, by), _one(product)
    integer = cast(UInt(bits + 1), min(whole, (1 << (bits + 1)) - 1))
    unit = shift("shl", one, by)
    rest, half = product & (unit - 1), unit >> 1
    window = shift("shl", unit, bit_length(integer)) >> (SIGNIFICANT + 1)
    distance = select(rest > half, rest - half, half - rest)
    up = select(distance <= window, cast(UInt(1), integer), cast(UInt(1), rest > half))
    return cast(kind, integer) + cast(kind, up)


def _placed(size: Expr, negative: Expr, zero_point: Expr) -> Expr:
    """With a sign and the zero point, saturated to the zero point's type."""
    wide = Int(size.type.bits + 2)
    value = cast(wide, size)
    return saturating_cast(zero_point.type, select(negative, -value, value) + cast(wide, zero_point))


def requantize_q31(a: Expr, multiplier: Expr, exponent: Expr, zero_point: Expr) -> Expr:
    """`a`, `multiplier`: int32; `exponent`: int8, of the power of two that the product is multiplied by, -31 to 30."""
    left, right = max(exponent, 0), max(-exponent, 0)
    product = cast(Int(64), shift("shl", a, cast(UInt(5), left))) * cast(Int(64), multiplier)
    high = saturating_cast(Int(32), (product + (1 << 30)) >> 31)
    amount = cast(UInt(5), right)
    rest = shift("shl", constant(UInt(32), 1), amount) - 1
    threshold = (rest >> 1) + cast(UInt(32), high < 0)
    up = (cast(UInt(32), high) & rest) > threshold
    wide = Int(33)
    rounded = cast(wide, shift("shr", high, amount)) + cast(wide, up)
    return saturating_cast(zero_point.type, rounded + cast(wide, zero_point))


def _one(a: Expr) -> Operand:
    return constant(a.type, 1)
