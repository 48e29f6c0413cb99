"""Expressions in terms of a lane: what several expressions, one for each lane, have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from halidehw.backend_hdl.rtl import build
from halidehw.backend_hdl.rtl.ir import Cat, Const, Expr, Fit, Lane, Number, Place, Ref, Slice, children


def common(each: Sequence[Expr], lane: Lane, start: int = 0) -> Expr | None:
    """One expression that is `each[i]` in lane `start + i`, or None where there is none.

    They may differ in the indices of arrays, the places of slices and the numbers of lanes, which must change alike
    from each lane to the next.
    """
    first = each[0]
    if all(build.same(first, other) for other in each[1:]):
        return first
    if all(isinstance(other, Const) for other in each):
        return _numbers([other for other in each if isinstance(other, Const)], lane, start)
    if any(other.width != first.width or other.signed != first.signed for other in each):
        return None
    if all(isinstance(other, Fit | Slice) for other in each):
        return _slices(each, lane, start)
    if any(type(other) is not type(first) for other in each):
        return None
    match first:
        case Ref(name):
            alike = [other for other in each if isinstance(other, Ref) and other.name == name]
            return _refs(first, alike, each, lane, start)
    below = [children(other) for other in each]
    if isinstance(first, Cat) and any([p.width for p in parts] != [p.width for p in below[0]] for parts in below):
        return None
    if any(len(parts) != len(below[0]) for parts in below) or any(_own(other) != _own(first) for other in each):
        return None
    parts: list[Expr] = []
    for column in zip(*below, strict=True):
        part = common(column, lane, start)
        if part is None:
            return None
        parts.append(part)
    return build.rebuilt(first, tuple(parts))


def _numbers(each: list[Const], lane: Lane, start: int) -> Expr | None:
    """One number, or the lanes' own, as comparisons with them have it: each as narrow as it can be."""
    first = each[0]
    if all(other == first for other in each):
        return first
    counting = [other.value for other in each] == list(range(start, start + len(each)))
    plain = counting and not any(other.signed for other in each)
    return Number(lane, max(other.width for other in each)) if plain else None


def _own(expr: Expr) -> object:
    kept = {name: value for name, value in vars(expr).items() if not isinstance(value, Expr | tuple)}
    return (*kept.items(), tuple(patterns for patterns, _ in expr.cases) if hasattr(expr, "cases") else ())


def _refs(first: Ref, alike: list[Ref], each: Sequence[Expr], lane: Lane, start: int) -> Expr | None:
    if len(alike) != len(each) or any(len(other.index) != len(first.index) for other in alike):
        return None
    index: list[Place] = []
    for places in zip(*(other.index for other in alike), strict=True):
        if any(place.terms != places[0].terms for place in places):
            return None
        step = _step([place.offset for place in places])
        if step is None:
            return None
        own = ((lane, step),) if step else ()
        index.append(Place((*own, *places[0].terms), places[0].offset - step * start))
    return replace(first, index=tuple(index))


def _slices(each: Sequence[Expr], lane: Lane, start: int) -> Expr | None:
    """Slices of one value at places that grow evenly."""
    inner = common([other.value for other in each if isinstance(other, Fit | Slice)], lane, start)
    starts = [other.start if isinstance(other, Slice) else 0 for other in each]
    inside = {other.lanes if isinstance(other, Slice) else () for other in each}
    first = each[0]
    step = _step(starts)
    if inner is None or step is None:
        return None
    if all(isinstance(other, Fit) for other in each):
        return build.fit(inner, first.width, first.signed)
    if len(inside) > 1 or first.signed or any(isinstance(o, Fit) and o.value.width < o.width for o in each):
        return None
    own = ((lane, step),) if step else ()
    return Slice(inner, starts[0] - step * start, first.width, lanes=(*own, *inside.pop()))


def _step(values: list[int]) -> int | None:
    """By how much values grow from each to the next."""
    steps = {after - before for before, after in pairwise(values)}
    return steps.pop() if len(steps) == 1 else None
