"""Memory levels: `in_` and `compute_at` as buffers of a nest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from halidehw.errors import HardwareError, ScheduleError
from halidehw.frontend.directives import ComputeAt, Place, RingBuffer, SingleBuffer, StoreAt, StoreRoot
from halidehw.ir.affine import Affine
from halidehw.ir.bounds import Span, footprint
from halidehw.ir.nest import Buffer, Pieces, Slide
from halidehw.notation import Notation
from halidehw.notes import Note
from halidehw.scheduler.kernel import Kernel
from halidehw.scheduler.levels import Level
from halidehw.scheduler.lines import Line, check_stores, further_out, keeps, pieces, slide, stores
from halidehw.scheduler.loops import Arrangement
from halidehw.scheduler.proposals import After, Beside, Where, at_root
from halidehw.scheduler.sums import check_sums, completion


@dataclass(frozen=True)
class Indexed:
    """A read of a tensor; indices over the loops' values."""

    tensor: str
    indices: tuple[Affine, ...]


Index = tuple[Affine, ...]
Beyond = Mapping[str, tuple[Index, ...]]
"""Of tensors that several stages read: indices that others read, over the loops' values."""


def buffers(
    kernel: Kernel, arrangement: Arrangement, reads: Sequence[Indexed], late: frozenset[str], also: Beyond
) -> tuple[tuple[Buffer, ...], tuple[Note, ...]]:
    """The buffers of a nest, each tensor's outermost first, in the order of the reads, and notes of what changes
    nothing.

    `late`: tensors read at write-back; `also`: what lies in the outermost memories beside what is read. Raises
    `ScheduleError` for a buffer that is neither an input's nor of partial sums, not in this nest, or not inside the one
    before it; `HardwareError` for a footprint that is no box of constant size.
    """
    tensors = tuple(dict.fromkeys(read.tensor for read in reads))
    directives = kernel.directives
    check_stores(kernel)
    places = [each for each in directives if isinstance(each, Place)]
    levels = [_level(kernel, arrangement, each, tensors, also) for each in places if each.tensor != kernel.owner.name]
    own = sorted((each for each in places if each.tensor == kernel.owner.name), key=lambda each: each.level)
    write = Indexed(kernel.output.name, tuple(arrangement.values[arg] for arg in kernel.args))
    leaving = [_leaving(arrangement, _placed(kernel, arrangement, each, write.tensor), write) for each in own]
    sums = [level for level, _, _ in leaving]
    _check_nesting(kernel, arrangement, sums, "its sums go to")
    notes = [note for _, _, found in leaving for note in found] + list(check_sums(kernel, arrangement, sums))
    inputs = {*tensors, write.tensor}
    result = [
        replace(_buffer(arrangement, replace(level, store=None), [write], _name(level, inputs))[0], pieces=parted)
        for level, parted, _ in leaving
    ]
    complete = completion(kernel, arrangement, sums[0].depth if sums else None)
    for tensor in tensors:
        mine = sorted((level for level in levels if level.tensor == tensor), key=lambda level: level.directive.level)
        accesses = [read for read in reads if read.tensor == tensor]
        beside = [also.get(tensor), *(None for _ in mine)]
        if not kernel.pipeline.anew:
            mine = [_settled(arrangement, level, accesses, more) for level, more in zip(mine, beside, strict=False)]
        _check_nesting(kernel, arrangement, mine)
        _check_late(kernel, arrangement, mine, late, complete)
        for level, beyond in zip(mine, beside, strict=False):
            taken = {*tensors, kernel.output.name, *(buffer.name for buffer in result)}
            buffer, note = _buffer(arrangement, level, accesses, _name(level, taken), beyond, tensor not in late)
            result.append(buffer)
            notes += note
    return tuple(result), tuple(notes)


def _name(level: Level[Any], taken: set[str]) -> str:
    """`input_in` for `input.in_()`, `f_store` for a stage's own, made longer while something else has that name."""
    name = level.tensor + ("_in" * level.directive.level or "_store")
    while name in taken:
        name += "_"
    return name


def _leaving(
    arrangement: Arrangement, level: Level[Any], write: Indexed
) -> tuple[Level[Any], Pieces | None, list[Note]]:
    """A level of partial sums that is kept as a `store_at` says, with how its tiles leave, if not at once, and a note
    where there is nothing to keep."""
    if level.store is None:
        return level, None, []
    parted = pieces(arrangement, _line(arrangement, level, [write], None), level.at, level.kept) if level.at else None
    if parted is None:
        why = f"consecutive tiles of partial sums of {level.store.tensor} have nothing in common to keep"
        return replace(level, store=None), None, [Note(f"{level.store}: {why}", level.store.source)]
    depth = arrangement.depth(level.kept) if level.kept else 0
    first = next((loop.name for loop in arrangement.loops[depth:] if loop.reduction), None)
    names = [name for name, place in arrangement.places.items() if place == first]
    if level.kept not in arrangement.places.values() and names:  # a reader's, or none: just outside the reductions
        parted = replace(parted, whole=str(replace(level.directive, var=names[0])))
    return replace(level, at=level.kept, depth=depth), parted, []


