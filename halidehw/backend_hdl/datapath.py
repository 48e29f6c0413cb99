"""Expressions as pipelines: a register behind every multiplier, adder, comparison and selection, of which dividers and
products of pieces have several.

All leaves arrive together; a node's operands are delayed to the latest of them, so that latencies balance by
construction. Chains of one operator become trees first (`balance`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Shape, Signal, Value

from halidehw.backend_hdl.divider import Divider
from halidehw.backend_hdl.library import Library, Ports, delay
from halidehw.expr.nodes import Binary, Cast, Expr, Select, Unary
from halidehw.expr.nodes import Const as Number
from halidehw.expr.tree import fold
from halidehw.expr.tuples import Field, Pack
from halidehw.expr.types import Struct, Type
from halidehw.ir.nest import Combine, Lookup, Merge, Scan, Side
from halidehw.ir.varies import each
from halidehw.microarch.balance import at_once, balanced
from halidehw.microarch.division import Divided, Quotient, Remainder, width
from halidehw.microarch.product import PIECE, Operand, Product
from halidehw.microarch.stores import LEAD, RAM_LATENCY

Leaf = Callable[[Expr], Value]


@dataclass(frozen=True)
class Timed:
    """A value and the cycles from the leaves to it."""

    value: Value
    time: int
    steady: bool = False
    """Whether it is the same throughout a run."""


def pipeline(
    m: Module, library: Library, expr: Expr, leaf: Leaf, start: Callable[[Expr], int] = at_once,
    tables: Mapping[str, Callable[[Value], Value]] | None = None,
    follow: Callable[[Scan, Value, Value, Value, int], Value] | None = None,
) -> Timed:  # fmt: skip
    """The value of `expr`, wrapped to its type, `microarch.balance.cycles` after the first leaves; `start`: how many
    cycles after these each leaf is there. `tables`: what gives the words at addresses, RAM_LATENCY cycles later;
    `follow`: what gives the value of a recurrence, LEAD + 1 cycles after what it is computed of, which is there so many
    cycles after the leaves."""
    built = fold(balanced(expr, start).value, _Builder(m, library, leaf, start, tables or {}, follow).node)
    value = fit(built.value, expr.type)
    if built.time:
        return Timed(value, built.time)
    out = Signal(value.shape(), name="passed", reset_less=True)
    m.d.sync += out.eq(value)
    return Timed(out, 1)


def as_type(value: Value, kind: Type) -> Value:
    """The low bits of a value as a number of a type."""
    low = value[: kind.bits] if len(value) > kind.bits else value
    return low.as_signed() if kind.signed else low


def shape_of(kind: Type) -> Shape:
    return Shape(kind.bits, kind.signed)


def fit(value: Value, kind: Type) -> Value:
    """`value` wrapped to `kind`: as it is where every value of its shape is one of `kind`."""
    shape = value.shape()
    if (shape.signed == kind.signed and shape.width <= kind.bits) or (
        kind.signed and not shape.signed and shape.width < kind.bits
    ):
        return value
    wide = _extend(value, kind.bits)
    return wide.as_signed() if kind.signed else wide


def narrowed(value: Value, bits: int, signed: bool) -> Value:
    """A value that so many bits hold, as these."""
    if len(value) <= bits:
        return value
    return value[:bits].as_signed() if signed else value[:bits]


def _extend(value: Value, bits: int) -> Value:
    """Exactly `bits` bits, unsigned."""
    if len(value) < bits:
        value = (value + Const(0, Shape(bits, value.shape().signed))).as_unsigned()
    return value[:bits]


class _Builder:
    def __init__(
        self, m: Module, library: Library, leaf: Leaf, start: Callable[[Expr], int],
        tables: Mapping[str, Callable[[Value], Value]],
        follow: Callable[[Scan, Value, Value, Value, int], Value] | None,
    ):  # fmt: skip
        self.m, self.library, self.leaf, self.start, self.tables = m, library, leaf, start, tables
        self.follow = follow
        self.dividers: dict[tuple[int, int], tuple[Ports, int]] = {}
        self.count = 0

    def node(self, expr: Expr, parts: tuple[Timed, ...]) -> Timed:
        """The value of `expr`, of those of its children."""
        match expr:
            case Number(kind, value):
                number = self.library.number("constant", value, lambda n: Const(n, _least(n, kind)), kind.bits)
                return Timed(number, 0, True)
            case Cast(kind):
                return Timed(fit(parts[0].value, kind), parts[0].time, parts[0].steady)
            case Select(kind):
                (c, x, y), time = self._align(*parts)
                return self._register("chosen", fit(Mux(c, x, y), kind), time)
            case Pack(parts=values):
                words, time = self._align(*parts)
                return Timed(Cat(_extend(word, each.type.bits) for word, each in zip(words, values, strict=True)), time)
            case Field(kind, a, index):
                assert isinstance(a.type, Struct)
                part = _extend(parts[0].value, a.type.bits)[a.type.places[index] :][: kind.bits]
                return Timed(part.as_signed() if kind.signed else part, parts[0].time)
            case Lookup(kind, tensor, extents=extents):
                (address,) = parts
                bits = max((prod(extents) - 1).bit_length(), 1)
                word = self.tables[tensor](_extend(address.value, bits))
                return Timed(as_type(word, kind), address.time + RAM_LATENCY)
            case Scan(kind):
                (first, address, word), time = self._align(*parts)
                assert self.follow is not None
                now = self.follow(expr, first, address, _extend(word, expr.word.type.bits), time)
                return Timed(as_type(now, kind), time + LEAD + 1)
            case Quotient():
                return self._quotient(expr, *parts)
            case Remainder():
                return self._remainder(expr, *parts)
            case Divided():
                return self._divided(expr, *parts)
            case Product():
                return self._product(expr, *parts)
            case Binary(kind, "shl" | "shr" as op, _, Number(_, amount)):
                below, most = parts[0], kind.bits if op == "shl" else min(kind.bits, len(parts[0].value))
                by: Any = self.library.number("shift", each(lambda n: min(n, most), amount), lambda n: n)
                if op == "shr" and isinstance(by, int):
                    return Timed(below.value.shift_right(by), below.time)
                by = by.as_unsigned() if isinstance(by, Value) else by
                return Timed(fit(below.value << by, kind) if op == "shl" else below.value >> by, below.time)
            case Binary(kind, op):
                (x, y), time = self._align(*parts)
                return self._register(_NAMES.get(op, op), fit(_BINARY[op](x, y), kind), time)
            case Unary(kind, op, a):
                value = fit(parts[0].value, a.type)
                return self._register(op, fit(_UNARY[op](value, a.type), kind), parts[0].time)
            case _:
                return Timed(self.leaf(expr), self.start(expr))

    def _quotient(self, expr: Quotient, a: Timed) -> Timed:
        """The product with the reciprocal, of which the multiplier and the adder have a register each."""
        by, x = expr.by, narrowed(a.value, width(expr.a.type, expr.low, expr.high), expr.low < 0) >> expr.by.before
        now = Timed(x if by.multiplier else Const(0), a.time)
        if by.multiplier > 1:
            now = self._register("product", now.value * by.multiplier, now.time)
        if by.addend:
            now = self._register("moved", now.value + by.addend, now.time)
        return Timed(fit(now.value >> by.shift, expr.type), now.time)

    def _remainder(self, expr: Remainder, a: Timed, quotient: Timed) -> Timed:
        """What the quotient leaves over, modulo the power of two above the divisor."""
        if not expr.latency:
            return Timed(_extend(a.value, expr.bits), quotient.time)
        back = self._register("back", _extend(quotient.value * expr.divisor, expr.bits), quotient.time)
        over = _extend(self._late(a, back.time), expr.bits) - back.value
        return self._register("left", over[: expr.bits], back.time)

    def _divided(self, expr: Divided, a: Timed, b: Timed) -> Timed:
        key, spec = (id(expr.a), id(expr.b)), expr.spec
        if key not in self.dividers:
            self.count += 1
            (x, y), time = self._align(a, b)
            operands = {
                "dividend": narrowed(x, spec.dividend + spec.signed_dividend, spec.signed_dividend),
                "divisor": narrowed(y, spec.divisor + spec.signed_divisor, spec.signed_divisor),
            }
            self.dividers[key] = self.library.use(self.m, f"divider{self.count}", Divider, spec, operands), time
        wires, time = self.dividers[key]
        result = wires.quotient if expr.op == "div" else wires.remainder
        return Timed(fit(result, expr.type), time + spec.latency)

    def _product(self, expr: Product, a: Timed, b: Timed) -> Timed:
        """Products of pieces, each a value and the place of its lowest bit, and a tree of adders."""
        (x, y), time = self._align(a, b)
        first, second = (_pieces(value, side) for value, side in zip((x, y), expr.sides, strict=True))
        terms = [(first[i] * second[j], PIECE * (i + j)) for i, j in expr.terms]
        while True:
            terms = [(self._low(value, expr.type.bits - at, time), at) for value, at in terms]
            time += 1
            if len(terms) == 1:
                return Timed(fit(terms[0][0], expr.type), time)
            terms = [_added(terms[i : i + 2]) for i in range(0, len(terms), 2)]

    def _low(self, value: Value, bits: int, time: int) -> Value:
        return self._register("term", narrowed(value, bits, value.shape().signed), time).value

    def _align(self, *parts: Timed) -> tuple[list[Value], int]:
        time = max(part.time for part in parts)
        return [self._late(part, time) for part in parts], time

    def _late(self, part: Timed, time: int) -> Value:
        if part.steady or isinstance(part.value, Const) or part.time == time:
            return part.value
        self.count += 1
        return delay(self.m, f"align{self.count}", part.value, time - part.time)

    def _register(self, name: str, value: Value, time: int) -> Timed:
        self.count += 1
        out = Signal(value.shape(), name=f"{name}{self.count}", reset_less=True)
        self.m.d.sync += out.eq(value)
        return Timed(out, time + 1)


def _pieces(value: Value, side: Operand) -> list[Value]:
    """The pieces of a side of a product, the lowest first."""
    whole, top = _extend(value, side.bits), PIECE * (side.pieces - 1)
    highest = whole[top:].as_signed() if side.signed else whole[top:]
    return [*(whole[at : at + PIECE] for at in range(0, top, PIECE)), highest]


def _added(terms: list[tuple[Value, int]]) -> tuple[Value, int]:
    """The sum of one or two values, each with the place of its lowest bit, the higher one first."""
    (high, at), (low, place) = terms[0], terms[-1]
    return ((high << at - place) + low if terms[1:] else low), place


def _least(value: int, kind: Type) -> Shape:
    """The narrowest shape of `kind`'s signedness that holds a constant."""
    return Shape(max(value.bit_length() if value >= 0 else (-value - 1).bit_length(), 1) + kind.signed, kind.signed)


