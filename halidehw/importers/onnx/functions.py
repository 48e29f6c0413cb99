"""Operators on floats between bytes, as functions of bytes: found by trying all values, and equal for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from onnx import numpy_helper

from halidehw.expr.expr import cast, i32, saturating_cast, select
from halidehw.expr.nodes import Expr, constant
from halidehw.expr.types import Int, Type, type_of_dtype
from halidehw.importers.building import narrowest
from halidehw.importers.lines import Line, line_through
from halidehw.importers.onnx.node import Node, Unclaimed
from halidehw.importers.pointwise import pointwise, table
from halidehw.importers.steps import Layer, View
from halidehw.importers.tensors import Shape, Tensor

_CHANNELS = 1
"""The dimension of channels, of a tensor and of what normalises it."""

_BITS = 8
"""Of a byte, as a term of a line."""

_WIDEST = 64
"""Bits of a type at most."""

_POINT = 24
"""Bits after the point of a line that goes through most points only."""

EXCEPTIONS = 16
"""Pairs of bytes at most that are no points of a line."""


def of_bytes(node: Node) -> Layer | View:
    """A region as a layer. Raises `Unclaimed` where no line goes through what it gives."""
    if len(node.reads) > 1:
        return _of_two(node)
    (x,) = node.reads
    axis = _axis(node, x)
    values = _values(x)
    if axis is not None:
        return _by_channel(node, x, axis)
    shape = [1] * max(len(x.shape), 1)
    shape[0] = values.size
    (found,) = node.asked({x.name: x.dtype})([values.reshape(shape)])
    if found.dtype == x.dtype and np.array_equal(found.ravel(), values):
        return View(node.name, node.op, x, node.output)
    by_byte = np.roll(found.ravel(), -int(values[0] < 0) * (values.size // 2))
    return table(node.name, node.op, x, by_byte, node.output)


def _values(x: Tensor) -> np.ndarray:
    """All, from the least on."""
    info = np.iinfo(x.dtype)
    return np.arange(info.min, info.max + 1).astype(x.dtype)


def _axis(node: Node, x: Tensor) -> int | None:
    """The dimension along which the region's constants differ; None for none. Raises `Unclaimed` for several."""
    found = set[int]()
    for inner in node.inner:
        normalises = inner.op_type == "BatchNormalization"
        for name in inner.input:
            shape = _constant_shape(node, name)
            quantises = inner.op_type in ("QuantizeLinear", "DequantizeLinear")
            if shape is None or quantises:
                continue
            long = [axis - len(shape) for axis, size in enumerate(shape) if size > 1]
            if normalises and long:
                long = [_CHANNELS - len(x.shape)]
            found |= {axis + len(x.shape) for axis in long}
    if len(found) > 1 or (found and (min(found) < 0 or x.shape[min(found)] == 1)):
        raise Unclaimed("its constants differ along several dimensions, or along one that its tensor has not")
    return next(iter(found), None)


def _constant_shape(node: Node, name: str) -> Shape | None:
    """Of a constant, or one dequantised inside the region."""
    maker = next((each for each in node.inner if name in each.output), None)
    if maker is not None and maker.op_type == "DequantizeLinear":
        return _constant_shape(node, maker.input[0])
    held = node.known.constants.get(name)
    return None if held is None else tuple(held.dims)


@dataclass(frozen=True)
class _Result:
    """What a region gives for some bytes, and the float that it quantises, in units of its own output, from the same
    zero."""

    found: np.ndarray
    real: np.ndarray


def _asked(node: Node, tensors: Sequence[Tensor], arrays: Sequence[np.ndarray]) -> _Result:
    given = {each.name: each.dtype for each in tensors}
    (found,) = node.asked(given)(arrays)
    (real,) = Node(node.proto, node.known, node.inner[:-1]).asked(given)(arrays)
    grid = (numpy_helper.to_array(node.known.constants[name]) for name in node.inner[-1].input[1:])
    scale, zero = (float(np.asarray(each).reshape(())) for each in grid)
    if not np.isfinite(real).all():
        raise Unclaimed("it is not finite for all bytes")
    return _Result(found, real.astype(np.float64) / scale + zero)


def _by_channel(node: Node, x: Tensor, axis: int) -> Layer:
    """A multiplication and an addition with constants of each channel, or two of them, for what is below the zero point
    and for the rest."""
    values, channels = _values(x), x.shape[axis]
    shape = [1] * len(x.shape)
    shape[axis] = channels
    along = 0 if axis else 1
    if along >= len(shape):
        raise Unclaimed("each of its elements has constants of its own")
    shape[along] = values.size
    grid = np.broadcast_to(values.reshape([values.size if at == along else 1 for at in range(len(shape))]), shape)
    found = _asked(node, [x], [np.ascontiguousarray(grid)])
    rows = [np.moveaxis(each, axis, 0).reshape(channels, values.size) for each in (found.found, found.real)]
    zero = int(numpy_helper.to_array(node.known.constants[_zero_of(node, x)]).reshape(()))
    split = int(np.searchsorted(values.astype(int), zero))
    for pieces in ([slice(0, values.size)], [slice(0, split), slice(split, values.size)]):
        lines = [_lines(values, piece, rows[0], rows[1]) for piece in pieces if piece.stop > piece.start]
        if all(line is not None for each in lines for line in each):
            known = [[line for line in each if line is not None] for each in lines]
            return _lined(node, x, axis, known, zero)
    raise Unclaimed("no multiplication and addition gives what its floats do")


