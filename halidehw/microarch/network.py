"""The micro-architecture: what lies between loops and gates, as plain values.

Meaning. A network is processes, stores and ports. A process goes through its walk in order, at most one step a cycle.
A step takes the words of all its taps and puts words into all its sinks. A store has one writer, and room for some
parts; a part is the words of a tile, which is an iteration of the outer axes of both walks, the writer's and the
reader's. A writer begins a part when one is free, and it is full when its last word has landed. A reader begins a tile
when its part is full, and frees it with its last step there. A ring passes rows, one by one. Nothing else orders the
processes: they meet in stores alone, and whatever the ports do, the words are those of the walks run one after the
other.

Processes are grouped by stage: the array of a nest, the stores that it reads, and the transfers and the writer that
serve it. A stage reads another one where that one's writer sinks into its store. Nothing here knows a Func or a signal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

from halidehw.microarch.interface import Interface
from halidehw.microarch.processes import (
    Compute,
    Copy,
    Fill,
    Fold,
    Load,
    Move,
    Operand,
    Process,
    Transfer,
    Write,
    taps_of,
)
from halidehw.microarch.stores import Memory, RegisterFile, Store, Sums
from halidehw.microarch.taps import FileSink, FileTap, Lanes, MemorySink, PortTap, Sink, SumsSink, SumsTap, Tap


@dataclass(frozen=True)
class Space:
    """A spatial axis: the lanes of one `loop` on one dimension of the PE array."""

    name: str
    loop: str
    extent: int
    systolic: bool
    dimension: int
    reduction: bool


@dataclass(frozen=True)
class Stage:
    """The hardware of one nest. `spaces` in the array's order: output axes outside, reductions inside. `stores`: of
    each kind in the order in which they were derived, levels of sums from the innermost outwards. `label`: what the
    names of its own processes and stores begin with ("": the output's).
    """

    name: str
    spaces: tuple[Space, ...]
    stores: tuple[Store, ...]
    transfers: tuple[Transfer[Tap, Sink], ...]
    compute: Compute
    write: Write
    label: str = ""

    @property
    def pes(self) -> int:
        return prod(space.extent for space in self.spaces)

    @property
    def skew(self) -> int:
        """Hops from the first PE to the last."""
        return sum(space.extent - 1 for space in self.spaces if space.systolic)

    @property
    def processes(self) -> tuple[Process, ...]:
        """From the ports inwards to the array, and out again."""
        folds = [each for each in self.transfers if isinstance(each.sink, SumsSink)]
        return (*(each for each in self.transfers if each not in folds), self.compute, *folds, self.write)

    @cached_property
    def memories(self) -> tuple[Memory, ...]:
        return tuple(store for store in self.stores if isinstance(store, Memory))

    @cached_property
    def files(self) -> tuple[RegisterFile, ...]:
        return tuple(store for store in self.stores if isinstance(store, RegisterFile))

    @cached_property
    def sums(self) -> tuple[Sums, ...]:
        """The levels of partial sums, innermost first."""
        return tuple(store for store in self.stores if isinstance(store, Sums))

    @cached_property
    def loads(self) -> tuple[Load, ...]:
        return tuple(self._kind(PortTap, MemorySink))

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        return tuple(self._kind(Lanes, MemorySink))

    @cached_property
    def fills(self) -> tuple[Fill, ...]:
        return tuple(self._kind(Lanes, FileSink))

    @cached_property
    def copies(self) -> tuple[Copy, ...]:
        return tuple(self._kind(FileTap, FileSink))

    @cached_property
    def folds(self) -> tuple[Fold, ...]:
        """From the innermost level outwards."""
        return tuple(self._kind(SumsTap, SumsSink))

    def _kind(self, tap: type[Tap], sink: type[Sink]) -> Iterator[Any]:
        return (each for each in self.transfers if isinstance(each.tap, tap) and isinstance(each.sink, sink))

    @cached_property
    def store(self) -> dict[str, Store]:
        return {store.name: store for store in self.stores}

    def memory(self, name: str) -> Memory:
        found = self.store[name]
        assert isinstance(found, Memory), f"{name} is no shared memory"
        return found

    def file(self, name: str) -> RegisterFile:
        found = self.store[name]
        assert isinstance(found, RegisterFile), f"{name} is no register file"
        return found

    def read_by(self, operands: tuple[Operand, ...]) -> dict[str, Memory]:
        """The shared memories that operands read."""
        return {name: self.memory(name) for name in taps_of(operands)}

    @cached_property
    def writer(self) -> dict[str, Transfer[Tap, Sink] | Compute]:
        """The process of the stage that writes each store."""
        writers: tuple[Transfer[Tap, Sink] | Compute, ...] = (*self.transfers, self.compute)
        return {target(each.sink): each for each in writers}


@dataclass(frozen=True)
class Network:
    """Everything the hardware is made of: its stages, producers before consumers, the last one the output's."""

    name: str
    stages: tuple[Stage, ...]
    interface: Interface
    schedule: tuple[str, ...]
    prefix: str
    """What the names of all its modules begin with."""

    @property
    def output(self) -> Stage:
        return self.stages[-1]

    @property
    def posted(self) -> Network:
        """With writes that are on their way for a while."""
        return replace(self, interface=self.interface.posted)

    @property
    def pes(self) -> int:
        return sum(stage.pes for stage in self.stages)

    @cached_property
    def stores(self) -> tuple[Store, ...]:
        return tuple(store for stage in self.stages for store in stage.stores)

    @cached_property
    def memories(self) -> tuple[Memory, ...]:
        return tuple(memory for stage in self.stages for memory in stage.memories)

    @cached_property
    def loads(self) -> tuple[Load, ...]:
        return tuple(load for stage in self.stages for load in stage.loads)

    @cached_property
    def between(self) -> frozenset[str]:
        """The tensors that one stage leaves in the memory outside and another one reads, when all of it is there."""
        read = {load.tap.port.tensor for load in self.loads if load.tap.revisit is None}
        return frozenset(stage.name for stage in self.stages if stage.write.outside and stage.name in read)

    @cached_property
    def early(self) -> tuple[Load, ...]:
        """The loads that may begin a program of a list while the one before runs: nothing that a program writes comes
        through their ports, and their memories lie alone."""
        own = {stage.name for stage in self.stages}
        alone = {memory.name for memory in self.memories if not memory.common}
        return tuple(load for load in self.loads if load.tap.port.tensor not in own and load.sink.memory in alone)

    @cached_property
    def passing(self) -> str:
        """The port through which the output is written, whose tiles loads that begin early may follow; "": there are no
        such loads, or its words are partial sums that come back."""
        write = self.output.write
        return write.outside.port.name if self.early and write.outside and not write.partial else ""

    @cached_property
    def processes(self) -> tuple[Process, ...]:
        return tuple(process for stage in self.stages for process in stage.processes)

    @cached_property
    def store(self) -> dict[str, Store]:
        return {store.name: store for store in self.stores}


def target(sink: Sink) -> str:
    """The store that a sink writes."""
    match sink:
        case MemorySink(memory=name) | FileSink(file=name) | SumsSink(sums=name):
            return name
