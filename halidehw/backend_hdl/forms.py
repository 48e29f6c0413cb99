"""What a walker puts out for those it drives: addresses, flags of tiles, values of loops, lanes that are wanted."""

from __future__ import annotations

import operator
from collections.abc import Callable

from amaranth.hdl import Cat, Const, Value

from halidehw.backend_hdl.buffer import rotating, written_digits
from halidehw.backend_hdl.library import Ports, identifier
from halidehw.backend_hdl.walker import InWords
from halidehw.ir.affine import Affine
from halidehw.microarch.processes import Operand
from halidehw.microarch.stores import Memory
from halidehw.microarch.taps import IndexValue, MemorySink, MemoryTap


def read_forms(memory: Memory, read: MemoryTap, prefix: str = "r") -> tuple[tuple[str, Affine], ...]:
    """The walker outputs that a reader of `memory` drives its `r_` ports with."""
    places = tuple((f"{prefix}_place{d}", form) for d, form in zip(rotating(memory), read.rotations, strict=True))
    left = ((f"{prefix}_left{k}", form) for k, form in enumerate(read.left))
    column = ((f"{prefix}_column", read.column),) if read.column is not None else ()
    return ((f"{prefix}_address", _addressed(memory, read.address)), *places, *left, *column)


def _addressed(memory: Memory, elements: Affine) -> Affine:
    """The addresses of elements in a bank."""
    word = memory.word
    return InWords(elements.terms, elements.constant, word) if word & (word - 1) else elements


def windows(memory: Memory, read: MemoryTap, prefix: str = "r") -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The walker's origin flags that a reader of `memory` drives its `r_fresh` with."""
    return ((f"{prefix}_fresh", read.starts),) if memory.follows else ()


def closings(memory: Memory, read: MemoryTap, prefix: str = "r") -> tuple[tuple[str, int], ...]:
    """The walker's end flags that a reader of `memory` drives its `r_last` with."""
    return ((f"{prefix}_last", read.anew),) if memory.ring else ()


def store_forms(memory: Memory, store: MemorySink, prefix: str = "w") -> tuple[tuple[str, Affine], ...]:
    """The walker outputs that a writer of `memory` drives its `w_` ports with."""
    digits = ((f"{prefix}_digit{d}", store.digits[d]) for d in written_digits(memory))
    return ((f"{prefix}_address", _addressed(memory, store.address)), *digits)


def index_values(operands: tuple[Operand, ...]) -> tuple[tuple[str, Affine], ...]:
    """The walker outputs that are values of loops."""
    found = ((identifier(operand.name), operand.source) for operand in operands)
    return tuple((name, source.form) for name, source in found if isinstance(source, IndexValue))


Reaches = Callable[[Value, int], Value]
"""Whether a value is at least a number."""


def lane_mask(
    walk: Ports, limits: tuple[tuple[Affine, int], ...], vector: int, reaches: Reaches = operator.ge
) -> Value:
    """Which lanes of a vector are wanted, from the walker's outputs `room0`, `room1`, ..."""
    lanes = []
    for lane in range(vector):
        wanted: Value = Const(1)
        for k, (_, weight) in enumerate(limits):
            wanted = wanted & reaches(walk[f"room{k}"], weight * lane)
        lanes.append(wanted)
    return Cat(*lanes)


def in_gates(value: Value, least: int) -> Value:
    """Whether a value is at least a number that is not negative, without a carry chain: of a small number that is one
    gate over the high bits, and one over the low ones."""
    bits, negative = (value[:-1], value[-1]) if value.shape().signed else (value, Const(0, 1))
    low = least.bit_length()
    if not least or low > len(bits):
        return ~negative if not least else Const(0, 1)
    found: Value = Const(1, 1)
    for place in range((least & -least).bit_length() - 1, low):
        found = bits[place] & found if least >> place & 1 else bits[place] | found
    return ~negative & (found | bits[low:].any())


def rooms(limits: tuple[tuple[Affine, int], ...]) -> tuple[tuple[str, Affine], ...]:
    return tuple((f"room{k}", form) for k, (form, _) in enumerate(limits))
