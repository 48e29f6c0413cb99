"""Integer types of any width from 1 to 64 bits, with two's-complement wrapping at every width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

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


@dataclass(frozen=True, order=True)
class Struct(Type):
    """Words of several numbers side by side, the first in the lowest bits; as a number, unsigned and of any width.

    NumPy holds them as records of the fields `f0`, `f1`, ...
    """

    parts: tuple[Type, ...] = ()

    def __post_init__(self) -> None:
        assert self.parts and not self.signed and self.bits == sum(part.bits for part in self.parts)

    def __str__(self) -> str:
        return f"{{{', '.join(map(str, self.parts))}}}"

    @property
    def dtype(self) -> np.dtype:
        return np.dtype([(f"f{place}", part.dtype) for place, part in enumerate(self.parts)])

    @property
    def places(self) -> tuple[int, ...]:
        """The lowest bit of each part."""
        return tuple(sum(part.bits for part in self.parts[:place]) for place in range(len(self.parts)))

    def packed(self, values: Sequence[int]) -> int:
        """The word that holds `values`."""
        pairs = zip(values, self.parts, self.places, strict=True)
        return sum((value & ((1 << part.bits) - 1)) << place for value, part, place in pairs)

    def unpacked(self, word: int) -> tuple[int, ...]:
        """The values that `word` holds."""
        return tuple(part.wrap(word >> place) for part, place in zip(self.parts, self.places, strict=True))

    def split(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        """An array for each part of an array of records."""
        return tuple(np.array(records[f"f{place}"], order="C") for place in range(len(self.parts)))

    def words(self, records: np.ndarray) -> np.ndarray:
        """The words of an array of records, one after another."""
        words = [self.packed(point) for point in records.ravel().tolist()]
        return np.array(words, object if self.bits > 64 else np.uint64)

    def records(self, words: np.ndarray) -> np.ndarray:
        """An array of records for one of words."""
        return np.array([self.unpacked(int(word)) for word in words.flat], self.dtype).reshape(words.shape)


def record(kind: Type, values: Sequence[Any]) -> np.ndarray:
    """Numbers or arrays side by side, as an array of records of `kind`, a Struct."""
    arrays = np.broadcast_arrays(*values)
    records = np.empty(arrays[0].shape, kind.dtype)
    for place, array in enumerate(arrays):
        records[f"f{place}"] = array
    return records


def points(kind: Type, values: np.ndarray | tuple[np.ndarray, ...]) -> np.ndarray:
    """The values of a tensor in one array; where a point has several, in records."""
    return record(kind, values) if isinstance(values, tuple) else values


def words_of(kind: Type, values: np.ndarray | tuple[np.ndarray, ...]) -> np.ndarray:
    """The words of a tensor in memory, in the order of their addresses."""
    return kind.words(points(kind, values)) if isinstance(kind, Struct) else np.ravel(points(kind, values))


def struct(parts: Sequence[Type]) -> Struct:
    """The type of words that hold a value of each of `parts`."""
    return Struct(False, sum(part.bits for part in parts), tuple(parts))


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
