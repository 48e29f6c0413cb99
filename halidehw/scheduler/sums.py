"""Legality of the buffers of partial sums: `f.in_().compute_at(f, v)`, `f.in_().in_()`, and so on inwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from halidehw.errors import HardwareError, ScheduleError
from halidehw.frontend.directives import ComputeAt
from halidehw.ir.bounds import moving
from halidehw.ir.nest import Loop
from halidehw.notes import Note
from halidehw.scheduler.kernel import Kernel
from halidehw.scheduler.levels import Level
from halidehw.scheduler.loops import Arrangement


def completion(kernel: Kernel, arrangement: Arrangement, depth: int | None) -> int:
    """How many loops lie outside the tile of output elements that are completed together. `depth`: those outside the
    outermost buffer of partial sums, if there is one."""
    loops = arrangement.loops
    first = next((i for i, loop in enumerate(loops) if loop.reduction), len(loops))
    return first if depth is None else min(first, len(_tiles(kernel, arrangement, depth)))


def check_sums(kernel: Kernel, arrangement: Arrangement, levels: Sequence[Level[ComputeAt]]) -> tuple[Note, ...]:
    """`levels`: outermost first, each inside the one before it. Notes of one that changes nothing. Raises
    `ScheduleError` for levels where nothing is reduced, a level without the one outside it, an outermost one inside the
    lanes of a reduction, one among the lanes of the output, and one that holds what another one does; `HardwareError`
    for partial sums that the output cannot hold.
    """
    for level in levels if kernel.combine is None else ():
        raise ScheduleError(
            f"{level.directive}: {kernel.owner.name} reduces nothing, so it has no partial sums; remove the line",
            legal=[str(replace(level.directive, tensor=each.name)) for each in kernel.reads],
            source=level.directive.source,
        )
    for number, level in enumerate(levels, 1):
        if level.directive.level > number:
            missing = replace(level.directive, level=number)
            raise ScheduleError(
                f"{level.directive}: there is no {missing.subject}.compute_at, where its sums would go",
                legal=[str(missing)],
                source=level.directive.source,
            )
    for outermost in levels[:1]:
        _check_outermost(kernel, arrangement, outermost)
    for outer, inner in pairwise(levels):
        _check_lanes(arrangement, outer, inner.depth)
        if _where(kernel, arrangement, inner.depth) == _where(kernel, arrangement, outer.depth):
            raise ScheduleError(
                f"{inner.directive}: it holds the same sums as {outer.directive.subject}; remove it or state another "
                "loop",
                legal=[
                    str(replace(inner.directive, var=name))
                    for name, loop in arrangement.places.items()
                    if len(_where(kernel, arrangement, arrangement.depth(loop)))
                    > len(_where(kernel, arrangement, outer.depth))
                ],
                source=inner.directive.source,
            )
    return tuple(
        Note(f"{level.directive}: this is where the accumulators are without this line", level.directive.source)
        for level in levels
        if len(levels) == 1 and level.halves > 1 and not level.store
        if _where(kernel, arrangement, level.depth) == _anyway(arrangement)
    )


def _check_outermost(kernel: Kernel, arrangement: Arrangement, level: Level[Any]) -> None:
    loops, directive = arrangement.loops, level.directive
    tiles = _tiles(kernel, arrangement, level.depth)
    lanes = next((loop for loop in tiles if loop.reduction and loop.lanes > 1), None)
    if lanes:
        raise ScheduleError(
            f"{directive}: it lies inside the lanes of {lanes.name}, which are summed before they reach an accumulator",
            legal=_places(arrangement, directive, loops.index(lanes)),
            source=directive.source,
        )
    spilling = [loop for loop in tiles if loop.reduction and loop.steps > 1]
    if spilling and kernel.epilogue is not None:
        raise HardwareError(
            f"{directive}: steps of {' and '.join(loop.name for loop in spilling)} would leave partial sums of "
            f"{kernel.owner.type} in {kernel.output.name}, whose {kernel.output.type} words are made of complete sums "
            f"only: {kernel.epilogue}",
            legal=_places(arrangement, directive, loops.index(spilling[0])),
            source=directive.source,
        )


def _check_lanes(arrangement: Arrangement, level: Level[Any], inner: int) -> None:
    """A level that is not the accumulators, but outside one inside `inner` loops, is one memory, or has one in each
    lane of the output."""
    outside, inside = (
        [loop for loop in loops if loop.lanes > 1 and not loop.reduction]
        for loops in (arrangement.loops[: level.depth], arrangement.loops[level.depth :])
    )
    if outside and inside:
        raise ScheduleError(
            f"{level.directive}: it lies inside the lanes of {outside[0].name} and outside those of {inside[-1].name}; "
            "sums have one memory for all lanes, or one in each",
            legal=_places(arrangement, level.directive, arrangement.loops.index(outside[0]))
            + _places(arrangement, level.directive, inner - 1, arrangement.loops.index(inside[-1])),
            source=level.directive.source,
        )


def _tiles(kernel: Kernel, arrangement: Arrangement, depth: int) -> tuple[Loop, ...]:
    """The loops outside a tile of partial sums that lies inside `depth` loops."""
    return moving(arrangement.loops[:depth], [arrangement.values[arg] for arg in kernel.args])


def _where(kernel: Kernel, arrangement: Arrangement, depth: int) -> list[str]:
    """The temporal loops outside the accumulators of a buffer inside `depth` loops."""
    return [loop.name for loop in _tiles(kernel, arrangement, depth) if loop.steps > 1]


def _anyway(arrangement: Arrangement) -> list[str]:
    """The temporal loops outside the accumulators where no directive places them."""
    temporal = [loop for loop in arrangement.loops if loop.steps > 1]
    first = next((i for i, loop in enumerate(temporal) if loop.reduction), len(temporal))
    return [loop.name for loop in temporal[:first]]


def _places(arrangement: Arrangement, directive: ComputeAt, depth: int, outside: int = 0) -> list[str]:
    """The directive at each of the outermost `depth` loops but for the `outside` ones, as the user names them."""
    return [
        str(replace(directive, var=name))
        for name, loop in arrangement.places.items()
        if outside < arrangement.depth(loop) <= depth
    ]
