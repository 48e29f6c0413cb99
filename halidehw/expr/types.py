"""Integer types of any width from 1 to 64 bits, with two's-complement wrapping at every width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

import numpy as np

from halidehw.errors import TypeMismatch


@dataclass(frozen=True, order=True)
class Type:
    """An integer type of `bits` bits; written as Halide prints it (`int16`, `uint8`, `bool`)."""

    signed: bool
    bits: int

    def __post_init__(self) -> None:
        name = "Int" if self.signed else "UInt"
        if not isinstance(self.bits, int) or not 1 <= self.bits <= 64:
            raise TypeMismatch(
                f"{name}({self.bits!r}) is not a type: the width is a whole number of bits from 1 to 64",
                legal=(f"{name}(16)",),
            )

    def __str__(self) -> str:
        return "bool" if self.is_bool else f"{'int' if self.signed else 'uint'}{self.bits}"

    @property
    def min(self) -> int:
        """The smallest value."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def max(self) -> int:
        """The largest value."""
        return (1 << (self.bits - self.signed)) - 1

    @property
    def is_bool(self) -> bool:
        return not self.signed and self.bits == 1

    @property
    def dtype(self) -> np.dtype:
        """The NumPy type that carries this one: the same sign, the next width of 8, 16, 32, 64 (bool for one bit)."""
        if self.is_bool:
            return np.dtype(bool)
        width = next(width for width in (8, 16, 32, 64) if self.bits <= width)
        return np.dtype(f"{'int' if self.signed else 'uint'}{width}")

    def represents(self, value: int) -> bool:
        return self.min <= value <= self.max

    def covers(self, other: Type) -> bool:
        """Whether every value of `other` is one of this type."""
        return self.min <= other.min and other.max <= self.max

    @overload
    def wrap(self, value: int) -> int: ...
    @overload
    def wrap(self, value: np.ndarray) -> np.ndarray: ...
    def wrap(self, value: int | np.ndarray) -> int | np.ndarray:
        """The value equal to `value` modulo 2**bits: an int for an int, an array of `dtype` for an array."""
        if isinstance(value, np.ndarray | np.generic):
            unused = np.uint64(64 - self.bits)
            raised = np.asarray(value).astype(np.uint64) << unused
            kept = raised.view(np.int64) >> unused.astype(np.int64) if self.signed else raised >> unused
            return kept.astype(self.dtype)
        low = int(value) & ((1 << self.bits) - 1)
        return low - (1 << self.bits) if low > self.max else low


def Int(bits: int) -> Type:
    """The signed type of `bits` bits, 1 to 64."""
    return Type(True, bits)


def UInt(bits: int) -> Type:
    """The unsigned type of `bits` bits, 1 to 64."""
    return Type(False, bits)


def Bool() -> Type:
    """One unsigned bit: the type of comparisons."""
    return UInt(1)


def promote(a: Type, b: Type) -> Type:
    """The common type of two operands: the wider width, signed if either is."""
    return Type(a.signed or b.signed, max(a.bits, b.bits))


def type_of_dtype(dtype: np.dtype) -> Type:
    """The type a NumPy integer or bool array holds. Raises `TypeMismatch` for any other dtype."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return Bool()
    if dtype.kind in "iu":
        return Type(dtype.kind == "i", 8 * dtype.itemsize)
    scaled = "np.round(array * 256)" if dtype.kind == "f" else "array"
    raise TypeMismatch(f"an array of {dtype} has no integer type", legal=(f"{scaled}.astype(np.int16)",))
