"""Layers that take one value of many: the greatest of a window, and the mean of a whole channel."""

from __future__ import annotations

from math import prod

import numpy as np

from halidehw.expr.expr import Var, i32, max
from halidehw.expr.nodes import constant
from halidehw.frontend.boundary import constant_exterior
from halidehw.frontend.func import Func
from halidehw.frontend.rdom import RDom
from halidehw.importers.building import SPATIAL, at, bounded, identifier, image
from halidehw.importers.rounding import Rounding
from halidehw.importers.steps import Layer, Tensor
from halidehw.importers.sums import Window


def greatest(name: str, op: str, x: Tensor, window: Window, output: Tensor) -> Layer:
    """The greatest element of each window of a tensor of shape (n, c, ...); outside the tensor there is none. Its loops
    are, the fastest first, the spatial ones, and one over the channels of the whole batch."""
    batch, depth, *sizes = x.shape
    places, c = [Var(letter) for letter in SPATIAL[: len(sizes)]], Var("c")
    source = image("input", (batch * depth, *sizes), x.dtype)
    least = source.type.min
    domain = RDom([(0, extent) for extent in reversed(window.kernel)], "r")
    func, point = Func(identifier(name)), (*places, c)
    reached = zip(output.shape[2:], window.strides, window.kernel, window.dilations, window.before, sizes, strict=True)
    outside = any((many - 1) * by + (taps - 1) * far - low >= size for many, by, taps, far, low, size in reached)
    read = constant_exterior(source, least) if outside or window.padded else source
    func[point] = constant(source.type, least)
    func[point] = max(at(func, point), at(read, [*window.indices(places, domain.vars), c]))
    bounded(func, point, (batch * depth, *output.shape[2:]))
    return Layer(name, op, func, {"input": x}, {}, output)


def channel_means(name: str, op: str, x: Tensor, zero_point: int, rounding: Rounding, output: Tensor) -> Layer:
    """The mean of each channel of a tensor of shape (n, c, ...): a sum less its zero points, divided by `rounding`."""
    batch, depth, *sizes = x.shape
    c = Var("c")
    source, own = image("input", (batch * depth, prod(sizes)), x.dtype), identifier(name)
    domain, total, func = RDom([(0, prod(sizes))], "r"), Func(f"{own}_sum"), Func(own)
    total[c] += i32(source[domain.x, c])
    func[c] = rounding.rescale(total[c] - int(np.int32(zero_point * prod(sizes))), (), ()).value
    return Layer(name, op, bounded(func, [c], (batch * depth,)), {"input": x}, {}, output)
