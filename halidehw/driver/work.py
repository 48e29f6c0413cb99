"""How much work a nest is."""

from __future__ import annotations

from functools import reduce
from math import prod

import numpy as np

from halidehw.ir.nest import Constraint, Nest


def iterations(nest: Nest) -> int:
    """The number of iterations in the nest's domain: its multiply-accumulates, where an iteration is one."""
    return prod(_points(nest, names) for names in _coupled(nest))


def _coupled(nest: Nest) -> list[frozenset[str]]:
    """The loops in groups that share no constraint."""
    groups = [frozenset([loop.name]) for loop in nest.loops]
    for constraint in nest.domain:
        names = _names(constraint)
        touched = [group for group in groups if group & names]
        groups = [group for group in groups if not group & names] + [frozenset().union(*touched)]
    return groups


def _points(nest: Nest, names: frozenset[str]) -> int:
    """The points of a group's loops that hold its constraints."""
    loops = [loop for loop in nest.loops if loop.name in names]
    grid = np.ogrid[tuple(slice(loop.extent) for loop in loops)]
    offsets = {loop.name: values for loop, values in zip(loops, grid, strict=True)}
    held = [
        sum(weight * offsets[name] for name, weight in constraint.terms) <= constraint.limit
        for constraint in nest.domain
        if _names(constraint) <= names
    ]
    inside = reduce(np.logical_and, held, np.ones([loop.extent for loop in loops], bool))
    return int(np.count_nonzero(inside))


def _names(constraint: Constraint) -> frozenset[str]:
    return frozenset(name for name, _ in constraint.terms)
