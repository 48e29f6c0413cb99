"""Operators of quantised tensors: sums with one rounding, and what is proved on all values of 8 bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from halidehw.expr.expr import i32
from halidehw.expr.nodes import Expr
from halidehw.expr.types import Type, type_of_dtype
from halidehw.importers.floats import chained
from halidehw.importers.lines import line_through
from halidehw.importers.moves import joined
from halidehw.importers.onnx.means import average, global_average
from halidehw.importers.onnx.node import Builder, Node, Unclaimed
from halidehw.importers.onnx.windows import window_of
from halidehw.importers.pointwise import looked_up, pointwise, table
from halidehw.importers.recipes import Mixture, Operands
from halidehw.importers.rounding import Floats
from halidehw.importers.steps import Layer
from halidehw.importers.sums import convolution, matrix_product, product_of_tensors
from halidehw.importers.tensors import Tensor

F = np.float32


def _less(node: Node, place: int, zeros: np.ndarray, axis: int) -> np.ndarray:
    """Constant weights less their zero point, or that of each channel along an axis."""
    weights = node.constant(place).astype(np.int32)
    shape = [1] * weights.ndim
    shape[axis] = zeros.size
    return weights - (zeros.astype(np.int32).reshape(shape) if zeros.size > 1 else int(zeros.reshape(())))


def _zero(node: Node, place: int) -> int:
    return int(node.scalar(place)) if node.has(place) else 0


def _zeros(node: Node, place: int) -> np.ndarray:
    return node.constant(place) if node.has(place) else np.zeros(1, np.int32)


def _result(node: Node, scale: np.ndarray, zero_point: int) -> Floats:
    if not np.isfinite(scale).all():
        raise Unclaimed("its scales come to one that is not finite")
    return Floats(np.asarray(scale, F), zero_point, type_of_dtype(node.output.dtype))


def qlinear_conv(node: Node) -> Layer:
    x_scale, y_scale = F(node.scalar(1)), F(node.scalar(6))
    weight = _less(node, 3, node.constant(5), 0)
    bias = node.constant(8) if node.has(8) else None
    rounding = _result(node, x_scale * node.constant(4).astype(F) / y_scale, _zero(node, 7))
    return _convolution(node, Operands(weight, _zero(node, 2), bias), rounding)


def conv_integer(node: Node) -> Layer:
    return _convolution(node, Operands(_less(node, 1, _zeros(node, 3), 0), _zero(node, 2), None), None)


def _convolution(node: Node, operands: Operands, rounding: Floats | None) -> Layer:
    x, groups = node.tensor(0), int(node.attribute("group", 1))
    window = window_of(node, x.shape[2:], operands.weight.shape[2:])
    return convolution(node.name, node.op, x, operands, window, groups, rounding, node.output)


def q_gemm(node: Node) -> Layer:
    """Microsoft's: alpha * a * b, the second perhaps transposed, plus a bias for each column."""
    if node.attribute("transA", 0):
        raise Unclaimed("its first matrix is transposed")
    if not node.has(7):
        raise Unclaimed("its output is float32")
    transposed = node.attribute("transB", 0)
    weight = _less(node, 3, node.constant(5), 0 if transposed else 1)
    scale = F(node.attribute("alpha", 1.0)) * F(node.scalar(1)) * node.constant(4).astype(F) / F(node.scalar(7))
    bias = node.constant(6) if node.has(6) else None
    if bias is not None and bias.size != node.output.shape[-1]:
        raise Unclaimed(f"its bias has {bias.size} elements for {node.output.shape[-1]} columns")
    operands = Operands(weight if transposed else weight.T, _zero(node, 2), bias)
    rounding = _result(node, scale, _zero(node, 8) if node.has(8) else 0)
    return matrix_product(node.name, node.op, node.tensor(0), operands, rounding, node.output)


def qlinear_matmul(node: Node) -> Layer:
    scale = F(node.scalar(1)) * node.constant(4).astype(F) / F(node.scalar(6))
    return _matmul(node, (0, 3), (2, 5), _result(node, scale, _zero(node, 7)))


