"""The directives of a schedule: plain values, comparable and serialisable.

`str` gives the code that wrote them, in the notation of the program they are from; `call` in either.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any, get_args

from halidehw.errors import ScheduleError, SourceLine
from halidehw.notation import PYTHON, Notation

Spelling = Callable[[str], str]


@dataclass(frozen=True)
class _Directive:
    source: SourceLine | None = field(default=None, compare=False, kw_only=True)

    @property
    def primitive(self) -> str:
        """The name of the method that gives this directive."""
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in type(self).__name__).lstrip("_")

    @property
    def notation(self) -> Notation:
        """That of the program it is from."""
        return self.source.notation if self.source else PYTHON

    def call(self, notation: Notation, loop: Spelling = str, tensor: Spelling = str) -> str:
        """The call of its method. `loop`, `tensor`: how the names of these are written."""
        return f"{self.primitive}({', '.join(_arguments(self, notation, loop, tensor))})"  # type: ignore[arg-type]

    def written(self, notation: Notation) -> str:
        """The call, with what it is called on where that is no Func."""
        return self.call(notation)

    def __str__(self) -> str:
        return self.written(self.notation)


@dataclass(frozen=True)
class _Lanes(_Directive):
    """One that another method may have written: that method, and the loop that it was called with, are `said`."""

    said: tuple[str, str] | None = field(default=None, compare=False, kw_only=True)

    def __str__(self) -> str:
        if self.said is None:
            return super().__str__()
        return f"{self.said[0]}({self.said[1]}, {_arguments(self, self.notation, str, str)[-1]})"  # type: ignore[arg-type]


@dataclass(frozen=True)
class Split(_Lanes):
    """Loop `old` becomes `outer`, in steps of `factor`, over `inner`, `factor` long."""

    old: str
    outer: str
    inner: str
    factor: int


@dataclass(frozen=True)
class Fuse(_Directive):
    """Loops `outer` and `inner`, adjacent, become the one loop `fused`."""

    inner: str
    outer: str
    fused: str


@dataclass(frozen=True)
class Reorder(_Directive):
    """The named loops are permuted among the places they hold, the first innermost."""

    order: tuple[str, ...]


@dataclass(frozen=True)
class Tile(_Directive):
    """Both loops split, and ordered `xi`, `yi`, `xo`, `yo` from the innermost."""

    x: str
    y: str
    xo: str
    yo: str
    xi: str
    yi: str
    xfactor: int
    yfactor: int


@dataclass(frozen=True)
class Unroll(_Lanes):
    """`factor` iterations of `var` side by side in space; all of them when no factor is given."""

    var: str
    factor: int | None = None


@dataclass(frozen=True)
class Systolic(_Directive):
    """The lanes of each unrolled loop run one cycle after another and pass operands or sums along."""

    vars: tuple[str, ...]


@dataclass(frozen=True)
class Dataflow(_Directive):
    """Loops unrolled onto the array's vertical `|` horizontal dimension, of `rows` and `cols` PEs."""

    text: str
    rows: int | None = None
    cols: int | None = None


@dataclass(frozen=True)
class Bound(_Directive):
    """The Func is computed for `var` from `min`, `extent` long."""

    var: str
    min: int
    extent: int


@dataclass(frozen=True)
class SetEstimate(_Directive):
    """Where the Func is computed for `var` as long as nothing else says so: from `min`, `extent` long."""

    var: str
    min: int
    extent: int


