"""What each operator computes, once for Python ints and NumPy arrays: exact, then wrapped to the type.

Division and remainder are Halide's: the remainder is never negative, and dividing by zero gives zero.
A shift by a negative amount goes the other way; by the width or more it leaves zero or the sign.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from halidehw.expr.types import Bool, Type, UInt

Value = Any
"""An int, or an integer array; arrays reach the table below as int64 or uint64, where overflow wraps."""


def _where(condition: Value, yes: Value, no: Value) -> Value:
    if isinstance(condition, np.ndarray | np.generic):
        return np.where(condition, yes, no)
    return yes if condition else no


def _divide(a: Value, b: Value) -> Value:
    divisor = _where(b == 0, b + 1, b)
    quotient = a // divisor
    quotient = _where(a % divisor < 0, quotient + 1, quotient)
    return _where(b == 0, a - a, quotient)


def _modulo(a: Value, b: Value) -> Value:
    divisor = _where(b == 0, b + 1, b)
    remainder = a % divisor
    remainder = _where(remainder < 0, remainder - divisor, remainder)
    return _where(b == 0, a - a, remainder)


def _by(a: Value, amount: Value) -> tuple[Value, Value]:
    """A shift by 0..64 as two of at most 32, since machines shift by less than their width only."""
    if isinstance(a, np.ndarray | np.generic):
        amount = np.clip(amount, 0, 64).astype(a.dtype)
    else:
        amount = min(max(amount, 0), 64)
    return amount // 2, amount - amount // 2


def _left(a: Value, amount: Value) -> Value:
    first, second = _by(a, amount)
    return (a << first) << second


def _right(a: Value, amount: Value) -> Value:
    first, second = _by(a, amount)
    return (a >> first) >> second


def _shift_left(a: Value, amount: Value) -> Value:
    return _where(amount < 0, _right(a, _negative(amount)), _left(a, amount))


def _shift_right(a: Value, amount: Value) -> Value:
    return _where(amount < 0, _left(a, _negative(amount)), _right(a, amount))


def _negative(amount: Value) -> Value:
    """Minus the amount, where it is negative; amounts below -64 shift as -64 does."""
    if isinstance(amount, np.ndarray | np.generic):
        return np.zeros_like(amount) if amount.dtype.kind == "u" else -np.maximum(amount, -64)
    return -amount


_OPERATORS: dict[str, Callable[..., Value]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _divide,
    "mod": _modulo,
    "min": lambda a, b: _where(a < b, a, b),
    "max": lambda a, b: _where(a < b, b, a),
    "shl": _shift_left,
    "shr": _shift_right,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "land": lambda a, b: (a != 0) & (b != 0),
    "lor": lambda a, b: (a != 0) | (b != 0),
    "neg": lambda a: -a,
    "not": lambda a: ~a,
    "lnot": lambda a: a == 0,
    "abs": lambda a: _where(a < 0, -a, a),
}

COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
LOGICAL = frozenset({"land", "lor", "lnot"})
SHIFTS = frozenset({"shl", "shr"})


def result_type(op: str, operand: Type) -> Type:
    """The type of `op` on operands of type `operand` (of its first operand, for a shift)."""
    if op in COMPARISONS or op in LOGICAL:
        return Bool()
    return UInt(operand.bits) if op == "abs" else operand


def apply(op: str, operand: Type, *values: int | np.ndarray) -> Any:
    """`op` on values of type `operand`, wrapped to the result's type.

    Ints give an int; if any value is an array the result is an array of the result type's dtype. The second
    value of a shift may be of any type.
    """
    result = result_type(op, operand)
    if not any(isinstance(value, np.ndarray | np.generic) for value in values):
        return result.wrap(int(_OPERATORS[op](*values)))
    carrier = np.int64 if operand.signed else np.uint64
    amounts = [np.asarray(value) for value in values[1:]] if op in SHIFTS else []
    wide = [np.asarray(value).astype(carrier) for value in values[: len(values) - len(amounts)]]
    with np.errstate(all="ignore"):
        return result.wrap(np.asarray(_OPERATORS[op](*wide, *amounts)))
