"""Blocks as layers of one form: all with the same operands and stages, so that one array runs them all.

What a block lacks is there and changes nothing: a depthwise convolution by 1, of one tap; a line through what the sums
have become alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from halidehw.expr.expr import Var, i32
from halidehw.expr.nodes import Expr
from halidehw.expr.types import Type, type_of_dtype
from halidehw.frontend.boundary import constant_exterior
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam
from halidehw.frontend.rdom import RDom
from halidehw.importers.blocks import Block
from halidehw.importers.building import at, bounded, constant_image, identifier, image, narrowest
from halidehw.importers.lines import Line
from halidehw.importers.recipes import Convolution, Operands, Window
from halidehw.importers.rounding import Floats, Rounding
from halidehw.importers.steps import Layer
from halidehw.importers.tensors import Tensor

_BYTE = 8

_ALONE = Window((1, 1), (1, 1), (1, 1), (0, 0), (0, 0))
"""What a stage sees that does nothing."""


@dataclass(frozen=True)
class Form:
    """What blocks have in common. `weights`: the type of all weights; `depthwise`: whether there is such a stage before
    the sums; `shift`, `width`: the bits after the point of lines, and those in which they are worked out; 0: none."""

    weights: Type
    depthwise: bool
    shift: int
    width: int


def form_of(blocks: Sequence[Block]) -> Form:
    """The least form that all of the blocks have."""
    weights = [each.operands.weight for block in blocks for each in (block.main, block.first) if each]
    ends = np.array([end for each in weights for end in (each.min(), each.max())])
    lines = [block.last.line for block in blocks if block.last]
    shift = max((line.shift for line in lines), default=0)
    width = max((line.shifted(shift).width(_BYTE) for line in lines), default=0)
    return Form(narrowest(ends), any(block.before for block in blocks), shift, width)


@dataclass(frozen=True)
class Together:
    """A block as a layer, and the loops of its stages by what they are for."""

    layer: Layer
    sums: str
    before: str


def together(block: Block, form: Form, joined: bool, parts: int = 0) -> Together:
    """The block's layer in a form. Its loops are `k`, `x`, `y`, `r`, those of the stage before `g`, `x`, `y`, `q`.
    `parts`: that its columns are in, then a loop `h` of their own; each has what it sees for itself in the stage
    before."""
    own = identifier("_".join(layer.name for layer in block.layers))
    made = _Made(own, block, form, joined, parts)
    return Together(made.layer(), f"{own}_sum", f"{own}_before_sum" if form.depthwise else "")


class _Made:
    """A block's Funcs on their way: the inputs' tensors and the constants, by name."""

    def __init__(self, own: str, block: Block, form: Form, joined: bool, parts: int):
        self.own, self.block, self.form, self.joined = own, block, form, joined
        self.main = block.main
        columns = self.main.output.shape[3]
        self.part = [Var("h")] if parts else []
        self.columns: tuple[int, ...] = (parts, columns // parts) if parts else (columns,)
        self.inputs = {"input": block.layers[0].reads[0]}
        self.constants: dict[str, np.ndarray] = {}

    def layer(self) -> Layer:
        k, x, y = Var("k"), Var("x"), Var("y")
        _, filters, rows, _ = self.main.output.shape
        point = (k, x, *self.part, y)
        total, func = Func(f"{self.own}_sum"), Func(self.own)
        weights = self._weights()
        taps = RDom([(0, size) for size in (weights.shape[3], weights.shape[1], weights.shape[0])], "r")
        weight = at(self._constant("weight", weights), [taps.x, k, taps.y, taps.z])
        total[point] += i32(self._read(x, y, taps)) * i32(weight)
        value = self._finished(at(total, point), k, self.main.operands, self.main.rounding, "")
        func[point] = self._mixed(value, point) if self.form.shift else value
        bounded(func, point, (rows, *self.columns, filters))
        macs = sum(layer.macs for layer in self.block.layers)
        return Layer(self.block.name, self.block.op, func, self.inputs, self.constants, self.block.output, macs)

    def _weights(self) -> np.ndarray:
        """As they lie in memory: rows and columns of the kernel, filters, channels."""
        held = self.main.operands.weight.transpose(2, 3, 0, 1)
        if self.joined:
            down, across, filters, channels = held.shape
            held = held.transpose(0, 2, 1, 3).reshape(down, 1, filters, across * channels)
        return np.ascontiguousarray(held)

    def _constant(self, name: str, values: np.ndarray) -> ImageParam:
        """An input for weights."""
        self.constants[name] = values.astype(self.form.weights.dtype)
        return image(name, values.shape, self.form.weights)

    def _read(self, x: Var, y: Var, taps: RDom) -> Expr:
        """What the sums read, of the input or of the stage before: where that stage is, it sees what lies around."""
        window, channels = self.main.window, self.main.x.shape[1]
        (sy, sx), (dy, dx), (low_y, low_x) = window.strides, window.dilations, window.before
        inside = self.form.depthwise
        place: list[Expr] = [taps.x, x * sx + taps.y * dx, y * sy + taps.z * dy]
        if self.joined:
            place = [taps.x + x * (sx * channels), taps.y, place[2]]
        shifts = (low_x * channels, 0, low_y) if self.joined else (0, low_x, low_y)
        if inside:
            return at(self._before(shifts), [*place[:2], *self.part, place[2]])
        source = self._source(self.main)
        return at(source, [index - shift if shift else index for index, shift in zip(place, shifts, strict=True)])

    def _source(self, reader: Convolution) -> Func | ImageParam:
        """The input, with zero points around it."""
        _, channels, rows, columns = reader.x.shape
        sizes = (rows, 1, columns * channels) if self.joined else (rows, columns, channels)
        return constant_exterior(image("input", sizes, reader.x.dtype), reader.operands.zero_point)

    def _before(self, shifts: tuple[int, int, int]) -> Func:
        """The stage before: the depthwise convolution, or the input itself, `shifts` elements further."""
        first = self.block.first
        g, x, y = Var("g"), Var("x"), Var("y")
        rounding: Rounding
        total, func = Func(f"{self.own}_before_sum"), Func(f"{self.own}_before")
        if first is None:
            own, (down, across) = _ALONE, (1, 1)
            count = self.main.x.words // self.main.x.shape[2] if self.joined else self.main.x.shape[1]
            count += self._beyond() if self.joined else 0
            kind = type_of_dtype(self.main.x.dtype)
            operands, rounding = Operands(np.ones((count, 1, 1, 1), np.int8), 0, None), Floats(np.ones(1), 0, kind)
            source = self._source(self.main)
        else:
            own, (down, across), count = first.window, first.window.kernel, first.x.shape[1]
            operands, rounding, source = first.operands, first.rounding, self._source(first)
            shifts = (0, own.before[1], own.before[0])
        point = (g, x, *self.part, y)
        taps = RDom([(0, across), (0, down)], "q")
        held = np.ascontiguousarray(operands.weight.reshape(count, down, across).transpose(1, 2, 0))
        weight = at(self._constant("before_weight", held), [g, taps.x, taps.y])
        (sy, sx), (dy, dx) = own.strides, own.dilations
        element: Expr = g
        column: Expr = x
        for part in self.part:
            further = self.columns[-1] * self.main.window.strides[1]
            if self.joined:
                element = g + part * (further * self.main.x.shape[1])
            else:
                column = x + part * further
        place = [element, column * sx + taps.x * dx, y * sy + taps.y * dy]
        place = [index - shift if shift else index for index, shift in zip(place, shifts, strict=True)]
        total[point] += i32(at(source, place)) * i32(weight)
        func[point] = self._finished(at(total, point), g, operands, rounding, "before_")
        return func

    def _beyond(self) -> int:
        """Elements that joined taps see beyond a row, on both sides."""
        window, (_, channels, _, columns) = self.main.window, self.main.x.shape
        seen = (self.main.output.shape[3] - 1) * window.strides[1] + window.kernel[1]
        return max(seen - columns, 0) * channels

    def _finished(
        self, total: Expr, channel: Var, operands: Operands, rounding: Rounding, name: str
    ) -> Expr:
        """A sum with the bias of its channel, rounded."""
        count = operands.weight.shape[0]
        bias = operands.folded(1)
        held = np.zeros(count, np.int32) if bias is None else bias
        self.constants[f"{name}bias"] = held
        rescaled = rounding.spread(count).rescale(
            total + at(constant_image(f"{name}bias", held), [channel]), [channel], (count,), name, apart=True
        )
        self.constants |= {each.name: array for each, array in rescaled.constants}
        return rescaled.value

    def _mixed(self, value: Expr, point: Sequence[Var]) -> Expr:
        """The line through the finished sums and the other tensor; without one, the sums alone."""
        last, (_, filters, rows, _) = self.block.last, self.main.output.shape
        if last is None:
            self.constants["other"] = np.zeros(filters, self.main.output.dtype)
            other = at(constant_image("other", self.constants["other"]), [point[0]])
            line = Line((1, 0), 0, 0, type_of_dtype(self.main.output.dtype))
            return self._line(line, (value, other))
        here = [tensor.name for tensor in last.terms].index(self.block.convolution.output.name)
        tensor: Tensor = last.terms[1 - here]
        self.inputs["other"] = tensor
        read = at(image("other", (rows, *self.columns, filters), tensor.dtype), list(point))
        factors = last.line.factors
        line = Line((factors[here], factors[1 - here]), last.line.offset, last.line.shift, last.line.kind)
        return self._line(line, (value, read))

    def _line(self, line: Line, terms: Sequence[Expr]) -> Expr:
        return line.shifted(self.form.shift).of([i32(term) for term in terms], _BYTE, self.form.width)

