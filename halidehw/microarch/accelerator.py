"""The micro-architecture: what lies between loops and gates, as plain values.

Nothing here knows a Func or a signal. Every process is a `Walk`; processes meet only in memories, whose parts
(`halves`) pass from writer to reader and back.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from halidehw.expr.expr import Expr
from halidehw.expr.types import Type
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Boundary, Combine
from halidehw.microarch.banking import Dim, Offset
from halidehw.microarch.interface import Interface, Port
from halidehw.microarch.walk import Walk


@dataclass(frozen=True)
class Space:
    """A spatial axis: the lanes of one loop on one dimension of the PE array."""

    name: str
    extent: int
    systolic: bool
    dimension: int
    reduction: bool


@dataclass(frozen=True)
class Ring:
    """The rows of a line buffer along `dimension`: a tile is a window of `window` of them, and the next tile begins
    `step` further on. `unit`: words from a row to the next one in a bank, or 1 where each is in another bank. `ends`:
    for each end that can be ragged the most rows, in units, from a window's first to the last one.
    """

    dimension: int
    window: int
    step: int
    unit: int
    ends: tuple[int, ...]


@dataclass(frozen=True)
class Memory:
    """A shared banked memory. `lanes` are the distinct coordinate offsets read in one cycle; `vector` words along
    dimension 0 are written in one.

    `copies`: the array's axes each of whose lanes has a tile of its own; they are the last of `dims`. `ring`: it has
    one part of as many rows as the extent of that dimension, which pass from writer to reader and back one by one.

    While the reader's innermost axis steps, the window of its lanes moves: lane l takes the word that lane
    `follows[l]` had one step before, or is fetched (None). Empty: all lanes are fetched each step.
    """

    name: str
    tensor: str
    type: Type
    halves: int
    dims: tuple[Dim, ...]
    lanes: tuple[Offset, ...]
    vector: int
    implicit: bool
    follows: tuple[int | None, ...] = ()
    copies: tuple[str, ...] = ()
    ring: Ring | None = None

    @property
    def fetched(self) -> int:
        """Words read in a step that is not fresh; a fresh one reads all lanes."""
        return self.follows.count(None) if self.follows else len(self.lanes)

    @property
    def shifting(self) -> bool:
        """Whether some lane follows another one."""
        return any(source not in (None, lane) for lane, source in enumerate(self.follows))

    @property
    def banks(self) -> int:
        return prod(dim.factor for dim in self.dims)

    @property
    def instances(self) -> int:
        """Copies, each of them a memory of its own."""
        return prod(dim.extent for dim in self.dims[len(self.dims) - len(self.copies) :])

    @property
    def depth(self) -> int:
        """Words of one half in one bank."""
        return sum((-(-dim.extent // dim.factor) - 1) * dim.stride for dim in self.dims) + 1

    @property
    def words(self) -> int:
        """Words of one half's tile."""
        return prod(dim.extent for dim in self.dims)

    @property
    def rotating(self) -> bool:
        return any(dim.rotating for dim in self.dims)

    @property
    def latency(self) -> int:
        """Cycles from a read step to its lanes: address register, [turn to the banks,] memory and its output register,
        [turn back, or shift register]."""
        return 5 if self.rotating else 4 if self.shifting else 3


@dataclass(frozen=True)
class RegisterFile:
    """A memory inside every PE, written through the array or from another one, a word a cycle. `reads`: words read in
    a cycle, from as many memories, all with the same words."""

    name: str
    tensor: str
    type: Type
    halves: int
    words: int
    spaces: tuple[str, ...]
    implicit: bool
    reads: int = 1
    latency: ClassVar[int] = 2


@dataclass(frozen=True)
class Read:
    """How a process reads a `Memory`: the word address of offset 0 without its rotating dimensions, the coordinate
    of each rotating dimension, the depth of its walk at which the tile ends. A step is fresh where all axes of
    `window` are at their start (always, if there are none): then all lanes are fetched, else those that follow none.

    Of a ring, `left` are the units from the window's first row to the last one at each ragged end; the window starts
    anew outside the outer `anew` axes.
    """

    memory: str
    address: Affine
    rotations: tuple[Affine, ...]
    tile: int
    window: tuple[str, ...] = ()
    left: tuple[Affine, ...] = ()
    anew: int = 0


