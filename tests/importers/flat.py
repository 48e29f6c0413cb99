"""Small quantised TFLite files, and what LiteRT's published arithmetic makes of them, in Python's integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import frexp
from typing import Any

import numpy as np
from flatbuffers import Builder

KINDS = {np.dtype(np.float32): 0, np.dtype(np.int32): 2, np.dtype(np.int64): 4, np.dtype(np.int8): 9}


@dataclass
class Flat:
    """A file under construction; tensors are numbered as they come. `grids`: of each its scale or scales, and its zero
    point."""

    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(3))
    tensors: list[tuple[str, tuple[int, ...], np.dtype, np.ndarray | None]] = field(default_factory=list)
    grids: list[tuple[np.ndarray, int]] = field(default_factory=list)
    operators: list[tuple[int, list[int], int, dict[int, tuple[str, int]]]] = field(default_factory=list)

    def tensor(self, name: str, shape: Sequence[int], scale: Any, zero: int = 0, data: Any = None,
               dtype: type = np.int8) -> int:  # fmt: skip
        self.tensors.append((name, tuple(shape), np.dtype(dtype), data))
        self.grids.append((np.atleast_1d(np.asarray(scale, np.float32)), zero))
        return len(self.tensors) - 1

    def weights(self, name: str, shape: Sequence[int], channels: int) -> int:
        data = self.rng.integers(-127, 128, shape).astype(np.int8)
        return self.tensor(name, shape, self.rng.uniform(0.002, 0.01, channels), 0, data)

    def bias(self, name: str, count: int) -> int:
        data = self.rng.integers(-3000, 3000, count).astype(np.int32)
        return self.tensor(name, (count,), np.full(count, 0.001), 0, data, np.int32)

    def node(self, code: int, reads: list[int], made: int, **slots: tuple[str, int]) -> int:
        """`slots`: the options' slots, as `s0=("Int32", 2)`."""
        self.operators.append((code, reads, made, {int(name[1:]): each for name, each in slots.items()}))
        return made

    def file(self, inputs: list[int], outputs: list[int]) -> bytes:
        b = Builder(1024)

        def vector(items: Sequence[int]) -> int:
            b.StartVector(4, len(items), 4)
            for each in reversed(items):
                b.PrependUOffsetTRelative(each)
            return int(b.EndVector())

        def table(**slots: tuple[str, Any]) -> int:
            b.StartObject(12)
            for name, (kind, value) in slots.items():
                getattr(b, f"Prepend{kind}Slot")(int(name[1:]), value, 0)
            return int(b.EndObject())

        def numbers(values: Any, kind: type) -> int:
            return int(b.CreateNumpyVector(np.asarray(values, kind)))

        buffers = [table()]
        tensors = []
        for (name, shape, dtype, data), (scale, zero) in zip(self.tensors, self.grids, strict=True):
            if data is not None:
                held = numbers(np.frombuffer(data.tobytes(), np.uint8), np.uint8)
                buffers.append(table(s0=("UOffsetTRelative", held)))
            grid = table(s2=("UOffsetTRelative", numbers(scale, np.float32)),
                         s3=("UOffsetTRelative", numbers(np.full(scale.size, zero), np.int64)),
                         s6=("Int32", 3 if name == "depth_w" else 0))  # fmt: skip
            tensors.append(table(
                s0=("UOffsetTRelative", numbers(shape, np.int32)), s1=("Int8", KINDS[dtype]),
                s2=("Uint32", len(buffers) - 1 if data is not None else 0),
                s3=("UOffsetTRelative", b.CreateString(name)), s4=("UOffsetTRelative", grid),
            ))  # fmt: skip
        codes = [code for code, *_ in self.operators]
        listed = [table(s0=("Int8", code), s2=("Int32", 1), s3=("Int32", code)) for code in codes]
        steps = []
        for place, (code, reads, made, slots) in enumerate(self.operators):
            options = table(**{f"s{slot}": each for slot, each in slots.items()})
            steps.append(table(
                s0=("Uint32", place), s1=("UOffsetTRelative", numbers(reads, np.int32)),
                s2=("UOffsetTRelative", numbers([made], np.int32)), s3=("Uint8", OPTIONS[code]),
                s4=("UOffsetTRelative", options),
            ))  # fmt: skip
        graph = table(
            s0=("UOffsetTRelative", vector(tensors)), s1=("UOffsetTRelative", numbers(inputs, np.int32)),
            s2=("UOffsetTRelative", numbers(outputs, np.int32)), s3=("UOffsetTRelative", vector(steps)),
        )  # fmt: skip
        b.Finish(table(
            s0=("Uint32", 3), s1=("UOffsetTRelative", vector(listed)), s2=("UOffsetTRelative", vector([graph])),
            s4=("UOffsetTRelative", vector(buffers)),
        ), b"TFL3")  # fmt: skip
        return bytes(b.Output())


OPTIONS = {0: 11, 1: 5, 3: 1, 4: 2, 9: 8, 17: 5, 22: 17, 25: 9, 41: 28}
"""Of each operator's number that of its table of options."""


def fraction(real: float) -> tuple[int, int]:
    """`QuantizeMultiplier`: a fraction of 31 bits, and a power of two."""
    part, exponent = frexp(real)
    multiplier = round(part * 2**31)
    return (multiplier // 2, exponent + 1) if multiplier == 2**31 else (multiplier, exponent)


def scaled_once(a: int, real: float) -> int:
    """As LiteRT scales the sums of a matrix product: rounded once, halves away from zero."""
    multiplier, exponent = fraction(real)
    size = (abs(a) * multiplier + (1 << 30 - exponent)) >> 31 - exponent
    return size if a >= 0 else -size


def scaled(a: int, real: float) -> int:
    """`MultiplyByQuantizedMultiplier`: a fraction of 31 bits, rounded; then a shift, rounded away from zero."""
    multiplier, exponent = fraction(real)
    product = (a << max(exponent, 0)) * multiplier
    high = (product + 2**30) // 2**31
    right = 1 << max(-exponent, 0)
    return (abs(high) + right // 2) // right * (1 if high >= 0 else -1)


def cut(value: int, zero: int) -> int:
    return max(-128, min(127, value + zero))


def convolved(x: np.ndarray, w: np.ndarray, bias: np.ndarray, real: np.ndarray, zeros: tuple[int, int], step: int,
              before: tuple[int, int], shape: tuple[int, ...], depthwise: bool) -> np.ndarray:  # fmt: skip
    """`x`: (y, x, c); `w`: (k, y, x, c), or (1, y, x, c) of a depthwise one; `shape`: of the result."""
    found = np.zeros(shape, np.int8)
    for y, column, k in np.ndindex(*shape):
        total = int(bias[k])
        for down, across in np.ndindex(*w.shape[1:3]):
            place = y * step + down - before[0], column * step + across - before[1]
            if min(place) >= 0 and place[0] < x.shape[0] and place[1] < x.shape[1]:
                pixel = x[place].astype(int) - zeros[0]
                row = w[0 if depthwise else k, down, across].astype(int)
                total += int(pixel[k] * row[k] if depthwise else pixel @ row)
        found[y, column, k] = cut(scaled(total, float(real[k])), zeros[1])
    return found
