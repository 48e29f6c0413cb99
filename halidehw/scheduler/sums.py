"""Legality of a buffer of partial sums: `f.in_().compute_at(f, v)`."""

from __future__ import annotations

from dataclasses import replace

from halidehw.errors import HardwareError, ScheduleError
from halidehw.frontend.directives import ComputeAt
from halidehw.ir.bounds import moving
from halidehw.ir.nest import Buffer, Loop
from halidehw.scheduler.kernel import Kernel
from halidehw.scheduler.loops import Arrangement


def completion(kernel: Kernel, arrangement: Arrangement, depth: int | None) -> int:
    """How many loops lie outside the tile of output elements that are completed together. `depth`: those outside the
    buffer of partial sums, if there is one."""
    loops = arrangement.loops
    first = next((i for i, loop in enumerate(loops) if loop.reduction), len(loops))
    return first if depth is None else min(first, len(_tiles(kernel, arrangement, depth)))


def check_sums(kernel: Kernel, arrangement: Arrangement, directive: ComputeAt, depth: int, sums: Buffer) -> None:
    """`depth`: loops outside the buffer. Raises `ScheduleError` for a second level, a place inside the lanes of a
    reduction or where the accumulators are anyway; `HardwareError` for partial sums that the output cannot hold.
    """
    if directive.level > 1:
        raise ScheduleError(
            f"{directive}: the partial sums of {kernel.owner.name} have one buffer, the accumulators",
            legal=[str(replace(directive, level=1))],
            source=directive.source,
        )
    loops = arrangement.loops
    lanes = next((loop for loop in loops[:depth] if loop.reduction and loop.lanes > 1), None)
    if lanes:
        raise ScheduleError(
            f"{directive}: it lies inside the lanes of {lanes.name}, which are summed before they reach an accumulator",
            legal=_places(arrangement, directive, loops.index(lanes)),
            source=directive.source,
        )
    spilling = [loop for loop in _tiles(kernel, arrangement, depth) if loop.reduction and loop.steps > 1]
    if sums.halves > 1 and _where(kernel, arrangement, depth) == _anyway(arrangement):
        raise ScheduleError(
            f"{directive}: this is where the accumulators are without this line; remove it or state another loop",
            legal=[
                str(replace(directive, var=name))
                for name, loop in arrangement.places.items()
                if _where(kernel, arrangement, _depth(arrangement, loop)) != _anyway(arrangement)
            ],
            source=directive.source,
        )
    if spilling and kernel.epilogue is not None:
        raise HardwareError(
            f"{directive}: steps of {' and '.join(loop.name for loop in spilling)} would leave partial sums of "
            f"{kernel.owner.type} in {kernel.output.name}, whose {kernel.output.type} words are made of complete sums "
            f"only: {kernel.epilogue}",
            legal=_places(arrangement, directive, loops.index(spilling[0])),
            source=directive.source,
        )


def _tiles(kernel: Kernel, arrangement: Arrangement, depth: int) -> tuple[Loop, ...]:
    """The loops outside a tile of partial sums that lies inside `depth` loops."""
    return moving(arrangement.loops[:depth], [arrangement.values[arg].sympy for arg in kernel.args])


def _where(kernel: Kernel, arrangement: Arrangement, depth: int) -> list[str]:
    """The temporal loops outside the accumulators of a buffer inside `depth` loops."""
    return [loop.name for loop in _tiles(kernel, arrangement, depth) if loop.steps > 1]


def _anyway(arrangement: Arrangement) -> list[str]:
    """The temporal loops outside the accumulators where no directive places them."""
    temporal = [loop for loop in arrangement.loops if loop.steps > 1]
    first = next((i for i, loop in enumerate(temporal) if loop.reduction), len(temporal))
    return [loop.name for loop in temporal[:first]]


def _places(arrangement: Arrangement, directive: ComputeAt, depth: int) -> list[str]:
    """The directive at each of the outermost `depth` loops, as the user names them."""
    return [
        str(replace(directive, var=name))
        for name, loop in arrangement.places.items()
        if _depth(arrangement, loop) <= depth
    ]


def _depth(arrangement: Arrangement, loop: str) -> int:
    return [each.name for each in arrangement.loops].index(loop) + 1