def matmul_integer(node: Node) -> Layer:
    return _matmul(node, (0, 1), (2, 3), None)


def _matmul(node: Node, places: tuple[int, int], zeros: tuple[int, int], rounding: Floats | None) -> Layer:
    a, two, zero = node.tensor(places[0]), places[1], _zero(node, zeros[0])
    if node.is_constant(two) and node.constant(two).ndim == 2 and len(a.shape) > 1:
        weight = _less(node, two, _zeros(node, zeros[1]), 1)
        return matrix_product(node.name, node.op, a, Operands(weight.T, zero, None), rounding, node.output)
    b = node.tensor(two)
    if len(a.shape) < 2 or a.shape[:-2] != b.shape[:-2]:
        raise Unclaimed(f"it is of shapes {a.shape} and {b.shape}, one of which is repeated")
    found = zero, _zero(node, zeros[1])
    return product_of_tensors(node.name, node.op, (a, b), found, rounding, node.output)


def _byte(dtype: np.dtype) -> Type:
    if dtype.kind not in "iu" or dtype.itemsize > 1:
        raise Unclaimed(f"it is of {dtype}, and only 8 bits have few enough values to try all")
    return type_of_dtype(dtype)


def _bytes(kind: Type) -> np.ndarray:
    """All values, in the order of the bytes that hold them."""
    return np.arange(256, dtype=np.uint8).view(kind.dtype)


@dataclass(frozen=True)
class Floats2:
    """How the runtime computes with two values in floats. `terms`: what the slopes are multiplied by, of two values, as
    arrays or as expressions; no one exceeds `most`. `first` and `last`: what the sum begins with, and what is added to
    it rounded. `places`: of terms that are operands themselves, which."""

    terms: Callable[[Any, Any], Sequence[Any]]
    slopes: tuple[float, ...]
    first: float
    last: float
    most: int
    places: tuple[int, ...] = ()


def qlinear_add(node: Node) -> Layer:
    """Two fused multiply-adds, of b and then of a, to what the zero points come to."""
    y, zeros = F(node.scalar(6)), [F(_zero(node, place)) for place in (2, 5, 7)]
    a, b = (F(F(node.scalar(place)) / y) for place in (1, 4))
    first = zeros[2] - F(np.float64(a) * np.float64(zeros[0]) + np.float64(F(b * zeros[1])))
    return _of_two(node, Floats2(lambda one, two: (two, one), (float(b), float(a)), float(first), 0.0, 255, (1, 0)))


def qlinear_mul(node: Node) -> Layer:
    """The product of what is above the zero points, scaled, rounded, plus the zero point."""
    slope = F(F(node.scalar(1)) * F(node.scalar(4))) / F(node.scalar(6))
    zeros = _zero(node, 2), _zero(node, 5)
    terms = lambda a, b: ((a - zeros[0]) * (b - zeros[1]),)  # noqa: E731
    return _of_two(node, Floats2(terms, (float(slope),), 0.0, float(_zero(node, 7)), 1 << 16))


def _of_two(node: Node, floats: Floats2) -> Layer:
    """A line through what the runtime gives for all pairs of values; where none goes, since its floats make halves of
    what are none, those floats; of one tensor and a number, or of one tensor twice, a table."""
    operands = [node.operand(place) for place in (0, 3)]
    if len(node.reads) == 1 and all(isinstance(each, Tensor) or each.size == 1 for each in operands):
        return unary(node)
    kinds, kind = [_byte(each.dtype) for each in operands], _byte(node.output.dtype)
    pairs = np.array(list(product(*map(_bytes, kinds))), np.int64).T
    columns = [pair.astype(each.dtype) for pair, each in zip(pairs, kinds, strict=True)]
    names = [node.proto.input[place] for place in (0, 3)]
    (found,) = node.asked({name: each.dtype for name, each in zip(names, columns, strict=True)})(columns)

    def lined(a: Expr, b: Expr) -> Expr:
        assert line is not None
        return line.of(floats.terms(i32(a), i32(b)), floats.most.bit_length())

    def floated(a: Expr, b: Expr) -> Expr:
        terms = floats.terms(i32(a), i32(b))
        return chained(terms, floats.slopes, floats.first, floats.last, kind, floats.most)

    line = line_through(floats.terms(*pairs), floats.slopes, found)
    build = lined if line else floated
    if not line and not _gives(node, columns, floated, found):
        raise Unclaimed("its floats are rounded in a way that is not known here")
    layer = pointwise(node.name, node.op, operands, build, node.output)
    terms = [each for each in (operands[place] for place in floats.places) if isinstance(each, Tensor)]
    if line and len(terms) > 1 and all(each.shape == node.output.shape for each in terms):
        layer = replace(layer, recipe=Mixture((terms[0], terms[1]), line, node.output))
    return layer


