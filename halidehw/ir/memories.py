"""What the interpreter reads from: tensors outside, and buffers with a copy for each PE."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, Protocol

import numpy as np

from halidehw.ir.bounds import depth
from halidehw.ir.nest import Buffer, Nest, Tensor
from halidehw.ir.symbolic import Values, evaluator
from halidehw.ir.tree import Fill
from halidehw.ir.verify import InvariantError


class Memory(Protocol):
    """A level of a tensor's memories."""

    def read(self, values: Values, index: list[Any]) -> Any:
        """The words at an index of ints or arrays."""
        ...

    def box(self, values: Values, index: list[np.ndarray]) -> tuple[np.ndarray, int]:
        """The box of words at `index`, its coordinates per dimension, and how many of them were accesses."""
        ...


class External:
    """A tensor in memory, `data` with dimension 0 first."""

    def __init__(self, tensor: Tensor, data: np.ndarray) -> None:
        self.tensor = tensor
        self.data = data

    def read(self, values: Values, index: list[Any]) -> Any:
        place, inside = self._locate(index)
        words = self.data[tuple(place)]
        if all(np.all(each) for each in inside):
            return words
        whole = np.True_
        for each in inside:
            whole = whole & each
        return self._outside(words, whole)

    def box(self, values: Values, index: list[np.ndarray]) -> tuple[np.ndarray, int]:
        place, inside = self._locate(index)
        words = self.data[np.ix_(*place)]
        if all(each.all() for each in inside):
            return words, words.size
        whole = np.logical_and.reduce(np.meshgrid(*inside, indexing="ij"))
        edge = self.tensor.boundary is not None and self.tensor.boundary.value is None
        return self._outside(words, whole), words.size if edge else int(whole.sum())

    def _locate(self, index: list[Any]) -> tuple[list[Any], list[Any]]:
        """Coordinates moved into the tensor, and whether they were inside."""
        offsets = [each - low for each, low in zip(index, self.tensor.mins, strict=True)]
        sizes = self.tensor.extents
        inside = [(offset >= 0) & (offset < size) for offset, size in zip(offsets, sizes, strict=True)]
        return [np.clip(offset, 0, size - 1) for offset, size in zip(offsets, sizes, strict=True)], inside

    def _outside(self, words: Any, inside: Any) -> Any:
        boundary = self.tensor.boundary
        if boundary is None:
            raise InvariantError(f"{self.tensor.name} is read outside its bounds")
        return words if boundary.value is None else np.where(inside, words, self.data.dtype.type(boundary.value))


@dataclass
class _Copy:
    """One copy of a buffer: the words, which of them hold something, and the steps at which it was filled."""

    data: np.ndarray
    valid: np.ndarray
    first: tuple[int, ...] = ()
    filled: tuple[int, ...] | None = None


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
        self._check(place, self.buffer.extents)
        if not np.all(copy.valid[place]):
            raise InvariantError(f"{self.buffer.name} is read where nothing was filled in")
        return copy.data[place]

    def box(self, values: Values, index: list[np.ndarray]) -> tuple[np.ndarray, int]:
        words = self.read(values, list(np.ix_(*index)))
        return words, words.size

    def fill(self, statement: Fill, source: Memory) -> Callable[[Values], None]:
        """The step that fills the copy of the PE at hand, if its tile may have moved since."""
        spans = [(evaluator(span.low), evaluator(span.high), span.step) for span in statement.spans]
        first = [evaluator(low) for low in self.buffer.mins]
        steps = [(loop.name, loop.min, loop.lanes) for loop in self.outer]
        when = len(statement.when)

        def run(values: Values) -> None:
            copy = self.copy(values)
            now = tuple((values[name] - low) // lanes for name, low, lanes in steps)
            if copy.filled == now[:when]:
                return
            index = [np.arange(low(values), high(values) + 1, step) for low, high, step in spans]
            copy.first = tuple(low(values) for low in first)
            copy.filled = now[:when]
            words, accesses = source.box(values, index)
            self._put(copy, index, words)
            self._count(now, index, accesses)

        return run

    def _put(self, copy: _Copy, index: list[np.ndarray], words: np.ndarray) -> None:
        place = np.ix_(*(each - low for each, low in zip(index, copy.first, strict=True)))
        self._check(place, self.buffer.extents)
        copy.data[place] = words
        copy.valid[...] = False
        copy.valid[place] = True

    def _count(self, now: tuple[int, ...], index: list[np.ndarray], accesses: int) -> None:
        self.written += prod(each.size for each in index)
        tile = now, tuple(int(each[0]) for each in index)
        if tile not in self.taken:
            self.fetched += accesses
            if self.lanes:
                self.taken.add(tile)

    def _check(self, place: tuple[Any, ...], extents: tuple[int, ...]) -> None:
        for each, extent in zip(place, extents, strict=True):
            if np.any(each < 0) or np.any(each >= extent):
                raise InvariantError(f"{self.buffer.name} is accessed outside its {'x'.join(map(str, extents))} words")
