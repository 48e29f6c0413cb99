"""Partial sums: where their tiles lie, and how often the nest comes back to one."""

from __future__ import annotations

from dataclasses import replace

from halidehw.ir.bounds import iterations, refills
from halidehw.ir.nest import Constraint, Loop, Nest


def sums_depth(nest: Nest) -> int:
    """How many loops lie outside a tile of partial sums: by its buffer's refill rule, or the outermost reduction."""
    if nest.sums:
        return len(refills(nest, nest.sums))
    return next((i for i, loop in enumerate(nest.loops) if loop.reduction), len(nest.loops))


def spilling(nest: Nest) -> tuple[Loop, ...]:
    """The reduction loops outside a tile: a step of any of them comes back to partial sums stored before."""
    return tuple(loop for loop in nest.loops[: sums_depth(nest)] if loop.reduction and loop.steps > 1)


def visits(nest: Nest) -> int:
    """How often every element of the output is stored."""
    loops = spilling(nest)
    names = {loop.name for loop in loops}
    parts = [(tuple(term for term in each.terms if term[0] in names), each.limit) for each in nest.domain]
    domain = tuple(Constraint(terms, limit) for terms, limit in parts if terms)
    return iterations(replace(nest, loops=loops, domain=domain))
