"""Operators of TFLite files as layers, with LiteRT's arithmetic: integers, and two roundings for each scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from math import prod
from typing import Any

import numpy as np

from halidehw.expr.expr import cast, div_round_to_zero, i32, saturating_cast, select
from halidehw.expr.nodes import Expr, as_expr, constant
from halidehw.expr.types import Int, type_of_dtype
from halidehw.importers.lines import line_through
from halidehw.importers.pointwise import pointwise
from halidehw.importers.pools import TAPS, greatest, of_windows, window_means
from halidehw.importers.recipes import Mixture, Operands, Window
from halidehw.importers.steps import Layer, View
from halidehw.importers.sums import convolution, matrix_product
from halidehw.importers.tensors import Tensor
from halidehw.importers.tflite.node import Node, Unclaimed, fraction, q31
from halidehw.importers.tflite.schema import check

Built = list[Layer | View]

_BITS = 8


def _scales(node: Node) -> np.ndarray:
    """What the sums of each channel are multiplied by."""
    (x, _), (y, _) = node.grid(node.kept(0)), node.grid(node.made)
    return np.float64(x) * node.kept(1).scale.astype(np.float64) / np.float64(y)


def _operands(node: Node, weight: np.ndarray) -> Operands:
    """Weights have no zero point but in files of unsigned bytes, where all have one."""
    zero = node.kept(1).zero
    less = weight.astype(np.int32) - (int(zero[0]) if zero.size == 1 else 0)
    return Operands(less, node.grid(node.kept(0))[1], node.bias())


def _convolved(node: Node, weight: np.ndarray, window: Window, groups: int) -> Built:
    scales = np.broadcast_to(_scales(node), (weight.shape[0],)) if node.kept(1).scale.size > 1 else _scales(node)
    rounding = q31(scales, node.grid(node.made)[1], node.made.dtype)
    x, operands = node.tensor(0), _operands(node, weight)
    check(x.shape[1] == groups * weight.shape[1] and node.output.shape[1] == weight.shape[0])
    check(operands.bias is None or operands.bias.shape == weight.shape[:1])
    name, op = node.operator.name, node.operator.op
    return [convolution(name, op, x, operands, window, groups, rounding, node.output)]


def _conv(node: Node) -> Built:
    node.unclipped(3)
    weight = node.constant(1).transpose(0, 3, 1, 2)
    dilations = node.option(5, np.int32, 1), node.option(4, np.int32, 1)
    window = node.window(weight.shape[2:], (0, 1, 2), dilations)
    return _convolved(node, weight, window, node.kept(0).shape[3] // weight.shape[1])


def _depthwise(node: Node) -> Built:
    node.unclipped(4)
    weight = node.constant(1).transpose(3, 0, 1, 2)
    dilations = node.option(6, np.int32, 1), node.option(5, np.int32, 1)
    return _convolved(node, weight, node.window(weight.shape[2:], (0, 1, 2), dilations), node.kept(0).shape[3])


def _fully_connected(node: Node) -> Built:
    """The rows are all dimensions but the last. LiteRT rounds the products once, also with its reference kernels."""
    node.unclipped(0)
    if node.option(1, np.int8):
        raise Unclaimed("its weights are shuffled")
    weight, x, y = node.constant(1), node.tensor(0), node.output
    if node.kept(1).scale.size > 1:
        scales = _scales(node)
    else:
        (one, _), (made, _) = node.grid(node.kept(0)), node.grid(node.made)
        scales = (one * node.kept(1).scale).astype(np.float64) / float(made)
    rounding = replace(q31(scales, node.grid(node.made)[1], node.made.dtype), once=True)
    steps = Built()
    rows = (x.words // weight.shape[1], weight.shape[1])
    check(rows[0] * rows[1] == x.words and rows[0] * weight.shape[0] == y.words)
    if x.shape != rows:
        flat = Tensor(f"{x.name}_rows", rows, x.dtype)
        steps.append(View(f"{node.operator.name}_rows", "RESHAPE", x, flat))
        x = flat
    made_rows = Tensor(y.name, (rows[0], weight.shape[0]), y.dtype)
    if made_rows.shape != y.shape:
        made_rows = replace(made_rows, name=f"{y.name}_rows")
    name, op = node.operator.name, node.operator.op
    steps.append(matrix_product(name, op, x, _operands(node, weight), rounding, made_rows))
    return steps if made_rows.shape == y.shape else [*steps, View(f"{name}_shape", "RESHAPE", made_rows, y)]


_LEFT = 20
"""Bits by which both terms of a sum are shifted left before they are scaled."""


@dataclass(frozen=True)
class _Sum:
    """How LiteRT adds: each operand less its zero point is scaled, then their sum; a fraction and exponent each."""

    zeros: tuple[int, int, int]
    scales: tuple[tuple[int, int], ...]

    @staticmethod
    def of(grids: Sequence[tuple[np.float32, int]]) -> _Sum:
        one, two, made = (float(scale) for scale, _ in grids)
        twice = 2 * max(one, two)
        scales = fraction(one / twice), fraction(two / twice), fraction(twice / ((1 << _LEFT) * made))
        if max(exponent for _, exponent in scales) > 0:
            raise Unclaimed("the scale of its output is too fine")
        return _Sum((grids[0][1], grids[1][1], grids[2][1]), scales)

    def __call__(self, a: Any, b: Any) -> Any:
        """Before it is saturated; of arrays, or of expressions of 64 bits."""
        terms = ((each - zero) << _LEFT for each, zero in zip((a, b), self.zeros, strict=False))
        one, two = (_doubling_high(each, scale) for each, scale in zip(terms, self.scales, strict=False))
        return _doubling_high(one + two, self.scales[2]) + self.zeros[2]


def _doubling_high(a: Any, scale: tuple[int, int]) -> Any:
    """`MultiplyByQuantizedMultiplier` of LiteRT, for an exponent of 0 or less. The last rounding, half away from zero,
    is up, but for a half of what is negative."""
    multiplier, right = scale[0], -scale[1]
    high = (a * multiplier + (1 << 30)) >> 31
    if not right:
        return high
    return (high + (high >> 63) + (1 << (right - 1))) >> right


def _add(node: Node) -> Built:
    """A line through what it gives for all pairs of bytes; where there is none, its own roundings."""
    node.unclipped(0)
    tensors, output = [node.tensor(0), node.tensor(1)], node.output
    if len(tensors[0].shape) != len(tensors[1].shape):
        raise Unclaimed(f"its terms have {len(tensors[0].shape)} and {len(tensors[1].shape)} dimensions")
    check(np.broadcast_shapes(*(each.shape for each in tensors)) == output.shape)
    kind = type_of_dtype(output.dtype)
    grids = [node.grid(each) for each in (node.kept(0), node.kept(1), node.made)]
    ranges, exact = [np.iinfo(each.dtype) for each in tensors], _Sum.of(grids)
    pairs = np.array(list(product(*(range(each.min, each.max + 1) for each in ranges))), np.int64).T
    found = np.clip(exact(*pairs), kind.min, kind.max).astype(output.dtype)
    slopes = [float(scale) / float(grids[2][0]) for scale, _ in grids[:2]]
    line = line_through(list(pairs), slopes, found)

    def build(a: Expr, b: Expr) -> Expr:
        if line:
            return line.of([i32(a), i32(b)], _BITS)
        return saturating_cast(kind, exact(cast(Int(64), a), cast(Int(64), b)))

    layer = pointwise(node.operator.name, node.operator.op, tensors, build, output)
    if line and all(each.shape == output.shape for each in tensors):
        layer = replace(layer, recipe=Mixture((tensors[0], tensors[1]), line, output))
    return [layer]


def _pool(node: Node) -> Window:
    node.unclipped(5)
    kernel = node.option(4, np.int32), node.option(3, np.int32)
    if node.grid(node.kept(0)) != node.grid(node.made):
        raise Unclaimed("its output has another scale than its input")
    return node.window(kernel, (0, 1, 2))


def _average_pool(node: Node) -> Built:
    """By as many elements as a window has inside, rounded away from zero."""
    window, x, name, op = _pool(node), node.tensor(0), node.operator.name, node.operator.op
    counts, whole = window.inside(x.shape[2:], node.output.shape[2:]), prod(window.kernel)

    def mean(total: Expr, count: int) -> Expr:
        half = constant(total.type, count // 2)
        return div_round_to_zero(select(total > 0, total + half, total - half), constant(total.type, count))

    def of_all(elements: Sequence[Expr], which: Expr) -> Expr:
        total = reduce(lambda total, each: total + i32(each), elements, as_expr(0))
        found = mean(total, int(several[0]))
        for number, count in enumerate(several[1:], 1):
            found = select(which == number, mean(total, int(count)), found)
        return cast(type_of_dtype(node.output.dtype), found)

    if (counts == whole).all():
        return [window_means(name, op, x, window, 0, mean, node.output)]
    if whole > TAPS:
        raise Unclaimed(f"its windows at the border are smaller, and {whole} elements are more than {TAPS}")
    several, kinds = np.unique(counts, return_inverse=True)
    kinds = kinds.reshape(counts.shape).astype(np.uint8)
    return [of_windows(name, op, x, window, 0, of_all, kinds, node.output)]


def _max_pool(node: Node) -> Built:
    return [greatest(node.operator.name, node.operator.op, node.tensor(0), _pool(node), node.output)]


def _reshape(node: Node) -> Built:
    check(node.tensor(0).words == node.output.words)
    return [View(node.operator.name, node.operator.op, node.tensor(0), node.output)]


OPERATORS: dict[str, Callable[[Node], Built]] = {
    "CONV_2D": _conv, "DEPTHWISE_CONV_2D": _depthwise, "FULLY_CONNECTED": _fully_connected, "ADD": _add,
    "AVERAGE_POOL_2D": _average_pool, "MAX_POOL_2D": _max_pool, "RESHAPE": _reshape, "SQUEEZE": _reshape,
}  # fmt: skip
