"""The accelerator as processes that hand parts of stores to each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from halidehw.energy_model.domain import Values
from halidehw.energy_model.rows import Rows, rows_of
from halidehw.microarch.network import Network, Stage
from halidehw.microarch.processes import Compute, Transfer, Write, taps_of
from halidehw.microarch.stores import Memory, RegisterFile, Sums
from halidehw.microarch.taps import FileTap, Lanes, MemoryTap, Sink, Tap, Window
from halidehw.microarch.walk import Walk


@dataclass(frozen=True)
class Ahead:
    """How the front of a window runs ahead of its reader, the array: by `warm` steps, in each iteration of the outer
    `depth` axes, and by `rows` iterations of the last of these. In these it steps alone, then with the array. `taken`:
    the steps of a run that bring words, if these are not all; `idle`: how many do not."""

    depth: int
    warm: int
    rows: int = 0
    taken: int | None = None
    idle: int = 0

    @property
    def moved(self) -> tuple[tuple[int, int, int], ...]:
        """The depths of the axes along which it is ahead, with the least and the greatest step by which it is: of rows
        those before the first come with that."""
        return (*([(self.depth - 1, 0, self.rows)] if self.rows else []), (self.depth, self.warm, self.warm))

    def brings(self, step: int) -> bool:
        """Whether the front takes words with that step of the array in a row."""
        return self.taken is None or step + self.warm < self.taken

    def place(self, values: Values, steps: int = 0) -> Values:
        """Where the front is in a row, `steps` on, that the array has at `values`, its outer `depth` axes."""
        *outer, row = values if self.rows else (*values, 0)
        return [*outer, row + self.rows, steps] if self.rows else [*outer, steps]


@dataclass(frozen=True)
class Pieces:
    """How a part passes by pieces: its reader takes one at `depth` of its walk, another one as the axes at the places
    `moved` step, where those at the places `again` are at their start."""

    depth: int
    moved: tuple[int, ...]
    again: tuple[int, ...]

    def is_first(self, values: Values) -> bool:
        """Whether the reader comes to a piece for the first time."""
        return not any(values[place] for place in self.again)

    def place(self, tile: int, values: Values) -> Values:
        """Where the writer is with the piece that the reader takes at `values`."""
        return [*values[:tile], *(values[place] for place in self.moved)]


@dataclass(frozen=True)
class Finished:
    """How tiles of sums leave by pieces: of the axes inside a tile, but outside a piece, of the walk that brings them,
    whether each goes from piece to piece; one that does not comes back to all inside it, and a piece is complete where
    it is at its last value."""

    moved: tuple[bool, ...]

    @property
    def axes(self) -> int:
        """How many go from piece to piece."""
        return sum(self.moved)


@dataclass(frozen=True)
class Channel:
    """The parts of a store between its writer and its reader.

    `tile`: the outer axes, common to both walks, for each of whose iterations one part passes. With `pieces` it comes
    piece by piece, each as the reader first comes to it, and goes back as a whole. A part can be read
    `filled` cycles after the cycle that follows its writer's last step, and written again `emptied` cycles after the
    one that follows its reader's last step. The parts of a line buffer are rows, of which its reader takes and leaves
    several at a time; the writer's walk has them as its axis inside what is common. With `ahead` a window lies before
    its reader: where parts pass with each step, the front takes those of its own steps. Of `sums` it is the writer
    that waits for a free part, else the reader for a full one; where they are `finished` piece by piece, the reader
    takes each as it becomes complete, and gives the part back as a whole.
    """

    name: str
    tensor: str
    halves: int
    tile: int
    filled: int
    emptied: int = 0
    rows: Rows | None = None
    ahead: Ahead | None = None
    sums: bool = False
    pieces: Pieces | None = None
    finished: Finished | None = None

    @property
    def taken(self) -> int:
        """The depth of the reader's walk at which it takes a part, or a piece."""
        if self.finished:
            return self.tile + self.finished.axes
        return self.pieces.depth if self.pieces else self.tile

    @property
    def moved(self) -> tuple[bool, ...]:
        """Of the axes inside a tile, but outside a piece, of the writer's walk, whether each goes from piece to piece.
        """
        return self.finished.moved if self.finished else (True,) * len(self.passed)

    @property
    def passed(self) -> tuple[int, ...]:
        """The places of the axes of the reader's walk that go from piece to piece."""
        if self.finished:
            return tuple(range(self.tile, self.taken))
        return self.pieces.moved if self.pieces else ()

    def fed(self, depth: int) -> int:
        """How many axes of the writer's walk are given by the outer `depth` axes of the reader's, at least."""
        return min(depth, self.written if self.rows else self.tile)

    @property
    def stepwise(self) -> bool:
        """Whether a part passes with each step of a window."""
        return self.ahead is not None and self.tile > self.ahead.depth

    @property
    def is_rows_ahead(self) -> bool:
        """Whether the front of its window begins rows before its reader does."""
        return self.ahead is not None and self.ahead.rows > 0

    @property
    def written(self) -> int:
        """The depth of the writer's walk at which a part passes, or a piece."""
        return self.rows.anew + 1 if self.rows else self.tile + (len(self.pieces.moved) if self.pieces else 0)

    def begins(self, values: Values) -> bool:
        """Whether a part begins with what its writer does at `values`."""
        return not any(values[self.tile :]) if self.pieces else True


@dataclass(frozen=True, eq=False)
class Source:
    """A channel that a process reads, and the process that writes it."""

    channel: Channel
    feeder: Process


