"""Decisions: where random designs come from, so that one generator serves hypothesis, seeds and shrinking."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from hypothesis import strategies as st

Item = TypeVar("Item")


@dataclass
class Choices:
    """A stream of decisions, each a whole number in a range. `taken`: how far above its least each one was.

    The first option of a choice is its simplest: lower numbers make simpler designs.
    """

    source: Callable[[int, int], int]
    taken: list[int] = field(default_factory=list)

    def number(self, low: int, high: int) -> int:
        value = self.source(low, high)
        self.taken.append(value - low)
        return value

    def pick(self, options: Sequence[Item]) -> Item:
        return options[self.number(0, len(options) - 1)]

    def chance(self, one_in: int) -> bool:
        return self.number(0, one_in - 1) == one_in - 1

    def some(self, options: Sequence[Item], most: int) -> list[Item]:
        """Up to `most` of the options, each once."""
        left = list(options)
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(min(self.number(0, most), len(left)))]

    def shuffled(self, options: Sequence[Item]) -> list[Item]:
        left = list(options)
        return [left.pop(self.number(0, len(left) - 1)) for _ in options]


def seeded(seed: int) -> Choices:
    return Choices(random.Random(seed).randint)


def replayed(taken: Sequence[int]) -> Choices:
    """The decisions `taken` again, as far as they fit the ranges now asked for; the simplest after the last one."""
    left = iter(taken)
    return Choices(lambda low, high: low + min(next(left, 0), high - low))


@st.composite
def choices(draw: st.DrawFn) -> Choices:
    return Choices(lambda low, high: draw(st.integers(low, high)))


def simpler(taken: list[int]) -> Iterator[list[int]]:
    """Shorter and lower sequences of decisions, the boldest first."""
    for size in (64, 16, 8, 4, 2, 1):
        for at in range(0, len(taken), size):
            yield taken[:at] + taken[at + size :]
    for lower in (lambda value: 0, lambda value: value // 2, lambda value: value - 1):
        for at, value in enumerate(taken):
            if lower(value) < value:
                yield [*taken[:at], max(lower(value), 0), *taken[at + 1 :]]
