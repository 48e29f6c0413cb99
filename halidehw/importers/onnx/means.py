"""Average pools as ONNX Runtime computes them: of integers where a window is the whole image, else of floats one after
the other, which are integers again where it is proved that no order of these decides a half."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from math import prod

import numpy as np

from halidehw.expr.expr import cast, i32, select
from halidehw.expr.intrinsics import round_significant
from halidehw.expr.nodes import Expr, constant
from halidehw.expr.requantize import SIGNIFICANT
from halidehw.expr.types import Int, Type, type_of_dtype
from halidehw.importers.floats import parts
from halidehw.importers.onnx.node import Node, Unclaimed
from halidehw.importers.onnx.windows import window_of
from halidehw.importers.pools import TAPS, channel_means, of_windows, window_means
from halidehw.importers.recipes import Convolution, Operands, Window
from halidehw.importers.rounding import Floats
from halidehw.importers.stairs import Stairs
from halidehw.importers.steps import Layer

F = np.float32

_TRIED = 1 << 14
"""Random bytes at least that are tried."""

_SMALL = 1e-30
"""Scales between this and its inverse have all bits of a float32 wherever they are used."""

_UNIT = 2.0**-24
"""What a rounded float32 is off by, of itself."""


def _grids(node: Node) -> tuple[tuple[F, int], tuple[F, int]]:
    """Scale and zero point of input and output."""
    one, two = ((F(node.scalar(place)), int(node.scalar(place + 1)) if node.has(place + 1) else 0) for place in (1, 3))
    return one, two


def _rounding(node: Node, count: int) -> Floats:
    """What a sum of so many elements becomes, where the sum is one of integers."""
    (x_scale, _), (y_scale, zero) = _grids(node)
    return Floats(np.asarray(x_scale / (y_scale * F(count))), zero, type_of_dtype(node.output.dtype))


def global_average(node: Node) -> Layer:
    """A sum of integers, and so the same in any order."""
    if node.attribute("channels_last", 0):
        raise Unclaimed("its channels come last")
    x, zero = node.tensor(0), _grids(node)[0][1]
    rounding = _rounding(node, prod(x.shape[2:]))
    layer = channel_means(node.name, node.op, x, zero, rounding, node.output)
    ones, none = (1,) * (len(x.shape) - 2), (0,) * (len(x.shape) - 2)
    return _by_ones(layer, zero, Window(x.shape[2:], ones, ones, none, none), rounding)


def average(node: Node) -> Layer:
    """A window that is the whole image has a sum of integers; floats are added in others."""
    if node.attribute("channels_last", 0):
        raise Unclaimed("its channels come last")
    x, kernel = node.tensor(0), tuple(node.attribute("kernel_shape"))
    window = window_of(node, x.shape[2:], kernel)
    if kernel == x.shape[2:] and not window.padded:
        return global_average(node)
    counts = _counts(node, window)
    if (counts != prod(kernel)).any() or window.outputs(x.shape[2:]) != node.output.shape[2:]:
        return _of_floats(node, window, counts, "its windows at the border are smaller")
    rounding, zero = _rounding(node, prod(kernel)), _grids(node)[0][1]
    if doubt := _doubt(node, prod(kernel), rounding):
        return _of_floats(node, window, counts, doubt)
    layer = window_means(node.name, node.op, x, window, zero, lambda total, _: rounding.rescale(total, (), ()).value,
                         node.output)  # fmt: skip
    return _by_ones(layer, zero, window, rounding)


def _counts(node: Node, window: Window) -> np.ndarray:
    """For each window by how many its sum is divided: its elements, or those of them that are inside."""
    outputs = node.output.shape[2:]
    if node.attribute("count_include_pad", 0):
        return np.full(outputs, prod(window.kernel))
    return window.inside(node.tensor(0).shape[2:], outputs)


def _of_floats(node: Node, window: Window, counts: np.ndarray, doubt: str) -> Layer:
    """The floats themselves, in integers. Each element is scaled and added, each result rounded to a float32, as
    `floats.chained` has it; what the sum becomes then never falls where it grows, so that it is known by the sums from
    which on it is more. Tried with random bytes, beside what the arithmetic says.

    Raises `Unclaimed`, with `doubt`, for larger windows, and floats without all of their bits."""
    (x_scale, x_zero), grid = _grids(node)
    x, kind, size = node.tensor(0), type_of_dtype(node.output.dtype), prod(window.kernel)
    if size > TAPS or not all(_SMALL < scale < 1 / _SMALL for scale in (x_scale, grid[0])):
        raise Unclaimed(doubt)
    unit, point = parts(float(x_scale))
    most = 2 * unit * size * 256
    wide, several = Int(most.bit_length() + 1), np.unique(counts)
    stairs = [Stairs(_starts(grid, int(count), point, most, kind), most, kind) for count in several]

    def mean(elements: Sequence[Expr], which: Expr) -> Expr:
        terms = [round_significant(cast(wide, i32(each) - x_zero) * constant(wide, unit), SIGNIFICANT)
                 for each in elements]  # fmt: skip
        total = reduce(lambda total, term: round_significant(total + term, SIGNIFICANT), terms)
        found = stairs[0].of(total)
        for number, each in enumerate(stairs[1:], 1):
            found = select(which == number, each.of(total), found)
        return found

    kinds = np.searchsorted(several, counts).astype(np.uint8)
    channels = max(_TRIED // prod(x.shape[2:]), 1)
    own = [replace(each, shape=(1, channels, *each.shape[2:])) for each in (x, node.output)]
    tried = np.random.default_rng(0).integers(0, 256, own[0].shape, np.uint8).view(x.dtype)
    (right,) = node.asked({x.name: x.dtype})([tried])
    try:
        layers = [of_windows(node.name, node.op, read, window, x_zero, mean, kinds, made)
                  for read, made in (own, (x, node.output))]  # fmt: skip
    except OverflowError:
        raise Unclaimed(doubt) from None
    if not np.array_equal(layers[0].run({x.name: tried})[0], right):
        raise Unclaimed(f"{node.op} adds floats in a way that is not known here")
    return layers[1]


def _starts(grid: tuple[F, int], count: int, point: int, most: int, kind: Type) -> tuple[int, ...]:
    """For each value but the least the first sum, with `point` bits after its point, that becomes it, or more: by
    halving, in the order of floats, what may be."""
    scale, zero = grid
    steps = np.arange(kind.min + 1, kind.max + 1)
    end = int(F(np.ldexp(float(most), -point)).view(np.int32)) + 1
    low, high = np.full(steps.size, -end, np.int64), np.full(steps.size, end, np.int64)
    while (high - low > 1).any():
        middle = (low + high) // 2
        size = np.abs(middle).astype(np.int32).view(F)
        real = np.where(middle < 0, -size, size) / F(count) / scale + F(zero)
        reached = np.rint(real) >= steps
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    size = np.abs(high).astype(np.int32).view(F).astype(np.float64)
    first = np.ceil(np.ldexp(np.where(high < 0, -size, size), point))
    return tuple(int(at) if -most <= at <= most else most + 1 if at > 0 else -most for at in first)


def _by_ones(layer: Layer, zero: int, window: Window, rounding: Floats) -> Layer:
    """The same as a convolution of each channel, for where one is computed anyway."""
    (x,) = layer.reads
    ones = np.ones((x.shape[1], 1, *window.kernel), np.int8)
    if len(window.kernel) != 2 or x.shape[1] == 1:
        return layer
    return replace(layer, recipe=Convolution(x, Operands(ones, zero, None), window, x.shape[1], rounding, layer.output))


def _doubt(node: Node, count: int, rounding: Floats) -> str:
    """Why not each sum of so many elements rounds as one of integers does; "" where each does.

    The runtime scales each element, adds, divides by how many there are and by the output's scale, and adds the zero
    point; each result is a float32. What it has before it rounds to an integer is off by as much at most as all of
    these round by.
    """
    (x_scale, x_zero), (y_scale, y_zero) = _grids(node)
    info, made = np.iinfo(node.tensor(0).dtype), np.iinfo(node.output.dtype)
    least, most = info.min - x_zero, info.max - x_zero
    sums = np.arange(count * least, count * most + 1)
    exact = sums * (float(x_scale) / (float(y_scale) * count)) + y_zero
    whole = np.abs(sums) if least >= 0 or most <= 0 else np.full(sums.shape, count * max(-least, most))
    terms = whole * (float(x_scale) / (float(y_scale) * count))
    off = 1.01 * _UNIT * ((count + 3) * terms + np.abs(exact) + abs(y_zero))
    inside = (exact > made.min - 1) & (exact < made.max + 1)
    near = inside & (np.abs(exact - np.floor(exact) - 0.5) <= off)
    if near.any():
        return (f"{node.op} adds floats one after the other, and of {inside.sum()} sums {near.sum()} are so near a "
                "half that what each rounds decides")  # fmt: skip
    ours = np.rint(sums.astype(F) * rounding.scale.astype(F)) + y_zero
    if not np.array_equal(np.clip(ours, made.min, made.max), np.clip(np.rint(exact), made.min, made.max)):
        return f"{node.op} rounds a sum in a way that is not known here"
    return ""


__all__ = ["average", "global_average"]
