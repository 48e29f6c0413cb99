"""The nodes of expressions: immutable, typed, built with Halide's operators and matching rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from halidehw.errors import AlgorithmError, TypeMismatch
from halidehw.expr.arithmetic import result_type
from halidehw.expr.fixed import is_float, refused, refused_in
from halidehw.expr.foreign import REFLECTED, Pointwise, no_function, no_number, no_truth_value, no_value
from halidehw.expr.tree import Node, fold
from halidehw.expr.types import Int, Type, UInt, promote
from halidehw.expr.written import code, constructor, shortened

SYMBOL = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%", "shl": "<<", "shr": ">>",
    "and": "&", "or": "|", "xor": "^", "land": "&&", "lor": "||",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "neg": "-", "not": "~", "lnot": "!",
}  # fmt: skip
"""How each infix and prefix operator is written (`min`, `max` and `abs` are written as calls)."""


class Operators:
    """Python's operators with Halide's meaning, for everything that stands for an expression.

    A plain int takes the other operand's type and must be one of its values (else `TypeMismatch`).
    """

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **options: Any) -> Expr:
        """NumPy's numbers leave an operator to the other operand; NumPy's functions are refused."""
        reflected = REFLECTED.get(ufunc.__name__)
        if method == "__call__" and reflected and not isinstance(operands[0], Operators):
            return getattr(self, reflected)(operands[0])
        raise no_function(ufunc.__name__, str(self), operands)

    def expression(self) -> Expr:
        raise NotImplementedError

    def __add__(self, other: Operand) -> Expr:
        return binary("add", self, other)

    def __radd__(self, other: Operand) -> Expr:
        return binary("add", other, self)

    def __sub__(self, other: Operand) -> Expr:
        return binary("sub", self, other)

    def __rsub__(self, other: Operand) -> Expr:
        return binary("sub", other, self)

    def __mul__(self, other: Operand) -> Expr:
        return binary("mul", self, other)

    def __rmul__(self, other: Operand) -> Expr:
        return binary("mul", other, self)

    def __truediv__(self, other: Operand) -> Expr:
        return binary("div", self, other)

    def __rtruediv__(self, other: Operand) -> Expr:
        return binary("div", other, self)

    __floordiv__, __rfloordiv__ = __truediv__, __rtruediv__

    def __mod__(self, other: Operand) -> Expr:
        return binary("mod", self, other)

    def __rmod__(self, other: Operand) -> Expr:
        return binary("mod", other, self)

    def __lshift__(self, other: Operand) -> Expr:
        return shift("shl", self, other)

    def __rlshift__(self, other: Operand) -> Expr:
        return shift("shl", other, self)

    def __rshift__(self, other: Operand) -> Expr:
        return shift("shr", self, other)

    def __rrshift__(self, other: Operand) -> Expr:
        return shift("shr", other, self)

    def __and__(self, other: Operand) -> Expr:
        return bitwise("and", self, other)

    def __rand__(self, other: Operand) -> Expr:
        return bitwise("and", other, self)

    def __or__(self, other: Operand) -> Expr:
        return bitwise("or", self, other)

    def __ror__(self, other: Operand) -> Expr:
        return bitwise("or", other, self)

    def __xor__(self, other: Operand) -> Expr:
        return bitwise("xor", self, other)

    def __rxor__(self, other: Operand) -> Expr:
        return bitwise("xor", other, self)

    def __eq__(self, other: Operand) -> Expr:  # type: ignore[override]
        return binary("eq", self, other)

    def __ne__(self, other: Operand) -> Expr:  # type: ignore[override]
        return binary("ne", self, other)

    def __lt__(self, other: Operand) -> Expr:
        return binary("lt", self, other)

    def __le__(self, other: Operand) -> Expr:
        return binary("le", self, other)

    def __gt__(self, other: Operand) -> Expr:
        return binary("gt", self, other)

    def __ge__(self, other: Operand) -> Expr:
        return binary("ge", self, other)

    def __neg__(self) -> Expr:
        return unary("neg", self)

    def __pos__(self) -> Expr:
        return self.expression()

    def __abs__(self) -> Expr:
        """The absolute value, unsigned and so exact for every value."""
        operand = self.expression()
        return unary("abs", operand) if operand.type.signed else operand

    def __pow__(self, exponent: object) -> Expr:
        return power(self, exponent)

    def __rpow__(self, base: object) -> Expr:
        raise TypeMismatch(
            f"{base!r} ** {self}: only a constant can be an exponent", legal=(f"cast(Int(32), 1) << {code(str(self))}",)
        )

    def __invert__(self) -> Expr:
        return unary("not", self)

    __hash__ = object.__hash__

    def __index__(self) -> int:
        raise no_number(str(self))

    __int__ = __float__ = __index__

    def __bool__(self) -> bool:
        expr = self.expression()
        op, operands = (expr.op, (str(expr.a), str(expr.b))) if isinstance(expr, Binary) else ("", ())
        raise no_truth_value(str(self), str(self) if expr.type.is_bool else f"({self} != 0)", op, operands)


Operand = Operators | int


class Named(Protocol):
    """What an access reads: a Func, an ImageParam, or a function with a boundary condition."""

    @property
    def name(self) -> str: ...


class _Kind(type):
    """Makes `Expr(3)` the constant that it is in Halide."""

    def __call__(cls, *args: Any, **fields: Any) -> Any:
        if cls is not Expr:
            return super().__call__(*args, **fields)
        if len(args) != 1 or fields:
            raise AlgorithmError("Expr takes a number or an expression", legal=("Expr(3)",))
        return as_expr(*args)


@dataclass(frozen=True, eq=False, repr=False)
class Expr(Operators, Node, metaclass=_Kind):
    """A typed expression; `Expr(3)` is an int32 constant. Nodes compare by identity; `same` compares structure."""

    type: Type

    def expression(self) -> Expr:
        return self

    def __str__(self) -> str:
        return fold(self, lambda node, parts: shortened(node.written(parts)))

    __repr__ = __str__

    def written(self, parts: tuple[str, ...]) -> str:
        """The expression as text, of the texts of its children."""
        return type(self).__name__


@dataclass(frozen=True, eq=False, repr=False)
class Const(Expr):
    """A value of `type`."""

    value: int

    def written(self, parts: tuple[str, ...]) -> str:
        return str(self.value) if self.type == Int(32) else f"{self.type}({self.value})"


@dataclass(frozen=True, eq=False, repr=False)
class Variable(Expr):
    """A loop variable, int32; `reduction` if it belongs to an RDom."""

    name: str
    reduction: bool = False

    def written(self, parts: tuple[str, ...]) -> str:
        return self.name


@dataclass(frozen=True, eq=False, repr=False)
class Binary(Expr):
    """`a op b`: both of one type, except a shift's amount; `type` is the result's."""

    op: str
    a: Expr
    b: Expr

    def written(self, parts: tuple[str, ...]) -> str:
        symbol = SYMBOL.get(self.op)
        return f"({parts[0]} {symbol} {parts[1]})" if symbol else f"{self.op}({', '.join(parts)})"


@dataclass(frozen=True, eq=False, repr=False)
class Unary(Expr):
    """`op a`, op one of neg, not, lnot, abs."""

    op: str
    a: Expr

    def written(self, parts: tuple[str, ...]) -> str:
        symbol = SYMBOL.get(self.op)
        return f"{symbol}{parts[0]}" if symbol else f"{self.op}({parts[0]})"


@dataclass(frozen=True, eq=False, repr=False)
class Cast(Expr):
    """`a` wrapped to `type`. `implied`: nobody wrote it, but an operator's operands have different signs."""

    a: Expr
    implied: bool = False

    def written(self, parts: tuple[str, ...]) -> str:
        return f"{self.type}({parts[0]})"


