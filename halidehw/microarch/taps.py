"""Taps and sinks: how a process reads a store or a port, and how it writes one.

Every address and select is a form over the process's walk. `tile`: the depth of the walk at which a tile ends, of what
is read, or at which a part is complete, of what is written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from halidehw.expr.nodes import Expr
from halidehw.expr.tree import nodes
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Boundary
from halidehw.microarch.interface import Port
from halidehw.microarch.stores import Memory
from halidehw.microarch.values import Age, Ago, times
from halidehw.microarch.walk import Axis, Walk


@dataclass(frozen=True)
class Revisit:
    """Partial sums that come back: words are asked for where not all axes of `first` are at their start, else they
    are `init`; those of a tile (at depth `tile` of the walk) once all but the last `distance` - 1 tiles before it
    have been stored.
    """

    first: tuple[str, ...]
    init: int
    tile: int
    distance: int


@dataclass(frozen=True)
class PortTap:
    """Words `port.lanes` side by side from a port. `address`: word address in the tensor of lane 0. `positions`: the
    index per dimension counted from the tensor's edge, present where it may lie outside; there `boundary` says what is
    delivered. `outstanding`: the most requests that wait for their answers. `revisit`: they are partial sums. `order`:
    when a tile is needed, where all tensors share one port (`shared.ordered`).
    """

    port: Port
    address: Affine
    strides: tuple[int, ...]
    positions: tuple[Affine | None, ...]
    extents: tuple[int, ...]
    boundary: Boundary | None
    outstanding: int
    revisit: Revisit | None = None
    order: Affine | None = None


@dataclass(frozen=True)
class Pieces:
    """How a reader goes through the pieces of a part: one ends at `depth` of its walk, and they are other ones as the
    axes `moved` step. It comes to one for the first time where all axes of `again` are at their start."""

    depth: int
    moved: tuple[str, ...]
    again: tuple[str, ...]


@dataclass(frozen=True)
class MemoryTap:
    """How a process reads a `Memory`: the word address of offset 0 without its rotating dimensions, the coordinate
    of each rotating dimension, the depth of its walk at which the tile ends. A step is fresh where all axes of
    `starts` are at their start (always, if there are none): then all lanes are fetched, else those that follow none.

    Of a ring, `left` are the units from the window's first row to the last one at each ragged end; the window starts
    anew outside the outer `anew` axes. `column`: of a memory with rows behind it, where in a row a step is. `pieces`:
    of one whose parts come in pieces.
    """

    memory: str
    address: Affine
    rotations: tuple[Affine, ...]
    tile: int
    starts: tuple[str, ...] = ()
    left: tuple[Affine, ...] = ()
    anew: int = 0
    column: Affine | None = None
    pieces: Pieces | None = None

    @property
    def taken(self) -> int:
        """The depth of its walk at which it takes a tile, or a piece of it."""
        return self.pieces.depth if self.pieces else self.tile


@dataclass(frozen=True)
class Window:
    """Shift registers between a memory and the array: each step of `walk` brings a word of each of the memory's lanes.
    That walk is the array's, the innermost axis of which it begins `warm` steps earlier, and the one outside that
    `rows` iterations; with a step of the array it takes one too. `values` are computed of these and shift as they do.

    `taps`: of each word that the array gets, the memory's lane, or behind the `lanes` the value, and how many steps ago
    it came. At the end of a run there are `idle` steps more, which bring nothing, where the array's last steps have
    lanes that are not at work.
    """

    memory: str
    walk: Walk
    warm: int
    taps: tuple[Age, ...]
    lanes: int
    values: tuple[Expr, ...] = ()
    rows: int = 0
    idle: int = 0

    @property
    def name(self) -> str:
        return f"{self.memory}_window"

    @property
    def run(self) -> Walk:
        """The walk with the steps at a run's end that bring no word."""
        *outer, axis = self.walk.axes
        return replace(self.walk, axes=(*outer, Axis(axis.name, axis.extent + self.idle)))

    @property
    def runs(self) -> tuple[tuple[str, Axis, int], ...]:
        """The axes that it begins earlier than the array does, each with a name and by how much: the innermost one, and
        with rows the one outside it."""
        ahead = [("begun", -1, self.warm), ("entered", -2, self.rows)]
        return tuple((name, self.walk.axes[place], count) for name, place, count in ahead if count)

    @property
    def depth(self) -> int:
        """The array's axes outside the one that it shifts along: for each of their iterations it begins anew."""
        return len(self.walk.axes) - 1

    @cached_property
    def chains(self) -> dict[int, int]:
        """Registers behind each of the memory's lanes and each of the values."""
        leaves = (node for value in self.values for node in nodes(value) if isinstance(node, Ago))
        found = dict.fromkeys(range(self.lanes + len(self.values)), 0)
        for source, ago in (*self.taps, *((leaf.source, leaf.steps) for leaf in leaves)):
            found[source] = max(found[source], ago)
        return found

    @cached_property
    def times(self) -> tuple[int, ...]:
        """Of each of the memory's lanes and each value, the cycles from the words of a step to it."""
        return times(self.lanes, self.values)

    @cached_property
    def late(self) -> int:
        """The cycles from the words of a step to the taps."""
        return max(self.times[source] for source, _ in self.taps)

    @property
    def shifted(self) -> int:
        """Words that move on with a step."""
        return sum(self.chains.values())


