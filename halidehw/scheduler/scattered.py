"""Updates at data: which elements an iteration can update, and the number of the one that it does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from halidehw.errors import BoundsError, HardwareError
from halidehw.expr.expr import Binary, Const, Expr
from halidehw.expr.nodes import code
from halidehw.expr.types import Int
from halidehw.frontend.params import Range
from halidehw.ir.nest import Scattered
from halidehw.scheduler.indices import Ranges
from halidehw.scheduler.kernel import Kernel, Scatter
from halidehw.scheduler.lookups import reach
from halidehw.scheduler.loops import Arrangement
from halidehw.scheduler.recurrences import Recurring
from halidehw.scheduler.scatter import for_update

MOST = 1 << 12
"""Elements among which an iteration chooses: the accumulators have a bit for each."""


def reached(core: Kernel) -> dict[int, Range]:
    """(min, extent) of what the updates of a stage reach in each dimension in which they are at data, where it is
    known, or follow one another: its reader's memory holds all of that, whatever is read of it."""
    if isinstance(core.value, Recurring):
        begin = core.value.first - core.value.most
        return {core.args.index(core.value.var): (begin, core.value.last - begin + 1)}
    if not isinstance(core.value, Scatter):
        return {}
    inner = core.stage.definition.reduction
    ranges = {var.name: (var.min, var.min + var.extent - 1) for var in inner}
    ends = {name: reach(place, ranges) for name, place in zip(core.value.names, core.value.places, strict=True)}
    return {core.args.index(name): (low, high - low + 1) for name, (low, high) in ends.items() if high - low < MOST}


def scattered_loops(core: Kernel, arrangement: Arrangement) -> tuple[str, ...]:
    """The loops of the elements among which an iteration chooses, outer to inner."""
    if not isinstance(core.value, Scatter):
        return ()
    names = {name for var in core.value.names for name in arrangement.values[var].names}
    return tuple(loop.name for loop in arrangement.loops if loop.name in names)


def scattered(
    core: Kernel, arrangement: Arrangement, node: Scatter, parts: Sequence[Expr], ranges: Ranges
) -> Scattered:
    """`node` in terms of the nest: `parts` are its value and places in these terms.

    Raises `BoundsError` for a place that can lie outside what is computed, `HardwareError` for loops in which two
    iterations could meet, or that come back to elements.
    """
    value, *places = parts
    _check_loops(core, arrangement)
    terms, stride = list[Expr](), 1
    for name, place, own in zip(node.names, places, node.places, strict=True):
        low, high = ranges[name]
        _check_bounds(core, name, own, ranges)
        offset = Binary(Int(32), "sub", place, Const(Int(32), low)) if low else place
        terms.append(Binary(Int(32), "mul", offset, Const(Int(32), stride)) if stride > 1 else offset)
        stride *= high - low + 1
    if stride > MOST:
        raise HardwareError(
            f"{core.owner.name} is updated at {stride} places; its accumulators hold at most {MOST}",
            legal=for_update(core.pipeline.updates.original(core.owner)),
            source=core.stage.definition.source,
        )
    address = reduce(lambda a, b: Binary(Int(32), "add", a, b), terms)
    return Scattered(value.type, value, address)


def _check_bounds(core: Kernel, name: str, place: Expr, ranges: Ranges) -> None:
    low, high = ranges[name]
    first, last = reach(place, ranges)
    if first < low or last > high:
        func, source = core.output.name, core.stage.definition.source
        bound = (f"{func}.bound({name}, {first}, {last - first + 1})",) if last - first < MOST else ()
        raise BoundsError(
            f"{func} is updated where {name} is {place}, which can be {first} .. {last}, but is computed for "
            f"{low} .. {high}",
            legal=(*bound, f"clamp({code(place)}, {low}, {high})"),
            source=source,
        )


def _check_loops(core: Kernel, arrangement: Arrangement) -> None:
    """Iterations update one after another; what else the output depends on lies outside them all."""
    mine = set(scattered_loops(core, arrangement))
    source = core.stage.definition.source
    lanes = next((loop for loop in arrangement.loops if loop.reduction and loop.lanes > 1), None)
    if lanes:
        raise HardwareError(
            f"{lanes.name} has {lanes.lanes} lanes, which could update the same element of {core.output.name} in one "
            "cycle; an iteration follows another one",
            legal=for_update(core.pipeline.updates.original(core.owner)),
            source=source,
        )
    kinds = [loop.reduction for loop in arrangement.loops if loop.name not in mine and loop.steps > 1]
    if kinds != sorted(kinds):
        raise HardwareError(
            f"{core.output.name} is updated at data: its variables that are loops must lie outside those of the RDom",
            source=source,
        )
