"""What the nodes of an expression compute, and how values are combined: of numbers, or of arrays of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from halidehw.expr.expr import Binary, Cast, Const, Expr, Select, Unary, apply
from halidehw.expr.tree import program
from halidehw.expr.tuples import Field, Pack
from halidehw.expr.types import Type, record
from halidehw.ir.nest import Combine, Merge, Nest, Side
from halidehw.ir.symbolic import Values
from halidehw.ir.verify import InvariantError

REDUCERS: dict[str, np.ufunc] = {
    "add": np.add,
    "mul": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


class Reduction:
    """Combines an array of values along the axes of the reduction loops, to the shape of what it goes into."""

    def __init__(
        self, nest: Nest, combine: Combine, arrays: tuple[str, ...], merge: Callable[[Any, Any], Any]
    ) -> None:
        self.arrays = arrays
        self.combine, self.merge = combine, merge
        self.loops = nest.loops
        self.axes = tuple(i for i, loop in enumerate(nest.loops) if loop.reduction)
        self.carrier = np.int64 if nest.type.signed else np.uint64

    def __call__(self, value: Any, before: Any, values: Values) -> Any:
        if not self.arrays:
            return value
        shape = [values[loop.name].size if loop.name in self.arrays else 1 for loop in self.loops]
        if isinstance(self.combine, Merge):
            return merged(np.broadcast_to(value, shape), self.axes, self.merge).reshape(np.shape(before))
        whole = np.broadcast_to(np.asarray(value).astype(self.carrier), shape)
        return REDUCERS[self.combine].reduce(whole, axis=self.axes, keepdims=True).reshape(np.shape(before))


def merged(records: np.ndarray, axes: tuple[int, ...], merge: Callable[[Any, Any], Any]) -> np.ndarray:
    """An array with each of `axes` combined to one place, two halves at a time."""
    for axis in axes:
        while (size := records.shape[axis]) > 1:
            first, second, rest = np.split(records, [size // 2, size // 2 * 2], axis)
            records = np.concatenate([merge(first, second), rest], axis)
    return records


def combining(combine: Combine, kind: Type) -> Callable[[Any, Any], Any]:
    """`a combine b`, of numbers or arrays of `kind`."""
    if not isinstance(combine, Merge):
        return lambda a, b: apply(combine, kind, a, b)
    operations = program(combine.value).map(_combining)
    return lambda a, b: operations.run(lambda operation, parts: operation((a, b), *parts))


def computing(expr: Expr) -> Callable[..., Any]:
    """A node that is no leaf as a function of anything and of what its children give."""
    match expr:
        case Const(value=value):
            return lambda _: value
        case Cast(type=kind):
            return lambda _, a: kind.wrap(a)
        case Select(type=kind):
            return lambda _, *parts: _select(kind.dtype, *parts)
        case Pack(type=kind):
            return lambda _, *parts: record(kind, parts)
        case Field(index=index):
            return lambda _, a: plain(np.asarray(a[f"f{index}"]))
        case Unary(op=op, a=a) | Binary(op=op, a=a):
            kind = a.type
            return lambda _, *parts: apply(op, kind, *parts)
    raise InvariantError(f"no evaluation of {expr}")


def _combining(expr: Expr) -> Callable[..., Any]:
    """A node of a `Merge` as a function of the two words and of what its children give."""
    if isinstance(expr, Side):
        second = expr.second
        return lambda words: words[second]
    return computing(expr)


def plain(word: Any) -> Any:
    """A single number as an int."""
    return word if np.ndim(word) or isinstance(word, np.void) else int(word)


def _select(dtype: np.dtype, cond: Any, yes: Any, no: Any) -> Any:
    if isinstance(cond, np.ndarray):
        return np.where(cond, yes, no).astype(dtype)
    return yes if cond else no
