"""Layers that compute nothing: the same elements in another order, some of them, or with others around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

from halidehw.expr.expr import Var, select
from halidehw.expr.nodes import Expr, Operand
from halidehw.frontend.boundary import constant_exterior, mirror_interior, repeat_edge, repeat_image
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam
from halidehw.importers.building import at, bounded, identifier, image
from halidehw.importers.building import variables as loops
from halidehw.importers.steps import Layer, Shape, Tensor, View

AROUND: dict[str, Callable[[ImageParam], Func]] = {
    "edge": repeat_edge, "reflect": mirror_interior, "wrap": repeat_image,
}  # fmt: skip
"""By ONNX's name: what lies around a tensor."""


def transposed(name: str, op: str, x: Tensor, order: Sequence[int], output: Tensor) -> Layer | View:
    """Dimension i of the output is `order[i]` of `x`; only a view where none of several elements moves past another."""
    long = [axis for axis in order if x.shape[axis] > 1]
    if long == sorted(long):
        return View(name, op, x, output)
    variables = loops(len(order))
    index: list[Expr] = list(variables)
    for place, axis in enumerate(order):
        index[len(order) - 1 - axis] = variables[len(order) - 1 - place]
    return _moved(name, op, x, output, variables, lambda read: at(read, index))


def sliced(name: str, op: str, x: Tensor, starts: Shape, steps: Shape, output: Tensor) -> Layer:
    """Every `steps`-th element from `starts` on, along each dimension."""
    variables = loops(len(x.shape))
    sides = zip(variables, reversed(starts), reversed(steps), strict=True)
    index = tuple(var * step + start if (start, step) != (0, 1) else var for var, start, step in sides)
    return _moved(name, op, x, output, variables, lambda read: at(read, index))


def padded(name: str, op: str, x: Tensor, before: Shape, around: str | int, output: Tensor) -> Layer:
    """With elements around: a number, or those that a name in `AROUND` says."""
    variables = loops(len(x.shape))
    index = tuple(var - low if low else var for var, low in zip(variables, reversed(before), strict=True))

    def read(source: ImageParam) -> Expr:
        whole = constant_exterior(source, around) if isinstance(around, int) else AROUND[around](source)
        return at(whole, index)

    return _moved(name, op, x, output, variables, read)


def enlarged(name: str, op: str, x: Tensor, factors: Shape, output: Tensor) -> Layer:
    """Every element `factors` times along each dimension."""
    variables = loops(len(x.shape))
    index = tuple(var / by if by > 1 else var for var, by in zip(variables, reversed(factors), strict=True))
    return _moved(name, op, x, output, variables, lambda read: at(read, index))


def _moved(
    name: str, op: str, x: Tensor, output: Tensor, variables: Sequence[Var], read: Callable[[ImageParam], Expr]
) -> Layer:
    func = Func(identifier(name))
    func[tuple(variables)] = read(image("input", x.shape, x.dtype))
    return Layer(name, op, bounded(func, variables, output.shape), {"input": x}, {}, output)


def joined(
    name: str, op: str, tensors: Sequence[Tensor], values: Sequence[Callable[[Expr], Operand]], axis: int,
    output: Tensor,
) -> Layer:  # fmt: skip
    """Tensors one after the other along an axis, each element changed by what `values` has for its tensor."""
    variables = loops(len(output.shape))
    place = len(output.shape) - 1 - axis
    along = variables[place]
    images = [image(f"input{number}", each.shape, each.dtype) for number, each in enumerate(tensors)]
    starts = [0, *accumulate(each.shape[axis] for each in tensors)]
    parts: list[Operand] = []
    for each, start, value in zip(images, starts, values, strict=False):
        index: list[Expr] = list(variables)
        index[place] = along - start if start else along
        parts.append(value(at(constant_exterior(each, 0), index)))
    conditions = [part for end, value in zip(starts[1:], parts, strict=False) for part in (along < end, value)][:-2]
    func = Func(identifier(name))
    func[tuple(variables)] = select(*conditions, parts[-1]) if conditions else parts[-1]
    inputs = {each.name: tensor for each, tensor in zip(images, tensors, strict=True)}
    return Layer(name, op, bounded(func, variables, output.shape), inputs, {}, output)