@dataclass(frozen=True, eq=False)
class Process:
    """A walk of one step a cycle; `work` is what it drives. `late`: of a writer, cycles from a step to its word at the
    queue before the port. One that fills several stores is the feeder of several sources."""

    name: str
    walk: Walk
    sources: tuple[Source, ...]
    work: Compute | Transfer[Tap, Sink] | Write
    late: int = 0


@dataclass(frozen=True, eq=False)
class Line:
    """The processes of a stage from its array outwards: `sums`, the levels of partial sums, innermost first, and of
    each the process that takes its tiles: the last one is the writer."""

    stage: Stage
    array: Process
    sums: tuple[Channel, ...]
    takers: tuple[Process, ...]

    @property
    def writer(self) -> Process:
        return self.takers[-1]


@dataclass(frozen=True, eq=False)
class System:
    """The lines of all stages, the output's last. The writers that no stage reads drive: everything is there for
    them, directly or not. What several of them need lies in stores that hold all of it. `shared`: there is one port for
    all tensors."""

    lines: tuple[Line, ...]
    shared: bool = False

    @property
    def output(self) -> Line:
        return self.lines[-1]

    @property
    def drivers(self) -> tuple[Process, ...]:
        return tuple(line.writer for line in self.lines if not line.stage.write.inside)


def system(network: Network) -> System:
    """The processes of an accelerator.

    A load's words are at their place two cycles after its answer, a move's or fill's the memory's latency after, a
    writer's its own.
    """
    made, lines = dict[str, Process](), list[Line]()
    for stage in network.stages:
        lines.append(_line(stage, made))
        made |= {sink.memory: lines[-1].writer for sink in stage.write.inside}
    return System(tuple(lines), network.interface.shared > 0)


def _line(stage: Stage, made: dict[str, Process]) -> Line:
    """`made`: the writers of other stages, by the memories that they fill."""
    taken = [*(fold.tap for fold in stage.folds), stage.write.tap]
    tiles = tuple(
        Channel(level.name, level.tensor, level.halves, tap.tile, level.landed, level.returned, sums=True,
                finished=_finished(stage) if level is stage.sums[0] else None)
        for level, tap in zip(stage.sums, taken, strict=True)
    )  # fmt: skip
    array = giver = Process(stage.compute.name, stage.compute.walk, tuple(_sources(stage, made, stage.compute)),
                            stage.compute)  # fmt: skip
    takers = list[Process]()
    for fold, channel in zip(stage.folds, tiles, strict=False):
        giver = Process(fold.name, fold.walk, (Source(channel, giver),), fold)
        takers.append(giver)
    write = stage.write
    sources = (Source(tiles[-1], giver), *_sources(stage, made, write))
    return Line(stage, array, tiles, (*takers, Process(write.name, write.walk, sources, write, write.latency)))


def _finished(stage: Stage) -> Finished | None:
    walk, sink = stage.compute.walk, stage.compute.sink
    done = sink.finished
    return Finished(tuple(axis.name not in done.last for axis in walk.axes[sink.tile : done.depth])) if done else None


def _sources(stage: Stage, made: dict[str, Process], reader: Compute | Write) -> Iterator[Source]:
    """A reader's sources in the order of its operands: first the shared memories, then the register files."""
    for lanes in taps_of(reader.operands).values():
        source = _source(stage, made, lanes, reader.walk)
        window = lanes.window
        ahead = _ahead(window) if window else None
        yield Source(replace(source.channel, ahead=ahead), source.feeder)
    files = {tap.file: tap for operand in reader.operands if isinstance(tap := operand.source, FileTap)}
    for tap in files.values():
        yield _source(stage, made, tap, reader.walk)


def _ahead(window: Window) -> Ahead:
    taken = window.walk.axes[-1].extent if window.idle else None
    return Ahead(window.depth, window.warm, window.rows, taken, window.idle)


def _source(stage: Stage, made: dict[str, Process], tap: Lanes | FileTap, reader: Walk) -> Source:
    """What a process with the walk `reader` taps, and who writes it."""
    store = stage.store[tap.file if isinstance(tap, FileTap) else tap.tap.memory]
    assert not isinstance(store, Sums)
    tile = tap.tile if isinstance(tap, FileTap) else tap.tap.tile
    rows = rows_of(store, tap.tap, reader) if isinstance(store, Memory) and isinstance(tap, Lanes) else None
    feeder, late = _feeder(stage, made, store)
    emptied = store.kept if isinstance(store, RegisterFile) else 0
    pieces = _pieces(tap, reader)
    return Source(Channel(store.name, store.tensor, store.parts, tile, late, emptied, rows, pieces=pieces), feeder)


def _pieces(tap: Lanes | FileTap, reader: Walk) -> Pieces | None:
    found = tap.tap.pieces if isinstance(tap, Lanes) else None
    if found is None:
        return None
    places = {axis.name: place for place, axis in enumerate(reader.axes)}
    return Pieces(found.depth, tuple(places[name] for name in found.moved), tuple(places[name] for name in found.again))


def _feeder(stage: Stage, made: dict[str, Process], store: Memory | RegisterFile) -> tuple[Process, int]:
    """Who writes a store, and how many cycles its words are under way."""
    if store.name in made:
        return made[store.name], made[store.name].late
    transfer, sources = stage.writer[store.name], tuple[Source, ...]()
    assert isinstance(transfer, Transfer)
    match transfer.tap:
        case Lanes(tap=MemoryTap(memory=name)) as tap:
            late, sources = stage.memory(name).latency, (_source(stage, made, tap, transfer.walk),)
        case FileTap() as tap:
            late, sources = RegisterFile.latency, (_source(stage, made, tap, transfer.walk),)
        case _:
            late = 1
    return Process(transfer.name, transfer.walk, sources, transfer), late