def _gives(node: Node, columns: Sequence[np.ndarray], build: Callable[..., Expr], found: np.ndarray) -> bool:
    """Whether an algorithm gives `found` for pairs of values, in the bits that there are."""
    tensors = [Tensor(name, each.shape, each.dtype) for name, each in zip("ab", columns, strict=True)]
    output = Tensor("c", columns[0].shape, node.output.dtype)
    try:
        layer = pointwise(node.name, node.op, tensors, build, output)
    except OverflowError:
        return False
    return bool(np.array_equal(layer.run(dict(zip("ab", columns, strict=True)))[0], found))


def unary(node: Node) -> Layer:
    """Any function of one 8-bit tensor: what the runtime gives for each of its 256 values, as a table."""
    tensors = node.reads
    if len(tensors) != 1 or tensors[0].shape != node.output.shape:
        raise Unclaimed("it is no function of one tensor, element by element")
    _byte(node.output.dtype)
    every = _bytes(_byte(tensors[0].dtype))
    (found,) = node.asked({tensors[0].name: tensors[0].dtype})([every])
    return table(node.name, node.op, tensors[0], np.ravel(found), node.output)


def qlinear_concat(node: Node) -> Layer:
    """Tensors of several scales: each element through the table of its tensor."""
    places = range(2, len(node.proto.input), 3)
    tensors = [node.tensor(place) for place in places]
    values = [
        _rescaled(each, (F(node.scalar(place + 1)), _zero(node, place + 2)), (F(node.scalar(0)), _zero(node, 1)))
        for place, each in zip(places, tensors, strict=True)
    ]
    axis = int(node.attribute("axis")) % len(node.output.shape)
    return joined(node.name, node.op, tensors, values, axis, node.output)


Quantised = tuple[np.floating, int]
"""A scale and a zero point."""


def _rescaled(x: Tensor, old: Quantised, new: Quantised) -> Callable[[Expr], Expr]:
    """What dequantising each value and quantising it again makes of it."""
    if old == new:
        return lambda a: a
    kind = _byte(x.dtype)
    real = (_bytes(kind).astype(np.int32) - old[1]).astype(F) * old[0]
    values = np.clip(np.rint(real / new[0]) + new[1], kind.min, kind.max).astype(kind.dtype)
    return lambda a: looked_up(a, values)


MICROSOFT = "com.microsoft"

OPERATORS: dict[tuple[str, str], Builder] = {
    ("", "QLinearConv"): qlinear_conv,
    ("", "ConvInteger"): conv_integer,
    ("", "QLinearMatMul"): qlinear_matmul,
    ("", "MatMulInteger"): matmul_integer,
    (MICROSOFT, "QGemm"): q_gemm,
    (MICROSOFT, "QLinearAdd"): qlinear_add,
    (MICROSOFT, "QLinearMul"): qlinear_mul,
    (MICROSOFT, "QLinearGlobalAveragePool"): global_average,
    (MICROSOFT, "QLinearAveragePool"): average,
    (MICROSOFT, "QLinearConcat"): qlinear_concat,
    (MICROSOFT, "QLinearLeakyRelu"): unary,
    (MICROSOFT, "QLinearSigmoid"): unary,
}

HOSTED = {
    (MICROSOFT, "QLinearSoftmax"): "divides by a sum of floats",
}
"""Of operators that have no algorithm: why."""