@dataclass(frozen=True)
class Window:
    """Shift registers between a memory and the array: each step of `walk` brings a word of each of the memory's lanes.
    That walk is the array's, the innermost axis of which it begins `warm` steps earlier; with a step of the array it
    takes one too. `taps`: of each word that the array gets, the memory's lane and how many steps ago it came.
    """

    memory: str
    walk: Walk
    warm: int
    taps: tuple[tuple[int, int], ...]

    @property
    def name(self) -> str:
        return f"{self.memory}_window"

    @property
    def depth(self) -> int:
        """The array's axes outside the one that it shifts along: for each of their iterations it begins anew."""
        return len(self.walk.axes) - 1

    @property
    def chains(self) -> dict[int, int]:
        """Registers behind each of the memory's lanes."""
        return {lane: max(ago for each, ago in self.taps if each == lane) for lane, _ in self.taps}

    @property
    def shifted(self) -> int:
        """Words that move on with a step."""
        return sum(self.chains.values())


@dataclass(frozen=True)
class Store:
    """How a process writes a `Memory`: per dimension the bank digit of lane 0, and the word address; a ring's rows are
    written in order and have neither. `tile`: the depth of its walk at which a part, or a row, is complete.
    """

    memory: str
    digits: tuple[Affine, ...]
    address: Affine
    tile: int


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
class Load:
    """From a port into a memory. `address`: word address in the tensor of lane 0. `positions`: the index per
    dimension counted from the tensor's edge, present where it may lie outside; `lane_limits`: forms >= 0 where lane 0
    is wanted; lane i subtracts i * its weight.
    """

    name: str
    port: Port
    walk: Walk
    address: Affine
    strides: tuple[int, ...]
    positions: tuple[Affine | None, ...]
    extents: tuple[int, ...]
    boundary: Boundary | None
    lane_limits: tuple[tuple[Affine, int], ...]
    store: Store
    revisit: Revisit | None = None


@dataclass(frozen=True)
class Move:
    """From a memory into a memory nearer the array, `vector` words a cycle."""

    name: str
    walk: Walk
    read: Read
    lanes: tuple[int, ...]
    lane_limits: tuple[tuple[Affine, int], ...]
    store: Store


@dataclass(frozen=True)
class Fill:
    """From a memory into the PEs' register files. `bus`: the spatial axes that lie side by side on the fill bus;
    `selects`: the spatial axes that are served one after another, by axes of the walk of the same name.
    `lanes[i]`: which read lane bus position i takes (bus positions in the array's axis order).
    """

    name: str
    walk: Walk
    read: Read
    file: str
    address: Affine
    tile: int
    bus: tuple[str, ...]
    selects: tuple[str, ...]
    lanes: tuple[int, ...]


@dataclass(frozen=True)
class Copy:
    """From a register file into one nearer the datapath, inside every PE in lock step, a word a cycle.

    `source_address`, `source_tile`: how `source` is read; `address`, `tile`: how `file` is written.
    """

    name: str
    walk: Walk
    source: str
    source_address: Affine
    source_tile: int
    file: str
    address: Affine
    tile: int


@dataclass(frozen=True)
class Operand:
    """One read of the datapath. Exactly one source: a shared memory's lanes, a register file, or a loop value.

    `spaces`: the spatial axes it has lanes on, in the array's order; `lanes[i]`: which read lane serves position i.
    With a `window` before the memory, those are its taps, and `read` is over its walk.
    `value`, `offsets`: a loop value and its offset in each position.
    """

    name: str
    type: Type
    spaces: tuple[str, ...]
    read: Read | None = None
    window: Window | None = None
    lanes: tuple[int, ...] = ()
    file: str | None = None
    address: Affine | None = None
    tile: int = 0
    value: Affine | None = None
    offsets: tuple[int, ...] = ()


