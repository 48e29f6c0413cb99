"""Index expressions as affine forms of the algorithm's variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from halidehw.errors import HardwareError, SourceLine
from halidehw.expr.expr import Access, Binary, Cast, Const, Expr, Unary, Variable, fold
from halidehw.expr.types import Int
from halidehw.ir.affine import Affine

Ranges = Mapping[str, tuple[int, int]]

Advise = Callable[[Access, int], tuple[str, ...]]
"""Code that computes the same as an access whose index at a place is not affine."""


def affine(expr: Expr, ranges: Ranges) -> Affine | None:
    """An int32 expression as an affine form of its variables; None if it is not one.

    `ranges`: variable -> its least and greatest value; min and max that they decide are seen through.
    """

    def form(node: Expr, parts: tuple[Affine | None, ...]) -> Affine | None:
        match node, parts:
            case Const(value=value), _:
                return Affine((), value)
            case Variable(name=name), _:
                return Affine.variable(name)
            case Cast(type=kind, a=a), (inner,) if kind.covers(Int(32)) or kind.covers(a.type):
                return inner
            case Unary(op="neg"), (Affine() as inner,):
                return -inner
            case Binary(op=op), (Affine() as left, Affine() as right):
                return _combined(op, left, right, ranges)
        return None

    return fold(expr, form)


def _combined(op: str, a: Affine, b: Affine, ranges: Ranges) -> Affine | None:
    match op:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul" if not a.terms or not b.terms:
            return a * b.constant if not b.terms else b * a.constant
        case "shl" if not b.terms and b.constant >= 0:
            return a * (1 << b.constant)
        case "min" | "max":
            low, high = (a - b).range(ranges)
            if high <= 0 or low >= 0:
                return a if (high <= 0) == (op == "min") else b
    return None


def indices(access: Access, name: str, ranges: Ranges, source: SourceLine | None, advise: Advise) -> tuple[Affine, ...]:
    """The indices of a read of tensor `name`. Raises `HardwareError` naming one that is not affine."""
    found = []
    for place, arg in enumerate(access.args):
        form = affine(arg, ranges)
        if form is None:
            raise HardwareError(
                f"the index {arg} of {name} is not affine in the loops: an address must be a sum of loops, each "
                "multiplied by a constant",
                legal=advise(access, place),
                source=source,
            )
        found.append(form)
    return tuple(found)
