"""What layers are made of, so that several can be made together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from halidehw.expr.nodes import Expr
from halidehw.importers.lines import Line
from halidehw.importers.rounding import Rounding
from halidehw.importers.tensors import Shape, Tensor


@dataclass(frozen=True)
class Window:
    """What each output sees of its input, along each spatial dimension in NumPy's order: `kernel` places, `dilations`
    apart, each `strides` further than the last one's, the first one `before` elements before the input's first."""

    kernel: Shape
    strides: Shape
    dilations: Shape
    before: Shape
    after: Shape

    def outputs(self, sizes: Shape) -> Shape:
        """How many there are for an input of these sizes."""
        sides = zip(sizes, self.kernel, self.strides, self.dilations, self.before, self.after, strict=True)
        return tuple((size + low + high - far * (taps - 1) - 1) // by + 1 for size, taps, by, far, low, high in sides)

    @property
    def padded(self) -> bool:
        return any(self.before) or any(self.after)

    def inside(self, sizes: Shape, outputs: Shape) -> np.ndarray:
        """How many elements each of so many outputs sees of an input of these sizes, without dilations."""
        found = np.ones(outputs, np.int64)
        sides = zip(sizes, outputs, self.kernel, self.strides, self.before, strict=True)
        for axis, (size, many, taps, by, low) in enumerate(sides):
            first = np.arange(many) * by - low
            own = np.minimum(first + taps, size) - np.maximum(first, 0)
            found = found * np.expand_dims(own, [other for other in range(len(outputs)) if other != axis])
        return found

    def indices(self, variables: Sequence[Expr], taps: Sequence[Expr]) -> list[Expr]:
        """The input's indices, the fastest dimension first, for those of the output and of the kernel."""
        sides = zip(*(reversed(each) for each in (self.strides, self.dilations, self.before)), strict=True)
        return [
            _times(var, by) + _times(tap, far) - low if low else _times(var, by) + _times(tap, far)
            for var, tap, (by, far, low) in zip(variables, taps, sides, strict=True)
        ]


def _times(index: Expr, step: int) -> Expr:
    return index if step == 1 else index * step


@dataclass(frozen=True)
class Operands:
    """What a sum is made of besides its input: integers without their zero point, in NumPy's order; `zero_point`: the
    input's; `bias`: one for each channel."""

    weight: np.ndarray
    zero_point: int
    bias: np.ndarray | None

    def folded(self, channel_axes: int) -> np.ndarray | None:
        """The bias with what the input's zero point adds to the sums, wrapped as the sums are; None for none.
        `channel_axes`: how many of the weight's first axes are the channels."""
        axes = tuple(range(channel_axes, self.weight.ndim))
        weights = self.weight.astype(np.int64).sum(axes)
        total = (0 if self.bias is None else self.bias.astype(np.int64).reshape(weights.shape)) - (
            self.zero_point * weights
        )
        return total.astype(np.int32) if total.any() else None


@dataclass(frozen=True)
class Convolution:
    """A convolution of `x`, of shape (n, c, y, x), by weights of shape (k, c / groups, ...), in so many groups."""

    x: Tensor
    operands: Operands
    window: Window
    groups: int
    rounding: Rounding
    output: Tensor

    @property
    def depthwise(self) -> bool:
        """Whether each channel is a group, with one filter."""
        return 1 < self.groups == self.x.shape[1] == self.operands.weight.shape[0]

    def total(self, x: np.ndarray, channel: int, row: int, column: int) -> int:
        """The sum of an element of the first image, with its bias; `x`: as NumPy has it."""
        window, (bias, zero) = self.window, (self.operands.bias, self.operands.zero_point)
        weight = self.operands.weight[channel].astype(np.int64)
        first = channel // (self.operands.weight.shape[0] // self.groups) * weight.shape[0]
        found = 0 if bias is None else int(bias.ravel()[channel])
        for down, across in np.ndindex(*window.kernel):
            y, xx = (
                place * step + tap * far - low for place, step, tap, far, low in zip(
                    (row, column), window.strides, (down, across), window.dilations, window.before, strict=True)
            )  # fmt: skip
            if 0 <= y < x.shape[2] and 0 <= xx < x.shape[3]:
                pixel = x[0, first : first + weight.shape[0], y, xx].astype(np.int64) - zero
                found += int(pixel @ weight[:, down, across])
        return found


@dataclass(frozen=True)
class Mixture:
    """A line through the elements of two tensors, in the order of its terms."""

    terms: tuple[Tensor, Tensor]
    line: Line
    output: Tensor


Recipe = Convolution | Mixture