def _zero_of(node: Node, x: Tensor) -> str:
    reads = next(each for each in node.inner if each.op_type == "DequantizeLinear" and each.input[0] == x.name)
    return str(reads.input[2])


def _lines(values: np.ndarray, piece: slice, found: np.ndarray, real: np.ndarray) -> list[Line | None]:
    """For each channel, through what it gives for some of the values."""
    own = values[piece].astype(np.int64)
    reach = max(int(own[-1] - own[0]), 1)
    return [
        line_through([own], [float(row[piece][-1] - row[piece][0]) / reach], result[piece])
        for result, row in zip(found, real, strict=True)
    ]


def _lined(node: Node, x: Tensor, axis: int, pieces: Sequence[Sequence[Line]], zero: int) -> Layer:
    """`pieces`: the lines of the channels, for what is below `zero` where there are two, and for the rest."""
    shift = max(line.shift for piece in pieces for line in piece)
    same = [[line.shifted(shift) for line in piece] for piece in pieces]
    if (bits := max(line.width(_BITS) for piece in same for line in piece)) > _WIDEST:
        raise Unclaimed(f"what multiplies its channels lies so far apart that it takes {bits} bits")
    wide = Int(bits)
    shape = [1] * len(x.shape)
    shape[axis] = x.shape[axis]
    numbers = [np.array(each, object).reshape(shape) for piece in same
               for each in ([line.factors[0] for line in piece], [line.offset for line in piece])]  # fmt: skip
    constants = [each.astype(narrowest(each).dtype) for each in numbers]
    kind = type_of_dtype(node.output.dtype)

    def build(a: Expr, *held: Expr) -> Expr:
        return saturating_cast(kind, _chosen(a, held, zero, wide) >> shift)

    return pointwise(node.name, node.op, [x, *constants], build, node.output)


def _chosen(a: Expr, held: Sequence[Expr], zero: int, wide: Type) -> Expr:
    factors, offsets = ([cast(wide, each) for each in held[first::2]] for first in (0, 1))
    factor, offset = factors[-1], offsets[-1]
    if len(factors) > 1:
        below = i32(a) < zero
        factor, offset = select(below, factors[0], factor), select(below, offsets[0], offset)
    return cast(wide, a) * factor + offset


def _of_two(node: Node) -> Layer:
    """A line through what it gives for all pairs of bytes, but for few pairs, of which floats make halves."""
    if any(_constant_shape(node, name) not in (None, (), (1,)) for inner in node.inner for name in inner.input):
        raise Unclaimed("it is of two tensors and constants of several elements")
    tensors = node.reads
    pairs = np.array(list(product(*map(_values, tensors))), np.int64).T
    result = _asked(node, tensors, [pair.astype(each.dtype) for pair, each in zip(pairs, tensors, strict=True)])
    line, others = _nearest_line(pairs, result, type_of_dtype(node.output.dtype))
    if others.size > EXCEPTIONS:
        raise Unclaimed(f"no line goes through what its floats give, nor through all but {EXCEPTIONS} pairs of bytes")

    def build(a: Expr, b: Expr) -> Expr:
        terms = i32(a), i32(b)
        found = line.of(terms, _BITS)
        for at in others:
            here = (terms[0] == int(pairs[0, at])) & (terms[1] == int(pairs[1, at]))
            found = select(here, constant(found.type, int(result.found[at])), found)
        return found

    return pointwise(node.name, node.op, tensors, build, node.output)


def _nearest_line(pairs: np.ndarray, result: _Result, kind: Type) -> tuple[Line, np.ndarray]:
    """A line through most points, and the numbers of the others."""
    real = result.real.reshape(1 << _BITS, 1 << _BITS)
    slopes = [(real[-1, -1] - real[0, -1]) / (len(real) - 1), (real[-1, -1] - real[-1, 0]) / (len(real) - 1)]
    line = line_through(list(pairs), slopes, result.found)
    if line is None:
        factors = [round(slope * (1 << _POINT)) for slope in slopes]
        base = float(np.median(result.real.ravel() - slopes[0] * pairs[0] - slopes[1] * pairs[1]))
        line = Line(tuple(factors), round((base + 0.5) * (1 << _POINT)), _POINT, kind)
    given = (line.factors[0] * pairs[0] + line.factors[1] * pairs[1] + line.offset) >> line.shift
    return line, np.flatnonzero(np.clip(given, kind.min, kind.max) != result.found)
