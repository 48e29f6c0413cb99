"""Layers that are sums of products: convolutions of any rank, groups and geometry, and matrix products.

The zero point of the input is no part of the loop: the sum over `(x - z) * w` is that over `x * w` less `z` times the
sum of the weights, which the bias takes up. Outside the input lies `z`, which then adds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from halidehw.expr.expr import Var, i32
from halidehw.expr.nodes import Access, Expr, Operand
from halidehw.frontend.boundary import constant_exterior
from halidehw.frontend.func import Func
from halidehw.frontend.rdom import RDom
from halidehw.importers.building import SPATIAL, at, bounded, constant_image, identifier, image, narrowest
from halidehw.importers.rounding import Rounding
from halidehw.importers.steps import Layer, Shape, Tensor


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


def convolution(
    name: str, op: str, x: Tensor, operands: Operands, window: Window, groups: int, rounding: Rounding | None,
    output: Tensor,
) -> Layer:  # fmt: skip
    """A convolution of `x`, of shape (n, c, ...), by weights of shape (k, c / groups, ...). Its loops are, the fastest
    first, the spatial ones, the channel in a group, the group and the batch, of the last three those that are more than
    one. Without `rounding` the sums are the output."""
    batch, depth, *sizes = x.shape
    filters, per_group = operands.weight.shape[0] // groups, depth // groups
    spatial = len(sizes)
    places = [Var(letter) for letter in SPATIAL[:spatial]]
    k, g, n = Var("k"), Var("g"), Var("n")
    apart = filters > 1 or groups == 1
    channels = [*([(k, filters)] if apart else []), *([(g, groups)] if groups > 1 else [])]
    outer = [(n, batch)] if batch > 1 else []
    variables = [*places, *(var for var, _ in (*channels, *outer))]
    shape = (*(size for _, size in reversed((*channels, *outer))), *window.outputs(tuple(sizes)))

    summed = per_group > 1 or groups == 1
    domain = RDom([(0, extent) for extent in (*reversed(window.kernel), *([per_group] if summed else []))], "r")
    taps, depths = domain.vars[:spatial], domain.vars[spatial:]
    source = image(
        "input",
        (*(size for _, size in reversed(outer)), *([groups] if groups > 1 else []), *([per_group] if summed else []),
         *sizes),
        x.dtype,
    )  # fmt: skip
    read = constant_exterior(source, operands.zero_point) if window.padded else source
    inner = [*depths, *([g] if groups > 1 else []), *(var for var, _ in outer)]
    axes = tuple(size for _, size in reversed(channels))
    weights = operands.weight.reshape((*axes, *([per_group] if summed else []), *window.kernel))
    kernel = image("weight", weights.shape, narrowest(weights))
    product = _product(
        at(read, [*window.indices(places, taps), *inner]), at(kernel, [*taps, *depths, *(var for var, _ in channels)])
    )
    folded = Operands(weights, operands.zero_point, operands.bias).folded(len(axes))
    func, constants = _summed(name, variables, shape, product, [var for var, _ in channels], axes, folded, rounding)
    macs = prod(shape) * prod(domain.ranges[place][1] for place in range(len(domain.ranges)))
    held = {"weight": weights.astype(kernel.type.dtype), **constants}
    return Layer(name, op, func, {"input": x}, held, output, macs)


def matrix_product(
    name: str, op: str, x: Tensor, operands: Operands, rounding: Rounding | None, output: Tensor
) -> Layer:
    """The rows of `x`, of shape (..., c), times a matrix of weights of shape (k, c). Its loops are k, the fastest, and
    the rows, if there are several."""
    depth, filters = x.shape[-1], operands.weight.shape[0]
    rows = x.words // depth
    k, y = Var("k"), Var("y")
    outer = [(y, rows)] if rows > 1 else []
    domain = RDom([(0, depth)], "r")
    source = image("input", (*(size for _, size in outer), depth), x.dtype)
    weights = np.ascontiguousarray(operands.weight.T)
    kernel = image("weight", weights.shape, narrowest(weights))
    product = _product(source[tuple([domain.x, *(var for var, _ in outer)])], kernel[k, domain.x])
    shape = (*(size for _, size in outer), filters)
    variables = [k, *(var for var, _ in outer)]
    func, constants = _summed(name, variables, shape, product, [k], (filters,), operands.folded(1), rounding)
    held = {"weight": weights.astype(kernel.type.dtype), **constants}
    return Layer(name, op, func, {"input": x}, held, output, prod(shape) * depth)


def product_of_tensors(
    name: str, op: str, tensors: tuple[Tensor, Tensor], zero_points: tuple[int, int], rounding: Rounding | None,
    output: Tensor,
) -> Layer:  # fmt: skip
    """The matrix product of two tensors of shapes (..., i, c) and (..., c, j), with the same sizes before them."""
    a, b = tensors
    *before, rows, depth = a.shape
    columns, batch = b.shape[-1], prod(before)
    x, y, n = Var("x"), Var("y"), Var("n")
    outer = [(n, batch)] if batch > 1 else []
    domain, own = RDom([(0, depth)], "r"), [var for var, _ in outer]
    one = image("a", (*(size for _, size in outer), rows, depth), a.dtype)
    two = image("b", (*(size for _, size in outer), depth, columns), b.dtype)
    left, right = one[tuple([domain.x, y, *own])], two[tuple([x, domain.x, *own])]
    product = _less(left, zero_points[0]) * _less(right, zero_points[1])
    shape = (*(size for _, size in outer), rows, columns)
    func, constants = _summed(name, [x, y, *own], shape, product, [], (), None, rounding)
    return Layer(name, op, func, {"a": a, "b": b}, constants, output, prod(shape) * depth)


def _less(a: Access, zero_point: int) -> Expr:
    return i32(a) - zero_point if zero_point else i32(a)


def _product(a: Operand, b: Operand) -> Expr:
    return i32(a) * i32(b)


def _summed(
    name: str, variables: Sequence[Var], shape: Shape, product: Expr, channel: Sequence[Var], channels: Shape,
    bias: np.ndarray | None, rounding: Rounding | None,
) -> tuple[Func, dict[str, np.ndarray]]:  # fmt: skip
    """The sum of `product` over all of its domain, with the bias of its channel, rounded; and the constants' values."""
    own, point = identifier(name), tuple(variables)
    finished = rounding is not None or bias is not None
    total = Func(f"{own}_sum" if finished else own)
    total[point] += product
    if not finished:
        return bounded(total, variables, shape), {}
    value = at(total, point)
    constants: dict[str, np.ndarray] = {}
    if bias is not None:
        held = constant_image("bias", bias)
        value, constants = value + held[tuple(channel)], {"bias": bias}
    if rounding is not None:
        rescaled = rounding.rescale(value, channel, channels)
        value = rescaled.value
        constants |= {each.name: array for each, array in rescaled.constants}
    func = Func(own)
    func[point] = value
    return bounded(func, variables, shape), constants
