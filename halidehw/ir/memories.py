"""What the interpreter reads from: tensors outside, and buffers with a copy for each PE."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import and_
from typing import Any, Protocol

import numpy as np

from halidehw.ir.bounds import depth
from halidehw.ir.exterior import nearest
from halidehw.ir.nest import Buffer, Nest, Tensor
from halidehw.ir.symbolic import Values, evaluator
from halidehw.ir.tree import Fill
from halidehw.ir.verify import InvariantError


class Memory(Protocol):
    """A level of a tensor's memories."""

    def read(self, values: Values, index: list[Any]) -> Any:
        """The words at an index of ints or arrays."""
        ...

    def box(self, values: Values, index: list[range]) -> tuple[np.ndarray, int]:
        """The words of a box, and how many of them were accesses."""
        ...


class External:
    """A tensor in memory, `data` with dimension 0 first. `made`: which elements there are, where a stage makes them, in
    the order of arrays outside."""

    def __init__(self, tensor: Tensor, data: np.ndarray, made: np.ndarray | None = None) -> None:
        self.tensor = tensor
        self.data = data
        self.made = None if made is None else made.T

    def read(self, values: Values, index: list[Any]) -> Any:
        place = [each - low for each, low in zip(index, self.tensor.mins, strict=True)]
        if all(map(_within, place, self.tensor.extents)):
            self._check_made(tuple(place))
            return self.data[tuple(place)]
        return self._beyond(np.broadcast_arrays(*place))[0]

    def box(self, values: Values, index: list[range]) -> tuple[np.ndarray, int]:
        place = [_moved(each, low) for each, low in zip(index, self.tensor.mins, strict=True)]
        if all(map(_contained, place, self.tensor.extents)):
            self._check_made(tuple(map(_slice, place)))
            words = self.data[tuple(map(_slice, place))]
            return words, words.size
        return self._beyond(np.ix_(*place))

    def _check_made(self, place: tuple[Any, ...]) -> None:
        if self.made is not None and not self.made[place].all():
            raise InvariantError(f"{self.tensor.name} is read at an element that its stage does not make")

    def _beyond(self, place: Sequence[np.ndarray]) -> tuple[np.ndarray, int]:
        """Words of which some lie outside, and how many are accesses: an element is read, a constant is not."""
        boundary = self.tensor.boundary
        if boundary is None:
            raise InvariantError(f"{self.tensor.name} is read outside its bounds")
        sizes = self.tensor.extents
        words = self.data[tuple(nearest(boundary.kind, *each) for each in zip(place, sizes, strict=True))]
        if boundary.value is None:
            return words, words.size
        inside = reduce(and_, ((each >= 0) & (each < size) for each, size in zip(place, sizes, strict=True)))
        return np.where(inside, words, self.data.dtype.type(boundary.value)), int(inside.sum())


def _within(place: Any, size: int) -> bool:
    """Whether an int, or every element of an array, is a coordinate of a dimension."""
    return 0 <= place < size if isinstance(place, int) else bool(place.min() >= 0 and place.max() < size)


def _contained(place: range, size: int) -> bool:
    return not place or (place.start >= 0 and place[-1] < size)


def _moved(place: range, by: int) -> range:
    return range(place.start - by, place.stop - by, place.step)


def _slice(place: range) -> slice:
    return slice(place.start, place.stop, place.step)


@dataclass
class _Copy:
    """One copy of a buffer: the words, which of them hold something, the steps at which it was filled, and up to which
    index one that slides holds words."""

    data: np.ndarray
    valid: np.ndarray
    first: tuple[int, ...] = ()
    filled: tuple[int, ...] | None = None
    reach: int = 0


