"""Forms and sympy expressions over loops as fast functions of the loops' values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from halidehw.ir.affine import Affine

if TYPE_CHECKING:
    import sympy

Values = dict[str, Any]
"""Loop name -> its value: an int, or an array of several values."""


def evaluator(expr: Affine | sympy.Expr) -> Callable[[Values], Any]:
    """`expr` as a function of the loops' values, in exact integers."""
    return eval(f"lambda values: {_source(expr)}")


def _source(expr: Affine | sympy.Expr) -> str:
    import sympy

    match expr:
        case Affine():
            terms = [f"({factor}) * values[{name!r}]" for name, factor in expr.terms]
            return " + ".join([f"({expr.constant})", *terms])
        case sympy.Integer():
            return f"({int(expr)})"
        case sympy.Symbol():
            return f"values[{expr.name!r}]"
        case sympy.Add():
            return f"({' + '.join(map(_source, expr.args))})"
        case sympy.Mul():
            return "*".join(map(_source, expr.args))
        case sympy.Min() | sympy.Max():
            return f"{type(expr).__name__.lower()}({', '.join(map(_source, expr.args))})"
        case sympy.floor():
            numerator, denominator = expr.args[0].as_numer_denom()
            return f"({_source(numerator)} // {_source(denominator)})"
    raise ValueError(f"no function for {expr}")
