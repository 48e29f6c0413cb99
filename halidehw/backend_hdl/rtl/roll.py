"""Assignments to an array's places, one by one, as loops over as many of them as have an expression in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from halidehw.backend_hdl.rtl.ir import Assign, Expr, For, Lane, Place, Statement
from halidehw.backend_hdl.rtl.lanes import common

Values = Sequence["Expr | Values"]
"""What the places of an array take: expressions, or for each further dimension sequences of them."""

LEAST = 3
"""Places that are worth a loop; of two, all have something in common."""


@dataclass(frozen=True)
class _Run:
    """Places from `start` to before `end` that take one expression, in terms of their number where there are several;
    or the runs of the next dimension."""

    start: int
    end: int
    body: Expr | tuple[_Run, ...]


def rolled(name: str, width: int, values: Values, first: int = 0) -> tuple[Statement, ...]:
    """Assignments of all bits, `width`, of an array's places from `first` on."""
    return tuple(statement for run in _runs(values, 0, first) for statement in _statements(name, width, run, ()))


def joined(body: Sequence[Statement]) -> tuple[Statement, ...]:
    """Statements with loops in place of assignments to neighbouring places of an array that follow each other."""
    found: list[Statement] = []
    for _, alike in groupby(enumerate(body), lambda each: _sequence(*each)):
        each = [statement for _, statement in alike]
        first = each[0]
        if isinstance(first, Assign) and len(each) > 1:
            values = [other.value for other in each if isinstance(other, Assign)]
            found += rolled(first.name, first.width, values, first.index[0].offset)
        else:
            found += each
    return tuple(found)


def _sequence(number: int, statement: Statement) -> object:
    """What statements have in common that assign to neighbouring places of an array, one after the other."""
    match statement:
        case Assign(name, 0, width, _, (Place((), offset),)):
            return name, width, offset - number
    return number


def _runs(values: Values, depth: int, first: int = 0) -> tuple[_Run, ...]:
    below = [_runs(each, depth + 1) if isinstance(each, Sequence) else each for each in values]
    found, start = [], 0
    while start < len(below):
        size, body = _longest(below[start:], depth, first + start)
        found.append(_Run(first + start, first + start + size, body))
        start += size
    return tuple(found)


def _longest(each: list[Expr | tuple[_Run, ...]], depth: int, start: int) -> tuple[int, Expr | tuple[_Run, ...]]:
    """How many of the first ones have something in common, and that."""
    body = _common(each[:LEAST], Lane(depth, start + LEAST), start) if len(each) >= LEAST else None
    if body is None:
        return 1, each[0]
    fits, fails = LEAST, len(each) + 1
    while fits + 1 < fails:
        size = min(2 * fits, (fits + fails) // 2)
        found = _common(each[:size], Lane(depth, start + size), start)
        if found is None:
            fails = size
        else:
            fits, body = size, found
    return fits, body


def _common(each: list[Expr | tuple[_Run, ...]], lane: Lane, start: int) -> Expr | tuple[_Run, ...] | None:
    exprs = [other for other in each if not isinstance(other, tuple)]
    if exprs:
        return common(exprs, lane, start)
    nested = [other for other in each if isinstance(other, tuple)]
    if any([(run.start, run.end) for run in other] != [(run.start, run.end) for run in nested[0]] for other in nested):
        return None
    found: list[_Run] = []
    for runs in zip(*nested, strict=True):
        body = _common([run.body for run in runs], lane, start)
        if body is None:
            return None
        found.append(_Run(runs[0].start, runs[0].end, body))
    return tuple(found)


def _statements(name: str, width: int, run: _Run, outer: tuple[Place, ...]) -> tuple[Statement, ...]:
    lane, several = Lane(len(outer), run.end), run.end - run.start > 1
    index = (*outer, Place(((lane, 1),)) if several else Place((), run.start))
    body: tuple[Statement, ...]
    if isinstance(run.body, tuple):
        body = tuple(statement for each in run.body for statement in _statements(name, width, each, index))
    else:
        body = (Assign(name, 0, width, run.body, index),)
    return (For(lane, body, run.start),) if several else body
