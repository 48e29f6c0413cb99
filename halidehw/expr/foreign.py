"""What takes the place of NumPy's functions, and of what Python decides itself, where they meet an expression."""

from __future__ import annotations

import re

from halidehw.errors import AlgorithmError, user_line
from halidehw.expr.written import code

REFLECTED = {
    "add": "__radd__", "subtract": "__rsub__", "multiply": "__rmul__", "divide": "__rtruediv__",
    "floor_divide": "__rfloordiv__", "remainder": "__rmod__", "power": "__rpow__",
    "left_shift": "__rlshift__", "right_shift": "__rrshift__",
    "bitwise_and": "__rand__", "bitwise_or": "__ror__", "bitwise_xor": "__rxor__",
    "equal": "__eq__", "not_equal": "__ne__",
    "less": "__gt__", "less_equal": "__ge__", "greater": "__lt__", "greater_equal": "__le__",
}  # fmt: skip
"""NumPy's name of an operator -> the method of its second operand."""

_FUNCTIONS = {"maximum": "max", "minimum": "min", "absolute": "abs", "clip": "clamp"}
"""NumPy's functions that have another name here."""

_CHOSEN = {"gt": "max", "lt": "min"}
"""Python's functions by the comparison with which they choose."""

_OWN = re.compile(r"(?<![.\w])(cast|U?Int|Bool|select|max|min|abs)\(")


def no_function(name: str, expr: str, operands: tuple[object, ...]) -> AlgorithmError:
    """Why NumPy's function `name` does not take the operands, of which `expr` is one."""
    own = _FUNCTIONS.get(name)
    legal = (f"hl.{own}({', '.join(map(_pasted, operands))})",) if own else ()
    return AlgorithmError(f"np.{name} computes with arrays, and {expr} is an expression", legal=legal)


def no_truth_value(expr: str, condition: str, op: str, operands: tuple[str, ...]) -> AlgorithmError:
    """Why Python's `max`, `min`, `if` and `and` cannot ask whether `expr` holds, which is `op` of the operands;
    `condition`: the same as a bool."""
    own, place = _CHOSEN.get(op), user_line()
    if own and place and re.search(rf"(?<![.\w]){own}\(", place.text):
        legal = [f"hl.{own}({', '.join(map(_pasted, reversed(operands)))})"]
    else:
        legal = [f"hl.select({_pasted(condition)}, ..., ...)", f"{_pasted(condition)} & (...)"]
    return AlgorithmError(f"{expr} has no truth value while the algorithm is being built", legal=legal)


def _pasted(operand: object) -> str:
    """An operand as a program writes it where Python's own `max` and `min` have these names."""
    return _OWN.sub(r"hl.\1(", code(operand))
