"""Recurrences in loops: which state an iteration follows, and what it makes of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce

from halidehw.errors import BoundsError, HardwareError, SourceLine
from halidehw.expr.expr import Binary, Const, Expr, fold, nodes, rebuild
from halidehw.expr.nodes import convert
from halidehw.expr.tree import children
from halidehw.expr.tuples import field, pack
from halidehw.expr.types import Bool, UInt, struct
from halidehw.frontend.directives import Reorder, Unroll
from halidehw.frontend.stage import Stage
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Lookup, Loop, LoopValue, Merge, Scan, Side
from halidehw.scheduler.kernel import Kernel
from halidehw.scheduler.loops import Arrangement
from halidehw.scheduler.recurrences import Before, Recurring


def scanned(
    core: Kernel, arrangement: Arrangement, node: Recurring, value: Expr, computed: tuple[int, int]
) -> Scan:
    """`node` in terms of the nest, as its `value` is. `computed`: the first and the last element along its variable.

    Raises `HardwareError` for loops that do not go along its variable in order, one element after the other,
    `BoundsError` where elements that it reads are not computed.
    """
    if computed[0] > node.first - node.most:
        _, var = next(pair for pair in zip(core.args, core.output.args, strict=True) if pair[0] == node.var)
        size = computed[1] - (node.first - node.most) + 1
        raise BoundsError(
            f"the update of {core.output.name} reads it at {node.first - node.most} in {var}, but it is computed for "
            f"{computed[0]} .. {computed[1]}",
            legal=(f"{core.output.name}.bound({var}, {node.first - node.most}, {size})",),
            source=core.stage.definition.source,
        )
    form = arrangement.values[node.var]
    along = [loop for loop in arrangement.loops if form[loop.name] and loop.extent > 1]
    _check_order(core, arrangement, node, along)
    outermost = arrangement.loops.index(along[0]) if along else len(arrangement.loops)
    beside = [loop for loop in arrangement.loops[outermost:] if loop not in along]
    begun = Affine.of(((loop.name, 1) for loop in along), -sum(loop.min for loop in along))
    last = sum(loop.extent - 1 for loop in along)
    start = _number(begun, last)
    first = Binary(Bool(), "eq", start, Const(start.type, 0))
    address, words = _address(beside)
    word, merge = _step(core, value, node.most)
    return Scan(node.type, first, address, word, merge, words)


def _check_order(core: Kernel, arrangement: Arrangement, node: Recurring, along: Sequence[Loop]) -> None:
    name, source = core.stage.name, core.stage.definition.source
    lanes = next((loop for loop in along if loop.lanes > 1), None)
    if lanes:
        raise HardwareError(
            f"{lanes.name} has {lanes.lanes} lanes, but elements of {core.output.name} follow one another along it",
            legal=_others(core, node),
            source=_lanes(core.stage, lanes.name) or source,
        )
    weights = [arrangement.values[node.var][loop.name] for loop in along]
    if weights != sorted(weights, reverse=True):
        orders = [each for each in core.stage.directives if isinstance(each, Reorder)]
        outer = sorted(along, key=lambda loop: -arrangement.values[node.var][loop.name])
        raise HardwareError(
            f"elements of {core.output.name} follow one another along {node.var}, whose loops are, outer to inner, "
            f"{', '.join(loop.name for loop in along)}",
            legal=(f"{name}.reorder({', '.join(loop.name.split('.', 1)[-1] for loop in reversed(outer))})",),
            source=next((each.source for each in reversed(orders)), source),
        )


def _others(core: Kernel, node: Recurring) -> tuple[str, ...]:
    """Lanes beside one another along the other variables."""
    free = [loop.name for loop in core.stage.loops.loops if loop.lanes is None]
    return tuple(f"{core.stage.name}.unroll({name}, 4)" for name in core.args if name != node.var and name in free)


def _lanes(stage: Stage, loop: str) -> SourceLine | None:
    """The line that makes the lanes of a loop of the nest, if it is one of its own; a part of a loop has its name and
    an o or i after it."""
    bare = loop.removeprefix(f"{stage.name.partition('.')[0]}.")
    lanes = (each for each in stage.directives if isinstance(each, Unroll))
    return next((each.source for each in lanes if re.fullmatch(f"{re.escape(each.var)}[oi]*", bare)), None)


def _address(beside: Sequence[Loop]) -> tuple[Expr, int]:
    """The number of an iteration among those of the loops between two elements, in its PE; how many there are."""
    plain, shifted, words = Affine(), list[tuple[Affine, Loop, int]](), 1
    for loop in reversed(beside):
        offset = Affine.variable(loop.name) - loop.min
        if loop.lanes == 1 or loop.lanes & (loop.lanes - 1):
            plain, words = plain + offset * words, words * loop.extent
        elif loop.steps > 1:
            shifted.append((offset, loop, words))
            words *= loop.steps
    kind = UInt(_bits(words - 1))
    terms = [convert(kind, _number(plain, words - 1))]
    for offset, loop, weight in shifted:
        lane = _number(offset, loop.extent - 1)
        step = Binary(lane.type, "shr", lane, Const(lane.type, loop.lanes.bit_length() - 1))
        terms.append(Binary(kind, "mul", convert(kind, step), Const(kind, weight)))
    return reduce(lambda a, b: Binary(kind, "add", a, b), terms), words


def _number(form: Affine, most: int) -> Expr:
    """A form of the loops, from 0 to `most`, as a number."""
    return LoopValue(UInt(_bits(most)), form)


def _bits(most: int) -> int:
    return max(most.bit_length(), 1)


def _step(core: Kernel, value: Expr, most: int) -> tuple[Expr, Merge]:
    """What a state takes in at an iteration, and how: what of a value does not follow others is computed before."""
    state, given, late = struct([value.type] * most), list[Expr](), set[int]()
    places: dict[int, int] = {}
    for node in nodes(value):
        if any(isinstance(each, Before) for each in nodes(node)):
            late.add(id(node))
            _check_step(core, node)
    for node in (part for each in nodes(value) if id(each) in late for part in children(each)):
        if id(node) not in late and not isinstance(node, Const) and id(node) not in places:
            places[id(node)] = len(given)
            given.append(node)
    word = pack(given or [Const(UInt(1), 0)])
    before, taken = Side(state, False), Side(word.type, True)

    def change(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Before):
            return field(before, node.places - 1)
        return field(taken, places[id(node)]) if id(node) in places else rebuild(node, parts)

    kept = [field(before, place) for place in range(most - 1)]
    return word, Merge(pack([fold(value, change), *kept]), 0, (None,) * most)


def _check_step(core: Kernel, node: Expr) -> None:
    """What follows others is computed in a cycle: no table is looked up there, nor divided by values."""
    divides = isinstance(node, Binary) and node.op in ("div", "mod") and not isinstance(node.b, Const)
    if isinstance(node, Lookup) or divides:
        what = f"looks {node.tensor} up" if isinstance(node, Lookup) else "divides by what is no constant"
        raise HardwareError(
            f"{core.output.name} {what} at an element before: an element follows another one in a cycle, in which that "
            "cannot be done",
            legal=("... / 4", "... >> 2") if divides else (f"{core.output.name}[...] = select(..., ..., ...)",),
            source=core.stage.definition.source,
        )
