"""The scheduled loop nest: the one source of the printed IR, the interpreter, the hardware and the counts.

Meaning. A nest is a set of loops, outer to inner. Loop `v` takes the values min .. min+extent-1 and covers
`lanes` of them in space (1: purely temporal), so it takes ceil(extent / lanes) steps in time. An iteration is
executed when every constraint of `domain` holds. Every constraint is affine in loop *offsets* (value - min)
with positive coefficients, so the domain is closed downwards: a prefix of loop values that satisfies all
constraints with the inner loops at their mins has at least one iteration, and no loop is ever entered in vain.

Iterations combine `value` into the output element with the associative, commutative operator `combine`,
starting from `init`; when an output element is complete, `epilogue` (if any) turns it into the word stored.

A buffer lies just inside the loop `at` (None: outside all loops) and holds the footprint of the loops inside.
It is refilled when a loop on which its position depends, or a loop outside such a loop, has stepped; loops
outside it that lie inside all of these do not refill it. One that slides (a line buffer) keeps the words that its tile
has in common with the last one while only loops of the slide have stepped; rows between two tiles that are cut short
are fetched too. A buffer of the output holds partial sums: where it would be refilled, it is first stored in the
output's memory, and an element that was stored before comes back from there. Of several, an element of an inner one
begins from the operator's identity and, where its buffer would be refilled, is
combined into that of the one outside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Literal

import numpy as np

from halidehw.errors import SourceLine
from halidehw.expr.expr import Expr
from halidehw.expr.tree import nodes
from halidehw.expr.types import Type
from halidehw.ir.affine import Affine
from halidehw.ir.declared import Inside, Room, Width
from halidehw.ir.exterior import Kind
from halidehw.ir.layout import Layout, dense
from halidehw.notes import Note

if TYPE_CHECKING:
    import sympy

Operator = Literal["add", "mul", "min", "max", "and", "or", "xor"]


@dataclass(frozen=True, eq=False)
class Side(Expr):
    """Leaf of `Merge.value`: the one or the other of the words that are combined."""

    second: bool


@dataclass(frozen=True, eq=False)
class Merge:
    """An associative, commutative operator on words of several parts: `value` of two `Side`s. `identity`: the word that
    changes nothing; `operators`: of each part that is combined by itself."""

    value: Expr
    identity: int
    operators: tuple[Operator | None, ...]

    def __str__(self) -> str:
        return f"{{{', '.join(operator or 'choose' for operator in self.operators)}}}"


Combine = Operator | Merge
"""How iterations combine their values into one."""


@dataclass(frozen=True)
class Loop:
    """One loop.

    `dimension`: the axis of the PE array its lanes lie on (None when lanes == 1); `distance`: how many PEs lie from
    one lane to the next along it (more than 1 where another loop on the same axis is nearer). `fused`: the name of
    the fused loop this one is a part of; its parts are adjacent, outer to inner.
    """

    name: str
    min: int
    extent: int
    lanes: int = 1
    systolic: bool = False
    dimension: int | None = None
    reduction: bool = False
    distance: int = 1
    fused: str | None = None

    @property
    def kind(self) -> Literal["temporal", "spatial"]:
        return "spatial" if self.lanes > 1 else "temporal"

    @property
    def steps(self) -> int:
        """Temporal iterations."""
        return -(-self.extent // self.lanes)

    @property
    def symbol(self) -> sympy.Symbol:
        import sympy

        return sympy.Symbol(self.name, integer=True)


@dataclass(frozen=True)
class Constraint:
    """`sum of coefficient * (loop value - loop min) <= limit`; coefficients are positive."""

    terms: tuple[tuple[str, int], ...]
    limit: int


@dataclass(frozen=True)
class Boundary:
    """What an access outside the tensor delivers: `value`, or (value None) an element of the tensor that is read.
    `free`: nothing that counts is read there."""

    kind: Kind
    value: int | None = None
    free: bool = False


@dataclass(frozen=True)
class Tensor:
    """A tensor in the memory outside, element (mins) at word address 0; dense, dimension 0 fastest, where `layout` says
    nothing else."""

    name: str
    type: Type
    mins: tuple[int, ...]
    extents: tuple[int, ...]
    boundary: Boundary | None = None
    layout: Layout | None = None

    @property
    def words(self) -> int:
        """Its elements."""
        return prod(self.extents)

    @property
    def span(self) -> int:
        """Words in memory from its first element to its last one."""
        return self.layout.words if self.layout else self.words

    @property
    def strides(self) -> tuple[int, ...]:
        """Words from one element to the next along each dimension; along one in blocks, from one block to the next."""
        return (self.layout or dense(self.extents)).strides

    def laid(self, words: np.ndarray) -> np.ndarray:
        """What its memory holds, shape (span,): its elements `words`, flat, dimension 0 fastest, zeros between them."""
        if self.layout is None:
            return words
        memory = np.zeros(self.span, words.dtype)
        memory[self.layout.addresses(self.extents).reshape(-1)] = words
        return memory

    def taken(self, memory: np.ndarray) -> np.ndarray:
        """Its elements of what its memory holds: the inverse of `laid`."""
        return memory if self.layout is None else memory[self.layout.addresses(self.extents).reshape(-1)]


@dataclass(frozen=True)
class Access:
    """A read or write of `tensor`: per dimension an affine form of the loops' values."""

    tensor: str
    indices: tuple[Affine, ...]