class Copies:
    """All copies of a buffer, one for each combination of the lanes outside it."""

    def __init__(self, nest: Nest, buffer: Buffer) -> None:
        self.buffer = buffer
        self.dtype = nest.tensor[buffer.tensor].type.dtype
        self.outer = nest.loops[: depth(nest, buffer.at)]
        self.lanes = [(loop.name, loop.min, loop.lanes) for loop in self.outer if loop.lanes > 1]
        self.copies: dict[tuple[int, ...], _Copy] = {}
        self.taken: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
        self.written = 0
        self.fetched = 0

    def copy(self, values: Values) -> _Copy:
        """The copy of the PE at these loop values."""
        lane = tuple((values[name] - low) % lanes for name, low, lanes in self.lanes)
        if lane not in self.copies:
            extents = self.buffer.extents
            self.copies[lane] = _Copy(np.zeros(extents, self.dtype), np.zeros(extents, bool))
        return self.copies[lane]

    def read(self, values: Values, index: list[Any]) -> Any:
        copy = self.copy(values)
        place = tuple(each - low for each, low in zip(index, copy.first, strict=True))
        self._check(all(map(_within, place, self.buffer.extents)) and bool(copy.valid[place].all()))
        return copy.data[place]

    def box(self, values: Values, index: list[range]) -> tuple[np.ndarray, int]:
        copy = self.copy(values)
        place = self._place(copy, index)
        self._check(bool(copy.valid[place].all()))
        words = copy.data[place]
        return words, words.size

    def fill(self, statement: Fill, source: Memory) -> Callable[[Values], None]:
        """The step that fills the copy of the PE at hand, if its tile may have moved since."""
        spans = [(evaluator(span.low), evaluator(span.high), span.step) for span in statement.spans]
        first = [evaluator(low) for low in self.buffer.mins]
        steps = [(loop.name, loop.min, loop.lanes) for loop in self.outer]
        when = len(statement.when)
        sliding = self.buffer.slide.loops if self.buffer.slide else ()
        anew = [place for place, loop in enumerate(statement.when) if loop.name not in sliding]

        def run(values: Values) -> None:
            copy = self.copy(values)
            now = tuple((values[name] - low) // lanes for name, low, lanes in steps)
            if copy.filled == now[:when]:
                return
            slides = sliding and copy.filled and all(copy.filled[place] == now[place] for place in anew)
            index = [range(low(values), high(values) + 1, step) for low, high, step in spans]
            before, copy.first = copy.first, tuple(low(values) for low in first)
            copy.filled = now[:when]
            index = self._slid(copy, before, index) if slides else self._emptied(copy, index)
            words, accesses = source.box(values, index)
            self._put(copy, index, words)
            self._count(now, index, accesses)

        return run

    def _emptied(self, copy: _Copy, index: list[range]) -> list[range]:
        copy.valid[...] = False
        if self.buffer.slide:
            copy.reach = index[self.buffer.slide.dimension][-1]
        return index

    def _slid(self, copy: _Copy, before: tuple[int, ...], index: list[range]) -> list[range]:
        """The box's new part, from the last row fetched on; what is kept moves to its new place, and nothing else is
        kept."""
        assert self.buffer.slide
        along = self.buffer.slide.dimension
        by = copy.first[along] - before[along]
        moved = [now != then for now, then in zip(copy.first, before, strict=True)]
        self._check(by > 0 and sum(moved) == 1)
        rows = (slice(None),) * along
        for held in (copy.data, copy.valid):
            held[(*rows, slice(None, -by))] = held[(*rows, slice(by, None))].copy()
        copy.valid[(*rows, slice(-by, None))] = False
        whole = index[along]
        new = range(copy.reach + whole.step, whole.stop, whole.step)
        copy.reach = max(copy.reach, whole[-1])
        return [*index[:along], new, *index[along + 1 :]]

    def _put(self, copy: _Copy, index: list[range], words: np.ndarray) -> None:
        """Rows between the last tile and this one, both cut short, pass by."""
        if self.buffer.slide:
            along = self.buffer.slide.dimension
            passed = len(range(index[along].start, copy.first[along], index[along].step))
            words = words[(slice(None),) * along + (slice(passed, None),)]
            index = [*index[:along], index[along][passed:], *index[along + 1 :]]
        place = self._place(copy, index)
        copy.data[place] = words
        copy.valid[place] = True

    def _place(self, copy: _Copy, index: list[range]) -> tuple[slice, ...]:
        place = [_moved(each, low) for each, low in zip(index, copy.first, strict=True)]
        self._check(all(map(_contained, place, self.buffer.extents)))
        return tuple(map(_slice, place))

    def _count(self, now: tuple[int, ...], index: list[range], accesses: int) -> None:
        self.written += prod(map(len, index))
        if self.lanes:
            tile = now, tuple(each.start for each in index)
            if tile in self.taken:
                return
            self.taken.add(tile)
        self.fetched += accesses

    def _check(self, holds: bool) -> None:
        if not holds:
            raise InvariantError(f"{self.buffer.name} is read or filled at a word that it does not hold")