@dataclass(frozen=True)
class Lanes:
    """Words of a shared memory: `lanes[i]`, which of the lanes that are read serves position i. With a `window` before
    the memory, those are its taps, and `tap` is over its walk.
    """

    tap: MemoryTap
    lanes: tuple[int, ...]
    window: Window | None = None

    def arrival(self, memory: Memory) -> int:
        """Cycles from a step to its words, or to the taps of its window."""
        return memory.latency + (self.window.late if self.window else 0)


@dataclass(frozen=True)
class FileTap:
    """A word of a register file, in every PE. `data`: the datapath says which ones, as it computes (`address` is then
    that of the first one)."""

    file: str
    address: Affine
    tile: int
    data: bool = False


@dataclass(frozen=True)
class IndexValue:
    """The value of a loop: a form, and its offset in each position."""

    form: Affine
    offsets: tuple[int, ...]


@dataclass(frozen=True)
class SumsTap:
    """Words of a level of partial sums, from `address` in its part. `selects`: per output axis the form of the lane, or
    of the group of lanes, among those side by side. `masks`: a lane has a word only where all of them hold. `piece`:
    where they leave by pieces, the depth at which one does.
    """

    sums: str
    address: Affine
    tile: int
    selects: tuple[tuple[str, Affine], ...]
    masks: tuple[Mask, ...] = ()
    piece: int | None = None


@dataclass(frozen=True)
class Mask:
    """A PE takes part in a reduction only where `form - sum(weight * lane) >= 0`."""

    name: str
    form: Affine
    weights: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class MemorySink:
    """How a process writes a `Memory`: per dimension the bank digit of lane 0, and the word address; a ring's rows are
    written in order and have neither. `tile`: the depth of its walk at which a part, or a row, is complete, `piece`
    that of a piece of it.
    """

    memory: str
    digits: tuple[Affine, ...]
    address: Affine
    tile: int
    piece: int | None = None


@dataclass(frozen=True)
class FileSink:
    """How a process writes the PEs' register files. `bus`: the spatial axes that lie side by side on the fill bus;
    `selects`: the spatial axes that are served one after another, by axes of the walk of the same name. One that comes
    from another register file needs neither.
    """

    file: str
    address: Affine
    tile: int
    bus: tuple[str, ...] = ()
    selects: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finished:
    """Where a piece of a tile of sums is complete: where an iteration of the outer `depth` axes ends in which all of
    `last` are at their last value."""

    depth: int
    last: tuple[str, ...]


@dataclass(frozen=True)
class SumsSink:
    """How a process brings words to a level of partial sums. `tile`: the depth outside which a new tile begins;
    `reductions`: the axes that must all be at their start for a word's first visit. `finished`: how its pieces become
    complete, where they leave one by one.
    """

    sums: str
    address: Affine
    tile: int
    reductions: tuple[str, ...]
    finished: Finished | None = None


@dataclass(frozen=True)
class PortSink:
    """Words through a port. `address`: word address in the tensor of lane 0."""

    port: Port
    address: Affine


Tap = PortTap | Lanes | FileTap | SumsTap
Sink = MemorySink | FileSink | SumsSink