@dataclass(frozen=True)
class _OfBuffer(_Directive):
    """A directive for `tensor` itself (level 0), for its wrapper (1), for the wrapper's wrapper (2), and so on. `of`:
    the tensor of which `tensor` is the wrapper, where that has become a stage of its own."""

    tensor: str
    level: int
    of: str | None = field(default=None, compare=False, kw_only=True)

    @property
    def buffer(self) -> tuple[str, int]:
        """What it is about."""
        return self.tensor, self.level

    @property
    def subject(self) -> str:
        """What it is about, as it is written."""
        return self._subject(self.notation)

    @property
    def above(self) -> str:
        """The wrapper of what it is about, as it is written."""
        return self.notation.wrap(self.of or self.tensor, self.level + (self.of is not None) + 1)

    def _subject(self, notation: Notation) -> str:
        return notation.wrap(self.of or self.tensor, self.level + (self.of is not None))

    def written(self, notation: Notation) -> str:
        return f"{self._subject(notation)}.{self.call(notation)}"


@dataclass(frozen=True)
class ComputeAt(_OfBuffer):
    """Computed (for a wrapper: copied) just inside loop `var` of Func `consumer`."""

    consumer: str
    var: str


@dataclass(frozen=True)
class StoreAt(_OfBuffer):
    """Stored just inside loop `var` of `consumer`, so that overlaps between its computations are kept."""

    consumer: str
    var: str


@dataclass(frozen=True)
class StoreRoot(_OfBuffer):
    """Stored outside all loops, so that overlaps between its computations are kept."""


@dataclass(frozen=True)
class ComputeRoot(_OfBuffer):
    """Computed (for a wrapper: copied) as a whole, before everything that uses it."""


@dataclass(frozen=True)
class SingleBuffer(_OfBuffer):
    """One half instead of two: a tile is loaded only when the last one is no longer used."""


@dataclass(frozen=True)
class RingBuffer(_OfBuffer):
    """It has room for `extent` tiles instead of two, so that so many but one are loaded ahead."""

    extent: int


@dataclass(frozen=True)
class Capacity(_OfBuffer):
    """It has room for `words` words: of one half, and of each PE where there is one in each."""

    words: int


@dataclass(frozen=True)
class Vectorize(_OfBuffer):
    """It is copied so many `words` along dimension 0 at a time."""

    words: int


@dataclass(frozen=True)
class SinglePort(_OfBuffer):
    """Its memories have one port each, at which reads and writes take turns; of sums, so many (`words`) side by side,
    each with every so-many-th word."""

    words: int = 1


@dataclass(frozen=True)
class StoreWith(_OfBuffer):
    """It lies in the memory of `other`, whose own words begin with word `words`."""

    other: str
    words: int = 0


@dataclass(frozen=True)
class ReorderStorage(_OfBuffer):
    """Its dimensions in the order in which they lie in it, the fastest first: the variables of a Func, the numbers of
    those of a copy."""

    order: tuple[str, ...]


@dataclass(frozen=True)
class AlignStorage(_OfBuffer):
    """The next slower dimension goes on as if `dimension` had a multiple of so many elements."""

    dimension: str
    multiple: int


@dataclass(frozen=True)
class FoldStorage(_OfBuffer):
    """Its line buffer along `var` has room for so many rows."""

    var: str
    rows: int


class MemoryType(Enum):
    """Where a Func with a place lies: on the chip, or (Heap) in the memory outside."""

    Auto = "Auto"
    Heap = "Heap"
    Register = "Register"
    Stack = "Stack"


@dataclass(frozen=True)
class StoreIn(_OfBuffer):
    """It lies in this `MemoryType`, by name."""

    memory: str


@dataclass(frozen=True)
class CheckOverflow(_Directive):
    """The Func is refused if its arithmetic can exceed its types for some input."""


@dataclass(frozen=True)
class Accelerate(_Directive):
    """The Func and everything between it and `inputs` is hardware, with a memory port for each input and output."""

    inputs: tuple[str, ...]


Place = ComputeAt | ComputeRoot
"""Where something is computed or copied."""

LoopDirective = Split | Fuse | Reorder | Tile | Unroll | Systolic | Dataflow
"""Directives on the loops of one stage."""

Inside = SinglePort | StoreWith | ReorderStorage | AlignStorage
"""How a memory lies on the chip."""

