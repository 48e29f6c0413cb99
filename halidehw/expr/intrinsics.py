"""Halide's arithmetic functions beyond the operators: calls whose bodies are made of plain operators.

A call stays one node while the algorithm is built, so that it is written and printed as its user wrote it, however
often its body uses an argument. Lowering writes out the body.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property

from halidehw.errors import AlgorithmError, TypeMismatch
from halidehw.expr.bodies import BODIES, LERPED
from halidehw.expr.fixed import is_float
from halidehw.expr.nodes import (
    Const,
    Expr,
    Operand,
    Operators,
    Variable,
    as_expr,
    code,
    constant,
    constructor,
    convert,
    implied,
)
from halidehw.expr.types import Int, Type, UInt, promote

_WIDEST = 64

_NARROW = 16
"""The most bits of what is requantised."""


@dataclass(frozen=True, eq=False, repr=False)
class Intrinsic(Expr):
    """`name(args)`, of arguments that have the types its body takes."""

    name: str
    args: tuple[Expr, ...]

    def written(self, parts: tuple[str, ...]) -> str:
        return f"{self.name}({', '.join(parts)})"

    @property
    def places(self) -> tuple[str, ...]:
        """The variable that stands for each argument in the body."""
        return tuple(f"_{place}" for place in range(len(self.args)))

    @cached_property
    def body(self) -> Expr:
        """What it computes: an expression over `places`, with the arguments that are constants written out."""
        pairs = zip(self.args, self.places, strict=True)
        return BODIES[self.name](*(arg if isinstance(arg, Const) else Variable(arg.type, p) for arg, p in pairs))


def absd(a: Operand, b: Operand) -> Expr:
    """The absolute difference, after promotion to a common type; unsigned and so exact."""
    left, right = _promoted(a, b)
    return Intrinsic(UInt(left.type.bits), "absd", (left, right))


def lerp(zero: Operand, one: Operand, weight: Operand) -> Expr:
    """From `zero` (weight 0) to `one` (the weight's largest value), rounded to the nearest, as Halide computes it.

    Raises `TypeMismatch` if the ends differ in type, or the weight is signed.
    """
    first, last = _agreed(as_expr(zero), as_expr(one))
    if is_float(weight):
        share_of = round(float(weight) * 255)
        raise TypeMismatch(
            f"the weight {weight!r} of a lerp is a float; of 8 bits it is {share_of} / 255",
            legal=(f"lerp({code(first)}, {code(last)}, cast(UInt(8), {share_of}))",),
        )
    share = as_expr(weight)
    if first.type != last.type:
        raise TypeMismatch(
            f"lerp between {first}, which is {first.type}, and {last}, which is {last.type}",
            legal=(f"lerp({code(first)}, cast({constructor(first.type)}, {code(last)}), {code(share)})",),
        )
    if share.type.signed:
        unsigned = constructor(UInt(share.type.bits))
        raise TypeMismatch(
            f"the weight {share} of a lerp is {share.type}; it counts from 0 to its type's largest value, unsigned",
            legal=(f"lerp({code(first)}, {code(last)}, cast({unsigned}, {code(share)}))",),
        )
    if first.type.bits not in LERPED or share.type.bits not in LERPED:
        raise TypeMismatch(
            f"lerp of {first.type} with a weight of {share.type}: both have 8, 16 or 32 bits",
            legal=(f"lerp(cast(Int(16), {code(first)}), cast(Int(16), {code(last)}), cast(UInt(16), {code(share)}))",),
        )
    return Intrinsic(first.type, "lerp", (first, last, share))


def mux(index: Operand, values: list[Operand] | tuple[Operand, ...]) -> Expr:
    """The value at `index` of a list; the last one for any index outside it.

    Raises `TypeMismatch` if the values differ in type (a constant takes the others').
    """
    if not isinstance(values, list | tuple) or not values:
        raise AlgorithmError("mux takes an index and a list of values", legal=("mux(c, [a, b])",))
    plain = [value for value in map(as_expr, values) if not isinstance(value, Const)]
    kind = plain[0].type if plain else as_expr(values[0]).type
    chosen = [constant(kind, each.value) if isinstance(each, Const) else each for each in map(as_expr, values)]
    for value in chosen:
        if value.type != kind:
            raise TypeMismatch(
                f"mux between values of {kind} and {value}, which is {value.type}",
                legal=(f"cast({constructor(kind)}, {code(value)})",),
            )
    return Intrinsic(kind, "mux", (as_expr(index), *chosen))


def widening_add(a: Operand, b: Operand) -> Expr:
    """`a + b` in the type twice as wide."""
    left, right = _promoted(a, b)
    return Intrinsic(_doubled("widening_add", left.type), "widening_add", (left, right))


def widening_sub(a: Operand, b: Operand) -> Expr:
    """`a - b` in the signed type twice as wide."""
    left, right = _promoted(a, b)
    return Intrinsic(_doubled("widening_sub", Int(left.type.bits)), "widening_sub", (left, right))


def widening_mul(a: Operand, b: Operand) -> Expr:
    """`a * b` in the type twice as wide, signed if either is."""
    left, right = _of_same_width(a, b)
    return Intrinsic(_doubled("widening_mul", promote(left.type, right.type)), "widening_mul", (left, right))


def widening_shift_left(a: Operand, amount: Operand) -> Expr:
    """`a << amount` in the type twice as wide."""
    left, by = _shifted(a, amount)
    return Intrinsic(_doubled("widening_shift_left", left.type), "widening_shift_left", (left, by))


def widening_shift_right(a: Operand, amount: Operand) -> Expr:
    """`a >> amount` in the type twice as wide."""
    left, by = _shifted(a, amount)
    return Intrinsic(_doubled("widening_shift_right", left.type), "widening_shift_right", (left, by))


def rounding_shift_left(a: Operand, amount: Operand) -> Expr:
    """`a << amount`; a negative amount shifts right and rounds to the nearest, halves upwards."""
    left, by = _shifted(a, amount)
    return Intrinsic(left.type, "rounding_shift_left", (left, by))


def rounding_shift_right(a: Operand, amount: Operand) -> Expr:
    """`a >> amount`, rounded to the nearest, halves upwards; a negative amount shifts left."""
    left, by = _shifted(a, amount)
    return Intrinsic(left.type, "rounding_shift_right", (left, by))


def saturating_add(a: Operand, b: Operand) -> Expr:
    """The value of the common type that is nearest to `a + b`."""
    return _same_type("saturating_add", a, b)


def saturating_sub(a: Operand, b: Operand) -> Expr:
    """The value of the common type that is nearest to `a - b`."""
    return _same_type("saturating_sub", a, b)


def halving_add(a: Operand, b: Operand) -> Expr:
    """`(a + b) / 2` rounded down, without overflow."""
    return _same_type("halving_add", a, b)


def halving_sub(a: Operand, b: Operand) -> Expr:
    """`(a - b) / 2` rounded down, the difference without overflow, the result wrapped to the common type."""
    return _same_type("halving_sub", a, b)


def rounding_halving_add(a: Operand, b: Operand) -> Expr:
    """`(a + b + 1) / 2` rounded down, without overflow."""
    return _same_type("rounding_halving_add", a, b)


def mul_shift_right(a: Operand, b: Operand, amount: Operand) -> Expr:
    """The value nearest to `a * b >> amount`, the product without overflow. The amount is unsigned."""
    return _product_shifted("mul_shift_right", a, b, amount)


def rounding_mul_shift_right(a: Operand, b: Operand, amount: Operand) -> Expr:
    """`mul_shift_right`, rounded to the nearest, halves upwards."""
    return _product_shifted("rounding_mul_shift_right", a, b, amount)


def round_significant(a: Operand, bits: int) -> Expr:
    """`a` rounded to its `bits` highest significant bits, ties to even, as a float of so many keeps it; of a's type,
    to which it wraps. Raises `TypeMismatch` if that is no number of bits."""
    operand = as_expr(a)
    if not isinstance(bits, int) or not 1 <= bits <= _WIDEST:
        raise TypeMismatch(
            f"round_significant to {bits}: it is a number of bits from 1 to {_WIDEST}",
            legal=(f"round_significant({code(operand)}, 24)",),
        )
    return Intrinsic(operand.type, "round_significant", (operand, constant(Int(32), bits)))


def requantize(a: Operand, scale: Operand | float, zero_point: Operand) -> Expr:
    """`rint(float32(a) * scale) + zero_point`, saturated to the type of `zero_point`: to the bit what ONNX Runtime
    computes in float32, in integers.

    `a`: a sum, of a type that int32 covers. `scale`: a float, or the bits of a float32 that is not negative, as uint32
    (`scales.view(np.uint32)`). Raises `TypeMismatch` for other types, a negative scale, or more than 16 bits.
    """
    by = constant(UInt(32), _float_bits(scale)) if isinstance(scale, float) else as_expr(scale)
    if by.type != UInt(32):
        raise TypeMismatch(
            f"requantize by {by}, which is {by.type}: a scale is a float, or its 32 bits as uint32",
            legal=(f"requantize({code(as_expr(a))}, 0.25, {code(as_expr(zero_point))})",),
        )
    total, zero = _requantized("requantize", a, zero_point)
    return Intrinsic(zero.type, "requantize", (total, by, zero))


def requantize_q31(a: Operand, multiplier: Operand, exponent: Operand, zero_point: Operand) -> Expr:
    """`a * multiplier / 2**31 * 2**exponent + zero_point`, saturated to the type of `zero_point`, rounded twice as
    LiteRT does: halves upwards after the product, away from zero after the shift.

    `a`: a sum, of a type that int32 covers. `multiplier`: int32. `exponent`: -31 to 30, int8. Raises `TypeMismatch` for
    other types, or more than 16 bits of the result.
    """
    total, zero = _requantized("requantize_q31", a, zero_point)
    by = [
        implied(kind, each) if isinstance(each, Const) else each
        for kind, each in zip((Int(32), Int(8)), map(as_expr, (multiplier, exponent)), strict=True)
    ]
    for each, kind in zip(by, (Int(32), Int(8)), strict=True):
        if each.type != kind:
            raise TypeMismatch(
                f"requantize_q31 by {each}, which is {each.type}: the multiplier is int32, the exponent int8",
                legal=(f"cast({constructor(kind)}, {code(each)})",),
            )
    return Intrinsic(zero.type, "requantize_q31", (total, *by, zero))


def _requantized(name: str, a: Operand, zero_point: Operand) -> tuple[Expr, Expr]:
    """The sum as an int32, and the zero point."""
    total, zero = as_expr(a), as_expr(zero_point)
    if not Int(32).covers(total.type):
        raise TypeMismatch(
            f"{name} of {total}, which is {total.type}: a sum is at most int32",
            legal=(f"cast(Int(32), {code(total)})",),
        )
    if zero.type.bits > _NARROW:
        raise TypeMismatch(
            f"{name} to {zero.type}, the type of the zero point {zero}: results have at most {_NARROW} bits",
            legal=(f"cast(Int(8), {code(zero)})",),
        )
    return convert(Int(32), total), zero


def _float_bits(value: float) -> int:
    """The bits of the float32 nearest to it. Raises `TypeMismatch` if it is no scale."""
    if not 0 <= value < 2.0**127:
        raise TypeMismatch(f"{value!r} is no scale: a scale is a finite float that is not negative", legal=("0.25",))
    return int.from_bytes(struct.pack("<f", value), "little")


def popcount(a: Operand) -> Expr:
    """How many bits are set; of a's type."""
    return _counted("popcount", a)


def count_leading_zeros(a: Operand) -> Expr:
    """How many bits above the highest one that is set are not; all bits of the type for 0. Of a's type."""
    return _counted("count_leading_zeros", a)


def count_trailing_zeros(a: Operand) -> Expr:
    """How many bits below the lowest one that is set are not; all bits of the type for 0. Of a's type."""
    return _counted("count_trailing_zeros", a)


def likely(a: Operand) -> Expr:
    """`a`: a hint to Halide's compiler, which hardware has no use for."""
    return as_expr(a)


def _promoted(a: Operand, b: Operand) -> tuple[Expr, Expr]:
    left, right = as_expr(a), as_expr(b)
    kind = promote(left.type, right.type)
    return implied(kind, left), implied(kind, right)


def _of_same_width(a: Operand, b: Operand) -> tuple[Expr, Expr]:
    left, right = as_expr(a), as_expr(b)
    bits = max(left.type.bits, right.type.bits)
    return convert(Type(left.type.signed, bits), left), convert(Type(right.type.signed, bits), right)


def _shifted(a: Operand, amount: Operand) -> tuple[Expr, Expr]:
    """A number does not widen what it shifts."""
    if isinstance(amount, Operators):
        return _of_same_width(a, amount)
    left, by = as_expr(a), as_expr(amount)
    assert isinstance(by, Const)
    return left, constant(Type(by.value < 0, left.type.bits), by.value)


def _same_type(name: str, a: Operand, b: Operand) -> Expr:
    left, right = _promoted(a, b)
    return Intrinsic(left.type, name, (left, right))


def _product_shifted(name: str, a: Operand, b: Operand, amount: Operand) -> Expr:
    """The result, and the amount, have the widest's width, the operands a common type, which the body widens; a number
    takes that of the operands."""
    left, right = _promoted(a, b)
    by = as_expr(amount)
    if not isinstance(amount, Operators):
        assert isinstance(by, Const)
        by = constant(UInt(left.type.bits), by.value)
    if by.type.signed:
        raise TypeMismatch(
            f"{name} by {by}, which is {by.type}: the amount is unsigned",
            legal=(f"{name}({code(left)}, {code(right)}, cast({constructor(UInt(by.type.bits))}, {code(by)}))",),
        )
    bits = max(left.type.bits, by.type.bits)
    kind = Type(left.type.signed, bits)
    _doubled(name, kind)
    return Intrinsic(kind, name, (left, right, convert(UInt(bits), by)))


def _counted(name: str, a: Operand) -> Expr:
    operand = as_expr(a)
    return Intrinsic(operand.type, name, (operand,))


def _doubled(name: str, kind: Type) -> Type:
    """The type twice as wide. Raises `TypeMismatch` for one beyond 64 bits."""
    if 2 * kind.bits > _WIDEST:
        raise TypeMismatch(
            f"{name} of {kind} needs {2 * kind.bits} bits; at most {_WIDEST} can be computed with",
            legal=(f"{name}(cast({constructor(Type(kind.signed, _WIDEST // 2))}, a), ...)",),
        )
    return Type(kind.signed, 2 * kind.bits)


def _agreed(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """A constant takes the other's type."""
    if isinstance(b, Const) and not isinstance(a, Const):
        return a, constant(a.type, b.value)
    return (constant(b.type, a.value), b) if isinstance(a, Const) and not isinstance(b, Const) else (a, b)
