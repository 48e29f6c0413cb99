"""What decisions compute with: integers for a design, terms that stand for positive ones for the formulas of many."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any, Protocol, TypeVar

N = TypeVar("N", bound=Any)
"""A positive integer, or what stands for one; it can be added to others."""


class Arithmetic(Protocol[N]):
    """What a decision may ask of its numbers."""

    def least(self, a: N | int, b: N | int) -> N: ...

    def greatest(self, a: N | int, b: N | int) -> N: ...

    def quotient(self, a: N | int, b: N | int) -> N:
        """a / b rounded down."""

    def rounds(self, a: N | int, b: N | int) -> N:
        """a / b rounded up."""

    def more(self, a: N | int, b: N | int) -> N:
        """1 where a > b, else 0."""

    def product(self, values: Iterable[N]) -> N: ...


class Integers:
    """The arithmetic of integers."""

    def least(self, a: int, b: int) -> int:
        return min(a, b)

    def greatest(self, a: int, b: int) -> int:
        return max(a, b)

    def quotient(self, a: int, b: int) -> int:
        return a // b

    def rounds(self, a: int, b: int) -> int:
        return -(-a // b)

    def more(self, a: int, b: int) -> int:
        return int(a > b)

    def product(self, values: Iterable[int]) -> int:
        return prod(values)


INTEGERS: Arithmetic[Any] = Integers()
