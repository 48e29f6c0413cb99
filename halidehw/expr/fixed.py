"""What takes the place of a float: there is no hardware for floats, but for whole numbers that stand for fractions."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from numbers import Integral, Real

from halidehw.errors import TypeMismatch
from halidehw.expr.types import Type

_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_SIGN = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


def is_float(value: object) -> bool:
    """Whether it is a number with a fraction, or written as one."""
    return isinstance(value, Real) and not isinstance(value, Integral)


def refused(value: float) -> TypeMismatch:
    """Why a float is no expression."""
    plain = Fraction(float(value))
    if plain.denominator == 1:
        return TypeMismatch(f"{value!r} is a float; hardware computes with integers", legal=(str(plain.numerator),))
    return TypeMismatch(
        f"{value!r} is a float; hardware computes with integers. In units of 1/256 it is {round(plain * 256)}",
        legal=(str(round(plain * 256)),),
    )


def refused_in(op: str, value: float, operand: str, kind: Type, first: bool) -> TypeMismatch:
    """Why `operand op value` (`first`: `value op operand`) is no expression, and the integers that compute it.

    `operand`: its code, of type `kind`.
    """
    plain = Fraction(float(value))
    if plain.denominator == 1:
        sign = _SIGN.get(op)
        pair = (str(plain.numerator), operand) if first else (operand, str(plain.numerator))
        return TypeMismatch(
            f"{value!r} is a float; hardware computes with integers", legal=(f" {sign} ".join(pair),) if sign else ()
        )
    if op in _MIRRORED:
        return _comparison(_MIRRORED[op] if first else op, value, operand)
    if op not in _SIGN or kind.bits > 32 or (op == "div" and first):
        return refused(value)
    wide = 32 if kind.bits <= 16 else 64
    factor = 1 / plain if op == "div" else plain
    ratio = _ratio(factor, 1 << (wide - 2 - kind.bits))
    what = f"1 / {value!r}" if op == "div" else repr(value)
    near = "is" if float(ratio) == float(factor) else "is about"
    return TypeMismatch(
        f"{value!r} is a float; hardware computes with integers. {what} {near} {ratio}; rounded down:",
        legal=(_code(op, f"cast(Int({wide}), {operand})", ratio, first),),
    )


def _ratio(value: Fraction, most: int) -> Fraction:
    """The value as a ratio of small numbers, if a float cannot tell it from one; else as near as there is room for."""
    simple = value.limit_denominator(1000)
    return simple if float(simple) == float(value) else value.limit_denominator(max(most // (ceil(abs(value)) + 1), 1))


def _code(op: str, operand: str, ratio: Fraction, first: bool) -> str:
    above, below = ratio.numerator, ratio.denominator
    if op in ("mul", "div"):
        return f"{operand} * {above} / {below}"
    scaled = f"{operand} * {below}"
    a, b = (above, scaled) if first else (scaled, above)
    return f"({a} {_SIGN[op]} {b}) / {below}"


def _comparison(op: str, value: float, operand: str) -> TypeMismatch:
    """A whole number is below a fraction exactly if it is at most the whole number below it."""
    below, above = floor(value), ceil(value)
    legal = f"{operand} <= {below}" if op in ("lt", "le") else f"{operand} >= {above}"
    return TypeMismatch(f"{value!r} is a float; hardware compares integers", legal=(legal,))
