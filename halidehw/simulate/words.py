"""Integers as the hexadecimal words of memory files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from halidehw.errors import TypeMismatch
from halidehw.expr.types import Type
from halidehw.microarch.interface import Port


def write_words(path: Path, port: Port, values: np.ndarray) -> None:
    """Write the tensor of a port to a memory file.

    values: integers, shape (port.words,), in address order. Raises TypeMismatch when their number, type or range
    is not the port's.
    """
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
    mask = (1 << port.bits) - 1
    path.write_text("\n".join([f"{word & mask:x}" for word in words]) + "\n")


def unwritten_word(kind: Type, start: int) -> int:
    """What a word of an output holds that the start of this number, counted from 1, has not written."""
    pattern = 0xAAAA_AAAA_AAAA_AAAA ^ (-1 if start % 2 else 0)
    return kind.wrap(pattern)


def read_words(path: Path, port: Port) -> np.ndarray:
    """The integers of a memory file, shape (port.words,): int64, or uint64 where unsigned words need it; Python's own
    where they are wider."""
    words = [int(line, 16) for line in path.read_text().splitlines() if line[:2] != "//"]
    if port.bits > 64:
        return np.array(words, dtype=object)
    unsigned = np.array(words, dtype=np.uint64)
    if not port.signed:
        return unsigned if port.bits == 64 else unsigned.astype(np.int64)
    unused = np.uint64(64 - port.bits)
    return (unsigned << unused).view(np.int64) >> unused.astype(np.int64)
