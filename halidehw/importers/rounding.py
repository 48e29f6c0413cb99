"""How a sum becomes an output of few bits: the rounding units, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from halidehw.expr.expr import cast, i32, saturating_cast
from halidehw.expr.intrinsics import requantize, requantize_q31
from halidehw.expr.nodes import Expr, constant
from halidehw.expr.types import Int, Type, UInt
from halidehw.frontend.params import ImageParam
from halidehw.importers.building import at, constant_image


@dataclass(frozen=True)
class Rescaled:
    """An output, and the inputs that hold the constants it is computed with, with their values."""

    value: Expr
    constants: tuple[tuple[ImageParam, np.ndarray], ...] = ()


@dataclass(frozen=True)
class Floats:
    """ONNX Runtime's: by a float32, or one for each channel, then plus a zero point of type `kind`."""

    scale: np.ndarray
    zero_point: int
    kind: Type

    @property
    def way(self) -> str:
        """How it rounds: layers that share an array do alike."""
        return "floats"

    def said(self, channel: int) -> str:
        """What the sums of a channel are multiplied by, in words."""
        return f"the scale {float(self.scale.ravel()[channel if self.scale.size > 1 else 0])!r}"

    def spread(self, channels: int) -> Floats:
        """With a scale for each channel."""
        return replace(self, scale=np.broadcast_to(self.scale.ravel(), (channels,)))

    def rescale(
        self, total: Expr, channel: Sequence[Expr], shape: Sequence[int], name: str = "", *, apart: bool = False
    ) -> Rescaled:  # fmt: skip
        """`total` rounded; `channel`: the indices of its channel, the fastest first; `shape`: the channels' sizes, the
        fastest last. `name`: what the inputs' names begin with. `apart`: with an input even for one scale."""
        zero = constant(self.kind, self.zero_point)
        if self.scale.size == 1 and not apart:
            return Rescaled(requantize(total, float(self.scale.reshape(())), zero))
        scales = self.scale.astype(np.float32).view(np.uint32).reshape(shape)
        image = constant_image(f"{name}scale", scales)
        return Rescaled(requantize(total, at(image, channel), zero), ((image, scales),))


_POINT = 31
"""Bits of a fraction after its point."""


@dataclass(frozen=True)
class Q31:
    """LiteRT's: by a fraction of 31 bits and a power of two, or a pair for each channel, then plus a zero point.
    `once`: the product is rounded once, halves away from zero, as of matrix products, and not by either of the two."""

    multiplier: np.ndarray
    exponent: np.ndarray
    zero_point: int
    kind: Type
    once: bool = False

    @property
    def way(self) -> str:
        """As `Floats.way`."""
        return "once" if self.once else "twice"

    def said(self, channel: int) -> str:
        """As `Floats.said`."""
        place = channel if self.multiplier.size > 1 else 0
        return f"the multiplier {self.multiplier.ravel()[place]} and exponent {self.exponent.ravel()[place]}"

    def spread(self, channels: int) -> Q31:
        """As `Floats.spread`."""
        one, two = (np.broadcast_to(each.ravel(), (channels,)) for each in (self.multiplier, self.exponent))
        return replace(self, multiplier=one, exponent=two)

    def rescale(
        self, total: Expr, channel: Sequence[Expr], shape: Sequence[int], name: str = "", *, apart: bool = False
    ) -> Rescaled:  # fmt: skip
        """As `Floats.rescale`."""
        zero = constant(self.kind, self.zero_point)
        if self.multiplier.size == 1 and not apart:
            fixed = int(self.multiplier.reshape(())), int(self.exponent.reshape(()))
            return Rescaled(self._rounded(total, constant(Int(32), fixed[0]), constant(Int(8), fixed[1]), zero))
        factors = self.multiplier.astype(np.int32).reshape(shape)
        powers = self.exponent.astype(np.int8).reshape(shape)
        one, two = constant_image(f"{name}multiplier", factors), constant_image(f"{name}exponent", powers)
        value = self._rounded(total, at(one, channel), at(two, channel), zero)
        return Rescaled(value, ((one, factors), (two, powers)))

    def _rounded(self, total: Expr, multiplier: Expr, exponent: Expr, zero: Expr) -> Expr:
        if not self.once:
            return requantize_q31(total, multiplier, exponent, zero)
        product, point = cast(Int(64), total) * cast(Int(64), multiplier), cast(UInt(6), i32(_POINT) - i32(exponent))
        half = (constant(Int(64), 1) << point >> 1) - cast(Int(64), product < 0)
        return saturating_cast(self.kind, (product + half >> point) + cast(Int(64), zero))


Rounding = Floats | Q31
