"""What Halide's arithmetic functions compute, in plain operators.

Arguments have the types that the functions in `intrinsics` give them. The trees are as deep as the logarithm of what
they span, and no wider than their values.
"""

from __future__ import annotations

from collections.abc import Callable

from halidehw.expr.bits import popcount, zeros
from halidehw.expr.expr import cast, saturating_cast, select
from halidehw.expr.nodes import Const, Expr, binary, constant, convert, shift, unary
from halidehw.expr.requantize import requantize, requantize_q31, round_significant
from halidehw.expr.types import Int, Type, UInt, promote

_WIDEST = 64

LERPED = (8, 16, 32)
"""The widths between which `lerp` interpolates, and of its weights."""


def _wide(a: Expr, b: Expr) -> tuple[Expr, Expr] | None:
    """Both with a sign and one more bit, so that sums and differences are exact; None beyond 64 bits."""
    bits = a.type.bits + 1 + (not a.type.signed)
    return (cast(Int(bits), a), cast(Int(bits), b)) if bits <= _WIDEST else None


def _of(kind: Type, value: int) -> Const:
    """A constant of any width: 1 of `Int(1)` is -1."""
    return Const(kind, kind.wrap(value))


def _absd(a: Expr, b: Expr) -> Expr:
    unsigned, wide = UInt(a.type.bits), _wide(a, b)
    if wide:
        return cast(unsigned, unary("abs", wide[0] - wide[1]))
    return select(a < b, cast(unsigned, b - a), cast(unsigned, a - b))


def _lerp(zero: Expr, one: Expr, weight: Expr) -> Expr:
    """With z and o counted from the type's least value, and M = 2**bits - 1: (z * M + (o - z) * weight) / M, rounded.

    The division by M is exact as two shifts that round. One multiplier where the difference has room for its sign.
    """
    kind, bits = zero.type, zero.type.bits
    half, share = 1 << (bits - 1), _scaled(weight, bits)
    if 2 * bits + 2 <= _WIDEST:
        wide = Int(2 * bits + 2)
        low, high = (cast(wide, end) - kind.min for end in (zero, one))
        total = low * ((1 << bits) - 1) + (high - low) * cast(wide, share)
    else:
        wide = UInt(2 * bits)
        low, high = (cast(wide, _distance(end)) for end in (zero, one))
        total = low * cast(wide, ~share) + high * cast(wide, share)
    result = (total + half + ((total + half) >> bits)) >> bits
    return cast(kind, result ^ half if kind.signed else result)


def _distance(a: Expr) -> Expr:
    """From its type's least value, unsigned: a sign bit turned over."""
    raw = cast(UInt(a.type.bits), a)
    return raw ^ (1 << (a.type.bits - 1)) if a.type.signed else raw


def _scaled(weight: Expr, bits: int) -> Expr:
    """A weight as one of so many bits: 0 stays 0, and the largest stays the largest."""
    have = weight.type.bits
    if have > bits:
        return cast(UInt(bits), (weight - (weight >> bits)) >> (have - bits))
    weight = cast(UInt(bits), weight)
    while have < bits:
        weight, have = (weight << have) | weight, 2 * have
    return weight


def _mux(index: Expr, *values: Expr) -> Expr:
    """A tree of choices; a negative index is a large one, and so takes the last value."""
    place = cast(UInt(index.type.bits), index)

    def among(low: int, high: int) -> Expr:
        middle = (low + high) // 2
        if high - low == 1:
            return values[low]
        if middle > place.type.max:
            return among(low, middle)
        return select(place < middle, among(low, middle), among(middle, high))

    return among(0, len(values))


def _rounding_right(a: Expr, amount: Expr) -> Expr:
    """The bit that is shifted out last weighs a half: it is added."""
    if isinstance(amount, Const):
        return _rounded_by(a, amount.value)
    one = _of(amount.type, 1)
    last = shift("shl", _of(a.type, 1), binary("max", amount, one) - one)
    return _plus_half(a, shift("shr", a, amount), amount > _of(amount.type, 0), last)


def _rounding_left(a: Expr, amount: Expr) -> Expr:
    if isinstance(amount, Const):
        return _rounded_by(a, -amount.value)
    if not amount.type.signed:
        return shift("shl", a, amount)
    return _plus_half(a, shift("shl", a, amount), amount < 0, shift("shl", _of(a.type, 1), ~amount))


def _plus_half(a: Expr, shifted: Expr, right: Expr, last: Expr) -> Expr:
    zero = _of(a.type, 0)
    return shifted + cast(a.type, (a & select(right, last, zero)) != zero)


