"""Layers that compute nothing: the same elements in another order, some of them, or with others around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from operator import mul

import numpy as np

from halidehw.expr.expr import select
from halidehw.expr.nodes import Expr, Operand, as_expr
from halidehw.frontend.boundary import constant_exterior, mirror_interior, repeat_edge, repeat_image
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam
from halidehw.importers.building import Axis, arranged, at, bounded, identifier, image, variables, whole
from halidehw.importers.steps import Layer, View
from halidehw.importers.tensors import Shape, Tensor

AROUND: dict[str, Callable[[ImageParam], Func]] = {
    "edge": repeat_edge, "reflect": mirror_interior, "wrap": repeat_image,
}  # fmt: skip
"""By ONNX's name: what lies around a tensor."""


def reshaped(name: str, op: str, x: Tensor, output: Tensor) -> Layer | View:
    """The same elements, counted as NumPy counts them, under another shape: a view where they lie as they did, else
    each is moved. Raises `ValueError` where neither of the two lies as NumPy has it."""
    numbers = np.arange(x.words)
    if np.array_equal(x.laid(numbers.reshape(x.shape)).ravel(), output.laid(numbers.reshape(output.shape)).ravel()):
        return View(name, op, x, output)
    plain = [tensor for tensor in (x, output) if list(tensor.order) == sorted(tensor.order)]
    if not plain:
        return _divided(name, op, x, output)
    image_of = output if plain[0] is x else x
    places = list(reversed(variables(len(image_of.shape))))
    own, shape = whole(image_of, places)
    flat, counted = arranged([[pair] for pair in zip(places, image_of.shape, strict=True)], range(len(places)))
    (there, here), extents = ((flat, own), shape) if image_of is output else ((own, flat), counted)
    source = image("input", counted if image_of is output else shape, x.dtype)
    func = Func(identifier(name))
    func[tuple(here)] = at(source, there)
    return Layer(name, op, bounded(func, here, extents), {"input": x}, {}, output)


