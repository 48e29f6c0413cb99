"""Inline reductions: `sum(r, e)` and its kind, an expression that reduces another one over a domain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from halidehw.errors import AlgorithmError
from halidehw.expr.expr import Const, as_expr, nodes
from halidehw.expr.nodes import Access, Expr, Operand, Variable
from halidehw.expr.tree import fold
from halidehw.expr.tuples import Tuple, fields, pack
from halidehw.expr.types import Int
from halidehw.frontend.rdom import RDom, RVar


@dataclass(frozen=True, eq=False, repr=False)
class Reduce(Expr):
    """`start`, then for every point of `domain` in order where `where` holds: combined with `value`, as `name` says.

    `name` is one of sum, product, maximum, minimum, argmax and argmin. Of the last two, `value` is the point and the
    number compared, in one word.
    """

    name: str
    domain: RDom
    start: Expr
    value: Expr
    where: Expr | None = None

    def written(self, parts: tuple[str, ...]) -> str:
        return f"{self.name}({self.domain}, {parts[1]})"


def _reduce(name: str, given: tuple[RDom | Operand | str, ...], start: int | None, least: bool = False) -> Reduce:
    """`given`: a domain, or none where the expression has one, the expression, and perhaps a name, which says nothing.

    `start`: what it begins from; None for the type's least or greatest value.
    """
    values = [each for each in given if not isinstance(each, str)]
    if not 1 <= len(values) <= 2 or not isinstance(values[0], RDom if len(values) == 2 else object):
        raise AlgorithmError(f"{name} takes an RDom and an expression", legal=(f"{name}(r, a[x + r])",))
    value = as_expr(values[-1])
    domain = values[0] if len(values) == 2 else _only_domain(name, value)
    assert isinstance(domain, RDom)
    bounds = value.type.min if least else value.type.max
    return _made(name, domain, Const(value.type, value.type.wrap(bounds if start is None else start)), value)


def _made(name: str, domain: RDom, start: Expr, value: Expr) -> Reduce:
    domain.settle()
    return Reduce(start.type, name, domain, start, value, domain.predicate)


def _only_domain(name: str, value: Expr) -> RDom:
    free = free_rvars(value)
    if not free:
        raise AlgorithmError(f"{name} of {value}, which has no variable of an RDom", legal=(f"{name}(r, ...)",))
    return free[0].domain


def sum(*given: RDom | Operand | str) -> Expr:
    """`sum(r, e)`: the sum of `e` over `r`, in the type of `e`. `sum(e)` finds the RDom in `e`."""
    return _reduce("sum", given, 0)


def product(*given: RDom | Operand | str) -> Expr:
    """`product(r, e)`: the product of `e` over `r`, in the type of `e`."""
    return _reduce("product", given, 1)


def maximum(*given: RDom | Operand | str) -> Expr:
    """`maximum(r, e)`: the greatest `e` over `r`; the least value of its type where `r` has no point."""
    return _reduce("maximum", given, None, least=True)


def minimum(*given: RDom | Operand | str) -> Expr:
    """`minimum(r, e)`: the least `e` over `r`; the greatest value of its type where `r` has no point."""
    return _reduce("minimum", given, None)


def argmax(*given: RDom | Operand | str) -> Tuple:
    """`argmax(r, e)`: where `e` is greatest over `r`, a number for each dimension, and that value. Of equal ones, the
    first; zeros and the least value of the type where no value is above that."""
    return _point(_reduce("argmax", given, None, least=True))


def argmin(*given: RDom | Operand | str) -> Tuple:
    """`argmin(r, e)`: as `argmax`, of the least value."""
    return _point(_reduce("argmin", given, None))


def _point(found: Reduce) -> Tuple:
    zeros = [Const(Int(32), 0) for _ in found.domain.vars]
    start, value = pack([*zeros, found.start]), pack([*found.domain.vars, found.value])
    return Tuple(*fields(_made(found.name, found.domain, start, value)))


def reduces(expr: Expr) -> Iterator[Reduce]:
    """The inline reductions in an expression, those inside others too."""
    return (node for node in nodes(expr) if isinstance(node, Reduce))


def free_rvars(expr: Expr) -> tuple[RVar, ...]:
    """The variables of domains over which nothing in the expression reduces, each once."""

    def free(node: Expr, parts: tuple[tuple[RVar, ...], ...]) -> tuple[RVar, ...]:
        if isinstance(node, RVar):
            return (node,)
        found = {(var.name, id(var.domain)): var for part in parts for var in part}
        inside = {var.name for var in node.domain.vars} if isinstance(node, Reduce) else set()
        return tuple(var for var in found.values() if var.name not in inside)

    return fold(expr, free)


def free_variables(expr: Expr) -> tuple[Variable, ...]:
    """The variables over which nothing in the expression reduces, each once."""
    plain = {node.name: node for node in nodes(expr) if isinstance(node, Variable) and not node.reduction}
    return (*plain.values(), *free_rvars(expr))


def domain_of(value: Expr) -> RDom | None:
    """The domain of the first inline reduction in a pure definition, or else in one of a Func that it writes out."""
    for found in reduces(value):
        return found.domain
    for node in nodes(value):
        stages: list[Any] = getattr(node.target, "stages", []) if isinstance(node, Access) else []
        domains = [stage.definition.domain for stage in stages]
        if len(domains) == 1 and isinstance(domains[0], RDom):
            return domains[0]
    return None
