"""Expressions: the nodes, and the functions users build them with besides the operators."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import overload

from halidehw.errors import AlgorithmError, TypeMismatch, next_number
from halidehw.expr.arithmetic import apply
from halidehw.expr.nodes import (
    SYMBOL,
    Access,
    Binary,
    Cast,
    Const,
    Expr,
    Operand,
    Operators,
    Select,
    Unary,
    Variable,
    as_expr,
    binary,
    code,
    constant,
    constructor,
    convert,
    power,
    unary,
)
from halidehw.expr.tree import fold, nodes, rebuild, same, transform
from halidehw.expr.tuples import Tuple
from halidehw.expr.types import Int, Type, UInt

__all__ = [
    "SYMBOL", "Access", "Binary", "Cast", "Const", "Expr", "Operand", "Operators", "Select", "Unary", "Var",
    "Variable", "abs", "apply", "as_expr", "binary", "cast", "clamp", "constant", "constructor", "convert",
    "div_round_to_zero", "fold", "i8", "i8_sat", "i16", "i16_sat", "i32", "i32_sat", "i64", "i64_sat",
    "logical_and", "logical_not", "logical_or", "max", "min", "mod_round_to_zero", "nodes", "pow", "rebuild",
    "same", "saturating_cast", "select", "transform", "u8", "u8_sat", "u16", "u16_sat", "u32", "u32_sat", "u64",
    "u64_sat", "unary", "vars",
]  # fmt: skip


class Var(Variable):
    """A variable of a Func's definition, int32. Variables of one name are one variable; one without is one of its own.

    An unnamed one is called `v0`, `v1`, ..., counted through the program that makes it.
    """

    def __init__(self, name: str | None = None):
        chosen = f"v{next_number()}" if name is None else name
        _check_name("Var", chosen)
        super().__init__(Int(32), chosen)


def vars(names: str) -> tuple[Var, ...]:
    """A variable for each word: `x, y = vars("x y")`."""
    if not isinstance(names, str):
        raise AlgorithmError(f"vars takes names with spaces between them, not {names!r}", legal=('vars("x y")',))
    return tuple(map(Var, names.split()))


def _check_name(kind: str, name: str) -> None:
    if not isinstance(name, str) or not name.isidentifier():
        raise AlgorithmError(f"{name!r} does not name a {kind}: a name is an identifier", legal=(f'{kind}("x")',))


def cast(kind: Type, a: Operand) -> Expr:
    """`a` wrapped to `kind`, a type of any width. Raises `TypeMismatch` if it is no type."""
    if not isinstance(kind, Type):
        raise TypeMismatch(f"cast takes a type and an expression, not {kind!r}", legal=("cast(Int(16), ...)",))
    return convert(kind, as_expr(a))


def saturating_cast(kind: Type, a: Operand) -> Expr:
    """`a` as the nearest value of `kind`."""
    expr = as_expr(a)
    if expr.type.max > kind.max:
        expr = binary("min", expr, kind.max)
    if expr.type.min < kind.min:
        expr = binary("max", expr, kind.min)
    return convert(kind, expr)


@overload
def select(condition: Operand, *values: Operand) -> Expr: ...
@overload
def select(condition: Operand, *values: Operand | Sequence[Operand]) -> Expr | Tuple: ...
def select(condition: Operand, *values: Operand | Sequence[Operand]) -> Expr | Tuple:
    """`select(c, a, b)`: a where c holds, else b; `select(c1, a1, c2, a2, ..., b)`: the first that holds. Of Tuples,
    value by value.

    Raises `TypeMismatch` if a condition is not bool, or a and b differ in type (a constant takes the other's).
    """
    if len(values) % 2:
        raise AlgorithmError(
            f"select takes conditions with a value each and one last value, not {len(values) + 1} arguments",
            legal=("select(x > 0, a, b)", "select(x > 0, a, y > 0, b, c)"),
        )
    chosen, *rest = values
    last = rest[0] if len(rest) == 1 else select(*rest)  # type: ignore[arg-type]
    if several := next((each for each in (chosen, last) if isinstance(each, Tuple | tuple | list)), None):
        pairs = zip(_values(chosen, len(several)), _values(last, len(several)), strict=True)
        return Tuple(*(select(condition, a, b) for a, b in pairs))
    return _select(as_expr(condition), as_expr(chosen), as_expr(last))  # type: ignore[arg-type]


def _values(given: Operand | Sequence[Operand], count: int) -> tuple[Expr, ...]:
    values = Tuple(*given).elements if isinstance(given, Tuple | tuple | list) else ()
    if len(values) != count:
        raise AlgorithmError(f"select between {count} values and {given}", legal=("select(c, (a, b), (d, e))",))
    return values


def _select(cond: Expr, a: Expr, other: Expr) -> Expr:
    if not cond.type.is_bool:
        raise TypeMismatch(
            f"select on {cond}, which is {cond.type}, not bool", legal=(f"select({code(cond)} != 0, ...)",)
        )
    if isinstance(a, Const):
        a = constant(other.type, a.value)
    elif isinstance(other, Const):
        other = constant(a.type, other.value)
    if a.type != other.type:
        raise TypeMismatch(
            f"select between {a} of type {a.type} and {other} of type {other.type}",
            legal=(f"select(..., {code(a)}, cast({constructor(a.type)}, {code(other)}))",),
        )
    return Select(a.type, cond, a, other)


def min(*values: Operand) -> Expr:
    """The least of two or more, after promotion to their common type."""
    return _fold("min", values)


def max(*values: Operand) -> Expr:
    """The greatest of two or more, after promotion to their common type."""
    return _fold("max", values)


def _fold(op: str, values: tuple[Operand, ...]) -> Expr:
    if len(values) < 2:
        raise AlgorithmError(f"{op} takes at least two arguments", legal=(f"{op}(a, b)",))
    *first, last = map(as_expr, values)
    return reduce(lambda inner, outer: binary(op, outer, inner), reversed(first), last)


def clamp(a: Operand, low: Operand, high: Operand) -> Expr:
    """`max(min(a, high), low)`. Raises `TypeMismatch` if a's type cannot hold every value of the limits."""
    expr = as_expr(a)
    limits = []
    for limit in map(as_expr, (low, high)):
        fits = expr.type.represents(limit.value) if isinstance(limit, Const) else expr.type.covers(limit.type)
        if not fits:
            raise TypeMismatch(
                f"clamp of {expr}, which is {expr.type}, to {limit}, which is not always a value of that type",
                legal=(f"clamp({code(expr)}, cast({constructor(expr.type)}, {code(limit)}), ...)",),
            )
        limits.append(convert(expr.type, limit))
    return binary("max", binary("min", expr, limits[1]), limits[0])


def abs(a: Operand) -> Expr:
    """The absolute value, unsigned and so exact for every value."""
    return as_expr(a).__abs__()


def pow(a: Operand, exponent: int) -> Expr:
    """`a ** exponent`: the product of so many factors, in a's type. Raises `TypeMismatch` if that is no constant."""
    return power(a, exponent)


def div_round_to_zero(a: Operand, b: Operand) -> Expr:
    """The quotient rounded towards zero, as C's; by zero, zero."""
    return _round_to_zero("div", a, b)


def mod_round_to_zero(a: Operand, b: Operand) -> Expr:
    """What `div_round_to_zero` leaves over: with the sign of `a`, or zero; by zero, zero."""
    return _round_to_zero("mod", a, b)


def _round_to_zero(op: str, a: Operand, b: Operand) -> Expr:
    """Of the magnitudes, with a sign."""
    plain = binary(op, a, b)
    assert isinstance(plain, Binary)
    kind, left, right = plain.type, plain.a, plain.b
    if not kind.signed:
        return plain
    size = cast(kind, binary(op, abs(left), abs(right)))
    negative = left < 0 if op == "mod" else binary("ne", left < 0, right < 0)
    return select(negative, -size, size)


def logical_and(a: Operand, b: Operand) -> Expr:
    """Whether both hold; bool."""
    return binary("land", _condition(a), _condition(b))


def logical_or(a: Operand, b: Operand) -> Expr:
    """Whether either holds; bool."""
    return binary("lor", _condition(a), _condition(b))


def logical_not(a: Operand) -> Expr:
    """Whether `a` does not hold; bool."""
    return unary("lnot", _condition(a))


def _condition(a: Operand) -> Expr:
    expr = as_expr(a)
    if not expr.type.is_bool:
        raise TypeMismatch(f"{expr} is {expr.type}, not a condition", legal=(f"{code(expr)} != 0",))
    return expr


def i8(a: Operand) -> Expr:
    return cast(Int(8), a)


def i16(a: Operand) -> Expr:
    return cast(Int(16), a)


def i32(a: Operand) -> Expr:
    return cast(Int(32), a)


def i64(a: Operand) -> Expr:
    return cast(Int(64), a)


def u8(a: Operand) -> Expr:
    return cast(UInt(8), a)


def u16(a: Operand) -> Expr:
    return cast(UInt(16), a)


def u32(a: Operand) -> Expr:
    return cast(UInt(32), a)


def u64(a: Operand) -> Expr:
    return cast(UInt(64), a)


def i8_sat(a: Operand) -> Expr:
    return saturating_cast(Int(8), a)


def i16_sat(a: Operand) -> Expr:
    return saturating_cast(Int(16), a)


def i32_sat(a: Operand) -> Expr:
    return saturating_cast(Int(32), a)


def i64_sat(a: Operand) -> Expr:
    return saturating_cast(Int(64), a)


def u8_sat(a: Operand) -> Expr:
    return saturating_cast(UInt(8), a)


def u16_sat(a: Operand) -> Expr:
    return saturating_cast(UInt(16), a)


def u32_sat(a: Operand) -> Expr:
    return saturating_cast(UInt(32), a)


def u64_sat(a: Operand) -> Expr:
    return saturating_cast(UInt(64), a)