def _level(
    kernel: Kernel, arrangement: Arrangement, directive: Place, tensors: Sequence[str], also: Beyond
) -> Level[Any]:
    if directive.tensor not in tensors:
        raise ScheduleError(
            f"{directive}: {directive.tensor} is not an input of {kernel.output.name}; only inputs and the partial "
            f"sums of {kernel.owner.name} have buffers; remove the line",
            legal=[replace(directive, tensor=name, level=1) for name in (*tensors, kernel.owner.name)],
            source=directive.source,
        )
    return _placed(kernel, arrangement, directive, directive.tensor, directive.tensor in also)


def _placed(
    kernel: Kernel, arrangement: Arrangement, directive: Place, tensor: str, several: bool = False
) -> Level[Any]:
    """`several`: whether other stages read the tensor too, from memories at the same loop."""
    at = _loop(kernel, arrangement, directive, several) if isinstance(directive, ComputeAt) else None
    if at is None:
        return Level(directive, tensor, 0, None, 1)
    level = Level(directive, tensor, arrangement.depth(at), at, _parts(kernel, directive))
    for store in stores(kernel.directives):
        if store.buffer == directive.buffer:
            kept = _loop(kernel, arrangement, store, several) if isinstance(store, StoreAt) else None
            level = replace(level, store=store, kept=kept)
    return level


def _parts(kernel: Kernel, place: Place) -> int:
    """The tiles that a buffer has room for. Raises `ScheduleError` for a number of tiles of partial sums."""
    for each in kernel.directives:
        if isinstance(each, SingleBuffer) and each.buffer == place.buffer:
            return 1
        if isinstance(each, RingBuffer) and each.buffer == place.buffer:
            if each.level and each.tensor == kernel.owner.name:
                raise ScheduleError(
                    f"{each}: of partial sums of {each.tensor} there are as many tiles as keep up with the array",
                    legal=(str(SingleBuffer(each.tensor, each.level)),),
                    source=each.source,
                )
            return each.extent
    return 2


def _loop(
    kernel: Kernel, arrangement: Arrangement, directive: ComputeAt | StoreAt, several: bool = False
) -> str | None:
    """The loop of the nest (None: outside all) for what the user names: a loop of the stage, where a variable of a
    final stage stands for the reduction's own, or of a consumer."""
    final = directive.consumer == kernel.output.name
    loop = kernel.renamed.get(directive.var, directive.var) if final else directive.var
    if (final or directive.consumer == kernel.owner.name) and loop in arrangement.places:
        return arrangement.places[loop]
    if (directive.consumer, directive.var) in arrangement.beyond:
        return arrangement.beyond[directive.consumer, directive.var]
    own = [(kernel.owner.name, loop) for loop in arrangement.places]
    places: dict[Where, int] = {at_root(directive): 0}
    places |= {replace(directive, consumer=func, var=loop): arrangement.depth(at) for (func, loop), at in
              (*arrangement.beyond.items(), *((name, arrangement.places[name[1]]) for name in own))}  # fmt: skip
    raise ScheduleError(
        f"{directive}: {directive.var} of {directive.consumer} is not a loop of the nest of {kernel.stage.name}, "
        f"whose loops, outer to inner, are {', '.join(arrangement.named)}",
        legal=_in_nest(arrangement, places, directive.notation),
        source=directive.source,
    )


def _in_nest(arrangement: Arrangement, places: Mapping[Where, int], notation: Notation) -> list[Beside]:
    """Places, by how many loops are outside, each as code that stands beside the loop just inside of which it is."""
    width, comment = max((len(str(each)) for each in places), default=0), "#" if notation.keywords else "//"
    ordered = sorted(places.items(), key=lambda each: each[1])
    loops = ["outside all loops", *("  " * depth + f"for {loop.name}" for depth, loop in enumerate(arrangement.loops))]
    return [Beside(where, width, f"{comment} {loops[depth]}") for where, depth in ordered]


def _check_nesting(
    kernel: Kernel, arrangement: Arrangement, levels: Sequence[Level[Any]], partner: str = "it is filled from"
) -> None:
    for outer, inner in pairwise(levels):
        if inner.depth <= outer.depth:
            deeper = [name for name, at in arrangement.places.items() if arrangement.depth(at) > outer.depth]
            raise ScheduleError(
                f"{inner.directive}: {partner} {outer.directive.subject}, which lies {outer.where}, "
                "so it must lie at a loop inside that",
                legal=[_at(kernel, inner.directive, name) for name in deeper],
                source=inner.directive.source,
            )
        if inner.store and [None, *(loop.name for loop in arrangement.loops)].index(inner.kept) < outer.depth:
            within = [name for name, at in arrangement.places.items()
                      if outer.depth <= arrangement.depth(at) < inner.depth]
            raise ScheduleError(
                f"{inner.store}: it is filled from {outer.directive.subject}, which lies {outer.where}, so its "
                "words must be kept at that loop or one inside",
                legal=[After(_kept_at(kernel, inner.store, name), inner.directive) for name in within]
                if isinstance(inner.directive, ComputeAt) else (),
                source=inner.store.source,
            )  # fmt: skip


