"""Stores: where processes meet. Each has one writer, and parts (`halves`) that pass from it to its reader and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import ClassVar

from halidehw.errors import HardwareError, SourceLine
from halidehw.expr.types import Type
from halidehw.ir.nest import Combine
from halidehw.microarch.banking import Dim, Offset, depth

RAM_LATENCY = 2
"""Cycles from the address of a memory to its word: its output has a register."""

LEAD = RAM_LATENCY + 1
"""Cycles by which the address of a partial sum precedes what is added to it: to read the old sum, and to choose the
latest."""


def summed(product: int) -> int:
    """Cycles from the operands of a step, whose product takes so many, to the sum that takes it."""
    return max(product, LEAD)


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
class Behind:
    """What a memory keeps of the words that were taken from it: of each lane those of the last `rows` rows, each of
    `columns` steps. A step gets with its own words those that were taken in the same column of these rows. `again`:
    another reader keeps these rows too, as they are shorter than queues of columns would be."""

    rows: int
    columns: int
    again: bool = False


@dataclass(frozen=True)
class Before:
    """What the writer of several queues keeps for all of them: of its words those of the last `rows` rows, each of
    `columns` steps. Each word comes to a queue with those of the same column that its reader takes. `memories`: these
    queues; the rows count as the first one's."""

    rows: int
    columns: int
    memories: tuple[str, ...]


@dataclass(frozen=True)
class Together:
    """Where a memory lies: in that of `tensor`, whose words begin with word `first`. `subject`: what the schedule calls
    it, `other` what it calls that tensor."""

    tensor: str
    first: int
    subject: str
    other: str
    source: SourceLine | None = field(default=None, compare=False)

    def line(self, of: str = "", first: int | None = None) -> str:
        """The line that says it, or says it of another tensor or place."""
        words = self.first if first is None else first
        return f"{self.subject}.store_with({of or self.other}{f', {words}' if words else ''})"

    def refused(self, why: str, *possible: str) -> HardwareError:
        """That it cannot be, with what can."""
        return HardwareError(f"{self.line()}: {why}", legal=possible, source=self.source)


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
    room: int = 0
    """Words of a part in a bank, where it has room for more than its dimensions."""
    behind: Behind | None = None
    before: Before | None = None
    beside: tuple[int, ...] = (0,)
    """The words of a column that lie side by side: of so many rows ago each."""
    one_port: bool = False
    """Each part of a bank, of a ring each row, is a memory with one port."""
    word: int = 1
    """Elements that pass the one port together, where it and another memory share it."""
    together: Together | None = None
    home: str = ""
    """The memory in whose banks it lies: see `microarch.united`."""
    common: int = 0
    """The bits of a word of the banks in which it and another memory lie; 0: it lies alone."""
    first: int = 0
    """The word of each bank at which its own begin."""
    pieces: int = 1
    """A part's pieces: the reader waits for one at a time, as it first comes to them, and gives back the part."""

    @property
    def fetched(self) -> int:
        """Words read in a step that is not fresh; a fresh one reads all lanes."""
        return self.follows.count(None) if self.follows else len(self.lanes)

    @property
    def given(self) -> int:
        """Words that a reader gets with a step: of each lane those side by side, or its own and those of the rows
        behind, the last one first."""
        return len(self.lanes) * len(self.beside) + (self.kept if self.behind else 0)

    @property
    def taken(self) -> int:
        """Words read for a step in which all lanes are: those that the reader gets, and those that move on by a row."""
        return len(self.lanes) * len(self.beside) + self.kept

    @property
    def rows(self) -> Behind | Before | None:
        """The rows that count as its own."""
        first = self.before and self.before.memories[0] == self.name
        return self.before if first else self.behind

    @property
    def kept(self) -> int:
        """Words of a step that move on by a row."""
        return len(self.lanes) * self.rows.rows if self.rows else 0

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
        return self.room or depth(self.dims)

    @property
    def addresses(self) -> int:
        """Those of one half in one bank: of words of several elements, no power of two, each has as many as the next
        power of two."""
        whole = -(-self.depth // self.word) << (self.word - 1).bit_length()
        return whole if self.word & (self.word - 1) else self.depth

    @property
    def words(self) -> int:
        """Words of one half's tile."""
        return prod(dim.extent for dim in self.dims)

    @property
    def size(self) -> int:
        """Words of all parts in all banks, and of the rows."""
        return self.queued * self.banks + self.kept * (self.rows.columns if self.rows else 0)

    @property
    def queued(self) -> int:
        """Words of all parts in one bank."""
        return self.halves * self.depth * len(self.beside)

    @property
    def bank(self) -> int:
        """Words of one of the largest banks."""
        return max(self.queued, self.rows.columns if self.rows else 0)

    @property
    def parts(self) -> int:
        """What passes from the writer to the reader and back: halves, or the rows of a ring."""
        return self.dims[self.ring.dimension].extent if self.ring else self.halves

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
    a cycle, from as many memories, all with the same words. `kept`: cycles after the step that reads the last word of a
    part until that is free: such a step may read long after it was taken, when its other operands are there."""

    name: str
    tensor: str
    type: Type
    halves: int
    words: int
    spaces: tuple[str, ...]
    implicit: bool
    reads: int = 1
    kept: int = 0
    latency: ClassVar[int] = RAM_LATENCY

    @property
    def parts(self) -> int:
        return self.halves


@dataclass(frozen=True)
class Sums:
    """A level of partial sums: a memory for each lane, `words` of them a part, updated in place by `combine`; a word's
    first visit starts from `init`. `single`: every visit is a first one. `soon`: between two visits of a word in a tile
    there may be fewer than LEAD + 1 other steps.

    `held`: the lanes side by side on each output axis of the array, all or, of the others by address, some. `inside`:
    those are all, and the level lies in them. `scattered`: the word that comes says where it belongs, in its low bits.

    A sum is there `arrival` cycles after the step that brings it; the one that a step takes leaves `drained` cycles
    after that, and its part comes back `kept` cycles later than that.
    """

    name: str
    tensor: str
    type: Type
    halves: int
    words: int
    combine: Combine | None
    init: int
    single: bool
    held: tuple[tuple[str, int], ...]
    inside: bool
    arrival: int
    drained: int
    scattered: bool = False
    ports: int = 0
    """Memories side by side with one port each, with every so-many-th of the words; 0: one with two ports."""
    soon: bool = True
    kept: int = 0

    @property
    def returned(self) -> int:
        """Cycles after the step that takes the last sum of a part until that is free."""
        return self.drained + self.kept

    @property
    def landed(self) -> int:
        """Cycles after the step that brings the last sum of a part until it is full."""
        return self.arrival + 2

    @property
    def lanes(self) -> int:
        return prod(count for _, count in self.held)


Store = Memory | RegisterFile | Sums
