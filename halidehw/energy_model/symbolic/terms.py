"""Integer expressions in sympy, each subexpression named once, and how NumPy evaluates them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
import sympy
from sympy.printing.numpy import NumPyPrinter

Value: TypeAlias = int | sympy.Expr
"""A count: a number, or an expression in the factors and in names that `Terms` has defined."""


class Terms:
    """Expressions over positive integers. What is asked for twice is one symbol: `definitions` says, in order, what
    each stands for. Nothing is simplified, which would take longer than all the rest."""

    def __init__(self) -> None:
        self.definitions: dict[sympy.Expr, sympy.Symbol] = {}
        self.functions: dict[str, Callable[..., np.ndarray]] = {}

    def named(self, value: Value) -> Value:
        """`value` as a symbol, where it is more than one already."""
        if isinstance(value, int) or value.is_Atom:
            return int(value) if isinstance(value, sympy.Integer) else value
        if value not in self.definitions:
            self.definitions[value] = sympy.Symbol(f"_{len(self.definitions)}")
        return self.definitions[value]

    def least(self, a: Value, b: Value) -> Value:
        if isinstance(a, int) and isinstance(b, int):
            return min(a, b)
        return self.named(sympy.Min(a, b, evaluate=False))

    def greatest(self, a: Value, b: Value) -> Value:
        return self.named(a + self.product((self.more(b, a), b - a)))

    def quotient(self, a: Value, b: Value) -> Value:
        """a / b rounded down."""
        if b == 1 or (isinstance(a, int) and isinstance(b, int)):
            return a if b == 1 else a // int(b)
        return self.named(sympy.floor(a / sympy.sympify(b), evaluate=False))

    def remainder(self, a: Value, b: Value) -> Value:
        if b == 1 or (isinstance(a, int) and isinstance(b, int)):
            return 0 if b == 1 else a % int(b)
        return self.named(sympy.Mod(a, b, evaluate=False))

    def rounds(self, a: Value, b: Value) -> Value:
        """a / b rounded up."""
        return self.quotient(a + b - 1, b)

    def product(self, values: Iterable[Value]) -> Value:
        return reduce(lambda a, b: self.named(a * b), values, 1)

    def more(self, a: Value, b: Value) -> Value:
        """1 where a > b, else 0."""
        if isinstance(a, int) and isinstance(b, int):
            return int(a > b)
        return self.least(1, self.named(sympy.Max(0, a - b, evaluate=False)))

    def equal(self, a: Value, b: Value) -> Value:
        """1 where a == b, else 0."""
        return self.named((1 - self.more(a, b)) * (1 - self.more(b, a)))

    def call(self, function: Callable[..., np.ndarray], arguments: Sequence[Value]) -> Value:
        """A function of integers that has no formula."""
        name = f"inside_{len(self.functions)}"
        self.functions[name] = function
        return self.named(sympy.Function(name)(*arguments))

    def negation(self, truth: Value) -> Value:
        return self.named(1 - truth)

    def expanded(self, value: Value) -> sympy.Expr:
        """`value` with every name replaced by what it stands for."""
        meaning: dict[sympy.Symbol, sympy.Expr] = {}
        for expression, symbol in self.definitions.items():
            meaning[symbol] = expression.xreplace(meaning)
        return sympy.sympify(value).xreplace(meaning)

    def function(self, arguments: Sequence[sympy.Symbol], values: Sequence[Value]) -> Callable[..., list[Any]]:
        """`values` as a function of NumPy arrays of int64, exact as long as they fit."""
        cuts = [(symbol, expression) for expression, symbol in self.definitions.items()]
        return sympy.lambdify(
            list(arguments),
            [sympy.sympify(value) for value in values],
            modules=[{"numpy": np, **self.functions}],
            printer=_IntegerPrinter,
            cse=lambda expressions: (cuts, expressions),
        )


class _IntegerPrinter(NumPyPrinter):
    """Divisions stay in integers."""

    def _print_floor(self, expr: sympy.floor) -> str:
        numerator, denominator = expr.args[0].as_numer_denom()
        return f"(({self._print(numerator)}) // ({self._print(denominator)}))"

    def _print_Function(self, expr: sympy.Function) -> str:
        return f"{expr.func.__name__}({', '.join(map(self._print, expr.args))})"

    def _print_Mod(self, expr: sympy.Mod) -> str:
        return "(({}) % ({}))".format(*map(self._print, expr.args))

    def _print_Min(self, expr: sympy.Min) -> str:
        return reduce(lambda a, b: f"numpy.minimum({a}, {b})", map(self._print, expr.args))

    def _print_Max(self, expr: sympy.Max) -> str:
        return reduce(lambda a, b: f"numpy.maximum({a}, {b})", map(self._print, expr.args))
