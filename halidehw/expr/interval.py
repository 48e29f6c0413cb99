"""Interval arithmetic: between which values an expression lies, whatever the inputs hold.

Each end remembers the arithmetic that gives it, for messages. Values are exact, of any size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product

from halidehw.expr.arithmetic import COMPARISONS, LOGICAL
from halidehw.expr.expr import Binary, Cast, Const, Expr, Select, Unary, Variable, apply, fold
from halidehw.expr.types import Bool, Int, Type

_LONGEST = 40


@dataclass(frozen=True)
class Extreme:
    """A value, and how it comes about: `-128 * -128`."""

    value: int
    text: str

    @staticmethod
    def of(value: int) -> Extreme:
        return Extreme(value, str(value))

    @property
    def operand(self) -> str:
        """As part of more arithmetic."""
        if len(self.text) > _LONGEST:
            return str(self.value)
        return f"({self.text})" if " " in self.text else self.text


@dataclass(frozen=True)
class Interval:
    """The values from `low` to `high`."""

    low: Extreme
    high: Extreme

    @staticmethod
    def of(low: int, high: int) -> Interval:
        return Interval(Extreme.of(low), Extreme.of(high))

    @staticmethod
    def full(kind: Type) -> Interval:
        return Interval.of(kind.min, kind.max)

    @staticmethod
    def spanning(ends: Iterable[Extreme]) -> Interval:
        given = sorted(ends, key=lambda end: end.value)
        return Interval(given[0], given[-1])

    @property
    def ends(self) -> tuple[Extreme, Extreme]:
        return self.low, self.high

    @property
    def range(self) -> tuple[int, int]:
        """The least and the greatest value."""
        return self.low.value, self.high.value

    def inside(self, kind: Type) -> bool:
        return all(kind.represents(end.value) for end in self.ends)


def narrowest(kind: Type, values: Interval) -> Type:
    """The type of the fewest bits, at most those of `kind`, that has the values; with a sign where one is negative."""
    low, high = values.range
    bits = max((~low if low < 0 else low).bit_length(), (~high if high < 0 else high).bit_length()) + (low < 0)
    return Type(low < 0, max(bits, 1)) if bits <= kind.bits else kind


class Exceeded(Exception):
    """`what`, of type `kind`, takes all values of `interval`, and some of these are none of the type's."""

    def __init__(self, what: str, kind: Type, interval: Interval):
        super().__init__(what)
        self.what, self.kind, self.interval = what, kind, interval

    @property
    def signed(self) -> bool:
        """Whether the type that would do is signed."""
        return self.kind.signed or self.interval.low.value < 0

    @property
    def bits(self) -> int:
        """Of the narrowest type that would do."""
        low, high = (end.value for end in self.interval.ends)
        return max((~low if low < 0 else low).bit_length(), (~high if high < 0 else high).bit_length()) + self.signed

    @property
    def worst(self) -> Extreme:
        """The value that is furthest outside."""
        low, high = self.interval.ends
        return max(low, high, key=lambda end: max(self.kind.min - end.value, end.value - self.kind.max))


def checked(what: object, kind: Type, found: Interval) -> Interval:
    """`found`. Raises `Exceeded`, for `what` as text, if it is not inside `kind`."""
    if not found.inside(kind):
        raise Exceeded(str(what), kind, found)
    return found


def interval(expr: Expr, variables: Mapping[str, Interval]) -> Interval:
    """The values of `expr`. Raises `Exceeded` for arithmetic in it that can leave its type; only a cast that is
    written may."""

    def of(node: Expr, parts: tuple[Interval, ...]) -> Interval:
        if isinstance(node, Variable):
            return variables[node.name]
        return checked(node, node.type, _exact(node, parts))

    return fold(expr, of)


def intervals(expr: Expr, leaf: Callable[[Expr], Interval]) -> dict[int, Interval]:
    """The values of `expr` and of every node below it, by their ids; what can leave its type wraps, and may be any
    value of it. `leaf`: of a node without others below, but for a constant."""
    found: dict[int, Interval] = {}

    def of(node: Expr, parts: tuple[Interval, ...]) -> Interval:
        values = _exact(node, parts) if parts or isinstance(node, Const) else leaf(node)
        found[id(node)] = values if values.inside(node.type) else Interval.full(node.type)
        return found[id(node)]

    fold(expr, of)
    return found


