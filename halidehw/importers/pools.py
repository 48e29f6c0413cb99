"""Layers that take one value of many: the greatest of a window, and the mean of a whole channel."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from halidehw.expr.expr import Var, cast, i32, max
from halidehw.expr.nodes import Expr, constant
from halidehw.expr.types import type_of_dtype
from halidehw.frontend.boundary import constant_exterior
from halidehw.frontend.func import Func
from halidehw.frontend.rdom import RDom
from halidehw.importers.building import SPATIAL, Axis, arranged, at, bounded, identifier, image
from halidehw.importers.recipes import Window
from halidehw.importers.rounding import Rounding
from halidehw.importers.steps import Layer
from halidehw.importers.tensors import Tensor


def greatest(name: str, op: str, x: Tensor, window: Window, output: Tensor) -> Layer:
    """The greatest element of each window of a tensor of shape (n, c, ...); outside the tensor there is none. Its loops
    are the channel `c`, the spatial ones, and the batch `n` if there are several."""
    batch, depth, *sizes = x.shape
    places, channel = [Var(letter) for letter in SPATIAL[: len(sizes)]], [(Var("c"), depth)]
    outer: Axis = [(Var("n"), batch)] if batch > 1 else []
    domain = RDom([(0, extent) for extent in reversed(window.kernel)], "r")
    moved = zip(reversed(window.indices(places, domain.vars)), sizes, strict=True)
    index, extents = arranged([outer, channel, *([pair] for pair in moved)], x.order)
    outputs = zip(reversed(places), output.shape[2:], strict=True)
    point, shape = arranged([outer, channel, *([pair] for pair in outputs)], output.order)
    source = image("input", extents, x.dtype)
    reached = zip(output.shape[2:], window.strides, window.kernel, window.dilations, window.before, sizes, strict=True)
    outside = any((many - 1) * by + (taps - 1) * far - low >= size for many, by, taps, far, low, size in reached)
    read = constant_exterior(source, source.type.min) if outside or window.padded else source
    func = Func(identifier(name))
    func[tuple(point)] = constant(source.type, source.type.min)
    func[tuple(point)] = max(at(func, point), at(read, index))
    return Layer(name, op, bounded(func, point, shape), {"input": x}, {}, output)


def channel_means(name: str, op: str, x: Tensor, zero_point: int, rounding: Rounding, output: Tensor) -> Layer:
    """The mean of each channel of a tensor of shape (n, c, ...): a sum less its zero points, divided by `rounding`."""
    batch, depth, *sizes = x.shape
    channel, outer = [(Var("c"), depth)], [(Var("n"), batch)] if batch > 1 else []
    domain, own = RDom([(0, extent) for extent in reversed(sizes)], "r"), identifier(name)
    taps = zip(reversed(domain.vars), sizes, strict=True)
    index, extents = arranged([outer, channel, *([pair] for pair in taps)], x.order)
    point, shape = arranged([outer, channel], [0, 1])
    total, func = Func(f"{own}_sum"), Func(own)
    total[tuple(point)] += i32(at(image("input", extents, x.dtype), index))
    zeros = int(np.int32(zero_point * prod(sizes)))
    func[tuple(point)] = rounding.rescale(at(total, point) - zeros, (), ()).value
    return Layer(name, op, bounded(func, point, shape), {"input": x}, {}, output)


def window_means(
    name: str, op: str, x: Tensor, window: Window, zero_point: int, mean: Callable[[Expr, int], Expr], output: Tensor
) -> Layer:
    """The mean of each window of a tensor of shape (n, c, ...), outside which lies its zero point: `mean` of the sum of
    what is above that point, and of how many elements there are. Loops as of `greatest`."""
    batch, depth, *sizes = x.shape
    places, channel = [Var(letter) for letter in SPATIAL[: len(sizes)]], [(Var("c"), depth)]
    outer: Axis = [(Var("n"), batch)] if batch > 1 else []
    domain, own = RDom([(0, extent) for extent in reversed(window.kernel)], "r"), identifier(name)
    moved = zip(reversed(window.indices(places, domain.vars)), sizes, strict=True)
    index, extents = arranged([outer, channel, *([pair] for pair in moved)], x.order)
    outputs = zip(reversed(places), output.shape[2:], strict=True)
    point, shape = arranged([outer, channel, *([pair] for pair in outputs)], output.order)
    total, func = Func(f"{own}_sum"), Func(own)
    source = image("input", extents, x.dtype)
    total[tuple(point)] += i32(at(constant_exterior(source, zero_point) if window.padded else source, index))
    zeros = zero_point * prod(window.kernel)
    above = at(total, point) - zeros if zeros else at(total, point)
    func[tuple(point)] = cast(type_of_dtype(output.dtype), mean(above, prod(window.kernel)))
    return Layer(name, op, bounded(func, point, shape), {"input": x}, {}, output)
