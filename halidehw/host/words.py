"""Words of tensors as the bytes of a memory behind AXI, as NumPy lays them out."""

from __future__ import annotations

import numpy as np

from halidehw.microarch.interface import Port


def packed(words: np.ndarray, port: Port) -> np.ndarray:
    """Words as bytes: each in `port.unit` of them, the lowest first, with its sign or zeros above."""
    if port.unit > _WIDEST:
        mask = (1 << 8 * port.unit) - 1
        return np.frombuffer(b"".join((int(word) & mask).to_bytes(port.unit, "little") for word in words), np.uint8)
    return np.ascontiguousarray(words.astype(_kind(port))).view(np.uint8)


def unpacked(found: np.ndarray, port: Port) -> np.ndarray:
    """Bytes as words: int64, uint64 where unsigned words need it, Python's own where they are wider."""
    if port.unit > _WIDEST:
        text, mask = found.tobytes(), (1 << port.bits) - 1
        parts = (text[at : at + port.unit] for at in range(0, len(text), port.unit))
        return np.array([int.from_bytes(part, "little") & mask for part in parts], object)
    words = found.view(_kind(port))
    return words if words.dtype == np.uint64 else words.astype(np.int64)


_WIDEST = 8


def _kind(port: Port) -> np.dtype[np.signedinteger | np.unsignedinteger]:
    return np.dtype(f"<{'i' if port.signed else 'u'}{port.unit}")
