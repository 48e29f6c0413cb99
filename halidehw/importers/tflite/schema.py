"""What a TFLite file holds: tables of the flat buffer whose slots its published schema (version 3) numbers."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from flatbuffers import encode, number_types, packer
from flatbuffers.table import Table

from halidehw.errors import NetworkError

MARK = b"TFL3"
"""At bytes 4 to 7 of every file."""

LARGEST = 2 << 30
"""Bytes of a file: more than offsets of 32 bits reach."""

OPERATORS = {
    0: "ADD", 1: "AVERAGE_POOL_2D", 2: "CONCATENATION", 3: "CONV_2D", 4: "DEPTHWISE_CONV_2D", 6: "DEQUANTIZE",
    9: "FULLY_CONNECTED", 14: "LOGISTIC", 17: "MAX_POOL_2D", 18: "MUL", 19: "RELU", 21: "RELU6", 22: "RESHAPE",
    25: "SOFTMAX", 28: "TANH", 34: "PAD", 40: "MEAN", 41: "SUB", 43: "SQUEEZE", 98: "LEAKY_RELU", 114: "QUANTIZE",
    117: "HARD_SWISH",
}  # fmt: skip

KINDS = {0: np.float32, 2: np.int32, 3: np.uint8, 4: np.int64, 6: np.bool_, 7: np.int16, 9: np.int8}

_FLAGS = {
    np.int8: number_types.Int8Flags, np.uint8: number_types.Uint8Flags, np.int32: number_types.Int32Flags,
    np.uint32: number_types.Uint32Flags, np.int64: number_types.Int64Flags, np.float32: number_types.Float32Flags,
    np.bool_: number_types.BoolFlags,
}  # fmt: skip


class Damaged(Exception):
    """What a file says that leads out of it, or is not so."""


def check(holds: bool) -> None:
    """Raises Damaged unless it holds."""
    if not holds:
        raise Damaged


@dataclass(frozen=True)
class Record:
    """A table of the buffer; its slots are numbered."""

    table: Table

    def _place(self, slot: int) -> int:
        return int(self.table.Offset(4 + 2 * slot))

    def number(self, slot: int, kind: type, default: int = 0) -> int:
        try:
            place = self._place(slot)
            return int(self.table.Get(_FLAGS[kind], place + self.table.Pos)) if place else default
        except (struct.error, IndexError, TypeError):
            raise Damaged from None

    def text(self, slot: int) -> str:
        place = self._place(slot)
        return bytes(self.table.String(place + self.table.Pos)).decode() if place else ""

    def array(self, slot: int, kind: type) -> np.ndarray:
        place = self._place(slot)
        return np.asarray(self.table.GetVectorAsNumpy(_FLAGS[kind], place)) if place else np.zeros(0, kind)

    def child(self, slot: int) -> Record | None:
        place = self._place(slot)
        return Record(Table(self.table.Bytes, self.table.Indirect(place + self.table.Pos))) if place else None

    def children(self, slot: int) -> list[Record]:
        place = self._place(slot)
        if not place:
            return []
        start = self.table.Vector(place)
        places = range(start, start + 4 * self.table.VectorLen(place), 4)
        return [Record(Table(self.table.Bytes, self.table.Indirect(each))) for each in places]


@dataclass(frozen=True)
class Kept:
    """A tensor as the file has it. `data`: of a constant; `scale`, `zero`: none of one that is not quantised."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    data: np.ndarray | None
    scale: np.ndarray
    zero: np.ndarray


@dataclass(frozen=True)
class Operator:
    """`options`: the table of its attributes; `reads`, `makes`: numbers of tensors, -1 of one left out."""

    number: int
    op: str
    reads: tuple[int, ...]
    makes: tuple[int, ...]
    options: Record | None

    @property
    def name(self) -> str:
        return f"{self.op.lower()}_{self.number}"


