"""A walk: the nest of counters that a hardware process steps through, one iteration a cycle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import floor, gcd

from halidehw.ir.affine import Affine
from halidehw.ir.bounds import prefix


@dataclass(frozen=True)
class Axis:
    """A loop over 0 .. extent-1."""

    name: str
    extent: int


@dataclass(frozen=True)
class Limit:
    """`form >= 0`, where every coefficient of `form` is negative: the walk's domain is closed downwards."""

    form: Affine


@dataclass(frozen=True)
class Walk:
    """Axes outer to inner, and the limits that clip them.

    Invariant: limits hold at the origin, so whatever the outer axes' values, an inner axis has an iteration.
    """

    axes: tuple[Axis, ...]
    limits: tuple[Limit, ...] = ()

    @property
    def extents(self) -> dict[str, int]:
        return {axis.name: axis.extent for axis in self.axes}

    def depth_of(self, names: frozenset[str] | set[str]) -> int:
        """How many axes, from the outside, it takes to include all of `names`."""
        return prefix(self.extents, names)

    @property
    def shortest(self) -> int:
        """Steps that each run of the innermost axis has at least, as far as its limits say, each by itself."""
        *outer, axis = self.axes
        extents, found = {each.name: each.extent for each in outer}, [axis.extent]
        for form in (limit.form for limit in self.limits if limit.form[axis.name]):
            least = form.only(extents).range_over(extents)[0] + form.constant
            found.append(max(least, 0) // -form[axis.name] + 1)
        return min(found)

    def greatest(self, form: Affine) -> int:
        """What a form over the axes does not exceed in any iteration: limits that have no axis in common, and the
        extents of all other axes, each bound a part of it; or limits one after the other, each as often as the rest
        has it."""
        parts = [(names, most) for limit in self.limits for names, most in [_bound(form, limit.form)] if names]
        found = []
        for count in range(len(parts) + 1):
            for chosen in combinations(parts, count):
                bound = {name for names, _ in chosen for name in names}
                if len(bound) == sum(len(names) for names, _ in chosen):
                    rest = form.only(form.names - bound) + form.constant
                    found.append(rest.range_over(self.extents)[1] + sum(most for _, most in chosen))
        shared = _shared(dict(form.terms), tuple(limit.form for limit in self.limits), self.extents)
        return min(*found, form.constant + floor(shared))

    def __iter__(self) -> Iterator[dict[str, int]]:
        """All iterations in order (the hardware's order)."""

        def visit(depth: int, values: dict[str, int]) -> Iterator[dict[str, int]]:
            if depth == len(self.axes):
                yield dict(values)
                return
            axis = self.axes[depth]
            for value in range(axis.extent):
                values[axis.name] = value
                if any(limit.form.only(values).at(values) + limit.form.constant < 0 for limit in self.limits):
                    break
                yield from visit(depth + 1, values)
            del values[axis.name]

        yield from visit(0, {})


def _shared(terms: Mapping[str, Fraction | int], limits: tuple[Affine, ...], extents: Mapping[str, int]) -> Fraction:
    """An upper bound of a sum: some multiples of limits, and what the rest is at most within the extents."""
    best = Fraction(sum(c * (extents[name] - 1) for name, c in terms.items() if c > 0))
    for number, limit in enumerate(limits):
        for times in {Fraction(terms[name]) / -limit[name] for name in limit.names if terms.get(name, 0) > 0}:
            rest = dict(terms) | {name: terms.get(name, 0) + times * limit[name] for name in limit.names}
            best = min(best, times * limit.constant + _shared(rest, limits[number + 1 :], extents))
    return best


def _bound(form: Affine, limit: Affine) -> tuple[frozenset[str], int]:
    """The axes of a form that a limit bounds, and what the sum of these terms, a multiple of what their weights have in
    common, does not exceed."""
    names = frozenset(name for name in limit.names if form[name] > 0)
    most = max((Fraction(form[name], -limit[name]) for name in names), default=Fraction(0)) * limit.constant
    step = gcd(*(form[name] for name in names)) or 1
    return names, floor(most / step) * step


def clipping(axes: tuple[Axis, ...], forms: list[Affine]) -> tuple[Limit, ...]:
    """The limits among `forms >= 0` that cut something off, restricted to `axes`, without repeats."""
    extents = {axis.name: axis.extent for axis in axes}
    kept: dict[Affine, Limit] = {}
    for form in forms:
        own = form.only(extents) + form.constant
        if own.range_over(extents)[0] < 0:
            kept[own] = Limit(own)
    return tuple(kept.values())
