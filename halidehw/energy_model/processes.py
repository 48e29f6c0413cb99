"""The accelerator as processes that hand parts of buffers to each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from halidehw.backend_hdl.library import RAM_LATENCY
from halidehw.backend_hdl.timing import Latencies, handovers, latencies
from halidehw.energy_model.rows import Rows, rows_of
from halidehw.microarch.network import Network, Stage
from halidehw.microarch.processes import Compute, Transfer, Write, taps_of
from halidehw.microarch.stores import Memory, RegisterFile
from halidehw.microarch.taps import FileTap, Lanes, MemoryTap, PortTap, Sink, Tap
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
    transfer: Transfer[Tap, Sink] | Write | None = None


@dataclass(frozen=True)
class System:
    """The array, the levels of partial sums, innermost first, and of each the process that takes its tiles: the last
    one is the writer."""

    array: Process
    sums: tuple[Channel, ...]
    takers: tuple[Process, ...]
    latencies: Latencies


def system(network: Network) -> System:
    """The processes of an accelerator.

    A load's words are at their place two cycles after its answer, a move's or fill's the memory's latency after.
    """
    stage = network.output
    taken = [*(fold.tap for fold in stage.folds), stage.write.tap]
    tiles = tuple(
        Channel(level.name, level.tensor, level.halves, tap.tile, late.landed, late.drain)
        for level, tap, late in zip(stage.sums, taken, handovers(stage), strict=True)
    )
    array = Process("array", stage.compute.walk, tuple(_sources(stage, stage.compute)))
    folds = (Process(fold.name, fold.walk, (), fold) for fold in stage.folds)
    writer = Process("writer", stage.write.walk, tuple(_sources(stage, stage.write)), stage.write)
    return System(array, tiles, (*folds, writer), latencies(stage))


def _sources(stage: Stage, reader: Compute | Write) -> Iterator[Source]:
    """A reader's sources in the order of its operands: first the shared memories, then the register files."""
    for lanes in taps_of(reader.operands).values():
        source = _source(stage, lanes, reader.walk)
        ahead = Ahead(lanes.window.depth, lanes.window.warm) if lanes.window else None
        yield replace(source, channel=replace(source.channel, ahead=ahead))
    files = {tap.file: tap for operand in reader.operands if isinstance(tap := operand.source, FileTap)}
    for tap in files.values():
        yield _source(stage, tap, reader.walk)


def _source(stage: Stage, tap: Lanes | FileTap, reader: Walk) -> Source:
    """What a process with the walk `reader` taps, and who writes it."""
    store = stage.store[tap.file if isinstance(tap, FileTap) else tap.tap.memory]
    assert isinstance(store, Memory | RegisterFile)
    feeder, tile = stage.writer[store.name], tap.tile if isinstance(tap, FileTap) else tap.tap.tile
    assert isinstance(feeder, Transfer)
    rows = rows_of(store, tap.tap, reader) if isinstance(store, Memory) and isinstance(tap, Lanes) else None
    parts = store.dims[store.ring.dimension].extent if isinstance(store, Memory) and store.ring else store.halves
    sources: tuple[Source, ...] = ()
    match feeder.tap:
        case PortTap():
            late = 1
        case Lanes(tap=MemoryTap(memory=name)) as further:
            late, sources = stage.memory(name).latency, (_source(stage, further, feeder.walk),)
        case FileTap() as further:
            late, sources = RAM_LATENCY, (_source(stage, further, feeder.walk),)
    channel = Channel(store.name, store.tensor, parts, tile, late, rows=rows)
    return Source(channel, Process(feeder.name, feeder.walk, sources, feeder))
