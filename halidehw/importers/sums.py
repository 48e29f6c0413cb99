"""Layers that are sums of products: convolutions of any rank, groups and geometry, and matrix products.

The zero point of the input is no part of the loop: the sum over `(x - z) * w` is that over `x * w` less `z` times the
sum of the weights, which the bias takes up. Outside the input lies `z`, which then adds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from halidehw.expr.expr import Var, i32
from halidehw.expr.nodes import Expr, Operand
from halidehw.frontend.boundary import constant_exterior
from halidehw.frontend.func import Func
from halidehw.frontend.rdom import RDom
from halidehw.importers.building import (
    SPATIAL,
    Axis,
    arranged,
    at,
    bounded,
    constant_image,
    identifier,
    image,
    narrowest,
)
from halidehw.importers.building import variables as loops
from halidehw.importers.recipes import Convolution, Operands, Window
from halidehw.importers.rounding import Rounding
from halidehw.importers.steps import Layer, LoopNest
from halidehw.importers.tensors import Shape, Tensor
from halidehw.mapping.layer import DIMS
from halidehw.mapping.layer import Layer as Sizes


def convolution(
    name: str, op: str, x: Tensor, operands: Operands, window: Window, groups: int, rounding: Rounding | None,
    output: Tensor,
) -> Layer:  # fmt: skip
    """A convolution of `x`, of shape (n, c, ...), by weights of shape (k, c / groups, ...). Its loops are the channel
    `k` in a group, the group `g`, the spatial ones and the batch `n`; `g` and `n` are there if there are several, `k`
    unless each channel is a group. Without `rounding` the sums are the output."""
    batch, depth, *sizes = x.shape
    filters, per_group = operands.weight.shape[0] // groups, depth // groups
    places = [Var(letter) for letter in SPATIAL[: len(sizes)]]
    outer: Axis = [(Var("n"), batch)] if batch > 1 else []
    group: Axis = [(Var("g"), groups)] if groups > 1 else []
    own: Axis = [(Var("k"), filters)] if filters > 1 or groups == 1 else []
    outputs = zip(reversed(places), window.outputs(tuple(sizes)), strict=True)
    variables, shape = arranged([outer, [*group, *own], *([pair] for pair in outputs)], output.order)

    summed = per_group > 1 or groups == 1
    domain = RDom([*([(0, per_group)] if summed else []), *((0, extent) for extent in reversed(window.kernel))], "r")
    depths: Axis = [(domain.x, per_group)] if summed else []
    taps = domain.vars[len(depths) :]
    moved = zip(reversed(window.indices(places, taps)), sizes, strict=True)
    index, extents = arranged([outer, [*group, *depths], *([pair] for pair in moved)], x.order)
    source = image("input", extents, x.dtype)
    read = constant_exterior(source, operands.zero_point) if window.padded else source

    channel, channels = arranged([[*group, *own]], [0])
    weights = operands.weight.reshape((*channels, *([per_group] if summed else []), *window.kernel))
    folded = Operands(weights, operands.zero_point, operands.bias).folded(len(channels))
    held = np.ascontiguousarray(np.moveaxis(weights, range(-len(sizes), 0), range(len(sizes))))
    kernel = image("weight", held.shape, narrowest(held))
    product = _product(at(read, index), at(kernel, [*(each for each, _ in depths), *channel, *taps]))
    func, constants = _summed(name, variables, shape, product, channel, channels, folded, rounding)
    constants = {"weight": held.astype(kernel.type.dtype), **constants}
    macs = prod(shape) * prod(size for _, size in domain.ranges)
    flat = len(sizes) <= len(_PLANE)
    nest = _nest(name, x, operands.weight, window, groups, output, (depths, taps)) if flat else None
    recipe = Convolution(x, operands, window, groups, rounding, output) if rounding and len(sizes) == _IMAGE else None
    return Layer(name, op, func, {"input": x}, constants, output, macs, nest, recipe)


_IMAGE = 2
"""Spatial dimensions of an image."""

_PLANE = (("X", "FX", "x"), ("Y", "FY", "y"))
"""Of each spatial dimension, the fastest first: the optimizer's dims and what its sizes end in."""


def _nest(
    name: str, x: Tensor, weight: np.ndarray, window: Window, groups: int, output: Tensor,
    inner: tuple[Axis, Sequence[Expr]],
) -> LoopNest:  # fmt: skip
    """A convolution of at most two spatial dimensions; `inner`: its loops over channels and taps."""
    sizes: dict[str, int] = {"b": x.shape[0], "k": weight.shape[0], "c": x.shape[1], "groups": groups}
    loops_of = {"K": "k", "G": "g", "B": "n"} | ({"C": str(inner[0][0][0])} if inner[0] else {})
    for place, (tap, (dim, filter_dim, letter)) in enumerate(zip(inner[1], _PLANE, strict=False), 1):
        sizes |= {f"o{letter}": output.shape[-place], f"f{letter}": window.kernel[-place]}
        sizes |= {f"stride_{letter}": window.strides[-place], f"dilation_{letter}": window.dilations[-place]}
        loops_of |= {dim: letter, filter_dim: str(tap)}
    found = Sizes(**sizes, name=name)
    there = {dim for dim, extent in zip(DIMS, found.extents, strict=True) if extent > 1}
    own = {dim for dim in ("X", "Y", "FX", "FY") if dim in loops_of} | ({"C"} & loops_of.keys())
    kept = tuple((dim, loop) for dim, loop in loops_of.items() if dim in there | own or (dim, groups) == ("K", 1))
    return LoopNest(found, kept, f"{identifier(name)}_sum")


