"""Executes a nest's statements as they stand: loops, buffers, fills, accumulators, write-back.

Each statement becomes a Python function of the loops' values. Where a loop's body fills nothing and no loop bound
in it depends on another, its loops are bound to arrays, one axis each, and its statements run once on all values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from halidehw.errors import TypeMismatch
from halidehw.expr.expr import Expr
from halidehw.expr.tree import nodes, program
from halidehw.expr.types import Struct, record
from halidehw.ir.affine import Affine
from halidehw.ir.bounds import refills
from halidehw.ir.evaluate import Reduction, combining, computing, plain
from halidehw.ir.memories import Copies, External, Memory
from halidehw.ir.nest import Access, Accumulated, Load, Lookup, LoopValue, Nest, Scan, Scattered, Tensor
from halidehw.ir.sums import visits
from halidehw.ir.symbolic import Values, evaluator
from halidehw.ir.tree import Accumulate, Allocate, Fill, Fold, For, Initialize, Statement, Store, build
from halidehw.ir.verify import InvariantError

Step = Callable[[Values], None]
ACCUMULATORS = "accumulators"
ARRAY = range(16, 1 << 20)
"""How many iterations are run as one array: fewer are faster one by one, more take too much memory."""


@dataclass(frozen=True)
class Execution:
    """The output (NumPy axes: the last dimension first; of several values, an array of each) and what was moved, in
    words.

    `written`: into all copies of each buffer, and sums into each level but the innermost. `fetched`: by each buffer
    from the level above it; a tile that several copies take in one step counts once, a constant boundary value not at
    all. `operands`: by the datapath for each of the nest's reads. `stored`, `reread`: words of the output into memory,
    and partial sums back from there. `complete`: which elements of the output were stored, at every visit.
    """

    output: np.ndarray | tuple[np.ndarray, ...]
    written: Mapping[str, int]
    fetched: Mapping[str, int]
    operands: tuple[int, ...]
    stored: int
    reread: int
    complete: np.ndarray


def interpret(nest: Nest, inputs: Mapping[str, np.ndarray]) -> np.ndarray | tuple[np.ndarray, ...]:
    """The output of `execute`."""
    return execute(nest, inputs).output


def execute(nest: Nest, inputs: Mapping[str, np.ndarray]) -> Execution:
    """Run the nest on `inputs`, tensor name -> array (axes: the tensor's last dimension first).

    Raises `TypeMismatch` for a missing array or a wrong shape, `InvariantError` if a read finds a word that its
    buffer does not hold or an output element is not stored exactly once a visit.
    """
    found = execute_stage(nest, inputs, {})
    if found.stored != nest.output.words * visits(nest) or not found.complete.all():
        raise InvariantError(f"an element of {nest.output.name} was not stored exactly once a visit")
    return found


def execute_stage(nest: Nest, inputs: Mapping[str, np.ndarray], made: Mapping[str, np.ndarray]) -> Execution:
    """`execute` where the nest may leave out elements of its output, and compute others again. `made`: of those inputs
    that stages made, which elements there are."""
    machine = _Machine(nest, inputs, made)
    step = machine.block(build(nest), ())
    step({})
    if (machine.stored % visits(nest)).any():
        raise InvariantError(f"an element of {nest.output.name} was not stored at every visit")
    copies, kind = machine.copies, nest.output.type
    return Execution(
        output=kind.split(machine.output.T) if isinstance(kind, Struct) else machine.output.T.copy(),
        written={name: memory.written for name, memory in copies.items()} | machine.folded,
        fetched={name: memory.fetched for name, memory in copies.items()},
        operands=tuple(machine.operands),
        stored=int(machine.stored.sum()),
        reread=machine.reread,
        complete=machine.stored.T > 0,
    )


def input_array(tensor: Tensor, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
    """The tensor's words, dimension 0 first. Raises `TypeMismatch`."""
    shape = tensor.extents[::-1]
    if tensor.name not in inputs:
        raise TypeMismatch(f"no array for input {tensor.name}", legal=(f"{{'{tensor.name}': np.zeros({shape})}}",))
    array = np.asarray(inputs[tensor.name])
    if array.shape == shape and array.dtype == tensor.type.dtype and isinstance(tensor.type, Struct):
        return array.T
    if array.shape != shape or array.dtype.kind not in "iub":
        raise TypeMismatch(
            f"input {tensor.name} is an array of {array.dtype} of shape {array.shape}, not of {tensor.type} of {shape}",
            legal=(f"np.zeros({shape}, np.{tensor.type.dtype})",),
        )
    return tensor.type.wrap(array).T


class _Machine:
    """The state of one execution, and the translation of statements into steps on it."""

    def __init__(
        self, nest: Nest, inputs: Mapping[str, np.ndarray], made: Mapping[str, np.ndarray]
    ) -> None:
        self.nest = nest
        self.outside = {
            tensor.name: External(tensor, input_array(tensor, inputs), made.get(tensor.name))
            for tensor in nest.inputs
        }
        self.copies = {buffer.name: Copies(nest, buffer) for buffer in nest.buffers if buffer not in nest.sums}
        self.output = np.zeros(nest.output.extents, nest.output.type.dtype)
        self.stored = np.zeros(nest.output.extents, np.int64)
        levels = [level.name for level in nest.sums] or [ACCUMULATORS]
        self.sums = {level: np.zeros(nest.output.extents, nest.type.dtype) for level in levels}
        self.inner, self.outer = self.sums[levels[-1]], self.sums[levels[0]]
        self.folded = dict.fromkeys(levels[:-1], 0)
        self.operands = [0] * len(nest.reads)
        self.reread = 0

    def block(self, statements: tuple[Statement, ...], arrays: tuple[str, ...]) -> Step:
        """The statements in sequence; `arrays` are the loops bound to arrays."""
        steps = [self.step(statement, arrays) for statement in statements if not isinstance(statement, Allocate)]
        if len(steps) == 1:
            return steps[0]

        def run(values: Values) -> None:
            for step in steps:
                step(values)

        return run

    def step(self, statement: Statement, arrays: tuple[str, ...]) -> Step:
        match statement:
            case For():
                shared = statement.loop in self.nest.loops[: self.nest.place]
                vector = bool(arrays) or (not shared and _is_rectangular(statement))
                return self._vector_loop(statement, arrays) if vector else self._loop(statement)
            case Fill(buffer, source):
                return self.copies[buffer.name].fill(statement, self._memory(source.name if source else buffer.tensor))
            case Initialize():
                return self._initialize(statement)
            case Accumulate():
                return self._accumulate(statement, arrays)
            case Fold():
                return self._fold(statement)
            case Store():
                return self._store(statement, arrays)
        raise InvariantError(f"no execution of {statement}")

    def _memory(self, name: str) -> Memory:
        return self.copies[name] if name in self.copies else self.outside[name]

    def _loop(self, statement: For) -> Step:
        name, start, extent = statement.loop.name, statement.loop.min, evaluator(statement.extent)
        body = self.block(statement.body, ())

        def run(values: Values) -> None:
            for value in range(start, start + extent(values)):
                values[name] = value
                body(values)

        return run

    def _vector_loop(self, statement: For, arrays: tuple[str, ...]) -> Step:
        loop, extent = statement.loop, evaluator(statement.extent)
        body = self.block(statement.body, (*arrays, loop.name))
        inner = (1,) * (len(self.nest.loops) - 1 - self.nest.loops.index(loop))

        def run(values: Values) -> None:
            values[loop.name] = np.arange(loop.min, loop.min + extent(values)).reshape(-1, *inner)
            body(values)

        return run

    def _initialize(self, statement: Initialize) -> Step:
        place, first = self._place(statement.target), [(loop.name, loop.min) for loop in statement.again]
        sums = self.sums[statement.sums.name] if statement.sums else self.outer
        kind = self.nest.type
        start = record(kind, kind.unpacked(statement.value)) if isinstance(kind, Struct) else statement.value

        def run(values: Values) -> None:
            index = place(values)
            if any(values[name] > start for name, start in first):
                sums[index] = self.output[index]
                self.reread += self.output[index].size
            else:
                sums[index] = start

        return run

    def _accumulate(self, statement: Accumulate, arrays: tuple[str, ...]) -> Step:
        if isinstance(statement.value, Scattered):
            return self._scatter(statement, statement.value)
        place, value = self._place(statement.target), self._value(statement.value, arrays)
        combine = combining(statement.combine, self.nest.type)
        reduction = Reduction(self.nest, statement.combine, arrays, combine)

        def run(values: Values) -> None:
            index = place(values)
            before = plain(self.inner[index])
            self.inner[index] = combine(before, reduction(value(values), before, values))

        return run

    def _scatter(self, statement: Accumulate, scattered: Scattered) -> Step:
        place, combine = self._place(statement.target), combining(statement.combine, self.nest.type)
        value, address = self._value(scattered.value, ()), self._value(scattered.address, ())
        loops = [self.nest.loop[name] for name in reversed(self.nest.scattered)]

        def run(values: Values) -> None:
            number, here = address(values), dict(values)
            for loop in loops:
                number, offset = divmod(number, loop.extent)
                here[loop.name] = loop.min + offset
            if number:
                raise InvariantError(f"{self.nest.output.name} is updated outside its bounds")
            index = place(here)
            self.inner[index] = combine(plain(self.inner[index]), value(values))

        return run

    def _fold(self, statement: Fold) -> Step:
        """Lanes of a reduction outside the tile have one between them: what they hold counts once."""
        place, combine = self._place(statement.target), combining(statement.combine, self.nest.type)
        inner, outer, name = self.sums[statement.sums.name], self.sums[statement.into.name], statement.into.name
        outside = self.nest.loops[: len(refills(self.nest, statement.sums))]
        lanes = [(loop.name, loop.min, loop.lanes) for loop in outside if loop.reduction and loop.lanes > 1]

        def run(values: Values) -> None:
            index = place(values)
            outer[index] = combine(plain(outer[index]), plain(inner[index]))
            if not any((values[lane] - low) % count for lane, low, count in lanes):
                self.folded[name] += outer[index].size

        return run

    def _store(self, statement: Store, arrays: tuple[str, ...]) -> Step:
        place, value = self._place(statement.target), self._value(statement.value, arrays)

        def run(values: Values) -> None:
            index = place(values)
            self.output[index] = value(values)
            self.stored[index] += 1

        return run

    def _place(self, access: Access) -> Callable[[Values], tuple[Any, ...]]:
        return _coordinates(access.indices, self.nest.output.mins)

    def _value(self, expr: Expr, arrays: tuple[str, ...]) -> Callable[[Values], Any]:
        operations = program(expr).map(lambda node: self._operation(node, arrays))
        return lambda values: operations.run(lambda operation, parts: operation(values, *parts))

    def _operation(self, expr: Expr, arrays: tuple[str, ...]) -> Callable[..., Any]:
        """A node as a function of the loops' values and of what its children give."""
        match expr:
            case Load(read=read):
                return self._load(read, arrays)
            case Lookup():
                return self._lookup(expr)
            case Scan():
                return self._scan(expr)
            case LoopValue(type=kind, index=index):
                number = evaluator(index)
                return lambda values: kind.wrap(number(values))
            case Accumulated():
                place = self._place(self.nest.write)
                return lambda values: plain(self.outer[place(values)])
        return computing(expr)

    def _load(self, read: int, arrays: tuple[str, ...]) -> Callable[[Values], Any]:
        access = self.nest.reads[read]
        levels = self.nest.levels(access.tensor)
        memory = self._memory(levels[-1].name if levels else access.tensor)
        indices = [evaluator(index) for index in access.indices]

        def run(values: Values) -> Any:
            word = memory.read(values, [index(values) for index in indices])
            self.operands[read] += prod(values[name].size for name in arrays)
            return plain(word)

        return run

    def _scan(self, expr: Scan) -> Callable[..., Any]:
        """In each PE the states of its own."""
        kind = expr.merge.value.type
        assert isinstance(kind, Struct)
        states, merge = dict[tuple[int, ...], Any](), combining(expr.merge, kind)
        begin = record(kind, [0] * len(kind.parts))
        lanes = [(loop.name, loop.min, loop.lanes) for loop in self.nest.loops if loop.lanes > 1]

        def run(values: Values, first: Any, address: Any, word: Any) -> Any:
            place = address, *((values[name] - low) % count for name, low, count in lanes)
            if address >= expr.words:
                raise InvariantError(f"{self.nest.output.name} has no state of number {address}")
            states[place] = merge(begin if first else states[place], word)
            return plain(np.asarray(states[place]["f0"]))

        return run

    def _lookup(self, expr: Lookup) -> Callable[..., Any]:
        levels = self.nest.levels(expr.tensor)
        memory = self._memory(levels[-1].name if levels else expr.tensor)

        def run(values: Values, address: Any) -> Any:
            index = []
            for low, extent in zip(expr.mins, expr.extents, strict=True):
                address, place = divmod(address, extent)
                index.append(place + low)
            return plain(memory.read(values, index))

        return run


def _is_rectangular(statement: For) -> bool:
    """Whether the loops of a statement can be bound to arrays, and are worth it."""
    inside = _statements(statement)
    extents = {each.loop: each.extent for each in inside if isinstance(each, For)}
    if any(isinstance(each, Fill) or (isinstance(each, Initialize) and extents.keys() & each.again) for each in inside):
        return False
    if any(isinstance(each, Accumulate) and isinstance(each.value, Scattered) for each in inside):
        return False
    values = (each.value for each in inside if isinstance(each, Accumulate | Store))
    if any(isinstance(node, Scan) for value in values for node in nodes(value)):
        return False
    if any(isinstance(each, Fold) for each in inside) and any(loop.reduction for loop in extents):
        return False
    bound = {loop.symbol for loop in extents}
    ragged = any(extent.free_symbols & bound for extent in extents.values())
    return not ragged and prod(loop.extent for loop in extents) in ARRAY


def _statements(statement: Statement) -> list[Statement]:
    """A statement and all inside it."""
    below = statement.body if isinstance(statement, For) else ()
    return [statement, *(each for inner in below for each in _statements(inner))]


def _coordinates(indices: tuple[Affine, ...], mins: tuple[int, ...]) -> Callable[[Values], tuple[Any, ...]]:
    offsets = [evaluator(index - low) for index, low in zip(indices, mins, strict=True)]
    return lambda values: tuple(offset(values) for offset in offsets)