def _divided(name: str, op: str, x: Tensor, output: Tensor) -> Layer:
    """Where each dimension of one is several of the other."""
    ends = [list(accumulate(each.shape, mul)) for each in (x, output)]
    cuts = sorted({*ends[0], *ends[1]})
    if any(after % before for before, after in pairwise(cuts)):
        raise ValueError(f"it counts {x.shape} as {output.shape}, whose dimensions are not parts of each other's")
    sizes = [after // before for before, after in pairwise([1, *cuts])]
    parts = [pair for pair in zip(reversed(variables(len(sizes))), sizes, strict=True) if pair[1] > 1]

    def axes(shape: Shape) -> list[Axis]:
        rest, found = list(parts), list[Axis]()
        for size in shape:
            own, left = list[tuple[Expr, int]](), size
            while left > 1:
                own.append(rest.pop(0))
                left //= own[-1][1]
            found.append(own)
        return found

    index, extents = arranged(axes(x.shape), x.order)
    point, shape = arranged(axes(output.shape), output.order)
    func = Func(identifier(name))
    func[tuple(point)] = at(image("input", extents, x.dtype), index)
    return Layer(name, op, bounded(func, point, shape), {"input": x}, {}, output)


def transposed(name: str, op: str, x: Tensor, order: Sequence[int], output: Tensor) -> Layer | View:
    """Dimension i of the output is `order[i]` of `x`; only a view where no element moves past another."""
    numbers = np.arange(x.words).reshape(x.shape)
    if np.array_equal(x.laid(numbers).ravel(), output.laid(numbers.transpose(order)).ravel()):
        return View(name, op, x, output)
    return _moved(name, op, x, output, lambda out: [out[list(order).index(axis)] for axis in range(len(order))])


def sliced(name: str, op: str, x: Tensor, starts: Shape, steps: Shape, output: Tensor) -> Layer:
    """Every `steps`-th element from `starts` on, along each dimension."""
    sides = list(zip(starts, steps, strict=True))
    return _moved(name, op, x, output, lambda out: [
        var * step + start if (start, step) != (0, 1) else var for var, (start, step) in zip(out, sides, strict=True)
    ])  # fmt: skip


def padded(name: str, op: str, x: Tensor, before: Shape, around: str | int, output: Tensor) -> Layer:
    """With elements around: a number, or those that a name in `AROUND` says."""
    surround = AROUND[around] if isinstance(around, str) else lambda source: constant_exterior(source, around)
    return _moved(
        name, op, x, output, lambda out: [var - low if low else var for var, low in zip(out, before, strict=True)],
        surround,
    )  # fmt: skip


def enlarged(name: str, op: str, x: Tensor, factors: Shape, output: Tensor) -> Layer:
    """Every element `factors` times along each dimension."""
    return _moved(
        name, op, x, output, lambda out: [var / by if by > 1 else var for var, by in zip(out, factors, strict=True)]
    )


def repeated(name: str, op: str, x: Tensor, output: Tensor) -> Layer:
    """The whole of it so many times along each dimension; a dimension that `x` lacks is one before its others."""
    def place(out: Sequence[Expr]) -> Sequence[Expr]:
        own = zip(out[len(out) - len(x.shape) :], x.shape, output.shape[len(out) - len(x.shape) :], strict=True)
        return [as_expr(0) if size == 1 else var if size == long else var % size for var, size, long in own]

    return _moved(name, op, x, output, place)


def spread(name: str, op: str, x: Tensor, side: int, channels_last: bool, output: Tensor) -> Layer:
    """Channels of an image as squares of `side` pixels: of each pixel first its number in the square, then (or, with
    `channels_last`, before it) the channel."""
    def place(out: Sequence[Expr]) -> Sequence[Expr]:
        batch, channel, *pixel = out
        number = pixel[0] % side * side + pixel[1] % side
        depth = channel * (side * side) + number if channels_last else number * output.shape[1] + channel
        return [batch, depth, *(at / side for at in pixel)]

    return _moved(name, op, x, output, place)


def gathered(name: str, op: str, x: Tensor, side: int, output: Tensor) -> Layer:
    """Squares of `side` pixels as channels, the square's first pixel of all channels first."""
    def place(out: Sequence[Expr]) -> Sequence[Expr]:
        batch, channel, *pixel = out
        depth = x.shape[1]
        down, across = channel / (depth * side), channel / depth % side
        return [batch, channel % depth, pixel[0] * side + down, pixel[1] * side + across]

    return _moved(name, op, x, output, place)


def _moved(
    name: str, op: str, x: Tensor, output: Tensor, place: Callable[[Sequence[Expr]], Sequence[Expr]],
    around: Callable[[ImageParam], Func | ImageParam] = lambda source: source,
) -> Layer:  # fmt: skip
    """`place`: the indices of `x` for those of the output, as NumPy has them."""
    places = list(reversed(variables(len(output.shape))))
    point, shape = whole(output, places)
    index, extents = whole(x, place(places))
    func = Func(identifier(name))
    func[tuple(point)] = at(around(image("input", extents, x.dtype)), index)
    return Layer(name, op, bounded(func, point, shape), {"input": x}, {}, output)


def joined(
    name: str, op: str, tensors: Sequence[Tensor], values: Sequence[Callable[[Expr], Operand]], axis: int,
    output: Tensor,
) -> Layer:  # fmt: skip
    """Tensors one after the other along an axis, each element changed by what `values` has for its tensor."""
    places: list[Expr] = list(reversed(variables(len(output.shape))))
    point, shape = whole(output, places)
    starts = [0, *accumulate(each.shape[axis] for each in tensors)]
    parts: list[Operand] = []
    inputs: dict[str, Tensor] = {}
    for number, (each, start, value) in enumerate(zip(tensors, starts, values, strict=False)):
        own = [*places[:axis], places[axis] - start if start else places[axis], *places[axis + 1 :]]
        index, extents = whole(each, own)
        inputs[f"input{number}"] = each
        parts.append(value(at(constant_exterior(image(f"input{number}", extents, each.dtype), 0), index)))
    chosen = [part for end, value in zip(starts[1:], parts, strict=False) for part in (places[axis] < end, value)][:-2]
    func = Func(identifier(name))
    func[tuple(point)] = select(*chosen, parts[-1]) if chosen else parts[-1]
    return Layer(name, op, bounded(func, point, shape), inputs, {}, output)
