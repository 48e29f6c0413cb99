"""Sizes as expressions of the extents of loops, written as in Python: `n / 8`, `r.x % 4 == 0`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import lcm
from typing import TypeAlias

import sympy

from halidehw.errors import ScheduleError

Size: TypeAlias = sympy.Expr

_ARITHMETIC = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b, ast.FloorDiv: lambda a, b: sympy.floor(a / b), ast.Mod: sympy.Mod,
}  # fmt: skip
_FUNCTIONS = {"mod": sympy.Mod, "ceiling": sympy.ceiling, "floor": sympy.floor, "min": sympy.Min, "max": sympy.Max}
_RELATIONS = {ast.Eq: "==", ast.LtE: "<=", ast.Lt: "<", ast.GtE: ">=", ast.Gt: ">"}
_TRIED = 4096
"""Extents that are tried before a condition is said to hold for none."""


def extent(name: str) -> Size:
    """The extent of a loop."""
    return sympy.Symbol(name, integer=True, positive=True)


def size(text: str | int) -> Size:
    """A size from what a user wrote. Raises `ScheduleError` for what is no expression of extents."""
    try:
        return _size(ast.parse(str(text), mode="eval").body)
    except (SyntaxError, KeyError, TypeError, ZeroDivisionError):
        raise ScheduleError(f"{text!r} is no size", legal=("8", "n / 8", "min(r.x, 4)")) from None


def _size(node: ast.expr) -> Size:
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return sympy.Integer(value)
        case ast.Name(id=name):
            return extent(name)
        case ast.Attribute():
            return extent(ast.unparse(node))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_size(operand)
        case ast.BinOp(left=left, op=op, right=right):
            return _ARITHMETIC[type(op)](_size(left), _size(right))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _FUNCTIONS[name](*map(_size, args))
    raise TypeError(node)


def written(value: Size) -> str:
    """As `size` takes it."""
    match value:
        case sympy.Mod(args=(of, by)):
            return f"({written(of)}) % {written(by)}" if of.args else f"{of} % {by}"
    return re.sub(r"\b(Min|Max|Mod)\(", lambda called: called[0].lower(), str(value))


def number(value: Size, extents: Mapping[str, int]) -> int | None:
    """The value where loops have these extents; None where it is no positive whole number."""
    found = _at(value, extents)
    return int(found) if found.is_Integer and found > 0 else None


def _at(value: Size, extents: Mapping[str, int]) -> Size:
    return value.subs({symbol: extents[symbol.name] for symbol in value.free_symbols})


@dataclass(frozen=True)
class Condition:
    """`left relation right`: under which a schedule is legal."""

    left: Size
    relation: str
    right: Size

    def __str__(self) -> str:
        return f"{written(self.left)} {self.relation} {written(self.right)}"

    @property
    def names(self) -> set[str]:
        return {symbol.name for symbol in self.left.free_symbols | self.right.free_symbols}

    def holds(self, extents: Mapping[str, int]) -> bool:
        left, right = _at(self.left, extents), _at(self.right, extents)
        match self.relation:
            case "==":
                return bool(sympy.Eq(left, right))
            case "<=":
                return bool(left <= right)
            case "<":
                return bool(left < right)
            case ">=":
                return bool(left >= right)
            case _:
                return bool(left > right)


def condition(text: str) -> Condition:
    """A condition from text. Raises `ScheduleError` for what is none."""
    try:
        node = ast.parse(text, mode="eval").body
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return Condition(_size(node.left), _RELATIONS[type(node.ops[0])], _size(node.comparators[0]))
    except (SyntaxError, KeyError, TypeError, ZeroDivisionError):
        pass
    raise ScheduleError(f"{text!r} is no condition on extents", legal=("n % 8 == 0", "r.x <= 64"))


def divides(factor: Size, of: Size) -> Condition | None:
    """That `factor` divides `of`, without a remainder; None where it does anyway."""
    trips = sympy.together(of / factor)
    return None if trips.is_integer else Condition(sympy.Mod(*sympy.fraction(trips)), "==", sympy.Integer(0))


def possible(conditions: Iterable[Condition]) -> bool:
    """Whether some extents meet all of them: each up to some thousands, and multiples of all numbers in them."""
    return all(_together(each) for each in _apart(conditions))


def _apart(conditions: Iterable[Condition]) -> list[list[Condition]]:
    """Conditions by what they say something of: no two groups have an extent in common."""
    groups: list[tuple[set[str], list[Condition]]] = []
    for each in conditions:
        joined = [group for group in groups if group[0] & each.names]
        names = each.names.union(*(group[0] for group in joined))
        groups = [group for group in groups if group not in joined]
        groups.append((names, [*(one for group in joined for one in group[1]), each]))
    return [group for _, group in groups]


def _together(every: list[Condition]) -> bool:
    names = sorted(set().union(*(each.names for each in every)))
    if not names:
        return all(each.holds({}) for each in every)
    constants = [int(n) for each in every for n in (each.left.atoms(sympy.Integer) | each.right.atoms(sympy.Integer))]
    step = lcm(*[abs(n) for n in constants if n]) if any(constants) else 1
    symbols = [extent(name) for name in names]
    met = [sympy.lambdify(symbols, sympy.Rel(each.left, each.right, each.relation, evaluate=False)) for each in every]
    return any(
        all(test(*values) for test in met) and all(each.holds(dict(zip(names, values, strict=True))) for each in every)
        for values in _tried(len(names), step, constants)
    )


def _tried(names: int, step: int, constants: list[int]) -> Iterator[tuple[int, ...]]:
    most = max(round(_TRIED ** (1 / names)), 2)
    yield (step,) * names
    yield from product(sorted({*range(1, most + 1), *(n for n in constants if n > 0)}), repeat=names)
