"""Which loops lie in space: lanes, the dimension of the array they are on, and how far apart they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from halidehw.errors import ScheduleError
from halidehw.frontend.dataflow import parse
from halidehw.frontend.directives import Dataflow, LoopDirective, Unroll
from halidehw.frontend.loops import LoopName
from halidehw.notes import Note
from halidehw.scheduler.digits import Digit, legal_factors

DIMENSIONS = 2


@dataclass(frozen=True)
class Placement:
    """A loop's lanes in space."""

    lanes: int
    dimension: int
    distance: int


def lanes(loop: LoopName, group: tuple[Digit, ...], directives: Sequence[LoopDirective]) -> dict[str, int]:
    """The lanes of each digit of a loop, by key: the innermost digits whole, one of them in part; at most as many as
    there are iterations.

    Raises `ScheduleError` for lanes that are no box of a fused loop.
    """
    directive = _unroll(loop, directives) or Unroll(loop.name)
    total = prod(digit.extent for digit in group)
    found: dict[str, int] = {}
    left = min(loop.lanes or 1, total)
    for digit in reversed(group):
        part = min(left, digit.extent)
        if left % part:
            break
        found[digit.key] = part
        left //= part
    if left == 1:
        return found
    most = loop.extent or total
    raise ScheduleError(
        f"{replace(directive, factor=loop.lanes)}: {loop.name} is fused of loops of "
        f"{' x '.join(str(digit.extent) for digit in group)} iterations, and {loop.lanes} lanes are no box of these",
        legal=tuple(
            str(replace(directive, factor=factor)) for factor in sorted(set(legal_factors(group))) if factor <= most
        ),
        source=directive.source,
    )


def idle(loop: LoopName, group: tuple[Digit, ...], directives: Sequence[LoopDirective]) -> tuple[Note, ...]:
    """That a loop has fewer iterations than the lanes it was to have."""
    directive, total = _unroll(loop, directives), prod(digit.extent for digit in group)
    if directive is None or directive.factor is None or directive.factor <= total:
        return ()
    why = f"{loop.name} has {total} iteration{'s' * (total > 1)}, and as many lanes"
    return (Note(f"{directive}: {why}", directive.source),)


def _unroll(loop: LoopName, directives: Sequence[LoopDirective]) -> Unroll | None:
    return next((each for each in directives if isinstance(each, Unroll) and each.var == loop.name), None)


def place(
    loops: Sequence[LoopName], parts: Sequence[tuple[str, dict[str, int]]], directives: Sequence[LoopDirective]
) -> dict[str, Placement]:
    """Digit key -> where its lanes lie.

    `parts`: per loop, outer to inner, its name and the lanes of its digits, innermost first. Loops that a dataflow
    names lie as it says; the others take the next dimension each, and the last dimension where none is left. The
    first named, else the innermost, of a dimension has neighbouring lanes in neighbouring PEs.
    """
    named = {loop.name: loop.dimension for loop in loops}
    first = max((d + 1 for d in named.values() if d is not None), default=0)
    spatial = [(name, found) for name, found in parts if any(count > 1 for count in found.values())]
    dimension: dict[str, int] = {}
    for name, _ in spatial:
        stated = named[name]
        dimension[name] = min(first, DIMENSIONS - 1) if stated is None else stated
        first += stated is None
    order = _order(loops, directives)
    nearest = sorted(reversed(spatial), key=lambda part: order.get(part[0], len(order)))
    reach = [1] * DIMENSIONS
    placed: dict[str, Placement] = {}
    for name, found in nearest:
        for key, count in found.items():
            if count > 1:
                placed[key] = Placement(count, dimension[name], reach[dimension[name]])
                reach[dimension[name]] *= count
    _check_sizes([(name, prod(found.values()), dimension[name]) for name, found in nearest], directives)
    return placed


def _check_sizes(nearest: Sequence[tuple[str, int, int]], directives: Sequence[LoopDirective]) -> None:
    """`nearest`: loop, lanes and dimension. Raises `ScheduleError` for more PEs than a dataflow says there are."""
    for dataflow in (each for each in directives if isinstance(each, Dataflow)):
        for dimension, size in enumerate((dataflow.rows, dataflow.cols)):
            shares = [(name, lanes) for name, lanes, where in nearest if where == dimension]
            total = prod(lanes for _, lanes in shares)
            if size is not None and total > size:
                raise _too_many(dataflow, dimension, shares, size, directives)


def _too_many(
    dataflow: Dataflow, dimension: int, shares: list[tuple[str, int]], size: int,
    directives: Sequence[LoopDirective],
) -> ScheduleError:  # fmt: skip
    total = prod(lanes for _, lanes in shares)
    names = [name for name, _ in shares]
    last = next((d for d in reversed(directives) if isinstance(d, Unroll) and d.var in names), None)
    fewer = size * dict(shares)[last.var] // total if last else 1
    enough = replace(dataflow, cols=total) if dimension else replace(dataflow, rows=total)
    return ScheduleError(
        f"{last or dataflow}: {' x '.join(f'{name} {lanes}' for name, lanes in shares)} = {total} PEs in a "
        f"{'row' if dimension else 'column'} of {size}",
        legal=([str(replace(last, factor=fewer))] if last and fewer > 1 else []) + [str(enough)],
        source=(last or dataflow).source,
    )


def _order(loops: Sequence[LoopName], directives: Sequence[LoopDirective]) -> dict[str, int]:
    """Loops in the order a dataflow names them."""
    names = [loop.name for loop in loops]
    named = [name for d in directives if isinstance(d, Dataflow) for side in parse(d, names) for name in side]
    return {name: position for position, name in enumerate(named)}
