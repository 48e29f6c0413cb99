"""Products of operands that are wider than a multiplier: of pieces of them, added up in the cycles after."""

from __future__ import annotations

from dataclasses import dataclass, replace

from halidehw.expr.interval import Interval, intervals
from halidehw.expr.nodes import Binary, Expr
from halidehw.expr.tree import fold, rebuild
from halidehw.ir.nest import Nest
from halidehw.microarch.division import range_of, width

PIECE = 17
"""Bits of a piece besides a sign: what the multipliers of FPGAs take, those of 18 bits and those of 25 x 18 alike."""


@dataclass(frozen=True)
class Operand:
    """A side of a product: bits, with the sign where it has one."""

    bits: int
    signed: bool

    @property
    def pieces(self) -> int:
        """The highest has the sign."""
        return max(-(-(self.bits - self.signed) // PIECE), 1)


@dataclass(frozen=True, eq=False, repr=False)
class Product(Expr):
    """`a * b`, wrapped to `type`, of values that `sides` hold: a register behind each product of two pieces, and behind
    each adder of the tree that adds them up."""

    a: Expr
    b: Expr
    sides: tuple[Operand, Operand]

    @property
    def terms(self) -> tuple[tuple[int, int], ...]:
        """The pieces of both sides whose product has bits of the result, the highest products first."""
        first, second = (side.pieces for side in self.sides)
        pairs = [(i, j) for i in range(first) for j in range(second) if PIECE * (i + j) < self.type.bits]
        return tuple(sorted(pairs, key=sum, reverse=True))

    @property
    def latency(self) -> int:
        """Cycles: one for the multipliers, and one for each level of the tree."""
        return 1 + (len(self.terms) - 1).bit_length()

    def written(self, parts: tuple[str, ...]) -> str:
        return f"({parts[0]} * {parts[1]})"


def with_products(nest: Nest) -> Nest:
    """The nest with products of pieces for those that one multiplier does not give. A product by a constant is left to
    the tools, which add a multiple for each of its bits."""
    final = None if nest.epilogue is None else _divided(nest, nest.epilogue)
    return replace(nest, value=_divided(nest, nest.value), epilogue=final)


def _divided(nest: Nest, expr: Expr) -> Expr:
    values = intervals(expr, lambda leaf: range_of(nest, leaf))

    def change(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        new = rebuild(node, parts)
        if not (isinstance(node, Binary) and isinstance(new, Binary) and node.op == "mul"):
            return new
        a, b = values[id(node.a)], values[id(node.b)]
        sides = _operand(node.a, a), _operand(node.b, b)
        constant = any(each.low.value == each.high.value for each in (a, b))
        alone = all(side.pieces == 1 for side in sides)
        return new if constant or alone else Product(new.type, new.a, new.b, sides)

    return fold(expr, change)


def _operand(expr: Expr, values: Interval) -> Operand:
    return Operand(width(expr.type, *values.range), values.low.value < 0)