@dataclass(frozen=True)
class Slide:
    """How the tile of a line buffer moves: a step of the innermost of `loops`, the digits of one number, moves it on by
    `step` indices along `dimension`, and it keeps what it has in common with the last one. A step of any other loop
    outside it starts it anew. `at`: the loop just inside of which its words are kept (None: outside all). `folded`: its
    rows are as many as the schedule says, no more for the rate.
    """

    at: str | None
    loops: tuple[str, ...]
    dimension: int
    step: int
    folded: bool = False


@dataclass(frozen=True)
class Pieces:
    """A tile that comes in piece by piece, as the loops outside `at` first step, and stays for as long as loops that do
    not move it come back to it: a piece is what is read inside `at`; of partial sums, what is added to there, and
    leaves when those loops come to it for the last time. `subject`: what the schedule calls it, `whole` the line by
    which it comes in, or leaves, at once."""

    at: str
    subject: str
    whole: str
    source: SourceLine | None = None


@dataclass(frozen=True)
class Buffer:
    """One memory level of a tensor.
 `at`: the loop it lies just inside of (None: outside all). `mins`: the tile's first index per dimension as a function
of the loops outside; `extents`: the static footprint. `halves`: 2 double-buffered, 1 single. `capacity`: what it is
declared to have room for. `width`: how it is declared to be copied. `inside`: how it is declared to lie on the chip.
`per_pe`: some spatial loop lies outside it, so that it exists once per PE. `slide`: how a line buffer moves; its second
half is as many rows as it moves on in a step. Buffers of a tensor are listed outermost first; the first is filled from
memory, each other one from its predecessor; of the output, each hands its sums on to its predecessor, and the innermost
is the accumulators. `pieces`: where a tile need not be there as a whole before it is read. `also`: indices of its
tensor that lie beyond what its own stage reads, for other stages read them too: all memories of a tensor that a stage
makes take the same part of it at a time.
    """

    name: str
    tensor: str
    at: str | None
    mins: tuple[Affine, ...]
    extents: tuple[int, ...]
    halves: int
    per_pe: bool
    slide: Slide | None = None
    capacity: Room | None = None
    width: Width | None = None
    also: tuple[tuple[Affine, ...], ...] = ()
    inside: Inside | None = None
    pieces: Pieces | None = None
    source: SourceLine | None = None


