"""The operators that a datapath is made of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from halidehw.expr.expr import Binary, Const, Expr, Select, Unary, nodes
from halidehw.expr.types import Type
from halidehw.microarch.division import Divided, Quotient, Remainder


@dataclass(frozen=True)
class Operator:
    """`latency`: cycles from its operands to its result; `how`: what a division is made of."""

    op: str
    type: Type
    latency: int
    how: str = ""


def latency(expr: Expr) -> int:
    """How many registers are behind a node, one after another (casts and shifts by constants are wires)."""
    match expr:
        case Quotient() | Remainder() | Divided():
            return expr.latency
        case Binary(_, "shl" | "shr", _, Const()):
            return 0
        case Binary() | Unary() | Select():
            return 1
    return 0


def operators(expr: Expr) -> Counter[Operator]:
    """How many there are of each operator; dividers that give quotient and remainder are one."""
    found: dict[object, Operator] = {}
    for node in nodes(expr):
        match node:
            case Binary(op=op, a=a) | Unary(op=op, a=a) if latency(node):
                found[id(node)] = Operator(op, a.type, 1)
            case Select():
                found[id(node)] = Operator("select", node.type, 1)
            case Quotient():
                found[id(node)] = Operator(f"/ {node.divisor}", node.type, node.latency, node.how)
            case Remainder():
                how = "a - quotient * divisor" if node.latency else "low bits"
                found[id(node)] = Operator(f"% {node.divisor}", node.type, node.latency, how)
            case Divided(a=a, b=b):
                found[id(a), id(b)] = Operator("divider", node.type, node.latency, str(node.spec))
    return Counter(found.values())
