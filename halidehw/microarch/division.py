"""Division as hardware: by a constant, the product with a reciprocal; by a value, a pipelined divider.

Both follow Halide: the remainder is never negative, and division by zero gives zero. docs/design/division.md.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from math import prod

from halidehw.expr.interval import Extreme, Interval, intervals
from halidehw.expr.nodes import SYMBOL, Binary, Expr, Unary
from halidehw.expr.tree import fold, nodes, rebuild
from halidehw.expr.types import Type
from halidehw.ir.nest import Accumulated, LoopValue, Nest, Scan


@dataclass(frozen=True)
class Reciprocal:
    """A quotient as `((x >> before) * multiplier + addend) >> shift`.

    A sum of nine bytes, 0 .. 2295, by 9: `x * 3641 >> 15`.
    """

    before: int
    multiplier: int
    addend: int
    shift: int

    def __call__(self, x: int) -> int:
        return ((x >> self.before) * self.multiplier + self.addend) >> self.shift

    @property
    def latency(self) -> int:
        """Cycles: one for the multiplier, where there is one, and one for the adder."""
        return (self.multiplier > 1) + (self.addend != 0)

    def __str__(self) -> str:
        text = f"(x >> {self.before})" if self.before else "x"
        text = f"{text} * {self.multiplier}" if self.multiplier != 1 else text
        text = f"({text} + {self.addend})" if self.addend else text
        return f"{text} >> {self.shift}" if self.shift else text


def reciprocal(low: int, high: int, divisor: int) -> Reciprocal:
    """Such that its value is `x // divisor` for every x from `low` to `high`; `divisor` is positive.

    The multiplier has the fewest bits with which that is so; one more where that saves the addend.
    """
    before = (divisor & -divisor).bit_length() - 1
    low, high, divisor = low >> before, high >> before, divisor >> before
    shift = 0
    while not (found := _exact(low, high, divisor, shift)):
        shift += 1
    multiplier, addend = found[0]
    more = [each for each in _exact(low, high, divisor, shift + 1) if each[1] == 0] if addend else []
    return Reciprocal(before, *more[0], shift + 1) if more else Reciprocal(before, multiplier, addend, shift)


def _exact(low: int, high: int, divisor: int, shift: int) -> list[tuple[int, int]]:
    """The multipliers next to 2**shift / divisor that are exact with some addend, each with the least one.

    x * m + c lies in [q * 2**shift, (q + 1) * 2**shift) for q = x // divisor and every x, if and only if the excess
    x * m - q * 2**shift stays within a span of 2**shift. It rises with x while q stays, and by a constant from a
    multiple of the divisor to the next; so its extremes are at the ends, and at the multiples next to them.
    """
    first, last = -(-low // divisor) * divisor, high // divisor * divisor
    places = {x for x in (low, high, first - 1, first, first + divisor - 1, last - 1, last) if low <= x <= high}
    floor = (1 << shift) // divisor
    found = []
    for multiplier in (floor, floor + 1):
        excess = [x * multiplier - (x // divisor << shift) for x in places]
        least, most = -min(excess), (1 << shift) - 1 - max(excess)
        if least <= most:
            found.append((multiplier, max(least, min(most, 0))))
    return found


@dataclass(frozen=True)
class DividerSpec:
    """A divider of a `dividend` by a `divisor` of so many bits of magnitude each, with a sign or without one.

    `remainder`, `quotient`: what it gives.
    """

    dividend: int
    divisor: int
    signed_dividend: bool
    signed_divisor: bool
    quotient: bool
    remainder: bool

    @property
    def signs(self) -> bool:
        """Whether a result can be negative."""
        return self.signed_dividend or self.signed_divisor

    @property
    def latency(self) -> int:
        """Cycles: one for each bit of the quotient, one for its sign, and one for magnitudes where there are signs."""
        return self.dividend + 1 + self.signs

    def __str__(self) -> str:
        sides = ((self.dividend, self.signed_dividend), (self.divisor, self.signed_divisor))
        return " by ".join(f"{bits} bits{' and a sign' if signed else ''}" for bits, signed in sides)


@dataclass(frozen=True, eq=False, repr=False)
class Quotient(Expr):
    """`a / divisor`, for a from `low` to `high`; `divisor` is positive, or 0, for which the quotient is 0."""

    a: Expr
    low: int
    high: int
    divisor: int
    by: Reciprocal

    @property
    def latency(self) -> int:
        return self.by.latency

    @property
    def how(self) -> str:
        return f"{self.by} for x in {self.low} .. {self.high}"

    def written(self, parts: tuple[str, ...]) -> str:
        return f"({parts[0]} / {self.divisor})"


@dataclass(frozen=True, eq=False, repr=False)
class Remainder(Expr):
    """`a % divisor`, of the quotient of both; `divisor` is positive."""

    a: Expr
    quotient: Expr
    divisor: int

    @property
    def bits(self) -> int:
        """Of the remainder, modulo two to which it is found."""
        return (self.divisor - 1).bit_length()

    @property
    def latency(self) -> int:
        """Cycles: of the product and the difference; the remainder of a power of two is its low bits."""
        return 2 if self.divisor & (self.divisor - 1) else 0

    def written(self, parts: tuple[str, ...]) -> str:
        return f"({parts[0]} % {self.divisor})"


@dataclass(frozen=True, eq=False, repr=False)
class Divided(Expr):
    """`a op b` by a divider, op one of div and mod. Those of the same operands share one."""

    op: str
    a: Expr
    b: Expr
    spec: DividerSpec

    @property
    def latency(self) -> int:
        return self.spec.latency

    def written(self, parts: tuple[str, ...]) -> str:
        return f"({parts[0]} {SYMBOL[self.op]} {parts[1]})"


def with_dividers(nest: Nest) -> Nest:
    """The nest with its divisions as hardware, each as narrow as its operands' values."""
    final = None if nest.epilogue is None else _divided(nest, nest.epilogue)
    return replace(nest, value=_divided(nest, nest.value), epilogue=final)


