"""The accelerator as processes that hand parts of buffers to each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from halidehw.backend_hdl.library import RAM_LATENCY
from halidehw.backend_hdl.timing import Latencies, handovers, latencies
from halidehw.energy_model.rows import Rows, rows_of
from halidehw.microarch.accelerator import Accelerator, Compute, Copy, Fill, Fold, Load, Move, Read, Write
from halidehw.microarch.walk import Walk


@dataclass(frozen=True)
class Ahead:
    """How the front of a window runs ahead of its reader, the array: by `warm` steps, in each iteration of the outer
    `depth` axes. In these it steps alone, then with the array."""

    depth: int
    warm: int


@dataclass(frozen=True)
class Channel:
    """The parts of a buffer between its writer and its reader.

    `tile`: the outer axes, common to both walks, for each of whose iterations one part passes. A part can be read
    `filled` cycles after the cycle that follows its writer's last step, and written again `emptied` cycles after the
    one that follows its reader's last step. The parts of a line buffer are rows, of which its reader takes and leaves
    several at a time. With `ahead` a window lies before its reader: where parts pass with each step, the front takes
    those of its own steps.
    """

    name: str
    tensor: str
    halves: int
    tile: int
    filled: int
    emptied: int = 0
    rows: Rows | None = None
    ahead: Ahead | None = None

    @property
    def stepwise(self) -> bool:
        """Whether a part passes with each step of a window."""
        return self.ahead is not None and self.tile > self.ahead.depth

    @property
    def written(self) -> int:
        """The depth of the writer's walk at which a part passes."""
        return self.rows.anew + 1 if self.rows else self.tile


@dataclass(frozen=True)
class Source:
    """A channel that a process reads, and the process that writes it."""

    channel: Channel
    feeder: Process


@dataclass(frozen=True)
class Process:
    """A walk of one step a cycle; `transfer` is what it drives (None: the array)."""

    name: str
    walk: Walk
    sources: tuple[Source, ...]
    transfer: Load | Move | Fill | Copy | Fold | Write | None = None


@dataclass(frozen=True)
class System:
    """The array, the levels of partial sums, innermost first, and of each the process that takes its tiles: the last
    one is the writer."""

    array: Process
    sums: tuple[Channel, ...]
    takers: tuple[Process, ...]
    latencies: Latencies


def system(acc: Accelerator) -> System:
    """The processes of an accelerator.

    A load's words are at their place two cycles after its answer, a move's or fill's the memory's latency after.
    """
    tiles = tuple(
        Channel(sums.name, acc.write.port.tensor, sums.halves, sums.tile, late.landed, late.drain)
        for sums, late in zip(acc.sums, handovers(acc), strict=True)
    )
    array = Process("array", acc.compute.walk, tuple(_sources(acc, acc.compute)))
    folds = (Process(fold.name, fold.walk, (), fold) for fold in acc.folds)
    writer = Process("writer", acc.write.walk, tuple(_sources(acc, acc.write)), acc.write)
    return System(array, tiles, (*folds, writer), latencies(acc))


def _sources(acc: Accelerator, reader: Compute | Write) -> Iterator[Source]:
    """A reader's sources in the order of its operands: first the shared memories, then the register files."""
    reads = {operand.read.memory: operand for operand in reader.operands if operand.read}
    for operand in reads.values():
        window = operand.window
        assert operand.read
        source = _memory(acc, operand.read, reader.walk)
        ahead = Ahead(window.depth, window.warm) if window else None
        yield replace(source, channel=replace(source.channel, ahead=ahead))
    if isinstance(reader, Compute):
        for name, tile in reader.files.items():
            yield _file(acc, name, tile)


def _memory(acc: Accelerator, read: Read, reader: Walk) -> Source:
    """The memory that a process with the walk `reader` reads."""
    memory = acc.memory(read.memory)
    rows = rows_of(memory, read, reader)
    halves = memory.dims[memory.ring.dimension].extent if memory.ring else memory.halves
    for load in acc.loads:
        if load.store.memory == memory.name:
            channel = Channel(memory.name, memory.tensor, halves, read.tile, 1, rows=rows)
            return Source(channel, Process(load.name, load.walk, (), load))
    move = next(move for move in acc.moves if move.store.memory == memory.name)
    late = acc.memory(move.read.memory).latency
    channel = Channel(memory.name, memory.tensor, halves, read.tile, late, rows=rows)
    return Source(channel, Process(move.name, move.walk, (_memory(acc, move.read, move.walk),), move))


def _file(acc: Accelerator, name: str, tile: int) -> Source:
    file = acc.file(name)
    for copy in acc.copies:
        if copy.file == name:
            source = _file(acc, copy.source, copy.source_tile)
            channel = Channel(name, file.tensor, file.halves, tile, RAM_LATENCY)
            return Source(channel, Process(copy.name, copy.walk, (source,), copy))
    fill = next(fill for fill in acc.fills if fill.file == name)
    channel = Channel(name, file.tensor, file.halves, tile, acc.memory(fill.read.memory).latency)
    source = _memory(acc, fill.read, fill.walk)
    return Source(channel, Process(fill.name, fill.walk, (source,), fill))
