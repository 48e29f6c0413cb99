"""Walks as they are seen from the outer axes of the process that drives them.

A driver asks its feeders for parts, these theirs, and so on. Which part a process works on, and so its shape, follows
from the driver's axes: those outside a part are common to both walks; of a line buffer the row is that at which the
reader's window stands, and some more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from halidehw.energy_model.domain import Term, Trait
from halidehw.ir.affine import Affine
from halidehw.microarch.walk import Walk


@dataclass(frozen=True)
class Span:
    """`form`, over the driver's outer axes, plus anything from `low` to `high`."""

    form: Affine
    low: int = 0
    high: int = 0

    def moved(self, low: int, high: int) -> Span:
        return Span(self.form, self.low + low, self.high + high)


@dataclass(frozen=True)
class View:
    """What a driver knows of the outer axes of `walk`: their spans by name; the others run over their extents."""

    walk: Walk
    spans: Mapping[str, Span] = field(default_factory=dict)

    def span(self, form: Affine) -> Span:
        """A form over the walk's axes."""
        total, low, high, extents = Affine((), form.constant), 0, 0, self.walk.extents
        for name, weight in form.terms:
            part = self.spans.get(name) or Span(Affine(), 0, extents[name] - 1)
            total = total + part.form * weight
            ends = weight * part.low, weight * part.high
            low, high = low + min(ends), high + max(ends)
        return Span(total, low, high)

    def shape(self) -> tuple[object, ...]:
        """What two views have in common that differ in the ends of their spans alone."""
        return tuple((name, span.form) for name, span in self.spans.items())

    def joined(self, other: View) -> View:
        """Both at once, of one shape."""
        return replace(self, spans={name: _union(span, other.spans[name]) for name, span in self.spans.items()})

    def common(self, walk: Walk, depth: int) -> View:
        """The same of a walk that has the outer `depth` axes in common with this one."""
        known = zip(walk.axes[:depth], self.walk.axes[:depth], strict=True)
        return View(walk, {axis.name: self.spans[own.name] for axis, own in known if own.name in self.spans})

    def at(self, name: str, span: Span) -> View:
        """With an axis there, if that follows from the driver's axes."""
        return replace(self, spans={**self.spans, name: span}) if span.form.terms else self


def driver(walk: Walk, depth: int) -> View:
    """A walk's own outer `depth` axes."""
    return View(walk, {axis.name: Span(Affine.variable(axis.name)) for axis in walk.axes[:depth]})


def traits(view: View, driven: Walk, places: Iterable[tuple[Affine, int | None]] = ()) -> Iterable[Trait]:
    """What the iterations of a walk depend on of the axes of `driven`, its driver.

    `places`: (form, size) whose place in 0 .. size-1 (None: from 0 on) matters too.
    """
    for limit in view.walk.limits:
        span = view.span(limit.form)
        if span.low < 0 and span.form.terms:
            yield Trait(_term(span.form, driven), -span.low)
    for form, size in places:
        span = view.span(form)
        if span.form.terms:
            yield Trait(_term(span.form, driven), -span.low, None if size is None else size - 1 - span.high)


def begun(view: View, driven: Walk, first: Iterable[str]) -> Iterable[Trait]:
    """Whether some axis of `first` has left its start."""
    span = view.span(Affine.of((axis.name, 1) for axis in view.walk.axes if axis.name in set(first)))
    if span.form.terms:
        yield Trait(_term(span.form, driven), 1 - span.low)


def _term(form: Affine, walk: Walk) -> Term:
    return Term(tuple((place, form[a.name]) for place, a in enumerate(walk.axes) if form[a.name]), form.constant)


def _union(one: Span, other: Span) -> Span:
    return Span(one.form, min(one.low, other.low), max(one.high, other.high))
