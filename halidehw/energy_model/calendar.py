"""When a port that several processes share is taken."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from math import inf
from typing import NamedTuple

import numpy as np

FEW = 32
"""Times that are moved one by one."""


class Taken(NamedTuple):
    """The cycles from `start` to before `end`; with a `pattern` those of it, again and again, each `period` cycles."""

    start: int
    end: int
    pattern: tuple[Taken, ...] = ()
    period: int = 0

    @property
    def free(self) -> int:
        """Cycles of each period, or of all, that are free."""
        return self.period - sum(each.end - each.start - each.room for each in self.pattern) if self.period else 0

    @property
    def room(self) -> int:
        """Cycles that are free, of all."""
        return self.free * self.times

    @property
    def times(self) -> int:
        return (self.end - self.start) // self.period if self.period else 1

    def moved(self, by: int) -> Taken:
        return Taken(self.start + by, self.end + by, self.pattern, self.period)

    def apart(self, time: int) -> Iterator[Taken]:
        """The same, of which none lies on both sides of a time inside, and none that repeats begins before it and ends
        after a period from it."""
        if not self.period:
            yield from (Taken(a, b) for a, b in ((self.start, time), (time, self.end)) if a < b)
            return
        first = self.start + (time - self.start) // self.period * self.period
        after = first + self.period
        yield from self._part(self.start, first)
        yield from (each.moved(first) for each in self.pattern)
        yield from self._part(after, self.end)

    def _part(self, start: int, end: int) -> Iterator[Taken]:
        if start < end:
            yield Taken(start, end, self.pattern, self.period)


Since = tuple[bytes, tuple["Pattern", ...]]
"""What is taken: each one's start and end, int64, by times from another than the run's start; and which repeats how."""

Pattern = tuple[tuple[Taken, ...], int]
"""That and the period of one that is taken, as `Taken` has it."""

ONCE: Pattern = ((), 0)
"""Of one that does not repeat: this object, and no other like it."""


class Calendar:
    """The cycles of a port that are taken. What asks later, in the order of a nest, takes what was left.

    A loop whose state repeats takes the same cycles in each period; these are kept as one (`Taken.pattern`).
    """

    def __init__(self) -> None:
        self._starts, self._ends = array("q"), array("q")
        self._patterns: list[Pattern] = []

    def _at(self, place: int) -> Taken:
        return Taken(self._starts[place], self._ends[place], *self._patterns[place])

    def take(self, time: int, count: int) -> int:
        """The first `count` cycles that are free from `time` on; the last of them."""
        begin, at = time, self._open(time)
        now = time
        if at < len(self._ends) and self._starts[at] < time:
            begin, now = self._starts[at], self._ends[at]
        elif at and self._ends[at - 1] == time:
            at -= 1
            repeats = self._patterns[at] is not ONCE
            begin = begin if repeats else self._starts[at]
            at += repeats
        until = at
        while until < len(self._ends) and count:
            start = self._starts[until]
            if now < start:
                some = min(count, start - now)
                now, count = now + some, count - some
                continue
            if self._patterns[until] is not ONCE and (each := self._at(until)).free:
                whole = min((count - 1) // each.free, each.times)
                if whole < each.times:
                    self._set(until, until + 1, each.apart(each.start + whole * each.period))
                    if whole:
                        now, count = each.start + whole * each.period, count - whole * each.free
                        until += 1
                    continue
                count -= each.room
            now, until = max(now, self._ends[until]), until + 1
        end = now + count
        while until < len(self._ends) and self._starts[until] <= end and self._patterns[until] is ONCE:
            end_of = self._ends[until]
            if self._starts[until] == end or end_of > end:
                self._put(at, until + 1, begin, max(end, end_of))
                return end - 1
            until += 1
        self._put(at, until, begin, end)
        return end - 1

    def put(self, time: int, count: int) -> bool:
        """Exactly these cycles; whether they were free."""
        return self.take(time, count) == time + count - 1

    def since(self, time: int, base: int) -> Since:
        """What is taken from `time` on, times from `base`."""
        at = self._cut(time)
        times, repeats = self._starts[at:] + self._ends[at:], self._patterns[at:]
        return _moved(times, -base), () if repeats.count(ONCE) == len(repeats) else tuple(repeats)

    def restore(self, time: int, base: int, taken: Since) -> None:
        """From `time` on what `since` said."""
        at, (since, repeats) = self._cut(time), taken
        times = array("q", _moved(array("q", since), base))
        many = len(times) // 2
        self._starts[at:], self._ends[at:] = times[:many], times[many:]
        self._patterns[at:] = repeats or [ONCE] * many

    def repeat(self, start: int, end: int, times: int) -> None:
        """What is taken from `start` to before `end` so often more, and what comes after it that much later."""
        first, after = self._cut(start), self._cut(end)
        first = self._cut(start)
        pattern = tuple(self._at(place).moved(-start) for place in range(first, after))
        later = [self._at(place).moved(times * (end - start)) for place in range(after, len(self._ends))]
        again = [Taken(start, end + times * (end - start), pattern, end - start)] if pattern else []
        self._set(first, len(self._ends), [*again, *later])

    def _open(self, time: int) -> int:
        """The place of the first that ends after a time, which is not inside of one that repeats."""
        at = bisect_right(self._ends, time)
        while at < len(self._ends) and self._patterns[at] is not ONCE and self._starts[at] < time:
            self._set(at, at + 1, self._at(at).apart(time))
            at = bisect_right(self._ends, time)
        return at

    def _cut(self, time: int) -> int:
        """The place of the first that begins at a time or later; none lies on both sides of it."""
        at = self._open(time)
        if at < len(self._ends) and self._starts[at] < time:
            self._set(at, at + 1, self._at(at).apart(time))
            at += 1
        return at

    def _put(self, first: int, end: int, start_of: int, end_of: int) -> None:
        """One that does not repeat instead of those from `first` to before `end`."""
        if end == first:
            self._starts.insert(first, start_of)
            self._ends.insert(first, end_of)
            self._patterns.insert(first, ONCE)
            return
        self._starts[first], self._ends[first], self._patterns[first] = start_of, end_of, ONCE
        if end > first + 1:
            del self._starts[first + 1 : end], self._ends[first + 1 : end], self._patterns[first + 1 : end]

    def _set(self, first: int, end: int, taken: Iterator[Taken] | Sequence[Taken]) -> None:
        made = list(taken)
        self._starts[first:end] = array("q", [each.start for each in made])
        self._ends[first:end] = array("q", [each.end for each in made])
        self._patterns[first:end] = [(each.pattern, each.period) if each.period else ONCE for each in made]

    def cycles(self, until: float = inf) -> Iterator[int]:
        """All cycles that are taken, rising, before `until`."""
        every = (self._at(place) for place in range(len(self._ends)))
        yield from (cycle for each in every for cycle in _cycles(each, 0) if cycle < until)


def _moved(times: array[int], by: int) -> bytes:
    """Times that much later; of a few Python is faster."""
    if len(times) <= FEW:
        return array("q", [time + by for time in times]).tobytes()
    return bytes((np.frombuffer(times, np.int64) + by).tobytes())


def _cycles(taken: Taken, by: int) -> Iterator[int]:
    if not taken.period:
        yield from range(taken.start + by, taken.end + by)
        return
    for begin in range(taken.start, taken.end, taken.period):
        for each in taken.pattern:
            yield from _cycles(each, begin + by)
