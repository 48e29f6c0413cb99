"""Integers as the hexadecimal words of memory files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from halidehw.errors import SimulationError, TypeMismatch
from halidehw.expr.types import Type
from halidehw.microarch.interface import Port


def write_words(path: Path, port: Port, values: np.ndarray) -> None:
    """Write the tensor of a port to a memory file.

    values: integers, shape (port.words,), in address order. Raises TypeMismatch when their number, type or range
    is not the port's.
    """
    mask = (1 << port.bits) - 1
    path.write_text("\n".join([f"{word & mask:x}" for word in checked(port, values)]) + "\n")


def checked(port: Port, values: np.ndarray) -> list[int]:
    """The words of the tensor of a port; see `write_words`."""
    array = np.asarray(values)
    if array.dtype.kind not in "iub" and not all(isinstance(value, int) for value in array.flat):
        raise TypeMismatch(
            f"{port.tensor} holds {array.dtype}, but hardware words are integers", legal=(f"{port.tensor}.astype(int)",)
        )
    if array.shape != (port.words,):
        raise TypeMismatch(f"{port.tensor} has shape {array.shape}, but its memory is {port.words} words, flat")
    low, high = (-(1 << port.bits - 1), (1 << port.bits - 1) - 1) if port.signed else (0, (1 << port.bits) - 1)
    words = array.tolist()
    if words and not (low <= min(words) and max(words) <= high):
        outside = next(i for i, word in enumerate(words) if not low <= word <= high)
        raise TypeMismatch(f"{port.tensor} holds {words[outside]} at {outside}, outside {low} .. {high}")
    return list(words)


def unwritten_word(kind: Type, start: int) -> int:
    """What a word of an output holds that the start of this number, counted from 1, has not written."""
    return kind.wrap(_pattern(start))


def unwritten_at(port: Port, start: int) -> int:
    """The same of a word of the memory of a port."""
    word = _pattern(start) & ((1 << port.bits) - 1)
    return word - (1 << port.bits) if port.signed and word >> port.bits - 1 else word


def _pattern(start: int) -> int:
    return 0xAAAA_AAAA_AAAA_AAAA ^ (-1 if start % 2 else 0)


def read_words(path: Path, port: Port) -> np.ndarray:
    """The integers of a memory file, shape (port.words,): int64, or uint64 where unsigned words need it; Python's own
    where they are wider."""
    return integers(port, [int(line, 16) for line in path.read_text().splitlines() if line[:2] != "//"])


def integers(port: Port, words: list[int]) -> np.ndarray:
    """What words of a port mean; see `read_words`."""
    if port.bits > 64:
        return np.array(words, dtype=object)
    unsigned = np.array(words, dtype=np.uint64)
    if not port.signed:
        return unsigned if port.bits == 64 else unsigned.astype(np.int64)
    unused = np.uint64(64 - port.bits)
    return (unsigned << unused).view(np.int64) >> unused.astype(np.int64)


def packed(port: Port, words: list[int], size: int) -> bytes:
    """Words as they lie in memory, each in so many bytes, the lowest first, with its sign or zeros above."""
    mask = (1 << 8 * size) - 1
    return b"".join([(word & mask).to_bytes(size, "little") for word in words])


def unpacked(port: Port, memory: bytes, size: int) -> np.ndarray:
    """The integers of words of so many bytes. Raises SimulationError where what is above a word is not its sign or
    zeros, nor what was there before it was written."""
    wide = [int.from_bytes(memory[at : at + size], "little") for at in range(0, len(memory), size)]
    mask, whole = (1 << port.bits) - 1, (1 << 8 * size) - 1
    found = integers(port, [word & mask for word in wide])
    before = {int.from_bytes(bytes([pattern]) * size, "little") for pattern in (0xAA, 0x55)}
    for at, (word, value) in enumerate(zip(wide, found.tolist(), strict=True)):
        if word != value & whole and word not in before:
            raise SimulationError(f"word {at} of {port.tensor} lies in memory as {word:x}, which is no {value}")
    return found