def matrix_product(
    name: str, op: str, x: Tensor, operands: Operands, rounding: Rounding | None, output: Tensor
) -> Layer:
    """The rows of `x`, of shape (..., c), times a matrix of weights of shape (k, c). Its loops are k, the fastest, and
    the dimensions of the rows that are more than one long."""
    depth, filters = x.shape[-1], operands.weight.shape[0]
    domain, k = RDom([(0, depth)], "r"), Var("k")
    rows = [[(var, size)] if size > 1 else [] for var, size in zip(_rows(x), x.shape[:-1], strict=True)]
    index, extents = arranged([*rows, [(domain.x, depth)]], x.order)
    variables, shape = arranged([*rows, [(k, filters)]], output.order)
    source = image("input", extents, x.dtype)
    held = np.ascontiguousarray(operands.weight)
    kernel = image("weight", held.shape, narrowest(held))
    product = _product(at(source, index), kernel[domain.x, k])
    func, constants = _summed(name, variables, shape, product, [k], (filters,), operands.folded(1), rounding)
    constants = {"weight": held.astype(kernel.type.dtype), **constants}
    nest = _rows_nest(name, x, filters, rows, domain.x)
    recipe = _row_of_pixels(x, operands, rounding, output) if rounding and x.plain and output.plain else None
    return Layer(name, op, func, {"input": x}, constants, output, prod(shape) * depth, nest, recipe)


def _row_of_pixels(x: Tensor, operands: Operands, rounding: Rounding, output: Tensor) -> Convolution:
    """A matrix product as a convolution, where tensors lie as NumPy has them: the rows are the pixels of an image one
    pixel high."""
    filters, depth = operands.weight.shape
    pixels = prod(x.shape[:-1])
    image = Tensor(x.name, (1, depth, 1, pixels), x.dtype)
    made = Tensor(output.name, (1, filters, 1, pixels), output.dtype)
    weight = operands.weight.reshape(filters, depth, 1, 1)
    ones, none = (1, 1), (0, 0)
    window = Window(ones, ones, ones, none, none)
    return Convolution(image, Operands(weight, operands.zero_point, operands.bias), window, 1, rounding, made)


def _rows_nest(name: str, x: Tensor, filters: int, rows: Sequence[Axis], tap: Expr) -> LoopNest | None:
    """Of a matrix product whose rows are one loop at most; the optimizer has no more."""
    outer = [pair for axis in rows for pair in axis]
    if len(outer) > 1:
        return None
    sizes = Sizes(k=filters, c=x.shape[-1], b=outer[0][1] if outer else 1, name=name)
    batch = [("B", str(outer[0][0]))] if outer else []
    return LoopNest(sizes, (("C", str(tap)), ("K", "k"), *batch), f"{identifier(name)}_sum")


def _rows(x: Tensor) -> list[Var]:
    """A loop for each dimension but the last."""
    return list(reversed(loops(len(x.shape))[: len(x.shape) - 1]))


def product_of_tensors(
    name: str, op: str, tensors: tuple[Tensor, Tensor], zero_points: tuple[int, int], rounding: Rounding | None,
    output: Tensor,
) -> Layer:  # fmt: skip
    """The matrix product of two tensors of shapes (..., i, c) and (..., c, j), with the same sizes before them."""
    a, b = tensors
    depth, x = a.shape[-1], Var("column")
    domain, rows = RDom([(0, depth)], "r"), _rows(a)
    before = [[(var, size)] if size > 1 else [] for var, size in zip(rows[:-1], a.shape[:-2], strict=True)]
    here: Axis = [(rows[-1], a.shape[-2])]
    (one, left), (two, right) = (
        arranged([*before, *both], a.order)
        for both in ((here, [(domain.x, depth)]), ([(domain.x, depth)], [(x, b.shape[-1])]))
    )
    product = _less(at(image("a", left, a.dtype), one), zero_points[0]) * _less(
        at(image("b", right, b.dtype), two), zero_points[1]
    )
    variables, shape = arranged([*before, here, [(x, b.shape[-1])]], output.order)
    func, constants = _summed(name, variables, shape, product, [], (), None, rounding)
    return Layer(name, op, func, {"a": a, "b": b}, constants, output, prod(shape) * depth)


def _less(a: Expr, zero_point: int) -> Expr:
    return i32(a) - zero_point if zero_point else i32(a)


def _product(a: Operand, b: Operand) -> Expr:
    return i32(a) * i32(b)


def _summed(
    name: str, variables: Sequence[Expr], shape: Shape, product: Expr, channel: Sequence[Expr], channels: Shape,
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
        value, constants = value + at(held, channel), {"bias": bias}
    if rounding is not None:
        rescaled = rounding.rescale(value, channel, channels)
        value = rescaled.value
        constants |= {each.name: array for each, array in rescaled.constants}
    func = Func(own)
    func[point] = value
    return bounded(func, variables, shape), constants
