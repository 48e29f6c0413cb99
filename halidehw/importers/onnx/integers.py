"""Operators that compute with integers as they are, and those that only move them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from halidehw.expr import expr as e
from halidehw.expr.expr import cast, select
from halidehw.expr.nodes import Expr, binary, constant
from halidehw.expr.types import type_of_dtype
from halidehw.importers.moves import (
    AROUND,
    enlarged,
    gathered,
    joined,
    padded,
    repeated,
    reshaped,
    sliced,
    spread,
    transposed,
)
from halidehw.importers.onnx.node import Builder, Node, Unclaimed, integer
from halidehw.importers.onnx.windows import window_of
from halidehw.importers.pointwise import pointwise
from halidehw.importers.pools import greatest
from halidehw.importers.steps import Layer, View

_MOST = 3
"""Inputs of an operator."""


def _pointwise(build: Callable[..., Expr]) -> Builder:
    """An operator of all its inputs, element by element."""

    def made(node: Node) -> Layer:
        operands = [node.operand(place) for place in range(len(node.proto.input))]
        if len(operands) > _MOST:
            raise Unclaimed(f"it has {len(operands)} inputs")
        for each in operands:
            integer(each.dtype)
        integer(node.output.dtype)
        return pointwise(node.name, node.op, operands, build, node.output)

    return made


def _modulo(node: Node) -> Layer:
    """By ONNX the remainder has the divisor's sign; with `fmod`, the dividend's, as in C."""
    def python(a: Expr, b: Expr) -> Expr:
        rest = e.mod_round_to_zero(a, b)
        if not rest.type.signed:
            return rest
        return select(binary("land", rest != 0, binary("ne", rest < 0, b < 0)), rest + b, rest)

    return _pointwise(e.mod_round_to_zero if node.attribute("fmod", 0) else python)(node)


def _shifted(node: Node) -> Layer:
    left = node.attribute("direction") == "LEFT"
    return _pointwise(lambda a, b: a << b if left else a >> b)(node)


def _clip(node: Node) -> Layer:
    x = node.tensor(0)
    kind = integer(x.dtype)
    low, high = (int(node.scalar(place)) if node.has(place) else end for place, end in ((1, kind.min), (2, kind.max)))
    build = lambda a: e.max(e.min(a, constant(kind, high)), constant(kind, low))  # noqa: E731
    return pointwise(node.name, node.op, [x], build, node.output)


def _relu(node: Node) -> Layer:
    integer(node.output.dtype)
    return pointwise(node.name, node.op, [node.tensor(0)], lambda a: e.max(a, constant(a.type, 0)), node.output)


def _cast(node: Node) -> Layer:
    """To an integer; to a bool, whether it is not 0."""
    integer(node.tensor(0).dtype)
    kind = integer(node.output.dtype)
    build = (lambda a: a != 0) if kind.is_bool else partial(cast, kind)
    return pointwise(node.name, node.op, [node.tensor(0)], build, node.output)


def _where(c: Expr, a: Expr, b: Expr) -> Expr:
    return select(c, a, b)


def _sign(a: Expr) -> Expr:
    return select(a > 0, constant(a.type, 1), a == 0, constant(a.type, 0), constant(a.type, -1))


def _xor(a: Expr, b: Expr) -> Expr:
    return binary("ne", a, b)


def _reshaped(node: Node) -> Layer | View:
    return reshaped(node.name, node.op, node.tensor(0), node.output)


def _transpose(node: Node) -> Layer | View:
    x = node.tensor(0)
    integer(x.dtype)
    order = node.attribute("perm", tuple(reversed(range(len(x.shape)))))
    return transposed(node.name, node.op, x, tuple(order), node.output)


def _concat(node: Node) -> Layer:
    integer(node.output.dtype)
    tensors = [node.tensor(place) for place in range(len(node.proto.input))]
    axis = int(node.attribute("axis")) % len(node.output.shape)
    return joined(node.name, node.op, tensors, [lambda a: a] * len(tensors), axis, node.output)


def _slice(node: Node) -> Layer:
    """The starts are counted from the end where they are negative, and clipped."""
    x = node.tensor(0)
    integer(x.dtype)
    starts, axes, steps = node.integers(1), node.integers(3), node.integers(4)
    assert starts is not None
    axes = axes or tuple(range(len(starts)))
    steps = steps or (1,) * len(starts)
    first, by = [0] * len(x.shape), [1] * len(x.shape)
    for axis, start, step in zip(axes, starts, steps, strict=True):
        size = x.shape[axis]
        place = max(start + size if start < 0 else start, 0)
        first[axis], by[axis] = min(place, size - (step < 0)), step
    return sliced(node.name, node.op, x, tuple(first), tuple(by), node.output)


def _pad(node: Node) -> Layer:
    x = node.tensor(0)
    kind = integer(x.dtype)
    pads, axes = node.integers(1), node.integers(3)
    assert pads is not None
    before = [0] * len(x.shape)
    for at, axis in enumerate(axes or range(len(x.shape))):
        before[axis] = pads[at]
    mode = node.attribute("mode", "constant")
    if mode not in ("constant", *AROUND):
        raise Unclaimed(f"it pads by {mode}")
    value = int(node.scalar(2)) if node.has(2) else 0
    around: str | int = mode if mode in AROUND else type_of_dtype(kind.dtype).wrap(value)
    return padded(node.name, node.op, x, tuple(before), around, node.output)


def _resize(node: Node) -> Layer:
    """To a multiple of the size, each element repeated."""
    x = node.tensor(0)
    integer(x.dtype)
    factors = [out / size for out, size in zip(node.output.shape, x.shape, strict=True)]
    if any(factor % 1 or factor < 1 for factor in factors):
        raise Unclaimed("it is no whole number of times as large")
    whole = tuple(int(factor) for factor in factors)
    every = np.arange(x.words, dtype=np.int64) % 127
    (found,) = node.asked({x.name: x.dtype})([every.astype(x.dtype).reshape(x.shape)])
    right = every.reshape(x.shape)
    for axis, factor in enumerate(whole):
        right = np.repeat(right, factor, axis)
    if not np.array_equal(found, right):
        raise Unclaimed("it does not repeat each element alike")
    return enlarged(node.name, node.op, x, whole, node.output)


def _split(node: Node) -> list[Layer]:
    """A slice for each part."""
    x = node.tensor(0)
    integer(x.dtype)
    axis, start, found = int(node.attribute("axis", 0)) % len(x.shape), 0, list[Layer]()
    for number, part in enumerate(node.outputs):
        first = tuple(start if each == axis else 0 for each in range(len(x.shape)))
        found.append(sliced(node.part(number), node.op, x, first, (1,) * len(x.shape), part))
        start += part.shape[axis]
    return found


def _repeated(node: Node) -> Layer:
    integer(node.output.dtype)
    return repeated(node.name, node.op, node.tensor(0), node.output)


def _gather(node: Node) -> Layer:
    """Of indices that are known, in a row of equal steps."""
    x, axis = node.tensor(0), int(node.attribute("axis", 0))
    integer(x.dtype)
    axis, known = axis % len(x.shape), node.constant(1)
    places = np.where(known.ravel() < 0, known.ravel() + x.shape[axis], known.ravel())
    steps = np.unique(np.diff(places)) if places.size > 1 else np.ones(1, int)
    if known.ndim != 1 or steps.size != 1 or steps[0] == 0:
        raise Unclaimed("its indices are no row of equal steps")
    first, by = [0] * len(x.shape), [1] * len(x.shape)
    first[axis], by[axis] = int(places[0]), int(steps[0])
    return sliced(node.name, node.op, x, tuple(first), tuple(by), node.output)


def _depth_to_space(node: Node) -> Layer:
    integer(node.output.dtype)
    last = node.attribute("mode", "DCR") == "CRD"
    return spread(node.name, node.op, node.tensor(0), int(node.attribute("blocksize")), last, node.output)


def _space_to_depth(node: Node) -> Layer:
    integer(node.output.dtype)
    return gathered(node.name, node.op, node.tensor(0), int(node.attribute("blocksize")), node.output)


def _max_pool(node: Node) -> Layer:
    x = node.tensor(0)
    integer(x.dtype)
    if len(node.outputs) > 1 or node.attribute("storage_order", 0):
        raise Unclaimed("it also gives where the greatest lie")
    window = window_of(node, x.shape[2:], tuple(node.attribute("kernel_shape")))
    return greatest(node.name, node.op, x, window, node.output)


_POINTWISE: dict[str, Callable[..., Expr]] = {
    "Add": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b,
    "Div": e.div_round_to_zero, "Max": e.max, "Min": e.min,
    "BitwiseAnd": lambda a, b: a & b, "BitwiseOr": lambda a, b: a | b, "BitwiseXor": lambda a, b: a ^ b,
    "BitwiseNot": lambda a: ~a, "And": e.logical_and, "Or": e.logical_or, "Xor": _xor, "Not": e.logical_not,
    "Equal": lambda a, b: a == b, "Less": lambda a, b: a < b, "Greater": lambda a, b: a > b,
    "LessOrEqual": lambda a, b: a <= b, "GreaterOrEqual": lambda a, b: a >= b, "Where": _where,
    "Abs": lambda a: cast(a.type, e.abs(a)), "Neg": lambda a: -a, "Sign": _sign,
}  # fmt: skip

_OPERATORS: dict[str, Builder] = {
    **{name: _pointwise(build) for name, build in _POINTWISE.items()},
    **dict.fromkeys(("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"), _reshaped),
    "Mod": _modulo, "BitShift": _shifted, "Clip": _clip, "Relu": _relu, "Cast": _cast, "Transpose": _transpose,
    "Concat": _concat, "Slice": _slice, "Pad": _pad, "Resize": _resize, "MaxPool": _max_pool,
    "Split": _split, "Tile": _repeated, "Expand": _repeated, "Gather": _gather,
    "DepthToSpace": _depth_to_space, "SpaceToDepth": _space_to_depth,
}  # fmt: skip

OPERATORS: dict[tuple[str, str], Builder] = {("", name): build for name, build in _OPERATORS.items()}
