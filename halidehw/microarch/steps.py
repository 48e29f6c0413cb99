"""Walks step by step, as arrays: for what is decided by going through all of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from halidehw.ir.affine import Affine
from halidehw.microarch.walk import Walk

Steps = dict[str, np.ndarray]
"""The values of a walk's axes, shape (steps,) each, in the order of its steps."""


def steps_of(walk: Walk) -> Steps:
    """All iterations of a walk in order; one of no axes has an axis without a name, and one step."""
    places = np.indices(tuple(axis.extent for axis in walk.axes) or (1,)).reshape(max(len(walk.axes), 1), -1)
    values = dict(zip([axis.name for axis in walk.axes] or [""], places, strict=True))
    inside = np.full(places.shape[1], True)
    for limit in walk.limits:
        inside &= at(limit.form, values) >= 0
    return {name: place[inside] for name, place in values.items()}


def count(steps: Steps) -> int:
    return len(next(iter(steps.values())))


def at(form: Affine, steps: Steps) -> np.ndarray:
    """The value of a form in each step."""
    total = np.full(count(steps), form.constant)
    for name, weight in form.terms:
        total = total + weight * steps[name]
    return total


def tiles(steps: Steps, outer: Iterable[str]) -> np.ndarray:
    """Of each step the number of its iteration of the outer axes."""
    moved = np.zeros(count(steps), bool)
    for name in outer:
        moved[1:] |= steps[name][1:] != steps[name][:-1]
    return np.cumsum(moved)
