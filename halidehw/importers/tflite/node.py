"""An operator of a TFLite file with its tensors as layers know them: channels second."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import frexp

import numpy as np

from halidehw.errors import NetworkError
from halidehw.expr.types import type_of_dtype
from halidehw.importers.recipes import Window
from halidehw.importers.rounding import Q31
from halidehw.importers.tensors import Shape, Tensor, order_of
from halidehw.importers.tflite.schema import Graph, Kept, Operator, check


class Unclaimed(Exception):
    """An operator, or a case of one, that is no algorithm here, and why."""


ACTIVATIONS = {0: "NONE", 1: "RELU", 2: "RELU_N1_TO_1", 3: "RELU6", 4: "TANH", 5: "SIGN_BIT"}

_SAME = 0
"""The padding for which there is an output for each stride of the input."""


def tensor_of(kept: Kept) -> Tensor:
    """With the channels of an image second; its words lie as those of the file."""
    order = order_of(len(kept.shape))
    return Tensor(kept.name, tuple(kept.shape[order.index(axis)] for axis in range(len(order))), kept.dtype)


@dataclass(frozen=True)
class Node:
    """Inputs are asked for by place."""

    operator: Operator
    graph: Graph

    def kept(self, place: int) -> Kept:
        """Raises Damaged for an input that the operator has not."""
        check(place < len(self.operator.reads) and self.operator.reads[place] >= 0)
        return self.graph.tensors[self.operator.reads[place]]

    @property
    def made(self) -> Kept:
        return self.graph.tensors[self.operator.makes[0]]

    @property
    def reads(self) -> Mapping[int, Tensor]:
        """The tensors that are no constants, by number."""
        there = (at for at in self.operator.reads if at >= 0 and self.graph.tensors[at].data is None)
        return {at: tensor_of(self.graph.tensors[at]) for at in there}

    @property
    def output(self) -> Tensor:
        return tensor_of(self.made)

    def tensor(self, place: int) -> Tensor:
        kept = self.kept(place)
        if kept.data is not None:
            raise Unclaimed(f"its input {kept.name} is a constant")
        return tensor_of(kept)

    def constant(self, place: int) -> np.ndarray:
        kept = self.kept(place)
        if kept.data is None:
            raise Unclaimed(f"its input {kept.name} is known only when it runs")
        return kept.data

    def bias(self) -> np.ndarray | None:
        """The third input, if there is one."""
        there = len(self.operator.reads) > 2 and self.operator.reads[2] >= 0
        return self.constant(2) if there else None

    def option(self, slot: int, kind: type, default: int = 0) -> int:
        options = self.operator.options
        return options.number(slot, kind, default) if options else default

    def grid(self, kept: Kept) -> tuple[np.float32, int]:
        """A tensor's one scale and zero point. Raises NetworkError for none, or one that is outside of its type."""
        if kept.dtype.itemsize != 1 or kept.dtype.kind not in "iu":
            raise Unclaimed(f"{kept.name} is {kept.dtype}")
        if kept.scale.size != 1:
            raise NetworkError(
                f"{self.operator.name}: {kept.name} has {kept.scale.size} scales, where one serves the whole tensor",
                legal=("converter.optimizations = [tf.lite.Optimize.DEFAULT]  # with a representative_dataset",),
            )
        info, zero = np.iinfo(kept.dtype), int(kept.zero[0]) if kept.zero.size else 0
        if not info.min <= zero <= info.max:
            raise NetworkError(
                f"{self.operator.name}: the zero point of {kept.name} is {zero}, outside {info.min} to {info.max}"
            )
        if not (np.isfinite(kept.scale[0]) and kept.scale[0] > 0):
            raise NetworkError(f"{self.operator.name}: the scale of {kept.name} is {kept.scale[0]}, not positive")
        return np.float32(kept.scale[0]), zero

    def unclipped(self, slot: int) -> None:
        """Raises Unclaimed for an activation that cuts off more than the output's type does."""
        named = ACTIVATIONS.get(self.option(slot, np.int8), "UNKNOWN")
        scale, zero = self.grid(self.made)
        info = np.iinfo(self.made.dtype)
        low = {"RELU": zero, "RELU6": zero, "RELU_N1_TO_1": zero + round(-1 / float(scale))}.get(named, info.min)
        high = {"RELU6": zero + round(6 / float(scale)), "RELU_N1_TO_1": zero + round(1 / float(scale))}.get(
            named, info.max)  # fmt: skip
        if low > info.min or high < info.max or named in ("TANH", "SIGN_BIT", "UNKNOWN"):
            raise Unclaimed(f"its {named} cuts off bytes: it leaves {low} to {high} of {info.min} to {info.max}")

    def window(self, kernel: Shape, slots: tuple[int, int, int], dilations: tuple[int, int] = (1, 1)) -> Window:
        """Of the input's two spatial dimensions; `slots`: of the padding and the strides along x and y. Raises Damaged
        where it has not as many outputs as the file says."""
        padding, *steps = slots
        strides = self.option(steps[1], np.int32, 1), self.option(steps[0], np.int32, 1)
        sizes = self.kept(0).shape[1:3]
        check(len(sizes) == len(kernel) and min(*kernel, *strides, *dilations) > 0)
        before = after = (0, 0)
        if self.option(padding, np.int8) == _SAME:
            sides = zip(sizes, kernel, strides, dilations, strict=True)
            missing = [max((-(-size // by) - 1) * by + (taps - 1) * far + 1 - size, 0) for size, taps, by, far in sides]
            before = missing[0] // 2, missing[1] // 2
            after = missing[0] - before[0], missing[1] - before[1]
        found = Window(kernel, strides, dilations, before, after)
        check((self.kept(0).shape[0], *found.outputs(sizes)) == self.made.shape[:3])
        return found


def q31(real: np.ndarray, zero_point: int, dtype: np.dtype) -> Q31:
    """Factors as LiteRT has them: a fraction of 31 bits, and a power of two."""
    pairs = [fraction(float(each)) for each in np.ravel(real)]
    multiplier, exponent = (np.array(each, np.int64) for each in zip(*pairs, strict=True))
    return Q31(multiplier, exponent, zero_point, type_of_dtype(dtype))


_ONE = 1 << 31


def fraction(real: float) -> tuple[int, int]:
    """`QuantizeMultiplier` of LiteRT: `real` is about `multiplier / 2**31 * 2**exponent`."""
    part, exponent = frexp(real)
    multiplier = int(np.floor(part * _ONE + 0.5))
    if multiplier == _ONE:
        multiplier, exponent = multiplier // 2, exponent + 1
    return (multiplier, exponent) if exponent >= -31 else (0, 0)
