"""Walks seen from inside: how far an axis runs, and what tells two tiles of a walk apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, prod

from halidehw.energy_model.points import points
from halidehw.ir.affine import Affine
from halidehw.microarch.walk import Walk

Values = list[int]


@dataclass(frozen=True)
class Term:
    """An affine function of the values of a walk's outer axes: (place, weight) pairs and a constant."""

    weights: tuple[tuple[int, int], ...]
    const: int

    def at(self, values: Values) -> int:
        value = self.const
        for place, weight in self.weights:
            value += weight * values[place]
        return value


@dataclass(frozen=True)
class Trip:
    """The iterations of one axis: its extent, clipped by (term, stride): term // stride + 1."""

    extent: int
    clips: tuple[tuple[Term, int], ...]

    def at(self, values: Values) -> int:
        trip = self.extent
        for term, stride in self.clips:
            trip = min(trip, term.at(values) // stride + 1)
        return trip


@dataclass(frozen=True)
class Trait:
    """What a tile's shape knows of the outer axes: the term's value, or `low` for all from `low` to `high`."""

    term: Term
    low: int
    high: int | None = None

    def lasts(self, values: Values, weight: int) -> float:
        """How many steps it stays the same from `values` on, each of which adds a weight other than 0 to the term."""
        value = self.term.at(values)
        if not self._inside(value):
            return 0
        if weight < 0:
            return (value - self.low) // -weight
        return inf if self.high is None else (self.high - value) // weight

    def _inside(self, value: int) -> bool:
        return value >= self.low and (self.high is None or value <= self.high)


def outer_term(form: Affine, walk: Walk, depth: int) -> Term:
    """The part of a form over the walk's outer `depth` axes, its constant included."""
    weights = ((place, form[axis.name]) for place, axis in enumerate(walk.axes[:depth]))
    return Term(tuple((place, weight) for place, weight in weights if weight), form.constant)


def trips(walk: Walk) -> tuple[Trip, ...]:
    """The iterations of each axis as a function of the axes outside it."""
    return tuple(
        Trip(axis.extent, tuple((outer_term(limit.form, walk, depth), -limit.form[axis.name])
                                for limit in walk.limits if limit.form[axis.name]))
        for depth, axis in enumerate(walk.axes)
    )  # fmt: skip


def inner_points(walk: Walk, values: Values) -> int:
    """The iterations inside the given values of the outer axes."""
    depth = len(values)
    inner = walk.axes[depth:]
    names = [axis.name for axis in inner]
    if not walk.limits:
        return prod(axis.extent for axis in inner)
    forms = [limit.form.only(names) + outer_term(limit.form, walk, depth).at(values) for limit in walk.limits]
    return points(inner, forms)


def outer(walk: Walk, depth: int) -> Iterator[Values]:
    """The values of a walk's outer `depth` axes, in order."""
    made = trips(walk)

    def inside(values: Values) -> Iterator[Values]:
        if len(values) == depth:
            yield values
            return
        for value in range(made[len(values)].at(values)):
            yield from inside([*values, value])

    return inside([])
