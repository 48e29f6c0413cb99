"""Affine integer forms as coefficient vectors: what lowering and hardware compute with, where sympy would be slow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class Affine:
    """`constant + sum of coefficient * name`: integers, in order of name, no coefficient zero."""

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0

    @staticmethod
    def of(terms: Iterable[tuple[str, int]], constant: int = 0) -> Affine:
        """The sum of `terms` (a name may come several times) and `constant`."""
        total: dict[str, int] = {}
        for name, coefficient in terms:
            total[name] = total.get(name, 0) + coefficient
        return Affine._total(total, constant)

    @staticmethod
    def _total(terms: Mapping[str, int], constant: int) -> Affine:
        """The sum of `terms`, each name once, and `constant`."""
        return Affine(tuple(sorted([term for term in terms.items() if term[1]])), constant)

    @staticmethod
    def variable(name: str) -> Affine:
        return Affine(((name, 1),))

    @cached_property
    def coefficients(self) -> dict[str, int]:
        return dict(self.terms)

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(self.coefficients)

    def __str__(self) -> str:
        return str(self.sympy)

    @cached_property
    def sympy(self) -> sympy.Expr:
        """The same form in the loops' symbols."""
        import sympy

        return sympy.Add(self.constant, *(c * sympy.Symbol(n, integer=True) for n, c in self.terms))

    def __getitem__(self, name: str) -> int:
        return self.coefficients.get(name, 0)

    def __add__(self, other: Affine | int) -> Affine:
        return self._plus(1, other)

    def __neg__(self) -> Affine:
        return self * -1

    def __sub__(self, other: Affine | int) -> Affine:
        return self._plus(-1, other)

    def _plus(self, factor: int, other: Affine | int) -> Affine:
        """With so many times another form."""
        if isinstance(other, int):
            return Affine(self.terms, self.constant + factor * other)
        constant = self.constant + factor * other.constant
        if not other.terms:
            return Affine(self.terms, constant)
        total = dict(self.terms)
        for name, coefficient in other.terms:
            total[name] = total.get(name, 0) + factor * coefficient
        return Affine._total(total, constant)

    def __mul__(self, factor: int) -> Affine:
        return Affine(tuple([(n, factor * c) for n, c in self.terms]) if factor else (), factor * self.constant)

    __radd__ = __add__
    __rmul__ = __mul__

    def divided(self, divisor: int) -> Affine:
        """Exact division of every coefficient; the constant is floored."""
        if divisor == 1:
            return self
        assert all(c % divisor == 0 for _, c in self.terms)
        return Affine(tuple([(n, c // divisor) for n, c in self.terms]), self.constant // divisor)

    def only(self, names: Iterable[str]) -> Affine:
        """The terms in `names`, without the constant."""
        if not self.terms:
            return Affine()
        keep = names if isinstance(names, dict | frozenset | set) else set(names)
        return Affine(tuple([term for term in self.terms if term[0] in keep]))

    def substitute(self, values: Mapping[str, Affine]) -> Affine:
        """Every name that `values` has, replaced."""
        if not any(name in values for name, _ in self.terms):
            return self
        terms: list[tuple[str, int]] = []
        constant = self.constant
        for name, coefficient in self.terms:
            value = values.get(name, Affine(((name, 1),)))
            terms += ((n, coefficient * c) for n, c in value.terms)
            constant += coefficient * value.constant
        return Affine.of(terms, constant)

    def at(self, values: Mapping[str, int]) -> int:
        return self.constant + sum(c * values[n] for n, c in self.terms)

    def over(self, extents: Mapping[str, int]) -> list[int]:
        """The values where every name in `extents` runs over 0 .. extent - 1, the last one fastest; others are 0."""
        found = [self.constant]
        for name, extent in extents.items():
            step = self[name]
            found = [value + step * i for value in found for i in range(extent)]
        return found

    def range(self, ranges: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
        """The least and the greatest value over a box: name -> (least, greatest). Exact."""
        low = high = self.constant
        for name, coefficient in self.terms:
            first, last = name.range(ranges) if isinstance(name, Part) else ranges[name]
            low += coefficient * (first if coefficient > 0 else last)
            high += coefficient * (last if coefficient > 0 else first)
        return low, high

    def range_over(self, extents: Mapping[str, int]) -> tuple[int, int]:
        """`range` where every name runs over 0 .. extent - 1."""
        return self.range({name: (0, extents[name] - 1) for name, _ in self.terms})


class Part(str):
    """The quotient, rounded down, or the remainder of a form by a positive number, as a name in other forms."""

    form: Affine
    divisor: int
    remainder: bool

    @staticmethod
    def of(form: Affine, divisor: int, remainder: bool) -> Part:
        part = Part(f"({form}) {'%' if remainder else '/'} {divisor}")
        part.form, part.divisor, part.remainder = form, divisor, remainder
        return part

    def range(self, ranges: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
        """The least and the greatest value over a box."""
        low, high = self.form.range(ranges)
        first, last = low // self.divisor, high // self.divisor
        if not self.remainder:
            return first, last
        return (low % self.divisor, high % self.divisor) if first == last else (0, self.divisor - 1)