def _rounded_by(a: Expr, amount: int) -> Expr:
    """Right by a constant, left by a negative one; beyond the type's width nothing is added, as in Halide."""
    if not 0 < amount <= a.type.bits:
        return a >> amount
    return (a >> amount) + cast(a.type, cast(UInt(1), a >> (amount - 1)))


def _saturating_add(a: Expr, b: Expr) -> Expr:
    kind, wide, total = a.type, _wide(a, b), a + b
    if wide:
        return saturating_cast(kind, wide[0] + wide[1])
    if not kind.signed:
        return select(total < a, constant(kind, kind.max), total)
    return select(((a ^ total) & (b ^ total)) < 0, _end(a), total)


def _saturating_sub(a: Expr, b: Expr) -> Expr:
    kind, wide, rest = a.type, _wide(a, b), a - b
    if wide:
        return saturating_cast(kind, wide[0] - wide[1])
    if not kind.signed:
        return select(a < b, constant(kind, 0), rest)
    return select(((a ^ b) & (a ^ rest)) < 0, _end(a), rest)


def _end(a: Expr) -> Expr:
    """The end of its type on the side of its sign."""
    return select(a < 0, constant(a.type, a.type.min), constant(a.type, a.type.max))


def _halving_add(a: Expr, b: Expr) -> Expr:
    wide = _wide(a, b)
    return cast(a.type, (wide[0] + wide[1]) >> 1) if wide else (a & b) + ((a ^ b) >> 1)


def _rounding_halving_add(a: Expr, b: Expr) -> Expr:
    wide = _wide(a, b)
    return cast(a.type, (wide[0] + wide[1] + 1) >> 1) if wide else (a | b) - ((a ^ b) >> 1)


def _halving_sub(a: Expr, b: Expr) -> Expr:
    wide = _wide(a, b)
    return cast(a.type, (wide[0] - wide[1]) >> 1) if wide else (a >> 1) - (b >> 1) - (~a & b & 1)


def _doubled(op: str, signed: bool | None = None) -> Callable[[Expr, Expr], Expr]:
    """The operator on both, in the type twice as wide."""

    def body(a: Expr, b: Expr) -> Expr:
        common = promote(a.type, b.type)
        kind = Type(common.signed if signed is None else signed, 2 * common.bits)
        return binary(op, cast(kind, a), cast(kind, b))

    return body


def _doubled_shift(op: str) -> Callable[[Expr, Expr], Expr]:
    return lambda a, by: _shifted(op, cast(Type(a.type.signed, 2 * a.type.bits), a), by)


def _shifted(op: str, a: Expr, by: Expr) -> Expr:
    return shift(op, a, by.value if isinstance(by, Const) else by)


def _as_wide(a: Expr, amount: Expr) -> Expr:
    """An operand, at least as wide as the amount."""
    return convert(Type(a.type.signed, max(a.type.bits, amount.type.bits)), a)


def _mul_shift_right(a: Expr, b: Expr, amount: Expr) -> Expr:
    left, right = _as_wide(a, amount), _as_wide(b, amount)
    return saturating_cast(left.type, _shifted("shr", _doubled("mul")(left, right), amount))


def _rounding_mul_shift_right(a: Expr, b: Expr, amount: Expr) -> Expr:
    """With one more bit, as half may be added to the largest product."""
    left, right = _as_wide(a, amount), _as_wide(b, amount)
    product = _doubled("mul")(left, right)
    by = amount if isinstance(amount, Const) else cast(UInt(product.type.bits), amount)
    return saturating_cast(left.type, _rounding_right(product, by))


BODIES: dict[str, Callable[..., Expr]] = {
    "absd": _absd,
    "lerp": _lerp,
    "mux": _mux,
    "widening_add": _doubled("add"),
    "widening_sub": _doubled("sub", signed=True),
    "widening_mul": _doubled("mul"),
    "widening_shift_left": _doubled_shift("shl"),
    "widening_shift_right": _doubled_shift("shr"),
    "rounding_shift_left": _rounding_left,
    "rounding_shift_right": _rounding_right,
    "saturating_add": _saturating_add,
    "saturating_sub": _saturating_sub,
    "halving_add": _halving_add,
    "halving_sub": _halving_sub,
    "rounding_halving_add": _rounding_halving_add,
    "mul_shift_right": _mul_shift_right,
    "rounding_mul_shift_right": _rounding_mul_shift_right,
    "popcount": popcount,
    "count_leading_zeros": lambda a: zeros(a, leading=True),
    "count_trailing_zeros": lambda a: zeros(a, leading=False),
    "round_significant": round_significant,
    "requantize": requantize,
    "requantize_q31": requantize_q31,
}
"""By name: the value, of the arguments."""