Described = SingleBuffer | RingBuffer | Capacity | Vectorize | Inside
"""What is said of a buffer that has its place."""

BufferDirective = ComputeAt | StoreAt | StoreRoot | ComputeRoot | Described | FoldStorage | StoreIn
Directive = LoopDirective | BufferDirective | Bound | SetEstimate | CheckOverflow | Accelerate

_KINDS: dict[str, type] = {kind.__name__: kind for kind in get_args(Directive)}


def _arguments(directive: Directive, notation: Notation, loop: Spelling, tensor: Spelling) -> list[str]:
    match directive:
        case Split(old=old, outer=outer, inner=inner, factor=factor):
            return [loop(old), loop(outer), loop(inner), str(factor)]
        case Fuse(inner=inner, outer=outer, fused=fused):
            return [loop(inner), loop(outer), loop(fused)]
        case Reorder(order=order):
            return list(map(loop, order))
        case Tile(x=x, y=y, xo=xo, yo=yo, xi=xi, yi=yi):
            return [*map(loop, (x, y, xo, yo, xi, yi)), str(directive.xfactor), str(directive.yfactor)]
        case Unroll(var=var, factor=factor):
            return [loop(var)] if factor is None else [loop(var), str(factor)]
        case Systolic(vars=vars):
            return list(map(loop, vars)) if notation.keywords else [notation.many(map(loop, vars))]
        case Dataflow(text=text, rows=rows, cols=cols):
            sizes = {"rows": rows, "cols": cols}
            return [json.dumps(text), *(notation.size(name, n) for name, n in sizes.items() if n is not None)]
        case Bound(var=var, min=low, extent=extent) | SetEstimate(var=var, min=low, extent=extent):
            return [loop(var), str(low), str(extent)]
        case ComputeAt(consumer=consumer, var=var) | StoreAt(consumer=consumer, var=var):
            return [tensor(consumer), loop(var)]
        case Capacity(words=words) | Vectorize(words=words):
            return [str(words)]
        case RingBuffer(extent=extent):
            return [str(extent)]
        case FoldStorage(var=var, rows=rows):
            return [loop(var), str(rows)]
        case StoreIn(memory=memory):
            return [f"MemoryType{'.' if notation.keywords else '::'}{memory}"]
        case SinglePort(words=words):
            return [str(words)] if words > 1 else []
        case StoreWith(other=other, words=words):
            return [tensor(other), *([str(words)] if words else [])]
        case ReorderStorage(order=order):
            return [name if name.isdigit() else loop(name) for name in order]
        case AlignStorage(dimension=name, multiple=multiple):
            return [name if name.isdigit() else loop(name), str(multiple)]
        case Accelerate(inputs=inputs):
            return [notation.many(map(tensor, inputs))]
        case ComputeRoot() | StoreRoot() | SingleBuffer() | CheckOverflow():
            return []


def to_dict(directive: Directive) -> dict[str, Any]:
    """A directive as plain data, its class under the key `directive`; what is not compared is left out."""
    data: dict[str, Any] = {"directive": type(directive).__name__}
    for item in fields(directive):
        value = getattr(directive, item.name)
        if item.compare:
            data[item.name] = list(value) if isinstance(value, tuple) else value
    return data


def from_dict(data: dict[str, Any]) -> Directive:
    """The inverse of `to_dict`. Raises `ScheduleError` for an unknown directive or field."""
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
    name = values.pop("directive", None)
    if name not in _KINDS:
        raise ScheduleError(f"{name!r} is not a directive", legal=tuple(_KINDS))
    names = [item.name for item in fields(_KINDS[name]) if item.compare]
    if not set(values) <= set(names):
        wrong = ", ".join(sorted(set(values) - set(names)))
        raise ScheduleError(f"{name} has no {wrong}; it has {', '.join(names)}", legal=names)
    return _KINDS[name](**values)
