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
from halidehw.importers.building import at, bounded, constant_image, identifier, image
from halidehw.importers.building import variables as loops
from halidehw.importers.steps import Layer, Shape, Tensor


def pointwise(
    name: str, op: str, operands: Sequence[Tensor | np.ndarray], build: Callable[..., Expr], output: Tensor
) -> Layer:
    """`build` of the operands' elements, which are repeated along the dimensions that they lack, as NumPy repeats them.
    Neighbouring dimensions along which the same operands are repeated become one loop."""
    groups = _groups([operand.shape for operand in operands], output.shape)
    variables = loops(len(groups))
    shape = tuple(size for size, _ in groups)
    letters = list(reversed(variables))
    inputs: dict[str, Tensor] = {}
    constants: dict[str, np.ndarray] = {}
    values: list[Expr] = []
    for place, (operand, letter) in enumerate(zip(operands, "abc", strict=False)):
        kind = type_of_dtype(operand.dtype)
        along = [number for number, (_, has) in enumerate(groups) if has[place]]
        own = tuple(shape[number] for number in along)
        index: list[Expr] = [letters[number] for number in reversed(along)]
        if isinstance(operand, Tensor):
            source = image(letter, own or (1,), kind)
            inputs[letter] = operand
            values.append(at(source, index or [as_expr(0)]))
        elif operand.size == 1:
            values.append(constant(kind, int(operand.reshape(()))))
        else:
            held = np.ascontiguousarray(operand.reshape(own))
            constants[letter] = held
            values.append(at(constant_image(letter, held), index))
    func = Func(identifier(name))
    func[tuple(variables)] = build(*values)
    return Layer(name, op, bounded(func, variables, shape), inputs, constants, output)


def _groups(shapes: Sequence[Shape], whole: Shape) -> list[tuple[int, tuple[bool, ...]]]:
    """The dimensions of `whole` that are more than one long, the fastest last, and which of `shapes` have them;
    neighbours that the same ones have, or lack, are one."""
    padded = [(1,) * (len(whole) - len(shape)) + tuple(shape) for shape in shapes]
    found: list[tuple[int, tuple[bool, ...]]] = []
    for axis, size in enumerate(whole):
        has = tuple(shape[axis] == size for shape in padded)
        if size == 1:
            continue
        if found and found[-1][1] == has:
            found[-1] = found[-1][0] * size, has
        else:
            found.append((size, has))
    return found or [(1, (True,) * len(shapes))]


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
        """The value; `bits`: of the widest term."""
        room = (sum(map(abs, self.factors)) << bits) + abs(self.offset) + (1 << self.shift)
        wide = Int(room.bit_length() + 1)
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