@dataclass(frozen=True)
class Graph:
    tensors: tuple[Kept, ...]
    operators: tuple[Operator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def read(file: Path) -> tuple[bytes, Graph]:
    """A file and what it holds. Raises `NetworkError` for one that is none, or has several graphs or open shapes."""
    try:
        size = file.stat().st_size
        if size == 0 or size > LARGEST:
            what = "is empty" if size == 0 else f"has {size} bytes, more than {LARGEST}, which a TFLite file may have"
            raise NetworkError(f"{file} {what}")
        data = file.read_bytes()
    except OSError as problem:
        raise NetworkError(f"cannot read the network {file}: {problem.strerror}") from None
    if data[4:8] != MARK:
        raise NetworkError(f"{file} is no TFLite file: bytes 4 to 7 are {data[4:8]!r}, not {MARK!r}")
    try:
        found = _graph(file, data)
    except (Damaged, struct.error, IndexError, ValueError, TypeError, KeyError, OverflowError, MemoryError):
        raise damaged(file) from None
    for at in found.inputs:
        if min(found.tensors[at].shape, default=1) < 1:
            raise NetworkError(
                f"the shape of the input {found.tensors[at].name} is left open: {found.tensors[at].shape}",
                legal=('interpreter.resize_tensor_input(0, shape)  # and convert again with that shape',),
            )
    return data, found


def damaged(file: Path) -> NetworkError:
    return NetworkError(f"{file} is not all of a TFLite file, or is damaged")


def _graph(file: Path, data: bytes) -> Graph:
    root = Record(Table(bytearray(data), encode.Get(packer.uoffset, data, 0)))
    graphs = root.children(2)
    if len(graphs) != 1:
        raise NetworkError(f"{file} has {len(graphs)} graphs, where one is taken")
    codes = [max(each.number(0, np.int8), each.number(3, np.int32)) for each in root.children(1)]
    buffers = [each.array(0, np.uint8) for each in root.children(4)]
    graph = graphs[0]
    tensors = [_tensor(each, buffers) for each in graph.children(0)]
    twice = {each.name for at, each in enumerate(tensors) if each.name in [other.name for other in tensors[:at]]}
    named = (Kept(f"{each.name}#{at}" if each.name in twice else each.name, *_rest(each))
             for at, each in enumerate(tensors))  # fmt: skip
    operators = [_operator(number, each, codes) for number, each in enumerate(graph.children(3))]
    inputs, outputs = _numbers(graph, 1), _numbers(graph, 2)
    made = [*inputs, *outputs, *(at for each in operators for at in each.makes)]
    read = [at for each in operators for at in each.reads]
    check(all(each.makes for each in operators) and min(made) >= 0 and max([*read, *made]) < len(tensors))
    return Graph(tuple(named), tuple(operators), inputs, outputs)


def _rest(each: Kept) -> tuple[tuple[int, ...], np.dtype, np.ndarray | None, np.ndarray, np.ndarray]:
    return each.shape, each.dtype, each.data, each.scale, each.zero


def _numbers(record: Record, slot: int) -> tuple[int, ...]:
    return tuple(map(int, record.array(slot, np.int32)))


def _tensor(record: Record, buffers: Sequence[np.ndarray]) -> Kept:
    shape = _numbers(record, 0)
    dtype = np.dtype(KINDS[record.number(1, np.int8)])
    held = buffers[record.number(2, np.uint32)]
    data = np.frombuffer(held.tobytes(), dtype).reshape(shape) if held.size else None
    grid = record.child(4)
    scale, zero = (grid.array(2, np.float32), grid.array(3, np.int64)) if grid else (np.zeros(0), np.zeros(0))
    return Kept(record.text(3), shape, dtype, data, scale.astype(np.float32), zero.astype(np.int64))


def _operator(number: int, record: Record, codes: Sequence[int]) -> Operator:
    code = codes[record.number(0, np.uint32)]
    return Operator(
        number, OPERATORS.get(code, f"OPERATOR_{code}"), _numbers(record, 1), _numbers(record, 2), record.child(4)
    )