def _exact(node: Expr, parts: tuple[Interval, ...]) -> Interval:
    """Of a node with its children's values, before it wraps."""
    match node:
        case Const(value=value):
            return Interval.of(value, value)
        case Cast(type=kind, implied=implied) if implied or parts[0].inside(kind):
            return parts[0]
        case Select():
            return Interval.spanning(end for part in parts[1:] for end in part.ends)
        case Unary(op=op, a=a):
            return _unary(op, a.type, *parts)
        case Binary(op=op):
            return _binary(op, node.type, *parts)
    return Interval.full(node.type)


def _unary(op: str, kind: Type, a: Interval) -> Interval:
    match op:
        case "neg":
            return Interval.spanning(Extreme(-end.value, f"-{end.operand}") for end in a.ends)
        case "abs":
            ends = [*a.ends, Extreme.of(0)] if a.low.value < 0 < a.high.value else list(a.ends)
            return Interval.spanning(Extreme(abs(end.value), f"abs({end.text})") for end in ends)
        case "not":
            return Interval.spanning(Extreme.of(apply("not", kind, end.value)) for end in a.ends)
    return Interval.full(Bool())


def _binary(op: str, kind: Type, a: Interval, b: Interval) -> Interval:
    match op:
        case "add":
            return _corners(a.ends, b.ends, "+", lambda x, y: x + y)
        case "sub":
            return _corners(a.ends, b.ends, "-", lambda x, y: x - y)
        case "mul":
            return _corners(a.ends, b.ends, "*", lambda x, y: x * y)
        case "shl":
            return _corners(a.ends, _amounts(b), "<<", _shifted)
        case "shr":
            return _corners(a.ends, _amounts(b), ">>", lambda x, y: _shifted(x, -y))
        case "div":
            return _corners(a.ends, _divisors(b), "/", _quotient)
        case "min" | "max":
            choose = min if op == "min" else max
            pairs = zip(a.ends, b.ends, strict=True)
            return Interval(*(choose(pair, key=lambda end: end.value) for pair in pairs))
        case "mod":
            largest = max(1, *(abs(end.value) for end in b.ends)) - 1
            return Interval.of(0, min(largest, a.high.value) if a.low.value >= 0 else largest)
        case "and" | "or" | "xor":
            return _bitwise(op, a, b)
    assert op in COMPARISONS | LOGICAL
    return Interval.full(kind)


def _corners(
    a: Iterable[Extreme], b: Iterable[Extreme], symbol: str, function: Callable[[int, int], int]
) -> Interval:
    """Of a function that rises or falls steadily in each operand while the other stays."""
    return Interval.spanning(
        Extreme(function(x.value, y.value), f"{x.operand} {symbol} {y.operand}") for x, y in product(a, b)
    )


def _shifted(value: int, amount: int) -> int:
    return value << amount if amount >= 0 else value >> -amount


def _amounts(b: Interval) -> tuple[Extreme, ...]:
    """Shifting further than 64 places makes no difference to a type of at most 64 bits."""
    return tuple(end if abs(end.value) <= 64 else Extreme.of(64 if end.value > 0 else -64) for end in b.ends)


def _divisors(b: Interval) -> list[Extreme]:
    """The ends of the divisors on each side of zero, and zero."""
    inner = [Extreme.of(value) for value in (-1, 0, 1) if b.low.value <= value <= b.high.value]
    return [*b.ends, *inner]


def _quotient(a: int, b: int) -> int:
    """Halide's: the remainder is never negative, and by zero it is zero."""
    return 0 if b == 0 else a // b if b > 0 else -(a // -b)


def _bitwise(op: str, a: Interval, b: Interval) -> Interval:
    """The narrowest type that holds both operands holds the result; a mask that is not negative bounds an `and`."""
    ends = [end.value for end in (*a.ends, *b.ends)]
    signed = min(ends) < 0
    bits = max((~end if end < 0 else end).bit_length() for end in ends)
    masks = [each.high.value for each in (a, b) if each.low.value >= 0]
    if op == "and" and masks:
        return Interval.of(0, min(masks))
    return Interval.full(Int(min(bits + 1, 64))) if signed else Interval.of(0, (1 << bits) - 1)
