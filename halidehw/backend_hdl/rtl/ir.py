"""Modules of registers, wires and instances, as plain values.

An expression has a width and a sign, and its value is exact: a sum is as wide as it can get, and whoever takes it says
how many bits he wants. Signals are known by name within their module.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from halidehw.microarch.held import Role


@dataclass(frozen=True)
class Lane:
    """A loop around a statement over lanes up to `count`. `depth`: greater than that of every loop outside it."""

    depth: int
    count: int


@dataclass(frozen=True)
class Place:
    """An index into an array: a sum of lanes' numbers times factors, and an offset."""

    terms: tuple[tuple[Lane, int], ...] = ()
    offset: int = 0


@dataclass(frozen=True)
class Const:
    """A number of `width` bits."""

    value: int
    width: int
    signed: bool = False


@dataclass(frozen=True)
class Ref:
    """What a signal holds, or one of an array of signals."""

    name: str
    width: int
    signed: bool = False
    index: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Number:
    """The number of a lane."""

    lane: Lane
    width: int
    signed: bool = False


@dataclass(frozen=True)
class Word:
    """The word of a memory at an address; of an array of memories, of the one at `index`."""

    memory: str
    address: Expr
    width: int
    signed: bool = False
    index: tuple[Place, ...] = ()


@dataclass(frozen=True, eq=False)
class Fit:
    """The low `width` bits of a value, which its sign extends where it is narrower, read as signed or not."""

    value: Expr
    width: int
    signed: bool = False


@dataclass(frozen=True, eq=False)
class Slice:
    """`width` bits of a value from bit `start` on, and from so many bits further for each lane."""

    value: Expr
    start: int
    width: int
    signed: bool = False
    lanes: tuple[tuple[Lane, int], ...] = ()


@dataclass(frozen=True, eq=False)
class Cat:
    """Values side by side, the first in the lowest bits."""

    parts: tuple[Expr, ...]
    width: int
    signed: bool = False


UnaryOp = Literal["-", "~", "|", "&", "^"]
"""The last three combine all bits into one."""

BinaryOp = Literal["+", "-", "*", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, eq=False)
class Unary:
    op: UnaryOp
    value: Expr
    width: int
    signed: bool = False


@dataclass(frozen=True, eq=False)
class Binary:
    op: BinaryOp
    a: Expr
    b: Expr
    width: int
    signed: bool = False


@dataclass(frozen=True, eq=False)
class Mux:
    """`a` where the one bit of `test` is set, else `b`."""

    test: Expr
    a: Expr
    b: Expr
    width: int
    signed: bool = False


@dataclass(frozen=True, eq=False)
class Choice:
    """The value of the first case one of whose patterns (of 0, 1 and -) `index` has; the last has none."""

    index: Expr
    cases: tuple[tuple[tuple[str, ...], Expr], ...]
    width: int
    signed: bool = False


Expr = Const | Ref | Number | Word | Fit | Slice | Cat | Unary | Binary | Mux | Choice


@dataclass(frozen=True)
class Assign:
    """Bits `start` .. `start + width - 1` of a signal take a value."""

    name: str
    start: int
    width: int
    value: Expr
    index: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Store:
    """A word of a memory takes a value."""

    memory: str
    address: Expr
    value: Expr
    index: tuple[Place, ...] = ()


@dataclass(frozen=True)
class If:
    """The statements of the first branch whose condition, one bit, holds, or else `other`."""

    branches: tuple[tuple[Expr, tuple[Statement, ...]], ...]
    other: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class Case:
    """The statements of the first case one of whose patterns the value has; one without patterns always applies."""

    value: Expr
    cases: tuple[tuple[tuple[str, ...], tuple[Statement, ...]], ...]


@dataclass(frozen=True)
class For:
    """The statements in every lane from `first` on."""

    lane: Lane
    body: tuple[Statement, ...]
    first: int = 0


Statement = Assign | Store | If | Case | For


@dataclass(frozen=True)
class Signal:
    """A register or a wire, or an array of such. `init`: what a register begins with; `reset`: and what reset sets it
    to."""

    name: str
    width: int
    signed: bool = False
    init: int = 0
    reset: bool = False
    dims: tuple[int, ...] = ()


@dataclass(frozen=True)
class Port:
    """A port of a module, which has a signal of its name."""

    name: str
    output: bool


@dataclass(frozen=True)
class Memory:
    name: str
    width: int
    depth: int
    dims: tuple[int, ...] = ()


@dataclass(frozen=True)
class Instance:
    """A use of a module. `inputs`: port -> what it gets; `outputs`: port -> the signal that it drives. `parameters` and
    `role`: of a module that is not part of the design."""

    label: str
    module: str
    inputs: dict[str, Expr]
    outputs: dict[str, str]
    parameters: dict[str, int] = field(default_factory=dict)
    role: Role = ""


@dataclass(frozen=True)
class Module:
    """`wires`: what drives each wire that no instance drives. `clocked`: what happens at the rising edge of `clk`; the
    last assignment counts, and after all of them `reset`, the signal that is the module's reset. `loops`: what drives
    arrays of wires, each whole array in one."""

    name: str
    comment: str
    ports: tuple[Port, ...]
    signals: dict[str, Signal]
    wires: dict[str, Expr]
    clocked: tuple[Statement, ...]
    memories: dict[str, Memory]
    instances: tuple[Instance, ...]
    reset: str
    loops: tuple[tuple[Statement, ...], ...] = ()
    role: Role = ""

    @cached_property
    def registers(self) -> dict[str, Signal]:
        """The signals that the clock changes."""
        names = {name: None for statement in self.clocked for name in targets(statement)}
        return {name: self.signals[name] for name in names if name in self.signals}


def children(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case Const() | Ref() | Number():
            return ()
        case Word(_, address):
            return (address,)
        case Fit(value) | Slice(value) | Unary(_, value):
            return (value,)
        case Cat(parts):
            return parts
        case Binary(_, a, b):
            return (a, b)
        case Mux(test, a, b):
            return (test, a, b)
        case Choice(index, cases):
            return (index, *(value for _, value in cases))


def parts_of(expr: Expr) -> Iterator[Expr]:
    """An expression and all that it is made of, each once."""
    seen, stack = set[int](), [expr]
    while stack:
        each = stack.pop()
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            stack += children(each)


def targets(statement: Statement) -> Iterator[str]:
    """The signals and memories that a statement assigns."""
    match statement:
        case Assign(name):
            yield name
        case Store(memory):
            yield memory
        case _:
            for body in bodies(statement):
                for inner in body:
                    yield from targets(inner)


def bodies(statement: If | Case | For) -> tuple[tuple[Statement, ...], ...]:
    if isinstance(statement, For):
        return (statement.body,)
    if isinstance(statement, If):
        return (*(body for _, body in statement.branches), statement.other)
    return tuple(body for _, body in statement.cases)
