"""Names and expressions as the text language writes them, so that they parse back to the same."""

from __future__ import annotations

import re
from collections.abc import Iterable

from halidehw.errors import AlgorithmError
from halidehw.expr.expr import (
    SYMBOL,
    Access,
    Binary,
    Cast,
    Const,
    Expr,
    Select,
    Unary,
    Variable,
    constructor,
    fold,
)  # fmt: skip
from halidehw.expr.intrinsics import Intrinsic
from halidehw.expr.tuples import Field, Pack
from halidehw.expr.types import Int, Type, UInt
from halidehw.frontend.rdom import RDom, RVar
from halidehw.frontend.reduce import Reduce
from halidehw.frontend.text.calls import REDUCTIONS, functions

_KEYWORDS = frozenset({"Var", "RDom", "ImageParam", "Param", "Func", "Expr", "int", "const", "type_of"})

_PRECEDENCE = {
    op: level
    for level, ops in enumerate(
        ("lor", "land", "or", "xor", "and", "eq ne", "lt le gt ge", "shl shr", "add sub", "mul div mod", "neg not lnot")
    )
    for op in ops.split()
}
_UNARY = _PRECEDENCE["neg"]
_ATOM = _UNARY + 1


class Names:
    """An identifier for each tensor, and for each variable and reduction domain as it is first written."""

    def __init__(self, tensors: Iterable[str], called: frozenset[str] = frozenset()):
        """`called`: the inline reductions whose names nothing else may have."""
        self._taken = set(functions()).difference(REDUCTIONS) | _KEYWORDS | called
        self.tensors = {name: self.new(name) for name in tensors}
        self.vars: dict[str, str] = {}
        self.domains: dict[RDom, str] = {}

    def var(self, name: str) -> str:
        """A variable or loop; one whose name is no identifier is written as a string."""
        if not name.isidentifier():
            return f'"{name}"'
        if name not in self.vars:
            self.vars[name] = self.new(name)
        return self.vars[name]

    def element(self, var: RVar) -> str:
        """A variable of a reduction domain: `r.x`."""
        return self.domain(var.domain) + var.name.removeprefix(var.domain.name)

    def domain(self, domain: RDom) -> str:
        """A reduction domain; those that agree are one."""
        own = next((other for other in self.domains if domain.agrees(other)), domain)
        if own not in self.domains:
            self.domains[own] = self.new(own.name)
        return self.domains[own]

    def new(self, name: str) -> str:
        """An identifier like a name that nothing else has."""
        base = re.sub(r"\W", "_", name)
        base = base if base.isidentifier() else f"_{base}"
        count, identifier = 0, base
        while identifier in self._taken:
            count, identifier = count + 1, f"{base}_{count + 1}"
        self._taken.add(identifier)
        return identifier


def element_type(kind: Type) -> str | None:
    """The C++ type, `int16_t`, if there is one."""
    if kind.is_bool:
        return "bool"
    return f"{kind}_t" if kind.bits in (8, 16, 32, 64) else None


Written = tuple[str, int]
"""The text of an expression, and how tightly its outermost operator binds."""


def expression(expr: Expr, names: Names) -> str:
    """An expression. A plain number is an int32 constant."""
    return fold(expr, lambda node, parts: _written(node, parts, names))[0]


def _written(node: Expr, parts: tuple[Written, ...], names: Names) -> Written:
    texts = [text for text, _ in parts]
    match node:
        case Const(type=kind, value=value):
            return (str(value) if kind == Int(32) else _constant(node)), _ATOM
        case RVar():
            return names.element(node), _ATOM
        case Variable(name=name):
            return names.var(name), _ATOM
        case Access(target=target):
            return f"{names.tensors[target.name]}({', '.join(texts)})", _ATOM
        case Cast(implied=True):
            return parts[0]
        case Field():
            return f"{texts[0]}[{node.index}]", _ATOM
        case Pack():
            return f"Tuple({', '.join(texts)})", _ATOM
        case Reduce(name=name, domain=domain, value=value):
            text = expression(value.parts[-1], names) if isinstance(value, Pack) else texts[1]
            return f"{name}({names.domain(domain)}, {text})", _ATOM
        case Cast(type=kind):
            return _cast(kind, texts[0]), _ATOM
        case Intrinsic(name="mux"):
            return f"mux({texts[0]}, {{{', '.join(texts[1:])}}})", _ATOM
        case Intrinsic(name=name):
            return f"{name}({', '.join(texts)})", _ATOM
        case Select():
            return f"select({', '.join(texts)})", _ATOM
        case Unary(op="abs"):
            return f"abs({texts[0]})", _ATOM
        case Unary(op=op, a=a):
            return SYMBOL[op] + (_constant(a) if isinstance(a, Const) else _within(parts[0], _UNARY)), _UNARY
        case Binary(op="min" | "max" as op):
            return f"{op}({', '.join(texts)})", _ATOM
        case Binary(op=op, a=a, b=b):
            level = _PRECEDENCE[op]
            left = _left(op, a, b) if isinstance(a, Const) else _within(parts[0], level)
            right = _right(op, a, b) if isinstance(b, Const) else _within(parts[1], level + 1)
            return f"{left} {SYMBOL[op]} {right}", level
    raise AlgorithmError(f"{node} is no expression of an algorithm")


def _within(part: Written, least: int) -> str:
    """In parentheses if it binds less tightly than `least`."""
    text, level = part
    return f"({text})" if level < least else text


def right_operand(op: str, a: Expr, b: Expr, names: Names) -> str:
    """`b` as written after `a op`, where nothing follows."""
    return _right(op, a, b) if isinstance(b, Const) else expression(b, names)


def _right(op: str, a: Expr, b: Const) -> str:
    """A constant after `a op`: a plain number where it takes its type from `a`."""
    kind = UInt(a.type.bits) if op in ("shl", "shr") else _type_of_written(a)
    plain = b.type == kind and op not in ("land", "lor") and Int(64).represents(b.value)
    return str(b.value) if plain else _constant(b)


def _left(op: str, a: Const, b: Expr) -> str:
    """A constant before `op b`."""
    plain = not isinstance(b, Const) and op not in ("shl", "shr", "land", "lor") and a.type == _type_of_written(b)
    return str(a.value) if plain and Int(64).represents(a.value) else _constant(a)


def _type_of_written(expr: Expr) -> Type:
    """The type of an operand without the cast that the operator implies."""
    return expr.a.type if isinstance(expr, Cast) and expr.implied else expr.type


def _constant(const: Const) -> str:
    """A constant that says its type."""
    return f"Expr({const.value})" if const.type == Int(32) else _cast(const.type, str(Int(64).wrap(const.value)))


def _cast(kind: Type, text: str) -> str:
    element = element_type(kind)
    return f"cast<{element}>({text})" if element else f"cast({constructor(kind)}, {text})"


def braces(ranges: Iterable[tuple[int, int]]) -> str:
    """`{{-2, 5}, {0, 3}}`."""
    return f"{{{', '.join(f'{{{low}, {extent}}}' for low, extent in ranges)}}}"
