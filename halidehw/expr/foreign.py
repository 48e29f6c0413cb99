"""What takes the place of NumPy's functions, and of what Python decides itself, where they meet an expression; and of
operators, where they meet a function on the grid."""

from __future__ import annotations

import re
from typing import NoReturn

from halidehw.errors import AlgorithmError, TypeMismatch, user_line
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

_CHOOSING = re.compile(r"(?<![.\w])(max|min)\(")
"""Python's functions that choose by comparing."""


def no_function(name: str, expr: str, operands: tuple[object, ...]) -> AlgorithmError:
    """Why NumPy's function `name` does not take the operands, of which `expr` is one."""
    own = _FUNCTIONS.get(name)
    legal = (f"{own}({', '.join(map(code, operands))})",) if own else ()
    return AlgorithmError(f"np.{name} computes with arrays, and {expr} is an expression", legal=legal)


def no_truth_value(expr: str, condition: str, op: str, operands: tuple[str, ...]) -> AlgorithmError:
    """Why Python's `max`, `min`, `if` and `and` cannot ask whether `expr` holds, which is `op` of the operands;
    `condition`: the same as a bool."""
    place = user_line()
    own = set(_CHOOSING.findall(place.text)) if op in ("gt", "lt") and place else set()
    if len(own) == 1:
        legal = [f"{own.pop()}({', '.join(map(code, reversed(operands)))})"]
    else:
        legal = [f"select({code(condition)}, ..., ...)", f"{code(condition)} & (...)"]
    return AlgorithmError(f"{expr} has no truth value while the algorithm is being built", legal=legal)


def no_number(expr: str) -> AlgorithmError:
    """Why `expr` is no index of a Python list, no `range`, nothing for Python's own functions of numbers."""
    return AlgorithmError(
        f"{expr} is no number while the algorithm is being built; what it chooses from is an input, or a few values",
        legal=(f'Buffer(array, "table")[{code(expr)}]', f"mux({code(expr)}, [1, 2, 3])"),
    )


class Pointwise:
    """What has a value at each point of a grid, and is none itself."""

    name: str
    __slots__ = ()

    @property
    def point(self) -> str:
        """A value of it, as code."""
        raise NotImplementedError

    def no_value(self) -> AlgorithmError:
        """Why it does not stand where a value has to."""
        return AlgorithmError(f"{self.name} is no value; it has one at each point", legal=(self.point,))

    def _refused(self, *_: object) -> NoReturn:
        raise self.no_value()

    __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = __matmul__ = _refused
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = __rmatmul__ = _refused
    __and__ = __or__ = __xor__ = __lshift__ = __rshift__ = __rand__ = __ror__ = __rxor__ = __rlshift__ = _refused
    __rrshift__ = __neg__ = __pos__ = __invert__ = __abs__ = __lt__ = __le__ = __gt__ = __ge__ = __iter__ = _refused

    def __array_ufunc__(self, ufunc: object, method: str, *operands: object, **options: object) -> NoReturn:
        self._refused()


def no_value(value: object) -> AlgorithmError | TypeMismatch:
    """Why `value`, an array or no number at all, does not stand where a value has to."""
    if isinstance(value, Pointwise):
        return value.no_value()
    if shape := getattr(value, "shape", ()):
        return TypeMismatch(
            f"an array of shape {shape} is no value; it has one at each point",
            legal=('table = Buffer(array, "table")', "table[x]"),
        )
    return TypeMismatch(f"{value!r} ({type(value).__name__}) is not an integer expression", legal=("i32(3)",))