def _kept_at(kernel: Kernel, store: StoreAt | StoreRoot, loop: str) -> StoreAt:
    """What is kept, kept inside a loop."""
    consumer = store.consumer if isinstance(store, StoreAt) else kernel.owner.name
    return StoreAt(*store.buffer, consumer, loop, of=store.of, source=store.source)


def _check_late(
    kernel: Kernel, arrangement: Arrangement, levels: Sequence[Level[Any]], late: frozenset[str], first: int
) -> None:
    """A buffer read at write-back is there when a tile of partial sums, with `first` loops outside, is complete."""
    for level in levels:
        if level.tensor in late and level.depth > first:
            legal = [name for name, at in arrangement.places.items() if arrangement.depth(at) <= first]
            raise ScheduleError(
                f"{level.directive}: {level.tensor} is read when an output element is complete, outside loop "
                f"{arrangement.loops[first].name}, so its buffer must lie outside that loop",
                legal=[_at(kernel, level.directive, name) for name in legal],
                source=level.directive.source,
            )


def _at(kernel: Kernel, directive: Place, loop: str) -> str:
    """The directive as it would be at another loop."""
    if isinstance(directive, ComputeAt):
        return str(replace(directive, var=loop))
    return str(ComputeAt(directive.tensor, directive.level, kernel.owner.name, loop, source=directive.source))


def _settled(
    arrangement: Arrangement, level: Level[Any], accesses: Sequence[Indexed], also: Sequence[Index] | None
) -> Level[Any]:
    """A level whose words are kept as loops further out than its own step too: filled where all of these slide it, and
    outside the array. `also`: as of a buffer."""
    first = arrangement.depth(level.kept)
    while level.store and first < level.depth:
        loop = further_out(arrangement, _line(arrangement, level, accesses, also), first)
        outer = replace(level, at=loop, depth=arrangement.depth(loop))
        try:
            if not loop or not keeps(arrangement, _line(arrangement, outer, accesses, also), first, also is None):
                break
        except HardwareError:
            break
        level = outer
    return level


def _line(
    arrangement: Arrangement, level: Level[Any], accesses: Sequence[Indexed], also: Sequence[Index] | None
) -> Line:
    """A level whose words are kept."""
    assert level.store
    spans = _spans(arrangement, level, accesses, also)
    return Line(level.directive, level.store, level.depth, [access.indices for access in accesses], spans)


def _spans(
    arrangement: Arrangement, level: Level[Any], accesses: Sequence[Indexed], also: Sequence[Index] | None
) -> list[Span]:
    """What a level's tile holds in each dimension."""
    spans = []
    every = (*(access.indices for access in accesses), *(also or ()))
    for dimension, indices in enumerate(zip(*every, strict=True)):
        try:
            outer, inner = arrangement.loops[: level.depth], arrangement.loops[level.depth :]
            spans.append(footprint(indices, outer, inner, arrangement.domain))
        except ValueError as error:
            positions = " and ".join(str(form) for form in indices)
            raise HardwareError(
                f"{level.directive}: the reads of {level.tensor} at {positions} in dimension "
                f"{dimension} move apart as the loops outside step, so no tile of constant size holds them",
                legal=(at_root(level.directive),),
                source=level.directive.source,
            ) from error
    return spans


def _buffer(
    arrangement: Arrangement, level: Level[Any], accesses: Sequence[Indexed], name: str,
    also: tuple[Index, ...] | None = None, stepwise: bool = False,
) -> tuple[Buffer, list[Note]]:  # fmt: skip
    """The buffer of a level, and that it keeps nothing, where it was to. `also`: what it holds beside what is read; it
    slides even if it keeps nothing then, so that it takes the same rows as others do. `stepwise`: the array reads it
    step by step, so that it may come in by pieces."""
    kept: Slide | Note | None = None
    parted: Pieces | None = None
    if level.store:
        line = _line(arrangement, level, accesses, also)
        kept = slide(arrangement, line, level.kept, alone=also is None)
        if isinstance(kept, Note) and level.at and level.directive.level and stepwise and not also:
            parted = pieces(arrangement, line, level.at, level.kept)
    if parted:
        kept, depth = None, arrangement.depth(level.kept) if level.kept else 0
        level = replace(level, at=level.kept, depth=depth)
    spans = _spans(arrangement, level, accesses, also)
    buffer = Buffer(
        name=name,
        tensor=level.tensor,
        at=level.at,
        mins=tuple(span.first for span in spans),
        extents=tuple(span.size for span in spans),
        halves=level.halves,
        per_pe=any(loop.lanes > 1 for loop in arrangement.loops[: level.depth]),
        slide=kept if isinstance(kept, Slide) else None,
        also=also or (),
        pieces=parted,
        source=level.directive.source,
    )
    return buffer, [kept] if isinstance(kept, Note) else []
