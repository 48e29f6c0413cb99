"""Sums and products of float32 numbers in integers: a number is an integer in units of a power of two, and each
operation is exact, then rounded to 24 significant bits, ties to even, as a float32 is."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, frexp, log2

import numpy as np

from halidehw.expr.expr import cast, saturating_cast
from halidehw.expr.intrinsics import round_significant
from halidehw.expr.nodes import Expr, constant
from halidehw.expr.requantize import SIGNIFICANT
from halidehw.expr.types import Int, Type

_WIDEST = 64


def parts(value: float) -> tuple[int, int]:
    """An integer and how many bits of it stand after the point: together a float32."""
    fraction, exponent = frexp(float(np.float32(value)))
    whole, point = int(fraction * (1 << SIGNIFICANT)), SIGNIFICANT - exponent
    while point > 0 and whole % 2 == 0:
        whole, point = whole // 2, point - 1
    return (whole, point) if point >= 0 else (whole << -point, 0)


def chained(terms: Sequence[Expr], slopes: Sequence[float], first: float, last: float, kind: Type, most: int) -> Expr:
    """`first`, plus each term times its slope, one after the other, each sum rounded as a fused multiply-add rounds;
    then plus `last`, rounded; then to the nearest integer, ties to even, saturated to `kind`.

    `most`: what no term exceeds. Raises `OverflowError` if 64 bits are too few.
    """
    numbers = [parts(value) for value in (*slopes, first, last)]
    point = max(each for _, each in numbers)
    *factors, start, end = (whole << (point - own) for whole, own in numbers)
    reach = sum(abs(factor) * most for factor in factors) + abs(start) + abs(end)
    bits = max(ceil(log2(reach + 1)), point) + 3
    if bits > _WIDEST:
        raise OverflowError(f"{bits} bits")
    wide = Int(bits)
    total: Expr = constant(wide, start)
    for factor, term in zip(factors, terms, strict=True):
        total = round_significant(total + cast(wide, term) * constant(wide, factor), SIGNIFICANT)
    total = round_significant(total + end, SIGNIFICANT) if end else total
    half = (1 << point) >> 1
    nearest = (total + (total >> point & 1) + (half - 1)) >> point if point else total
    return saturating_cast(kind, nearest)
