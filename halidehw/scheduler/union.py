"""What the memories of a stage hold that several others read: in each of them the same part at a time.

A part is the box of what all readers need at a time. Where rows pass through line buffers, the time of a reader whose
rows pass too is that of its newest row: it runs ahead of what reads it by its window. So the memory of a reader that
lags behind holds the rows that the others have taken already and it has not: the depth of a reconvergent path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import gcd

from halidehw.errors import HardwareError
from halidehw.frontend.directives import Place
from halidehw.ir.affine import Affine
from halidehw.ir.bounds import Span, box, depth
from halidehw.ir.nest import Buffer, Nest
from halidehw.scheduler.proposals import at_root

Index = tuple[Affine, ...]


@dataclass(frozen=True)
class Pace:
    """The row that a stage computes when its consumer takes a step: rows * step + ahead, counted from its first."""

    rows: int = 1
    ahead: int = 0

    def after(self, consumer: Pace) -> Pace:
        """The same where the consumer's step is itself such a row."""
        return Pace(self.rows * consumer.rows, self.rows * consumer.ahead + self.ahead)


@dataclass(frozen=True)
class Reader:
    """A stage that reads a tensor, and the pace of the loop at which its memory lies."""

    nest: Nest
    tensor: str
    pace: Pace

    @property
    def buffer(self) -> Buffer:
        return self.nest.levels(self.tensor)[0]

    @property
    def reads(self) -> tuple[Index, ...]:
        return tuple(each.indices for each in self.nest.reads if each.tensor == self.tensor)

    @property
    def spans(self) -> list[Span]:
        """What it reads itself at a time."""
        return box(self.reads, self.nest, depth(self.nest, self.buffer.at))

    def moving(self, form: Affine) -> Affine:
        """A form without the loops of one step, which move nothing apart."""
        return form.substitute({loop.name: Affine((), loop.min) for loop in self.nest.loops if loop.extent == 1})


def beyond(place: Place, readers: Sequence[Reader]) -> tuple[tuple[Index, ...], ...]:
    """For each reader the first and the last index of what its memory holds, over its loops, and between them one that
    is a step from the first, where that says which words lie there. Raises `HardwareError` where the parts of the
    readers are no boxes that lie alike."""
    slides = [reader.buffer.slide for reader in readers]
    rows = next((slide.dimension for slide in slides if slide), None)
    if any((slide.dimension if slide else None) != rows for slide in slides):
        raise _refused(place, readers, "it passes by rows in one of them and as a whole, or by other rows, in another")
    spans = [reader.spans for reader in readers]
    first: list[list[int]] = []
    last: list[list[int]] = []
    next_: list[list[int]] = []
    for dimension in range(len(spans[0])):
        here = [span[dimension] for span in spans]
        if dimension == rows:
            starts = [_start(reader, span) for reader, span in zip(readers, here, strict=True)]
            ends = [_ahead(place, readers, reader, span) for reader, span in zip(readers, here, strict=True)]
        else:
            starts = [span.first for span in here]
            ends = [span.first + span.size for span in here]
            starts, ends = ([reader.moving(form) for reader, form in zip(readers, each, strict=True)]
                            for each in (starts, ends))  # fmt: skip
            if len({_cuts(span) for span in here}) > 1:
                raise _refused(place, readers, f"in dimension {dimension} their parts are cut off differently")
        if len({form.terms for form in starts}) > 1:
            raise _refused(place, readers, f"in dimension {dimension} their parts move apart")
        first.append([min(form.constant for form in starts) - form.constant for form in starts])
        last.append([max(form.constant for form in ends) - form.constant for form in ends])
        offsets = (form.constant - starts[0].constant for form in starts)
        moved = (slide.step for slide in slides if slide and dimension == rows)
        step = gcd(*(span.step for span in here if span.size > 1), *offsets, *moved)
        own = [gcd(span.step if span.size > 1 else 0, low, high)
               for span, low, high in zip(here, first[-1], last[-1], strict=True)]  # fmt: skip
        next_.append([low + (step if each > step else 0) for low, each in zip(first[-1], own, strict=True)])
    return tuple(
        tuple(dict.fromkeys((
            _shifted(reader, [by[k] for by in first], False),
            _next(reader, [by[k] for by in first], [by[k] for by in next_], [by[k] for by in last]),
            _shifted(reader, [by[k] for by in last], True),
        )))
        for k, reader in enumerate(readers)
    )  # fmt: skip


def _shifted(reader: Reader, by: Sequence[int], end: bool) -> Index:
    """In each dimension that of its own indices which begins first or ends last, moved."""
    each = [(read, box([read], reader.nest, depth(reader.nest, reader.buffer.at))) for read in reader.reads]
    found = []
    for dimension, shift in enumerate(by):
        ends = {read[dimension]: _end(spans[dimension], end) for read, spans in each}
        found.append((max if end else min)(ends, key=ends.__getitem__) + shift)
    return tuple(found)


def _next(reader: Reader, first: Sequence[int], next_: Sequence[int], last: Sequence[int]) -> Index:
    """The index that begins first, moved on; where that would go past the last one, only as it is at first."""
    moved = _shifted(reader, next_, False)
    pairs = zip(first, next_, last, strict=True)
    past = [end < there != begin for begin, there, end in pairs]
    return tuple(span.first + by if each else index
                 for span, index, by, each in zip(reader.spans, moved, next_, past, strict=True))  # fmt: skip


def _end(span: Span, last: bool) -> int:
    return span.first.constant + (span.size if last else 0)


def _start(reader: Reader, span: Span) -> Affine:
    """The first row that it reads at all, given the loops outside those along which it slides."""
    slide = reader.buffer.slide
    assert slide
    return span.first.substitute({name: Affine((), reader.nest.loop[name].min) for name in slide.loops})


def _ahead(place: Place, readers: Sequence[Reader], reader: Reader, span: Span) -> Affine:
    """One past the row that it reads at the first step of the place."""
    slide = reader.buffer.slide
    assert slide
    moved = {other.pace.rows * other.buffer.slide.step for other in readers if other.buffer.slide}
    if len(moved) > 1:
        raise _refused(place, readers, "they take its rows at different paces")
    return _start(reader, span) + span.size + slide.step * reader.pace.ahead


def _cuts(span: Span) -> frozenset[Affine]:
    """How its end is cut off at the ends of the loops outside."""
    return frozenset(limit - (span.size - 1) for limit in span.limits if limit.terms)


def _refused(place: Place, readers: Sequence[Reader], why: str) -> HardwareError:
    names = " and ".join(reader.nest.name for reader in readers)
    return HardwareError(
        f"{place}: {names} read {place.tensor}, but {why}",
        legal=(at_root(place),),
        source=place.source,
    )


def paced(pace: Mapping[tuple[str, str], Pace], place: Place) -> Pace:
    """That of the loop of a place."""
    consumer, var = getattr(place, "consumer", ""), getattr(place, "var", "")
    return pace.get((consumer, var), Pace())
