"""What is declared of each buffer: its capacity, with what would fit, and how it lies on the chip."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from itertools import zip_longest
from math import prod
from typing import Any

from halidehw.errors import HalideHWError, HardwareError, ScheduleError
from halidehw.frontend.directives import (
    AlignStorage,
    Capacity,
    ComputeAt,
    Inside,
    LoopDirective,
    Place,
    ReorderStorage,
    SingleBuffer,
    SinglePort,
    Split,
    StoreWith,
    Tile,
    Vectorize,
)
from halidehw.frontend.func import Func
from halidehw.frontend.stage import Stage
from halidehw.ir.bounds import depth, held
from halidehw.ir.declared import Inside as Said
from halidehw.ir.declared import Room, Width
from halidehw.ir.nest import Buffer, Nest
from halidehw.scheduler.kernel import Kernel


def declared(kernel: Kernel, nest: Nest, scheduled: Callable[[Stage], Nest]) -> Nest:
    """`nest`, each of its buffers with what is declared of it.

    `scheduled`: the nest of the same stage under other directives. Raises `HardwareError` for a tile of more words
    than the capacity.
    """
    for directive in kernel.directives:
        if not isinstance(directive, Capacity | Vectorize | Inside):
            continue
        place = _place(kernel, nest, directive)
        if isinstance(directive, Capacity):
            _check(kernel, nest, place, directive, scheduled)
            room = Room(directive.words, directive.subject, directive.source)
            marked = replace(nest.buffers[place], capacity=room)
        elif isinstance(directive, Inside):
            marked = replace(nest.buffers[place], inside=_inside(kernel, nest, nest.buffers[place], directive))
        else:
            width = _width(kernel, directive)
            marked = replace(nest.buffers[place], width=width)
        nest = replace(nest, buffers=(*nest.buffers[:place], marked, *nest.buffers[place + 1 :]))
    return nest


def _width(kernel: Kernel, directive: Vectorize) -> Width:
    """Raises `ScheduleError` for one of partial sums: what they move on comes as they are summed up."""
    if directive.tensor == kernel.owner.name:
        raise ScheduleError(
            f"{directive}: the partial sums of {directive.tensor} move on as many at a time as keep up with the array",
            source=directive.source,
        )
    return Width(directive.words, directive.subject, directive.source)


def _inside(kernel: Kernel, nest: Nest, buffer: Buffer, directive: Inside) -> Said:
    """How a buffer lies with one line more. Raises `ScheduleError` for what are not its dimensions, and for partial
    sums, which lie as they are summed up."""
    said = buffer.inside or Said(directive.subject)
    said = replace(said, source=directive.source)
    if isinstance(directive, SinglePort):
        return replace(said, ports=directive.words)
    if isinstance(directive, StoreWith):
        return replace(said, together=(directive.other, directive.words))
    if directive.tensor == kernel.owner.name:
        raise ScheduleError(
            f"{directive}: the partial sums of {directive.tensor} lie in the order of the loops that they are summed "
            "up in; its values in memory are another thing",
            legal=(f"{kernel.output.name}.output_buffer().{directive.call(directive.notation)}",),
            source=directive.source,
        )
    names = tuple(map(str, range(len(nest.tensor[buffer.tensor].extents))))
    func = next((each for each in kernel.reads if each.name == directive.tensor), None)
    stated = directive.order if isinstance(directive, ReorderStorage) else (directive.dimension,)
    if isinstance(func, Func) and not all(name.isdigit() for name in stated):
        names = func.args
        said = replace(said, names=names)
    legal: list[ReorderStorage | AlignStorage]
    if isinstance(directive, ReorderStorage):
        wrong, legal = sorted(stated) != sorted(names), [replace(directive, order=tuple(reversed(names)))]
    else:
        wrong, legal = stated[0] not in names, [replace(directive, dimension=name) for name in names]
    if wrong:
        raise ScheduleError(
            f"{directive}: {directive.tensor} has dimensions {', '.join(names)}",
            legal=list(map(str, legal)), source=directive.source,
        )  # fmt: skip
    if isinstance(directive, ReorderStorage):
        return replace(said, order=tuple(map(names.index, directive.order)))
    aligned = dict(said.aligned) | {names.index(directive.dimension): directive.multiple}
    return replace(said, aligned=tuple(sorted(aligned.items())))


def _place(kernel: Kernel, nest: Nest, directive: Capacity | Vectorize | Inside) -> int:
    """The position among the nest's buffers of the one that a directive is about."""
    levels = sorted(
        each.level for each in kernel.directives if isinstance(each, Place) and each.tensor == directive.tensor
    )
    tensor = kernel.output.name if directive.tensor == kernel.owner.name else directive.tensor
    return nest.buffers.index(nest.levels(tensor)[levels.index(directive.level)])


