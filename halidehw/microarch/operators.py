"""The operators that a datapath is made of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from halidehw.expr.expr import Binary, Const, Expr, Select, Unary, nodes
from halidehw.expr.interval import Interval, intervals
from halidehw.expr.types import Type
from halidehw.ir.nest import Lookup, Scan
from halidehw.microarch.division import Divided, Quotient, Remainder, width
from halidehw.microarch.product import Product
from halidehw.microarch.stores import LEAD, RAM_LATENCY


@dataclass(frozen=True)
class Operator:
    """`latency`: cycles from its operands to its result; `cells`: how many bits it adds, those of all partial products
    for a product; `how`: what a division is made of."""

    op: str
    type: Type
    latency: int
    cells: int
    how: str = ""


def latency(expr: Expr) -> int:
    """How many registers are behind a node, one after another (casts and shifts by constants are wires)."""
    match expr:
        case Quotient() | Remainder() | Divided() | Product():
            return expr.latency
        case Lookup():
            return RAM_LATENCY
        case Scan():
            return LEAD + 1
        case Binary(_, "shl" | "shr", _, Const()):
            return 0
        case Binary() | Unary() | Select():
            return 1
    return 0


def operators(expr: Expr) -> Counter[Operator]:
    """How many there are of each operator but wires; dividers that give quotient and remainder are one."""
    values = intervals(expr, lambda leaf: Interval.full(leaf.type))
    found: dict[object, Operator] = {}
    for node in filter(latency, nodes(expr)):
        kind, time = node.type, latency(node)
        match node:
            case Binary(op="mul", a=a, b=b) | Product(a=a, b=b):
                size = _product(a.type, kind.bits, values[id(a)], values[id(b)])
                found[id(node)] = Operator("mul", kind, time, size)
            case Binary(op=op, a=a) | Unary(op=op, a=a):
                found[id(node)] = Operator(op, a.type, time, a.type.bits)
            case Lookup(tensor=tensor):
                found[id(node)] = Operator(f"look up in {tensor}", kind, time, 0)
            case Scan(merge=merge):
                found[id(node)] = Operator("follow", kind, time, cells(merge.value))
            case Select():
                found[id(node)] = Operator("select", kind, time, kind.bits)
            case Quotient(divisor=divisor):
                found[id(node)] = Operator(f"/ {divisor}", kind, time, _quotient(node), node.how)
            case Remainder(divisor=divisor, bits=bits):
                size = bits * (bits + 1) // 2 + bits
                found[id(node)] = Operator(f"% {divisor}", kind, time, size, "a - quotient * divisor")
            case Divided(a=a, b=b, spec=spec):
                size = spec.dividend * (spec.divisor + 1)
                found[id(a), id(b)] = Operator("divider", kind, time, size, str(spec))
    return Counter(found.values())


def cells(expr: Expr) -> int:
    """Of all operators of an expression."""
    return sum(each.cells * number for each, number in operators(expr).items())


def _quotient(node: Quotient) -> int:
    by = node.by
    x, factor = Interval.of(node.low >> by.before, node.high >> by.before), Interval.of(by.multiplier, by.multiplier)
    bits = width(node.a.type, *x.range) + by.multiplier.bit_length()
    return (_product(node.a.type, bits, x, factor) if by.multiplier > 1 else 0) + (bits if by.addend else 0)


def _product(kind: Type, bits: int, a: Interval, b: Interval) -> int:
    """Of `bits` bits: a row for each bit of one operand, up to the highest bit that is kept, and with a sign, which
    is extended, always that far. By a constant: for each of its bits that is 1 but the first, which is a wire."""
    for one, other in ((a, b), (b, a)):
        if one.low.value == one.high.value:
            return _multiple(kind, bits, one.low.value, other)
    rows, columns = (width(kind, *each.range) for each in (a, b))
    kept = min(bits, rows + columns)
    signed = a.low.value < 0 or b.low.value < 0
    return sum(kept - i if signed else min(columns, max(kept - i, 0)) for i in range(min(rows, kept)))


def _multiple(kind: Type, bits: int, factor: int, a: Interval) -> int:
    """Of a product by a constant; below 0 it is subtracted as a whole."""
    columns, ones = width(kind, *a.range), [i for i in range(bits) if abs(factor) >> i & 1]
    kept = min(bits, columns + abs(factor).bit_length())
    rows = [kept - i if a.low.value < 0 else min(columns, kept - i) for i in ones[1:]]
    return sum(rows) + (kept if factor < 0 else 0)
