"""Long sums as trees: of one associative operator the order of the operands is free, at every width."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count

from halidehw.expr.nodes import Binary, Const, Expr
from halidehw.expr.tree import children, fold, nodes, rebuild
from halidehw.microarch.operators import latency

ASSOCIATIVE = frozenset(("add", "mul", "min", "max", "and", "or", "xor"))


@dataclass(frozen=True)
class Term:
    """An expression and the cycles until it is there."""

    time: int
    value: Expr


def at_once(leaf: Expr) -> int:
    """Every leaf is there at first."""
    return 0


def balanced(root: Expr, start: Callable[[Expr], int] = at_once) -> Term:
    """`root` with the least latency that the order of its operands allows; `start`: when each leaf is there.

    A chain of one operator on one type combines what is there first, two at a time (as Huffman does), instead of one
    after another. What is used more than once is not taken apart, so nothing is computed twice.
    """
    inner = _links(root)

    def combine(node: Expr, below: tuple[list[Term], ...]) -> list[Term]:
        if id(node) in inner:
            return [term for terms in below for term in terms]
        if isinstance(node, Binary) and node.op in ASSOCIATIVE:
            return [_joined(node, [term for terms in below for term in terms])]
        parts = [terms[0] for terms in below]
        own = 0 if parts or isinstance(node, Const) else start(node)
        time = max((part.time for part in parts), default=own) + latency(node)
        return [Term(time, rebuild(node, tuple(part.value for part in parts)))]

    return fold(root, combine)[0]


def cycles(expr: Expr, start: Callable[[Expr], int] = at_once) -> int:
    """From the first leaves of an expression to its value, as a pipeline that is balanced: one at least."""
    return max(balanced(expr, start).time, 1)


def _links(root: Expr) -> set[int]:
    """The nodes that only continue the chain of the one node that uses them."""
    every = list(nodes(root))
    uses = Counter(id(part) for node in every for part in children(node))
    return {
        id(part)
        for node in every
        if isinstance(node, Binary) and node.op in ASSOCIATIVE
        for part in (node.a, node.b)
        if isinstance(part, Binary) and (part.op, part.type) == (node.op, node.type) and uses[id(part)] == 1
    }


def _joined(node: Binary, terms: list[Term]) -> Term:
    number = count()
    waiting = [(term.time, next(number), term.value) for term in terms]
    heapq.heapify(waiting)
    while len(waiting) > 1:
        (_, _, first), (time, _, second) = heapq.heappop(waiting), heapq.heappop(waiting)
        heapq.heappush(waiting, (time + 1, next(number), replace(node, a=first, b=second)))
    time, _, value = waiting[0]
    return Term(time, value)