def _shift(a: Value, amount: Value, left: bool) -> Value:
    """A shift by a variable amount; negative amounts go the other way, large ones leave zero or the sign."""

    def one_way(by: Value, leftward: bool) -> Value:
        most = 64 if leftward else len(a)
        small = Mux(by > most, most, by)[: most.bit_length()].as_unsigned()
        return (a << small) if leftward else (a >> small)

    if not amount.shape().signed:
        return one_way(amount, left)
    return Mux(amount < 0, one_way(-amount, not left), one_way(amount, left))


_NAMES = {"and": "both", "or": "either", "xor": "differ"}

_BINARY: dict[str, Callable[[Value, Value], Value]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "min": lambda a, b: Mux(a < b, a, b),
    "max": lambda a, b: Mux(a < b, b, a),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: _shift(a, b, True),
    "shr": lambda a, b: _shift(a, b, False),
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "land": lambda a, b: a.bool() & b.bool(),
    "lor": lambda a, b: a.bool() | b.bool(),
}

_UNARY: dict[str, Callable[[Value, Type], Value]] = {
    "neg": lambda a, kind: -a,
    "not": lambda a, kind: ~_extend(a, kind.bits),
    "lnot": lambda a, kind: ~a.bool(),
    "abs": lambda a, kind: Mux(a < 0, -a, a),
}


class _Combinational(_Builder):
    """Without registers, so with no components."""

    def __init__(self, library: Library, leaf: Leaf):
        self.library, self.leaf, self.start = library, leaf, at_once

    def _register(self, name: str, value: Value, time: int) -> Timed:
        return Timed(value, time)


def combine(library: Library, op: Combine, kind: Type, a: Value, b: Value) -> Value:
    """`a op b` of a reduction, wrapped to `kind`, in the component that is being elaborated."""
    if not isinstance(op, Merge):
        return fit(_BINARY[op](a, b), kind)
    leaf: Leaf = lambda side: (a, b)[isinstance(side, Side) and side.second]  # noqa: E731
    return fold(op.value, _Combinational(library, leaf).node).value
