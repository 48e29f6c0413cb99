"""Which points of a domain a condition leaves: by the limits of counters, where it can be, else by a guard.

Counters clip what is closed downwards: a sum of the domain's variables, with positive weights, that is at most a limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from halidehw.expr.expr import Binary, Expr, binary
from halidehw.frontend.rdom import RDom
from halidehw.ir.affine import Affine
from halidehw.scheduler.indices import Ranges, affine


def bounded(where: Expr, domain: RDom) -> tuple[tuple[Affine, ...], Expr | None]:
    """Forms over the domain's variables that are at least 0 where `where` holds, and what of it they do not say."""
    ranges = {var.name: (var.min, var.min + var.extent - 1) for var in domain.vars}
    limits, guards = [], []
    for each in _conditions(where):
        form = _limit(each, ranges)
        if form is not None and _is_closed(form, ranges):
            limits.append(form)
        else:
            guards.append(each)
    return tuple(limits), reduce(lambda a, b: binary("land", a, b), guards) if guards else None


def _conditions(where: Expr) -> Iterator[Expr]:
    """What must hold together."""
    match where:
        case Binary(op="land" | "and", a=a, b=b):
            yield from _conditions(a)
            yield from _conditions(b)
        case _:
            yield where


def _limit(condition: Expr, ranges: Ranges) -> Affine | None:
    """A form that is at least 0 where a comparison of variables holds; None for anything else."""
    if not isinstance(condition, Binary) or condition.op not in ("lt", "le", "gt", "ge"):
        return None
    a, b = affine(condition.a, ranges), affine(condition.b, ranges)
    if a is None or b is None or not ranges.keys() >= set((b - a).names):
        return None
    less, more = (a, b) if condition.op in ("lt", "le") else (b, a)
    return more - less - (1 if condition.op in ("lt", "gt") else 0)


def _is_closed(form: Affine, ranges: Ranges) -> bool:
    """Whether the points are closed downwards and the first one is among them."""
    first = form.constant + sum(weight * ranges[name][0] for name, weight in form.terms)
    return all(weight < 0 for _, weight in form.terms) and first >= 0
