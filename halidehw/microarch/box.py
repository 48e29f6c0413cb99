"""Boxes: the footprint of a process's inner axes in a tensor's index space."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from math import gcd

from halidehw.ir.affine import Affine

Index = tuple[Affine, ...]


@dataclass(frozen=True)
class Box:
    """A tile: per dimension its first index (a form over the outer axes), the step between the indices in use,
    its static extent in steps, and forms over the outer axes that bound the last coordinate (each divided by the
    step, rounded down, is an upper bound; the static extent - 1 is one more).
    """

    origin: Index
    steps: tuple[int, ...]
    extents: tuple[int, ...]
    reach: tuple[tuple[Affine, ...], ...]

    @property
    def words(self) -> int:
        total = 1
        for extent in self.extents:
            total *= extent
        return total

    def coordinate(self, index: Index) -> Index:
        """Where an index lies in this box, in steps (forms over outer axes cancel)."""
        return tuple(
            (form - origin).divided(step) for form, origin, step in zip(index, self.origin, self.steps, strict=True)
        )

    def refined(self, steps: Iterable[int]) -> Box:
        """The same indices and those between them, so far apart: in each dimension a divisor of the step, or 0 for the
        step itself."""
        chosen = tuple(fine or own for fine, own in zip(steps, self.steps, strict=True))
        sizes = zip(self.extents, self.steps, chosen, strict=True)
        return replace(self, steps=chosen, extents=tuple((n - 1) * (own // fine) + 1 for n, own, fine in sizes))


def footprint(indices: Iterable[Index], outer: Iterable[str], inner: dict[str, int], limits: Iterable[Affine]) -> Box:
    """The box that `inner` axes (name -> extent) cover around each value of the `outer` axes.

    `indices` are accesses of one tensor with equal terms in the outer axes. `limits` are forms >= 0 over all axes with
    negative coefficients; where one ties what the inner parts of all indices have in common to the outer axes, it
    bounds the box.
    """
    indices, outer, limits = list(indices), list(outer), list(limits)
    origin, steps, extents, reach = [], [], [], []
    for forms in zip(*indices, strict=True):
        assert len({form.only(outer).terms for form in forms}) == 1, "accesses of one box move apart"
        parts = [form.only(inner) for form in forms]
        spans = [(part + form.constant).range_over(inner) for part, form in zip(parts, forms, strict=True)]
        low, high = min(first for first, _ in spans), max(last for _, last in spans)
        step = gcd(*(value for part in parts for _, value in part.terms), *(first - low for first, _ in spans)) or 1
        origin.append(forms[0].only(outer) + low)
        steps.append(step)
        extents.append((high - low) // step + 1)
        common = Affine.of(term for term in parts[0].terms if all(part[term[0]] == term[1] for part in parts))
        rest = max((form.only(inner) + form.constant - common).range_over(inner)[1] for form in forms)
        reach.append(tuple(bound + (rest - low) for bound in _upper_bounds(common, outer, inner, limits)))
    return Box(tuple(origin), tuple(steps), tuple(extents), tuple(reach))


def _upper_bounds(part: Affine, outer: list[str], inner: dict[str, int], limits: list[Affine]) -> list[Affine]:
    """Bounds on the greatest value of `part` by every set of limits that bind disjoint axes of it."""
    usable = []
    for limit in limits:
        bound = limit.only(inner)
        ratios = {part[name] / -value for name, value in bound.terms}
        shared = [name for name, _ in bound.terms if part[name]]
        if len(ratios) == 1 and shared and (ratio := ratios.pop()) > 0 and ratio == int(ratio):
            usable.append((frozenset(shared), (limit.only(outer) + limit.constant) * int(ratio)))
    bounds = []
    for count in range(1, len(usable) + 1):
        for chosen in combinations(usable, count):
            names = frozenset().union(*(axes for axes, _ in chosen))
            if len(names) == sum(len(axes) for axes, _ in chosen):
                free = part.only(set(inner) - names)
                total = Affine((), free.range_over(inner)[1])
                for _, bound in chosen:
                    total = total + bound
                bounds.append(total)
    return bounds
