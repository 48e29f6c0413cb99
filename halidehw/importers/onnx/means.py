"""Average pools as ONNX Runtime computes them: of integers where a window is the whole image, else of floats one after
the other, where it is proved that no order of these decides a half."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np

from halidehw.expr.types import type_of_dtype
from halidehw.importers.onnx.node import Node, Unclaimed
from halidehw.importers.onnx.windows import window_of
from halidehw.importers.pools import channel_means, window_means
from halidehw.importers.recipes import Convolution, Operands, Window
from halidehw.importers.rounding import Floats
from halidehw.importers.steps import Layer

F = np.float32

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
    if window.outputs(x.shape[2:]) != node.output.shape[2:] or (
        window.padded and not node.attribute("count_include_pad", 0)
    ):
        raise Unclaimed("its windows at the border are smaller")
    rounding, zero = _rounding(node, prod(kernel)), _grids(node)[0][1]
    _check_floats(node, prod(kernel), rounding)
    layer = window_means(node.name, node.op, x, window, zero, lambda total, _: rounding.rescale(total, (), ()).value,
                         node.output)  # fmt: skip
    return _by_ones(layer, zero, window, rounding)


def _by_ones(layer: Layer, zero: int, window: Window, rounding: Floats) -> Layer:
    """The same as a convolution of each channel, for where one is computed anyway."""
    (x,) = layer.reads
    ones = np.ones((x.shape[1], 1, *window.kernel), np.int8)
    if len(window.kernel) != 2 or x.shape[1] == 1:
        return layer
    return replace(layer, recipe=Convolution(x, Operands(ones, zero, None), window, x.shape[1], rounding, layer.output))


def _check_floats(node: Node, count: int, rounding: Floats) -> None:
    """Raises `Unclaimed` unless each sum of so many elements rounds as one of integers does.

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
        raise Unclaimed(
            f"{node.op} adds floats one after the other, and of {inside.sum()} sums {near.sum()} are so near a half "
            "that what each rounds decides"
        )
    ours = np.rint(sums.astype(F) * rounding.scale.astype(F)) + y_zero
    if not np.array_equal(np.clip(ours, made.min, made.max), np.clip(np.rint(exact), made.min, made.max)):
        raise Unclaimed(f"{node.op} rounds a sum in a way that is not known here")


__all__ = ["average", "global_average"]