@dataclass(frozen=True, eq=False)
class Load(Expr):
    """Leaf of `Nest.value` or `Nest.epilogue`: the element read by `Nest.reads[read]`."""

    read: int


@dataclass(frozen=True, eq=False, repr=False)
class Lookup(Expr):
    """An element of the box `mins`, `extents` of `tensor`, all of which is held; `address`: its number, dimension 0
    fastest. Nothing reads it otherwise: of its `Nest.reads`, which say which box that is, there is no `Load`."""

    tensor: str
    mins: tuple[int, ...]
    extents: tuple[int, ...]
    address: Expr

    def written(self, parts: tuple[str, ...]) -> str:
        return f"{self.tensor}[{parts[0]}]"


@dataclass(frozen=True, eq=False, repr=False)
class Scattered(Expr):
    """What `Nest.value` is where an iteration updates the element that `address` numbers among those of the loops
    `Nest.scattered`, the innermost fastest, by `value`."""

    value: Expr
    address: Expr

    def written(self, parts: tuple[str, ...]) -> str:
        return f"{parts[0]} at {parts[1]}"


@dataclass(frozen=True, eq=False, repr=False)
class Scan(Expr):
    """A value of a recurrence: the first part of the state that `merge` makes of the last one at `address`, of `words`,
    and of `word`. Where `first` holds, the last one is 0. Iterations follow one another in the order of the loops."""

    first: Expr
    address: Expr
    word: Expr
    merge: Merge
    words: int

    def written(self, parts: tuple[str, ...]) -> str:
        return f"following({parts[2]})"


@dataclass(frozen=True, eq=False)
class LoopValue(Expr):
    """Leaf of `Nest.value`: an affine function of the loops, used as a number."""

    index: Affine


@dataclass(frozen=True, eq=False)
class Accumulated(Expr):
    """Leaf of `Nest.epilogue`: the completed reduction."""


@dataclass(frozen=True)
class Nest:
    """A scheduled stage. `epilogue` may use reads whose indices involve only the output's own loops.

    `consumer`: the Func whose loops these are (`name`, or the reduction before it); `source`: where it is defined.
    `place`: so many of its loops, the outermost, are those of its consumer, outside the place where it is computed; an
    output element is computed again where they come back to it. `scattered`: the innermost loops, along which elements
    begin and are stored, but which an iteration does not run through: its value says which element it is of. `notes`:
    what of the schedule holds without it.
    """

    name: str
    loops: tuple[Loop, ...]
    domain: tuple[Constraint, ...]
    inputs: tuple[Tensor, ...]
    output: Tensor
    reads: tuple[Access, ...]
    write: Access
    type: Type
    combine: Combine | None
    init: int
    value: Expr
    epilogue: Expr | None
    buffers: tuple[Buffer, ...]
    schedule: tuple[str, ...] = ()
    consumer: str = ""
    source: SourceLine | None = None
    place: int = 0
    scattered: tuple[str, ...] = ()
    notes: tuple[Note, ...] = field(default=(), compare=False)

    @cached_property
    def loop(self) -> dict[str, Loop]:
        return {loop.name: loop for loop in self.loops}

    @cached_property
    def tensor(self) -> dict[str, Tensor]:
        return {tensor.name: tensor for tensor in (*self.inputs, self.output)}

    def levels(self, tensor: str) -> tuple[Buffer, ...]:
        """The buffers of a tensor, outermost first."""
        return tuple(buffer for buffer in self.buffers if buffer.tensor == tensor)

    @cached_property
    def tables(self) -> dict[str, tuple[int, ...]]:
        """The tensors that are looked up, and how much of each is held."""
        return {node.tensor: node.extents for node in nodes(self.value) if isinstance(node, Lookup)}

    @cached_property
    def sums(self) -> tuple[Buffer, ...]:
        """The buffers of partial sums, where the schedule places some, outermost first."""
        return self.levels(self.output.name)
