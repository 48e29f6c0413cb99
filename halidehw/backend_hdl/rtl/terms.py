"""Which expressions of a module are equal, how often each is used, and how many low bits of it."""

from __future__ import annotations

from collections import Counter

from halidehw.backend_hdl.rtl.demand import parts
from halidehw.backend_hdl.rtl.ir import (
    Binary,
    Cat,
    Choice,
    Const,
    Expr,
    Fit,
    Mux,
    Number,
    Ref,
    Slice,
    Unary,
    Word,
    children,
)  # fmt: skip


class Terms:
    """Equal expressions have the same number."""

    def __init__(self) -> None:
        self.uses: Counter[int] = Counter()
        self.bits: dict[int, int] = {}
        self.leaves: dict[int, int] = {}
        self._numbers: dict[object, int] = {}
        self._known: dict[int, tuple[Expr, int]] = {}

    def number(self, expr: Expr) -> int:
        if id(expr) not in self._known:
            below = tuple(self.number(part) for part in children(expr))
            key = (type(expr), _own(expr), expr.width, expr.signed, below)
            found = self._numbers.setdefault(key, len(self._numbers))
            self._known[id(expr)] = expr, found
            self.leaves.setdefault(found, sum(self.leaves[part] for part in below) or not isinstance(expr, Const))
        return self._known[id(expr)][1]

    def use(self, expr: Expr, bits: int) -> None:
        """Somebody reads the low `bits` bits of an expression."""
        number = self.number(expr)
        self.uses[number] += 1
        bits = min(bits, expr.width)
        if bits > self.bits.get(number, 0):
            again = number in self.bits
            self.bits[number] = bits
            for part, wanted in parts(expr, bits):
                self.use(part, wanted)
                self.uses[self.number(part)] -= again

    def shared(self, expr: Expr) -> bool:
        """Whether an expression is worth a name: it is used twice, and not short."""
        number = self.number(expr)
        return self.uses[number] > 1 and self.leaves[number] > 2


def _own(expr: Expr) -> object:
    """What tells an expression from another one of its kind, besides its children."""
    match expr:
        case Const(value):
            return value
        case Ref(name) | Word(name):
            return name, expr.index
        case Number(lane):
            return lane
        case Slice(_, start):
            return start, expr.lanes
        case Unary(op) | Binary(op):
            return op
        case Choice(_, cases):
            return tuple(patterns for patterns, _ in cases)
        case Fit() | Cat() | Mux():
            return None
