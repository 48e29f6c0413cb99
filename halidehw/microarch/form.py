"""Integer affine forms over named loops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sympy


@dataclass(frozen=True)
class Form:
    """`const + sum of coefficient * loop`; loops with coefficient 0 are absent."""

    const: int = 0
    terms: tuple[tuple[str, int], ...] = ()

    @staticmethod
    def of(const: int, coefficients: Mapping[str, int] | Iterable[tuple[str, int]] = ()) -> Form:
        items = coefficients.items() if isinstance(coefficients, Mapping) else coefficients
        total: dict[str, int] = {}
        for name, value in items:
            total[name] = total.get(name, 0) + value
        return Form(const, tuple((name, value) for name, value in total.items() if value))

    @staticmethod
    def parse(expr: sympy.Expr) -> Form:
        """A sympy expression that is affine with integer coefficients."""
        terms = sympy.sympify(expr).expand().as_coefficients_dict()
        const = int(terms.pop(sympy.Integer(1), 0))
        named = sorted((str(symbol), int(value)) for symbol, value in terms.items())
        return Form.of(const, named)

    def __getitem__(self, name: str) -> int:
        return dict(self.terms).get(name, 0)

    def __add__(self, other: Form | int) -> Form:
        if isinstance(other, int):
            return Form(self.const + other, self.terms)
        return Form.of(self.const + other.const, (*self.terms, *other.terms))

    def __neg__(self) -> Form:
        return self * -1

    def __sub__(self, other: Form | int) -> Form:
        return self + (-other)

    def __mul__(self, factor: int) -> Form:
        return Form.of(self.const * factor, [(name, value * factor) for name, value in self.terms])

    def divided(self, divisor: int) -> Form:
        """Exact division of every coefficient; the constant is floored."""
        assert all(value % divisor == 0 for _, value in self.terms)
        return Form(self.const // divisor, tuple((name, value // divisor) for name, value in self.terms))

    @property
    def loops(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.terms)

    def only(self, names: Iterable[str]) -> Form:
        """The terms in `names`, without the constant."""
        keep = set(names)
        return Form(0, tuple(term for term in self.terms if term[0] in keep))

    def at(self, values: Mapping[str, int]) -> int:
        return self.const + sum(value * values[name] for name, value in self.terms)

    def range(self, extents: Mapping[str, int]) -> tuple[int, int]:
        """Least and greatest value while every loop runs over 0 .. extent-1."""
        low = high = self.const
        for name, value in self.terms:
            reach = value * (extents[name] - 1)
            low, high = low + min(reach, 0), high + max(reach, 0)
        return low, high
