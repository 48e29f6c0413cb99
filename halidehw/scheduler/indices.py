"""Index expressions as affine forms of the algorithm's variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from halidehw.errors import HardwareError, SourceLine
from halidehw.expr.expr import Access, Binary, Cast, Const, Expr, Unary, Variable, fold
from halidehw.expr.types import Int
from halidehw.ir.affine import Affine, Part
from halidehw.ir.nest import Loop

Ranges = Mapping[str, tuple[int, int]]

Box = list[tuple[int, int]]
"""The first and the last index of each dimension."""

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
        case "div" | "mod" if not b.terms and b.constant > 0:
            return _part(a, b.constant, op == "mod")
        case "shr" if not b.terms and 0 <= b.constant < 32:
            return _part(a, 1 << b.constant, False)
        case "min" | "max":
            low, high = (a - b).range(ranges)
            if high <= 0 or low >= 0:
                return a if (high <= 0) == (op == "min") else b
    return None


def _part(form: Affine, divisor: int, remainder: bool) -> Affine:
    """A quotient or remainder: affine where every coefficient is divided, else a name of its own."""
    if any(weight % divisor for _, weight in form.terms):
        return Affine.variable(Part.of(form, divisor, remainder))
    return Affine((), form.constant % divisor) if remainder else form.divided(divisor)


def in_loops(form: Affine, values: Mapping[str, Affine], loops: Mapping[str, Loop]) -> Affine | None:
    """A form of an algorithm's variables as one of the loops' values; None where a quotient or remainder in it is not
    one of their digits."""
    found = Affine((), form.constant)
    for name, weight in form.terms:
        part = _digits(name, values, loops) if isinstance(name, Part) else values[name]
        if part is None:
            return None
        found += weight * part
    return found


def _digits(part: Part, values: Mapping[str, Affine], loops: Mapping[str, Loop]) -> Affine | None:
    """A quotient by which all loops but some are multiplied: these give less than one of it, or are one loop in which
    it is affine."""
    inner = in_loops(part.form, values, loops)
    if inner is None:
        return None
    least = inner.constant + sum(weight * loops[name].min for name, weight in inner.terms)
    rest = [(name, weight % part.divisor) for name, weight in inner.terms if weight % part.divisor]
    first = least % part.divisor
    terms = [(name, weight // part.divisor) for name, weight in inner.terms]
    if first + sum(weight * (loops[name].extent - 1) for name, weight in rest) >= part.divisor:
        if len(rest) != 1:
            return None
        name, weight = rest[0]
        steps = [(first + weight * offset) // part.divisor for offset in range(loops[name].extent)]
        slope = steps[1] - steps[0]
        if steps != [steps[0] + slope * offset for offset in range(len(steps))]:
            return None
        terms.append((name, slope))
    shift = sum(weight * loops[name].min for name, weight in terms)
    quotient = Affine.of(terms, least // part.divisor - shift)
    return inner - part.divisor * quotient if part.remainder else quotient


def not_affine(access: Access, place: int, name: str, source: SourceLine | None, legal: Sequence[str]) -> HardwareError:
    return HardwareError(
        f"the index {access.args[place]} of {name} is not affine in the loops: an address must be a sum of loops, each "
        "multiplied by a constant",
        legal=tuple(legal),
        source=source,
    )


def indices(access: Access, name: str, ranges: Ranges, source: SourceLine | None, advise: Advise) -> tuple[Affine, ...]:
    """The indices of a read of tensor `name`. Raises `HardwareError` naming one that is not affine."""
    found = []
    for place, arg in enumerate(access.args):
        form = affine(arg, ranges)
        if form is None:
            raise not_affine(access, place, name, source, advise(access, place))
        found.append(form)
    return tuple(found)