def _divided(nest: Nest, expr: Expr) -> Expr:
    values = intervals(expr, lambda leaf: range_of(nest, leaf))
    wanted: dict[tuple[int, int], set[str]] = defaultdict(set)
    for node in nodes(expr):
        if isinstance(node, Binary):
            wanted[id(node.a), id(node.b)].add(node.op)

    def change(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        new = rebuild(node, parts)
        if isinstance(new, Scan):
            return replace(new, merge=replace(new.merge, value=_divided(nest, new.merge.value)))
        if not (isinstance(node, Binary) and isinstance(new, Binary) and node.op in ("div", "mod")):
            return new
        a, b = values[id(node.a)], values[id(node.b)]
        if b.low.value == b.high.value:
            return _by_constant(new, a, b.low.value)
        return Divided(new.type, new.op, new.a, new.b, _divider(a, b, wanted[id(node.a), id(node.b)]))

    return fold(expr, change)


def range_of(nest: Nest, leaf: Expr) -> Interval:
    """The values of a leaf of a nest's expressions."""
    match leaf:
        case LoopValue(index=index):
            ranges = {loop.name: (loop.min, loop.min + loop.extent - 1) for loop in nest.loops}
            return Interval.of(*index.range(ranges))
        case Accumulated():
            return _accumulated(nest)
    return Interval.full(leaf.type)


def _accumulated(nest: Nest) -> Interval:
    """Of a complete sum, of as many terms as its loops have iterations, or fewer."""
    value = intervals(nest.value, lambda leaf: range_of(nest, leaf))[id(nest.value)]
    count = prod(loop.extent for loop in nest.loops if loop.reduction)
    start = Extreme.of(nest.init)
    match nest.combine:
        case "add":
            return Interval.spanning((start, *(Extreme.of(nest.init + count * end.value) for end in value.ends)))
        case "min" | "max":
            return Interval.spanning((start, *value.ends))
    return Interval.full(nest.type)


def _by_constant(node: Binary, a: Interval, divisor: int) -> Expr:
    """By minus d the quotient is the negative of that by d, and the remainder the same."""
    low, high, size = a.low.value, a.high.value, abs(divisor)
    by = reciprocal(low, high, size) if size else Reciprocal(0, 0, 0, 0)
    quotient = Quotient(node.type, node.a, low, high, size, by)
    if node.op == "div":
        return Unary(node.type, "neg", quotient) if divisor < 0 else quotient
    if size < 2:
        return Quotient(node.type, node.a, low, high, size, Reciprocal(0, 0, 0, 0))
    return node.a if low >= 0 and high < size else Remainder(node.type, node.a, quotient, size)


def _divider(a: Interval, b: Interval, ops: set[str]) -> DividerSpec:
    """A negative dividend is divided as its complement, a negative divisor as its magnitude."""
    dividend = max(_complement(end.value).bit_length() for end in a.ends)
    divisor = max(abs(end.value).bit_length() for end in b.ends)
    negative = a.low.value < 0, b.low.value < 0
    return DividerSpec(max(dividend, 1), max(divisor, 1), *negative, quotient="div" in ops, remainder="mod" in ops)


def _complement(value: int) -> int:
    return ~value if value < 0 else value


def width(kind: Type, low: int, high: int) -> int:
    """Bits that hold `low` to `high`: with a sign where `low` is negative; at most those of `kind`."""
    return min(max(_complement(low).bit_length(), _complement(high).bit_length()) + (low < 0), kind.bits)
