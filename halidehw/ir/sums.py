"""Partial sums: where their tiles lie, what they begin from, and how often the nest comes back to one."""

from __future__ import annotations

from dataclasses import replace

from halidehw.expr.expr import Binary, Expr, transform
from halidehw.expr.types import Type
from halidehw.ir.bounds import depth, iterations, refills
from halidehw.ir.nest import Buffer, Combine, Constraint, Loop, Merge, Nest, Side


def identity(combine: Combine, kind: Type) -> int:
    """The value that changes nothing when combined."""
    match combine:
        case Merge():
            return combine.identity
        case "add" | "or" | "xor":
            return 0
        case "mul":
            return kind.wrap(1)
        case "min":
            return kind.max
        case "max":
            return kind.min
        case "and":
            return kind.wrap(-1)


def combined(combine: Combine, kind: Type, a: Expr, b: Expr) -> Expr:
    """`a combine b`, words of `kind`."""
    if not isinstance(combine, Merge):
        return Binary(kind, combine, a, b)
    sides = {False: a, True: b}
    return transform(combine.value, lambda node: sides[node.second] if isinstance(node, Side) else node)


def sums_depths(nest: Nest) -> tuple[int, ...]:
    """How many loops lie outside a tile of partial sums, for each level, outermost first: by the refill rule of its
    buffer, or where there is none, the outermost reduction."""
    if nest.sums:
        return tuple(max(nest.place, len(refills(nest, level))) for level in nest.sums)
    return (next((i for i, loop in enumerate(nest.loops) if loop.reduction), len(nest.loops)),)


def in_lanes(nest: Nest, level: Buffer) -> bool:
    """Whether a level of partial sums lies in the lanes of the output: inside all of them."""
    place = depth(nest, level.at)
    inside = any(loop.lanes > 1 and not loop.reduction for loop in nest.loops[place:])
    return level is nest.sums[-1] or (not inside and any(loop.lanes > 1 for loop in nest.loops[:place]))


def spilling(nest: Nest) -> tuple[Loop, ...]:
    """The reduction loops outside the outermost tiles: a step of any of them comes back to partial sums stored
    before."""
    return tuple(loop for loop in nest.loops[: sums_depths(nest)[0]] if loop.reduction and loop.steps > 1)


def visits(nest: Nest) -> int:
    """How often every element of the output is stored."""
    loops = spilling(nest)
    names = {loop.name for loop in loops}
    parts = [(tuple(term for term in each.terms if term[0] in names), each.limit) for each in nest.domain]
    domain = tuple(Constraint(terms, limit) for terms, limit in parts if terms)
    return iterations(replace(nest, loops=loops, domain=domain))
