"""Layers that compute each element of their output from one of each input: by operators, by a table, or by a line
through it that is proved against all pairs of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from halidehw.expr.expr import cast, saturating_cast
from halidehw.expr.intrinsics import mux
from halidehw.expr.nodes import Expr, as_expr, constant
from halidehw.expr.types import Int, Type, UInt, type_of_dtype
from halidehw.frontend.func import Func
from halidehw.importers.building import at, bounded, constant_image, identifier, image, variables
from halidehw.importers.steps import Layer, Tensor


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
    for place, (operand, letter) in enumerate(zip(operands, "abc", strict=False)):
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


@dataclass(frozen=True)
class Line:
    """`(sum of factors * terms + offset) >> shift`, saturated."""

    factors: tuple[int, ...]
    offset: int
    shift: int
    kind: Type

    def of(self, terms: Sequence[Expr], bits: int) -> Expr:
        """The value, worked out in whole bytes, so that layers alike have the same; `bits`: of the widest term."""
        room = (sum(map(abs, self.factors)) << bits) + abs(self.offset) + (1 << self.shift)
        wide = Int(8 * (room.bit_length() // 8 + 1))
        pairs = zip(self.factors, terms, strict=True)
        total: Expr = constant(wide, self.offset)
        for factor, term in pairs:
            total = total + cast(wide, term) * constant(wide, factor)
        return saturating_cast(self.kind, total >> self.shift)


SHIFTS = range(8, 41)
"""Bits after the point of a line's factors that are tried."""


def line_through(terms: Sequence[np.ndarray], slopes: Sequence[float], found: np.ndarray) -> Line | None:
    """The line of fewest bits that gives `found` at every point; None if there is none. `terms`: what each slope is
    multiplied by, at every point."""
    kind = type_of_dtype(found.dtype)
    wide, right = [term.astype(np.int64) for term in terms], found.astype(np.int64)
    for shift in SHIFTS:
        factors = tuple(round(slope * (1 << shift)) for slope in slopes)
        partial = np.asarray(sum(factor * term for factor, term in zip(factors, wide, strict=True)))
        over = (right << shift) - partial
        least = over[right > kind.min].max(initial=-(1 << 62))
        most = (over + (1 << shift) - 1)[right < kind.max].min(initial=1 << 62)
        if least <= most:
            return Line(factors, int(min(max((least + most) // 2, least), most)), shift, kind)
    return None
