"""Layers that take one value of many: the greatest of a window, and the mean of a whole channel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from halidehw.expr.expr import Var, cast, i32, max
from halidehw.expr.nodes import Expr, as_expr, constant
from halidehw.expr.types import type_of_dtype
from halidehw.frontend.boundary import constant_exterior
from halidehw.frontend.func import Func
from halidehw.frontend.rdom import RDom
from halidehw.importers.building import SPATIAL, Axis, arranged, at, bounded, constant_image, identifier, image
from halidehw.importers.recipes import Window
from halidehw.importers.rounding import Rounding
from halidehw.importers.steps import Layer
from halidehw.importers.tensors import Shape, Tensor


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
    read = constant_exterior(source, source.type.min) if _outside(window, x, output) else source
    func = Func(identifier(name))
    func[tuple(point)] = constant(source.type, source.type.min)
    func[tuple(point)] = max(at(func, point), at(read, index))
    return Layer(name, op, bounded(func, point, shape), {"input": x}, {}, output)


def _outside(window: Window, x: Tensor, output: Tensor) -> bool:
    """Whether a window looks beyond the tensor."""
    reached = zip(
        output.shape[2:], window.strides, window.kernel, window.dilations, window.before, x.shape[2:], strict=True
    )
    return window.padded or any(
        (many - 1) * by + (taps - 1) * far - low >= size for many, by, taps, far, low, size in reached
    )


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


TAPS = 16
"""Elements of a window at most that are read side by side."""


def of_windows(
    name: str, op: str, x: Tensor, window: Window, zero_point: int, build: Callable[[Sequence[Expr], Expr], Expr],
    kinds: np.ndarray, output: Tensor,
) -> Layer:  # fmt: skip
    """`build` of all elements of each window, in NumPy's order, outside which lies the zero point, and of what `kinds`
    has for the window's place, where that is not all the same. Loops as of `greatest`."""
    batch, depth, *sizes = x.shape
    places, channel = [Var(letter) for letter in SPATIAL[: len(sizes)]], [(Var("c"), depth)]
    outer: Axis = [(Var("n"), batch)] if batch > 1 else []
    outputs = zip(reversed(places), output.shape[2:], strict=True)
    point, shape = arranged([outer, channel, *([pair] for pair in outputs)], output.order)

    def placed(taps: Sequence[int]) -> tuple[list[Expr], Shape]:
        moved = window.indices(places, [as_expr(tap) for tap in reversed(taps)])
        return arranged([outer, channel, *([pair] for pair in zip(reversed(moved), sizes, strict=True))], x.order)

    source = image("input", placed((0,) * len(sizes))[1], x.dtype)
    read = constant_exterior(source, zero_point) if _outside(window, x, output) else source
    elements = [at(read, placed(taps)[0]) for taps in np.ndindex(*window.kernel)]
    alike = bool((kinds == kinds.flat[0]).all())
    kind = as_expr(int(kinds.flat[0])) if alike else at(constant_image("a", kinds), places)
    func = Func(identifier(name))
    func[tuple(point)] = build(elements, kind)
    return Layer(name, op, bounded(func, point, shape), {"input": x}, {} if alike else {"a": kinds}, output)
