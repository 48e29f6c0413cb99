"""A walk: the nest of counters that a hardware process steps through, one iteration a cycle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from halidehw.ir.affine import Affine


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
        return max((i + 1 for i, axis in enumerate(self.axes) if axis.name in names), default=0)

    def greatest(self, form: Affine) -> int:
        """What a form over the axes does not exceed in any iteration: limits that have no axis in common, and the
        extents of all other axes, each bound a part of it."""
        parts = [(names, most) for limit in self.limits for names, most in [_bound(form, limit.form)] if names]
        found = []
        for count in range(len(parts) + 1):
            for chosen in combinations(parts, count):
                bound = {name for names, _ in chosen for name in names}
                if len(bound) == sum(len(names) for names, _ in chosen):
                    rest = form.only(form.names - bound) + form.constant
                    found.append(rest.range_over(self.extents)[1] + sum(most for _, most in chosen))
        return min(found)

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


def _bound(form: Affine, limit: Affine) -> tuple[frozenset[str], int]:
    """The axes of a form that a limit bounds, and what the sum of these terms does not exceed."""
    names = frozenset(name for name in limit.names if form[name] > 0)
    most = max((Fraction(form[name], -limit[name]) for name in names), default=Fraction(0)) * limit.constant
    return names, int(most)


def clipping(axes: tuple[Axis, ...], forms: list[Affine]) -> tuple[Limit, ...]:
    """The limits among `forms >= 0` that cut something off, restricted to `axes`, without repeats."""
    extents = {axis.name: axis.extent for axis in axes}
    kept: dict[Affine, Limit] = {}
    for form in forms:
        own = form.only(extents) + form.constant
        if own.range_over(extents)[0] < 0:
            kept[own] = Limit(own)
    return tuple(kept.values())
