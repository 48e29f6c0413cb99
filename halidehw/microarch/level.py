"""A memory level that a stage asks for, where its words come from, and what the schedule declares of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import prod

from halidehw.errors import HardwareError
from halidehw.ir.declared import Inside, Room, Width
from halidehw.ir.nest import Pieces, Slide, Tensor
from halidehw.microarch.banking import Dim, Overlap, Stated, depth, room
from halidehw.microarch.box import Box
from halidehw.microarch.reader import Reader
from halidehw.microarch.stores import Behind, Together
from halidehw.microarch.taps import Revisit


@dataclass(frozen=True)
class Level:
    """A memory level asked for: the axes in time outside it, its parts, and the array's axes that it lies inside of
    and its tensor depends on: it has a copy for each of their lanes. `slide`: how a line buffer moves;
    `room`, `width`, `inside`: what is declared of it, dimensions as those of memory. `behind`: the rows
    behind a queue. `whole`: the innermost reader, with all that this level has room for, where that is more than what
    reads it needs. `pieces`: how its tiles come in, if not at once, and the axes in time outside a piece."""

    name: str
    outside: frozenset[str]
    halves: int
    copies: tuple[str, ...] = ()
    implicit: bool = False
    slide: Slide | None = None
    room: Room | None = None
    width: Width | None = None
    behind: Behind | None = None
    whole: Reader | None = None
    inside: Inside | None = None
    pieces: tuple[Pieces, frozenset[str]] | None = None


@dataclass(frozen=True)
class Outside:
    """A tensor in the memory outside, through a port of `vector` words. `owner`: whose words they are, where the tensor
    is an output's partial sums that come back as `revisit` says."""

    tensor: Tensor
    vector: int
    owner: str
    revisit: Revisit | None = None


@dataclass(frozen=True)
class Made:
    """A tensor that another stage makes, `vector` words a cycle."""

    tensor: Tensor
    vector: int


def fitting(
    level: Level, banked: Callable[[Box, int | None], tuple[Box, int, list[Dim]]], boxes: Iterable[Box], copies: int
) -> tuple[Box, int, list[Dim]]:
    """That of `boxes` which takes the fewest words as it is `banked`, the first of several; where a room is declared,
    the first that fits, in each of the `copies`.

    Raises HardwareError where none does.
    """
    if level.room is None:
        return min(_possible(banked, boxes, None), key=lambda each: room(each[2]))
    most = level.room.words * copies
    chosen = min(_possible(banked, boxes, most), key=lambda each: max(room(each[2]), most))
    banks = prod(dim.factor for dim in chosen[2]) // copies
    how = f"{banks} bank{'s' * (banks > 1)} of {depth(chosen[2])}"
    level.room.check(level.name, room(chosen[2]) // copies, how)
    return chosen


def _possible(
    banked: Callable[[Box, int | None], tuple[Box, int, list[Dim]]], boxes: Iterable[Box], most: int | None
) -> list[tuple[Box, int, list[Dim]]]:
    """Of boxes those that can be banked where the bits of rows are chosen already. Raises Overlap where none can."""
    found, wrong = list[tuple[Box, int, list[Dim]]](), list[Overlap]()
    for box in boxes:
        try:
            found.append(banked(box, most))
        except Overlap as error:
            wrong.append(error)
    if not found:
        raise wrong[0]
    return found


def one_port(level: Level) -> bool:
    """Whether its memories have one port, each part its own. Raises HardwareError for words of several elements where
    it lies in no other memory."""
    if level.inside and level.inside.ports > 1 and not level.inside.together:
        raise level.inside.refused(
            f"{level.name} has a port for each part of its banks, which never meet; only sums lie side by side for it",
            f"{level.inside.subject}.single_port()",
        )
    return level.inside is not None and level.inside.ports > 0


def stated(level: Level, dimensions: int, copies: int, along: int | None) -> Stated | None:
    """How the words of a level are to lie in a bank, those of its copies last; where no order is said, as without it:
    `along`, the rows of a line buffer, outermost."""
    inside = level.inside
    if inside is None or not (inside.order or inside.aligned):
        return None
    order = inside.order or tuple(sorted(range(dimensions), key=lambda d: d == along))

    def refused(why: str, uneven: Sequence[tuple[int, int]]) -> HardwareError:
        lines = "".join(f".align_storage({inside.called(d)}, {multiple})" for d, multiple in uneven)
        return inside.refused(why, f"{inside.subject}{lines}")

    return Stated((*order, *range(dimensions, dimensions + copies)), inside.aligned, refused)


def together(level: Level) -> Together | None:
    inside = level.inside
    if inside is None or inside.together is None:
        return None
    tensor, first = inside.together
    return Together(tensor, first, inside.subject, tensor, inside.source)


def check_rows(level: Level, dims: Sequence[Dim], along: int | None) -> None:
    """The rows of a line buffer in one bank lie outermost in it."""
    order = level.inside.order if level.inside else ()
    if along is None or dims[along].rotating or not order or order[-1] == along:
        return
    assert level.inside
    others = ", ".join(level.inside.called(d) for d in order if d != along)
    rows = level.inside.called(along)
    raise level.inside.refused(
        f"{level.name} keeps rows along dimension {rows}, which lie outermost",
        f"{level.inside.subject}.reorder_storage({others}, {rows})",
    )


def declared(width: Width, own: int, box: Box, outside: Outside | Made, inner: bool) -> int:
    """The words that the schedule wants copied together, where it can be: `own` come from a port or a stage; from a
    memory (`inner`) come as many as divide dimension 0."""
    name, extent, words = outside.tensor.name, box.extents[0], width.words
    if words == own or (inner and box.steps[0] == 1 and extent % words == 0):
        return words
    if inner:
        whole, rest = divmod(extent, words)
        legal = [width.line(n) for n in range(min(words, extent), 0, -1) if extent % n == 0]
        raise width.refused(f"{extent} words of {name} along dimension 0 are {whole} x {words} + {rest}", *legal[:2])
    by = "the stage that makes it" if isinstance(outside, Made) else "its port"
    raise width.refused(f"words of {name} come from {by}, {own} at a time", width.line(own))