@dataclass(frozen=True, eq=False, repr=False)
class Select(Expr):
    """`a` where `cond` (bool) holds, else `b`."""

    cond: Expr
    a: Expr
    b: Expr

    def written(self, parts: tuple[str, ...]) -> str:
        return f"select({', '.join(parts)})"


@dataclass(frozen=True, eq=False, repr=False)
class Access(Expr):
    """The element of `target` at `args`."""

    target: Named
    args: tuple[Expr, ...]

    def written(self, parts: tuple[str, ...]) -> str:
        return f"{self.target.name}({', '.join(parts)})"


def as_expr(value: Operand) -> Expr:
    """An expression as it is; an int as an int32 constant, as int64 or uint64 if it needs more bits."""
    if isinstance(value, Operators):
        return value.expression()
    if is_float(value):
        raise refused(value)
    if isinstance(value, tuple | list):
        each = [code(as_expr(part)) for part in value]
        raise TypeMismatch(f"({', '.join(each)}) is {len(each)} values where there is one")
    if isinstance(value, Pointwise) or getattr(value, "shape", None) or not hasattr(value, "__index__"):
        raise no_value(value)
    number = value.__index__()
    kinds = (kind for kind in (Int(32), Int(64)) if kind.represents(number))
    return constant(next(kinds, UInt(64)), number)