def _check(
    kernel: Kernel, nest: Nest, place: int, capacity: Capacity, scheduled: Callable[[Stage], Nest]
) -> None:
    buffer = nest.buffers[place]
    sizes = held(nest, buffer)
    needed = prod(sizes)
    if needed <= capacity.words:
        return
    smaller = [
        f"{kernel.stage.name}.{directive}"
        for directive in _smaller_splits(kernel.stage, lambda stage: _fits(scheduled, stage, place, capacity.words))
    ]
    found = _single(nest, buffer, capacity) if buffer.slide else _places_inside(kernel, nest, buffer, capacity)
    inside = map(str, found)
    each = " in each PE" if buffer.per_pe else ""
    raise HardwareError(
        f"{capacity}: {buffer.name} needs {_grouped(needed)} words{each} ({' x '.join(map(str, sizes))}), "
        f"has {_grouped(capacity.words)}",
        legal=[*smaller, *inside, str(replace(capacity, words=needed))],
        source=capacity.source,
    )


def _fits(scheduled: Callable[[Stage], Nest], stage: Stage, place: int, words: int) -> bool:
    try:
        nest = scheduled(stage)
    except HalideHWError:
        return False
    return prod(held(nest, nest.buffers[place])) <= words


def _smaller_splits(stage: Stage, fits: Callable[[Stage], bool]) -> Iterator[LoopDirective]:
    """For each split, the same by the greatest half, quarter, ... of its factor with which the tile fits."""
    for place, directive in enumerate(stage.directives):
        for smaller in _halved(directive):
            other = copy(stage)
            other.directives = [*stage.directives[:place], smaller, *stage.directives[place + 1 :]]
            if fits(other):
                yield smaller
                break


def _halved(directive: LoopDirective) -> Iterator[LoopDirective]:
    names: tuple[str, ...] = ()
    match directive:
        case Split():
            names = ("factor",)
        case Tile():
            names = ("xfactor", "yfactor")
    factors: dict[str, Any] = {name: getattr(directive, name) for name in names}
    while factors and min(factors.values()) >= 4:
        factors = {name: factor // 2 for name, factor in factors.items()}
        yield replace(directive, **factors)


def _places_inside(kernel: Kernel, nest: Nest, buffer: Buffer, capacity: Capacity) -> Iterator[ComputeAt]:
    """The same buffer at loops further in, as far as the next level and the next unrolled loop, where it fits."""
    own = next(each for each in kernel.directives if isinstance(each, Place) and each.buffer == capacity.buffer)
    taken = [level.at for level in nest.levels(buffer.tensor)]
    inside = nest.loops[depth(nest, buffer.at) :]
    for loop, after in zip_longest(inside, inside[1:]):
        ends = nest.epilogue is not None or buffer.tensor == nest.output.name
        if loop.name in taken or loop.lanes > 1 or (loop.reduction and ends):
            break
        whole = after is None or loop.fused is None or after.fused != loop.fused
        if whole and prod(held(nest, replace(buffer, at=loop.name))) <= capacity.words:
            var = loop.fused or loop.name
            if isinstance(own, ComputeAt):
                yield replace(own, var=var)
            else:
                yield ComputeAt(own.tensor, own.level, kernel.owner.name, var, source=own.source)


def _single(nest: Nest, buffer: Buffer, capacity: Capacity) -> Iterator[SingleBuffer]:
    """A line buffer without the rows for its next tile, where it fits."""
    if buffer.halves > 1 and prod(held(nest, replace(buffer, halves=1))) <= capacity.words:
        yield SingleBuffer(capacity.tensor, capacity.level)


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", " ")
