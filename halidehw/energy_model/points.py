"""How many iterations a nest of loops has: exact, without visiting them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import prod

import numpy as np

from halidehw.ir.affine import Affine
from halidehw.microarch.walk import Axis, Walk


def points(axes: Iterable[Axis], forms: Iterable[Affine]) -> int:
    """The integer points of the box of `axes` (each 0 .. extent-1) where every form is at least 0."""
    extents = {axis.name: axis.extent for axis in axes}
    cutting = list(dict.fromkeys(form for form in forms if form.range_over(extents)[0] < 0))
    if any(form.range_over(extents)[1] < 0 for form in cutting):
        return 0
    total = prod(extents.values())
    for names, group in _coupled(cutting):
        inside = {name: extents[name] for name in extents if name in names}
        total = total // prod(inside.values()) * _group(inside, group)
    return total


def iterations(walk: Walk, depth: int | None = None, still: Iterable[str] = ()) -> int:
    """The iterations of a walk's outer `depth` axes (None: all), with the axes in `still` at their start."""
    kept = [axis for axis in walk.axes[:depth] if axis.name not in set(still)]
    names = [axis.name for axis in kept]
    return points(kept, [limit.form.only(names) + limit.form.constant for limit in walk.limits])


def _coupled(forms: list[Affine]) -> list[tuple[frozenset[str], list[Affine]]]:
    """The forms in groups that share no axis."""
    groups: list[tuple[frozenset[str], list[Affine]]] = []
    for form in forms:
        touched = [group for group in groups if group[0] & form.names]
        names = form.names.union(*(group[0] for group in touched))
        members = [member for group in touched for member in group[1]]
        groups = [group for group in groups if not group[0] & form.names] + [(names, [*members, form])]
    return groups


def _group(extents: dict[str, int], forms: list[Affine]) -> int:
    if len(forms) == 1 and (closed := mixed_radix(extents, forms[0])) is not None:
        return closed
    return _merge(extents, forms)


def mixed_radix(extents: dict[str, int], form: Affine) -> int | None:
    """The points where `form >= 0`, if its axes are the digits of one number: every stride is the next smaller
    stride times that digit's extent. None if they are not."""
    digits = sorted(((-value, extents[name]) for name, value in form.terms), reverse=True)
    if digits[-1][0] <= 0 or any(a != b * extent for (a, _), (b, extent) in pairwise(digits)):
        return None
    return min(form.constant // digits[-1][0] + 1, prod(extent for _, extent in digits))


def _merge(extents: dict[str, int], forms: list[Affine]) -> int:
    """Axis by axis, keeping of all partial sums only the distinct ones and how often each occurs."""
    names = list(extents)
    weights = np.array([[form[name] for form in forms] for name in names], np.int64)
    reach = weights * (np.array(list(extents.values()))[:, None] - 1)
    sums, counts = np.array([[form.constant for form in forms]], np.int64), np.ones(1, np.int64)
    for j, name in enumerate(names):
        steps = np.arange(extents[name])[:, None] * weights[j]
        sums = (sums[:, None, :] + steps).reshape(-1, len(forms))
        counts = np.repeat(counts, extents[name])
        least = np.minimum(reach[j + 1 :], 0).sum(axis=0)
        most = np.maximum(reach[j + 1 :], 0).sum(axis=0)
        possible = (sums + most >= 0).all(axis=1)
        sums, counts = np.minimum(sums[possible], -least), counts[possible]
        sums, places = np.unique(sums, axis=0, return_inverse=True)
        totals = np.zeros(len(sums), np.int64)
        np.add.at(totals, places.reshape(-1), counts)
        counts = totals
    return int(counts.sum())