def constant(kind: Type, value: int) -> Const:
    """A constant. Raises `TypeMismatch` if `kind` has no such value."""
    if not kind.represents(value):
        raise TypeMismatch(
            f"the constant {value} is not a value of {kind}, which holds {kind.min} .. {kind.max}",
            legal=(f"cast(Int({value.bit_length() + 1}), ...)",) if value.bit_length() < 64 else (),
        )
    return Const(kind, int(value))


def convert(kind: Type, a: Expr) -> Expr:
    """`a` as a value of `kind`: itself, a constant, or a cast."""
    if a.type == kind:
        return a
    return Const(kind, kind.wrap(a.value)) if isinstance(a, Const) else Cast(kind, a)


def implied(kind: Type, a: Expr) -> Expr:
    """`a` as an operand of the common type `kind`, of which not all its values may be values."""
    fits = kind.represents(a.value) if isinstance(a, Const) else kind.covers(a.type)
    return convert(kind, a) if fits else Cast(kind, a, implied=True)


def operands(a: Operand, b: Operand) -> tuple[Expr, Expr]:
    """Both as expressions; a plain int takes the other's type (one beyond 32 bits may be an int64 of its own, if it is
    one)."""
    if isinstance(a, Operators) and isinstance(b, Operators):
        return a.expression(), b.expression()
    if isinstance(b, Operators):
        right = b.expression()
        return _literal(a, right.type), right
    left = as_expr(a)
    return left, _literal(b, left.type)


def _literal(value: Operand, kind: Type) -> Expr:
    plain = as_expr(value)
    assert isinstance(plain, Const)
    return plain if plain.type == Int(64) and not kind.represents(plain.value) else constant(kind, plain.value)


def binary(op: str, a: Operand, b: Operand) -> Expr:
    """`a op b` after promotion of both to their common type."""
    _check_whole(op, a, b)
    left, right = operands(a, b)
    kind = promote(left.type, right.type)
    return Binary(result_type(op, kind), op, implied(kind, left), implied(kind, right))


def _check_whole(op: str, a: Operand, b: Operand) -> None:
    """Raises `TypeMismatch` if one is a float, with the integers that compute the same."""
    for value, other, first in ((a, b, True), (b, a, False)):
        if is_float(value) and isinstance(other, Operators):
            operand = other.expression()
            raise refused_in(op, value, code(operand), operand.type, first)  # type: ignore[arg-type]


_HIGHEST_POWER = 64


def power(base: Operand, exponent: object) -> Expr:
    """The product of `exponent` factors, in the base's type. Raises `TypeMismatch` if that is no constant, 0 to 64."""
    a = as_expr(base)
    if not isinstance(exponent, int) or not 0 <= exponent <= _HIGHEST_POWER:
        raise TypeMismatch(
            f"{a} ** {exponent}: an exponent is a constant whole number, 0 to {_HIGHEST_POWER}",
            legal=(f"{code(a)} ** 2",),
        )
    if exponent < 2:
        return a if exponent else Const(a.type, a.type.wrap(1))
    half = power(a, exponent // 2)
    square = binary("mul", half, half)
    return binary("mul", square, a) if exponent % 2 else square


def bitwise(op: str, a: Operand, b: Operand) -> Expr:
    """`a op b` at the wider width. Raises `TypeMismatch` when one is signed and the other is not."""
    left, right = operands(a, b)
    if left.type.signed != right.type.signed:
        raise TypeMismatch(
            f"{left} {SYMBOL[op]} {right} mixes {left.type} and {right.type}: both must be signed or both unsigned",
            legal=(f"cast({constructor(right.type)}, {code(left)}) {SYMBOL[op]} {code(right)}",),
        )
    return binary(op, left, right)


def shift(op: str, a: Operand, b: Operand) -> Expr:
    """`a << b` or `a >> b`, of a's signedness, at the wider width; an int amount does not widen."""
    left = as_expr(a)
    if not isinstance(b, Operators):
        amount = as_expr(b)
        assert isinstance(amount, Const)
        way = op if amount.value >= 0 else {"shl": "shr", "shr": "shl"}[op]
        return Binary(left.type, way, left, constant(UInt(left.type.bits), abs(amount.value)))
    right = b.expression()
    bits = max(left.type.bits, right.type.bits)
    kind = Type(left.type.signed, bits)
    return Binary(kind, op, convert(kind, left), convert(Type(right.type.signed, bits), right))


def unary(op: str, a: Operand) -> Expr:
    """`op a`."""
    operand = as_expr(a)
    return Unary(result_type(op, operand.type), op, operand)