@dataclass(frozen=True)
class Mask:
    """A PE takes part in a reduction only where `form - sum(weight * lane) >= 0`."""

    name: str
    form: Affine
    weights: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Accumulator:
    """A level of partial sums: a memory for each lane, `words` of them a part, updated in place. Over the walk of the
    process that brings the words: `tile`, the depth outside which a new tile begins; `reductions`, the axes that must
    all be at their start for a word's first visit.

    `held`: the lanes side by side on each output axis of the array, all or, of the others by address, some.
    """

    words: int
    halves: int
    address: Affine
    tile: int
    reductions: tuple[str, ...]
    combine: Combine | None
    init: int
    type: Type
    name: str
    held: tuple[tuple[str, int], ...]

    @property
    def lanes(self) -> int:
        return prod(count for _, count in self.held)


@dataclass(frozen=True)
class Compute:
    """The array's process: its walk, what it reads each step, what it accumulates. `activity`: the lanes at work, where
    counters want to know."""

    walk: Walk
    operands: tuple[Operand, ...]
    masks: tuple[Mask, ...]
    value: Expr
    accumulator: Accumulator
    activity: tuple[Mask, ...] = ()

    @property
    def windows(self) -> dict[str, tuple[Window, Read]]:
        """The windows, by their memories, and how they read them."""
        found = [(operand.window, operand.read) for operand in self.operands]
        return {window.memory: (window, read) for window, read in found if window and read}

    @property
    def files(self) -> dict[str, int]:
        """The register files that are read, and the depth of the walk at which the tile of each ends."""
        return {operand.file: operand.tile for operand in self.operands if operand.file}


@dataclass(frozen=True)
class Fold:
    """From a level of partial sums into the next one out, `sums`: so many lanes at once as that holds side by side.
    `inside`: those are all, in lock step, each with its own two memories.

    `tile`: the depth at which a tile of the source ends; `address`: the word in its part; `selects`: per output axis
    the form of the group of lanes among those side by side. `masks`: a lane has a word only where all of them hold.
    """

    name: str
    walk: Walk
    tile: int
    address: Affine
    selects: tuple[tuple[str, Affine], ...]
    masks: tuple[Mask, ...]
    sums: Accumulator
    inside: bool


@dataclass(frozen=True)
class Write:
    """From the last level of partial sums to the output's port, `vector` lanes a cycle along spatial axis
    `vector_space`.

    `selects`: per spatial output axis, the form (over the walk) of the lane, or of the group of lanes. `partial`: the
    load that brings partial sums back, where tiles leave before they are complete; `epilogue` then adds those.
    """

    port: Port
    walk: Walk
    tile: int
    address: Affine
    accumulator_address: Affine
    selects: tuple[tuple[str, Affine], ...]
    vector_space: str | None
    lane_limits: tuple[tuple[Affine, int], ...]
    operands: tuple[Operand, ...]
    epilogue: Expr | None
    type: Type
    partial: str | None = None


@dataclass(frozen=True)
class Accelerator:
    """Everything the hardware is made of. `spaces` in the array's order: output axes outside, reductions inside."""

    name: str
    spaces: tuple[Space, ...]
    memories: tuple[Memory, ...]
    files: tuple[RegisterFile, ...]
    loads: tuple[Load, ...]
    moves: tuple[Move, ...]
    fills: tuple[Fill, ...]
    copies: tuple[Copy, ...]
    compute: Compute
    write: Write
    interface: Interface
    schedule: tuple[str, ...]
    folds: tuple[Fold, ...] = ()
    prefix: str = ""
    """What the names of all its modules begin with."""

    @property
    def pes(self) -> int:
        return prod(space.extent for space in self.spaces)

    @property
    def sums(self) -> tuple[Accumulator, ...]:
        """The levels of partial sums, innermost first."""
        return (self.compute.accumulator, *(fold.sums for fold in self.folds))

    @property
    def skew(self) -> int:
        """Hops from the first PE to the last."""
        return sum(space.extent - 1 for space in self.spaces if space.systolic)

    def memory(self, name: str) -> Memory:
        return next(memory for memory in self.memories if memory.name == name)

    def file(self, name: str) -> RegisterFile:
        return next(file for file in self.files if file.name == name)
