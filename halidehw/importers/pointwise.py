"""Layers that compute each element of their output from one of each input: by operators, or by a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from halidehw.expr.expr import cast
from halidehw.expr.intrinsics import mux
from halidehw.expr.nodes import Expr, as_expr, constant
from halidehw.expr.types import UInt, type_of_dtype
from halidehw.frontend.func import Func
from halidehw.importers.building import at, bounded, constant_image, identifier, image, variables
from halidehw.importers.steps import Layer
from halidehw.importers.tensors import Tensor

LETTERS = "abcde"
"""What the inputs of such a layer are called, in their order."""


def pointwise(
    name: str, op: str, operands: Sequence[Tensor | np.ndarray], build: Callable[..., Expr], output: Tensor
) -> Layer:
    """`build` of the operands' elements, which are repeated along the dimensions that they lack, as NumPy repeats them.
    Neighbouring dimensions along which the same operands are repeated become one loop, where all lie in one order."""
    groups = _groups(operands, output)
    letters = list(reversed(variables(len(groups))))
    inputs: dict[str, Tensor] = {}
    constants: dict[str, np.ndarray] = {}
    values: list[Expr] = []
    for place, (operand, letter) in enumerate(zip(operands, LETTERS, strict=False)):
        kind = type_of_dtype(operand.dtype)
        along = [number for number, group in enumerate(groups) if group.repeats[place]]
        if isinstance(operand, Tensor):
            along.sort(key=lambda number: _order(operand, output).index(groups[number].axis))
            own, index = tuple(groups[number].size for number in along), [letters[number] for number in reversed(along)]
            inputs[letter] = operand
            values.append(at(image(letter, own or (1,), kind), index or [as_expr(0)]))
        elif operand.size == 1:
            values.append(constant(kind, int(operand.reshape(()))))
        else:
            held = np.ascontiguousarray(_laid(operand, output).reshape([groups[number].size for number in along]))
            constants[letter] = held
            values.append(at(constant_image(letter, held), [letters[number] for number in reversed(along)]))
    func, point = Func(identifier(name)), list(reversed(letters))
    func[tuple(point)] = build(*values)
    return Layer(name, op, bounded(func, point, tuple(group.size for group in groups)), inputs, constants, output)


@dataclass(frozen=True)
class _Group:
    """Neighbouring dimensions of the output, of which `axis` is the first; `repeats`: which operands have them."""

    size: int
    axis: int
    repeats: tuple[bool, ...]


def _groups(operands: Sequence[Tensor | np.ndarray], output: Tensor) -> list[_Group]:
    """The dimensions that are more than one long, the fastest last."""
    shapes = [(1,) * (len(output.shape) - len(each.shape)) + tuple(each.shape) for each in operands]
    long = [axis for axis in output.order if output.shape[axis] > 1]
    alike = all(
        _order(each, output) == [axis for axis in long if shape[axis] > 1]
        for each, shape in zip(operands, shapes, strict=True) if isinstance(each, Tensor)
    )  # fmt: skip
    found: list[_Group] = []
    for axis in long:
        size, repeats = output.shape[axis], tuple(shape[axis] > 1 for shape in shapes)
        if alike and found and found[-1].repeats == repeats:
            found[-1] = _Group(found[-1].size * size, found[-1].axis, repeats)
        else:
            found.append(_Group(size, axis, repeats))
    return found or [_Group(1, 0, (True,) * len(operands))]


def _order(x: Tensor, output: Tensor) -> list[int]:
    """The output's dimensions that `x` has, as they lie in `x`."""
    missing = len(output.shape) - len(x.shape)
    return [axis + missing for axis in x.order if x.shape[axis] > 1] or [0]


def _laid(constant: np.ndarray, output: Tensor) -> np.ndarray:
    """A constant in the output's order."""
    return constant.reshape((1,) * (len(output.shape) - constant.ndim) + constant.shape).transpose(output.order)


def table(name: str, op: str, x: Tensor, values: np.ndarray, output: Tensor) -> Layer:
    """`values[x]` for every element of an 8-bit tensor; `values`: 256, in the order of the bytes that `x` may be."""
    return pointwise(name, op, [x], lambda a: looked_up(a, values), output)


def looked_up(byte: Expr, values: np.ndarray) -> Expr:
    """The value for each of the 256 bytes."""
    kind = type_of_dtype(values.dtype)
    return mux(cast(UInt(8), byte), [constant(kind, int(value)) for value in values])
