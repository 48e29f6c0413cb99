"""Line buffers: `store_at` and `store_root`, which keep what consecutive tiles of a buffer have in common."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import gcd, prod

from halidehw.errors import HardwareError, ScheduleError
from halidehw.frontend.directives import ComputeAt, Directive, Place, StoreAt, StoreRoot
from halidehw.ir.affine import Affine
from halidehw.ir.bounds import Span
from halidehw.ir.nest import Constraint, Pieces, Slide
from halidehw.notes import Note
from halidehw.scheduler.kernel import Kernel
from halidehw.scheduler.loops import Arrangement
from halidehw.scheduler.proposals import After, at_root
from halidehw.scheduler.sliding import Run, run

Kept = StoreAt | StoreRoot


@dataclass(frozen=True)
class Line:
    """A buffer that is filled inside `depth` loops, as `compute` says, and keeps its words as `store` says.

    `reads`: their indices, over the loops' values; `spans`: the tile.
    """

    compute: ComputeAt
    store: Kept
    depth: int
    reads: Sequence[Sequence[Affine]]
    spans: Sequence[Span]

    @property
    def index(self) -> Sequence[Affine]:
        """One of the reads."""
        return self.reads[0]


def check_stores(kernel: Kernel) -> None:
    """Raises `ScheduleError` for a `store_at` or `store_root` of what is no buffer."""
    directives = kernel.directives
    placed = {each.buffer for each in directives if isinstance(each, Place)}
    for store in stores(directives):
        if store.buffer not in placed:
            loop, own = kernel.stage.loops.names[-1], store.buffer == (kernel.owner.name, 0)
            place = ComputeAt(*store.buffer, kernel.owner.name, loop, of=store.of, source=store.source)
            raise ScheduleError(
                f"{store}: there is no compute_at, so {store.subject} is filled at no loop",
                legal=(*([] if own else [After(store, place)]), at_root(store)),
                source=store.source,
            )


def stores(directives: Iterable[Directive]) -> list[Kept]:
    return [each for each in directives if isinstance(each, StoreAt | StoreRoot)]


def slide(arrangement: Arrangement, line: Line, at: str | None, alone: bool = True) -> Slide | Note:
    """How the buffer slides whose words are kept just inside loop `at`; a note where there is nothing to keep, if no
    other one takes the same rows.

    Raises `ScheduleError` for a place inside the one where it is filled, `HardwareError` for a window that no ring of
    rows can hold.
    """
    if any(loop.lanes > 1 for loop in arrangement.loops[: line.depth]):
        lanes = next(loop.name for loop in arrangement.loops if loop.lanes > 1)
        raise HardwareError(
            f"{line.store}: {line.compute.subject} is filled inside the lanes of {lanes}; one that keeps the overlap "
            "of its tiles must be filled outside the array",
            legal=[replace(line.compute, var=name) for name, place in arrangement.places.items()
                   if arrangement.depth(place) <= arrangement.depth(lanes) - 1] or [at_root(line.compute)],
            source=line.store.source,
        )  # fmt: skip
    first = arrangement.depth(at) if at else 0
    if first == line.depth:
        return Note(f"{line.store}: it is filled there anew, so there is nothing to keep", line.store.source)
    if first > line.depth:
        raise ScheduleError(
            f"{line.store}: it must lie outside loop {line.compute.var}, where {line.compute.subject} is filled",
            legal=(*_legal(arrangement, line), str(line.compute)),
            source=line.store.source,
        )
    try:
        found, name = _moved(arrangement, line, first)
    except ValueError as error:
        raise HardwareError(
            f"{line.store}: {line.compute.subject} has no window that slides: {error}",
            legal=(*_legal(arrangement, line), str(line.compute)),
            source=line.store.source,
        ) from error
    if found is None:
        why = f"no loop between it and {line.compute.var} moves {line.compute.subject}, so there is nothing to keep"
    elif alone and not _overlaps(arrangement, line, found):
        why = (
            f"{name} moves {line.compute.subject} by {found.step} in dimension {found.dimension}, where it is "
            f"{line.spans[found.dimension].size} long, so its tiles have nothing in common to keep"
        )
    elif _skips(line, found):
        raise HardwareError(
            f"{line.store}: {name} moves {line.compute.subject} by {found.step} in dimension {found.dimension}, where "
            f"it is {line.spans[found.dimension].size} long; others take what lies between, and nothing passes it over",
            legal=(at_root(line.compute),),
            source=line.store.source,
        )
    else:
        return Slide(at, found.axes, found.dimension, found.step)
    return Note(f"{line.store}: {why}", line.store.source)


def pieces(arrangement: Arrangement, line: Line, filled: str, at: str | None) -> Pieces | None:
    """How a buffer whose words are kept just inside loop `at` comes in by what it holds just inside `filled`, or
    partial sums leave by it: where loops between the two move that by all of it, and others come back to it. None where
    nothing comes back, or two of these have words in common."""
    between = [loop for loop in arrangement.loops[: line.depth] if loop.extent > 1]
    lanes = any(loop.lanes > 1 for loop in between)
    between = between[sum(loop.extent > 1 for loop in arrangement.loops[: arrangement.depth(at) if at else 0]) :]
    moving = [any(form[loop.name] for form in line.index) for loop in between]
    if lanes or False not in moving or True not in moving[moving.index(False) :]:
        return None
    for form, span in zip(line.index, line.spans, strict=True):
        reach = span.size
        for weight, extent in sorted((form[loop.name], loop.extent) for loop in between if form[loop.name]):
            if weight < reach:
                return None
            reach += weight * (extent - 1)
    compute, store = line.compute, line.store
    whole = replace(compute, consumer=store.consumer, var=store.var) if isinstance(store, StoreAt) else at_root(compute)
    return Pieces(filled, compute.subject, str(whole), store.source)


def further_out(arrangement: Arrangement, line: Line, first: int) -> str | None:
    """The loop inside the outermost `first`, but outside the one where a buffer is filled, that moves its tile as well;
    or else the one outside the lanes inside of which it is filled. None where nothing but the slide moves it.
    """
    between = arrangement.loops[first : line.depth]
    places = {*arrangement.places.values(), *arrangement.beyond.values()}
    lanes = next((number for number, loop in enumerate(between) if loop.lanes > 1), None)
    if lanes is not None:
        return next((loop.name for loop in reversed(between[:lanes]) if loop.name in places), None)
    try:
        found, _ = _moved(arrangement, line, first)
    except ValueError:
        return None
    names = [loop.name for loop in between]
    outside = [loop for loop in between[: names.index(found.axes[0]) if found else 0] if loop.extent > 1]
    moving = takewhile(lambda loop: any(form[loop.name] for form in line.index), reversed(outside))
    return next((loop.name for loop in moving if loop.name in places), None)


def keeps(arrangement: Arrangement, line: Line, first: int, alone: bool = True) -> bool:
    """Whether the tile slides inside the outermost `first` loops and, where a reader is `alone`, a later tile has rows
    of it again."""
    try:
        found, _ = _moved(arrangement, line, first)
    except ValueError:
        return False
    return found is not None and (not alone or _overlaps(arrangement, line, found))


def _moved(arrangement: Arrangement, line: Line, first: int) -> tuple[Run | None, str]:
    """How the loops inside the outermost `first` slide the tile, and the innermost of them that moves it. Raises
    ValueError for a tile that does not move in the way of a window."""
    inside = arrangement.loops[first : line.depth]
    axes = [(loop.name, loop.extent) for loop in inside if loop.extent > 1]
    while axes and not any(form[axes[-1][0]] for form in line.index):
        axes.pop()
    if not axes:
        return None, ""
    inner = {loop.name: loop.extent for loop in arrangement.loops[line.depth :]}
    limits = [dict(each.terms) for each in arrangement.domain if _cuts(each, axes, inner, line.reads)]
    found = run(axes, line.index, limits, inner)
    if found:
        _check_end(arrangement, line, found, inner)
    return found, axes[-1][0]


def _check_end(arrangement: Arrangement, line: Line, found: Run, inner: Collection[str]) -> None:
    """Raises ValueError where the rows end somewhere between two of them, as a loop outside that moves nothing else
    steps: they are `unit` apart."""
    form, unit = line.index[found.dimension], gcd(line.spans[found.dimension].step, found.step)
    for weights in (dict(limit.terms) for limit in arrangement.domain):
        for axis in found.axes:
            for name in weights.keys() - {*found.axes, *inner} if axis in weights else ():
                if weights[name] * form[axis] // weights[axis] % unit:
                    raise ValueError(f"its rows are {unit} apart, and where they end moves by less as {name} steps")


def _cuts(
    limit: Constraint, axes: Sequence[tuple[str, int]], inner: Collection[str], reads: Sequence[Sequence[Affine]]
) -> bool:
    """Whether a limit cuts off the axes, or what the loops inside them add to the index."""
    weights = dict(limit.terms)
    inside = any(form[name] for index in reads for form in index for name in inner if name in weights)
    return inside or sum(weights.get(name, 0) * (extent - 1) for name, extent in axes) > limit.limit


def _overlaps(arrangement: Arrangement, line: Line, found: Run) -> bool:
    """Whether a tile has words in common with a later one: the first that meets its stride again, if it is not past all
    of its words and there are so many tiles."""
    span = line.spans[found.dimension]
    unit = gcd(span.step, found.step)
    tiles = prod(loop.extent for loop in arrangement.loops if loop.name in found.axes)
    return (span.size - 1) // span.step + 1 > found.step // unit and tiles > span.step // unit


def _skips(line: Line, found: Run) -> bool:
    """Whether some words lie between a tile and the next one."""
    span = line.spans[found.dimension]
    return found.step // span.step > (span.size - 1) // span.step + 1


def _legal(arrangement: Arrangement, line: Line) -> tuple[After, ...]:
    """Where words could be kept instead, so that there is something to keep."""
    said, outer = line.compute, {at: arrangement.depth(place) for at, place in arrangement.places.items()}
    places: dict[Kept, int] = {StoreRoot(*said.buffer, of=said.of, source=said.source): 0}
    places |= {StoreAt(*said.buffer, said.consumer, at, of=said.of, source=said.source): outer[at] for at in outer}
    return tuple(After(each, said) for each, first in places.items()
                 if first < line.depth and keeps(arrangement, line, first))  # fmt: skip
