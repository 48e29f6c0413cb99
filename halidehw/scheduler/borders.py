"""Boundary conditions on stages, and on tables: which element is read beyond the bounds.

An input's memory outside is asked for the element that lies there; what a stage makes passes by once. So beyond the
bounds the element is chosen among those that lie around: the stage is computed beyond its bounds too, where its words
mean nothing, and of `f(x - 1)`, with its edge repeated, the reader takes `select(x == 0, f(x), f(x - 1))`. What a stage
computes there reads inputs where they may have nothing: of these any element does (`Boundary.free`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import groupby

import numpy as np

from halidehw.expr.expr import Access, Binary, Const, Expr, Select, binary, nodes, transform
from halidehw.expr.types import Bool
from halidehw.frontend.boundary import BoundaryFunc, Exterior
from halidehw.frontend.func import Func
from halidehw.frontend.params import Range
from halidehw.ir.exterior import Kind, nearest, within
from halidehw.scheduler.indices import Box, Ranges, affine
from halidehw.scheduler.inline import source_of
from halidehw.scheduler.kernel import Kernel
from halidehw.scheduler.lookups import is_data, reach


def bordered(core: Kernel, ranges: Ranges) -> Kernel:
    """A kernel that reads stages as they are, and tables too. `ranges`: variable -> its least and greatest value."""
    roots = _roots(core)
    reads = [node for root in roots for node in nodes(root) if isinstance(node, Access)]
    tables = {id(node.target) for node in reads if is_data(node)}

    def change(node: Expr) -> Expr:
        if not isinstance(node, Access) or not isinstance(node.target, BoundaryFunc):
            return node
        exterior = node.target.boundary
        if id(node.target) in tables and exterior.bounds is not None:
            return _found(node, exterior, exterior.bounds)
        if isinstance(exterior.source, Func) and exterior.bounds is not None:
            return _chosen(node, exterior, exterior.bounds, ranges)
        return node

    if not any(isinstance(each.target, BoundaryFunc) for each in reads):
        return core
    value, *epilogue = (transform(root, change) for root in roots)
    return replace(core, value=value, epilogue=epilogue[0] if epilogue else None)


def counted(core: Kernel, ranges: Ranges) -> dict[object, Box]:
    """Of each input and stage that a kernel reads the box of the elements whose values count."""
    found = defaultdict[object, list[Box]](list)
    for node in (node for root in _roots(core) for node in nodes(root) if isinstance(node, Access)):
        box = [_span(arg, ranges) for arg in node.args]
        if isinstance(node.target, BoundaryFunc) and (bounds := node.target.boundary.bounds) is not None:
            kind = node.target.boundary.kind
            box = [within(kind, own, span) for own, span in zip(bounds, box, strict=True)]
        found[source_of(node.target)].append(box)
    return {source: around(boxes) for source, boxes in found.items()}


def over_edge(core: Kernel, func: Func) -> bool:
    """Whether a kernel reads a stage through a boundary condition."""
    return any(isinstance(node.target, BoundaryFunc) and node.target.boundary.source is func
               for root in _roots(core) for node in nodes(root) if isinstance(node, Access))  # fmt: skip


def _roots(core: Kernel) -> tuple[Expr, ...]:
    return (core.value,) if core.epilogue is None else (core.value, core.epilogue)


def around(boxes: Sequence[Box]) -> Box:
    """The smallest box around others."""
    return [(min(low for low, _ in each), max(high for _, high in each)) for each in zip(*boxes, strict=True)]


def _span(arg: Expr, ranges: Ranges) -> tuple[int, int]:
    form = affine(arg, ranges)
    return reach(arg, ranges) if form is None else form.range(ranges)


def _found(node: Access, exterior: Exterior, bounds: Sequence[Range]) -> Expr:
    """A read at data, as one of a table."""
    pairs = list(zip(node.args, bounds, strict=True))
    args = tuple(_folded(exterior.kind, arg, *own) for arg, own in pairs)
    value = Access(node.type, exterior.source, args)
    if exterior.value is None:
        return value
    beyond = [binary(op, arg, end) for arg, (low, size) in pairs for op, end in (("lt", low), ("ge", low + size))]
    return Select(node.type, reduce(_either, beyond), Const(node.type, exterior.value), value)


def _folded(kind: Kind, arg: Expr, low: int, size: int) -> Expr:
    """The index that is read for another one, as `ir.exterior.nearest`."""
    place = arg - low
    match kind:
        case "repeat_image":
            return place % size + low
        case "mirror_image":
            return binary("min", place % (2 * size), 2 * size - 1 - place % (2 * size)) + low
        case "mirror_interior":
            period = max(2 * size - 2, 1)
            return binary("min", place % period, period - place % period) + low
    return binary("max", binary("min", arg, low + size - 1), low)


def _chosen(node: Access, exterior: Exterior, bounds: Sequence[Range], ranges: Ranges) -> Expr:
    """An affine read of a stage, as a choice among some."""
    beyond = [_places(arg, own, ranges) for arg, own in zip(node.args, bounds, strict=True)]
    if exterior.value is not None:
        out = [each for arg, places in zip(node.args, beyond, strict=True) for each in _within(arg, places)]
        value: Expr = Access(node.type, exterior.source, node.args)
        return Select(node.type, reduce(_either, out), Const(node.type, exterior.value), value) if out else value

    def read(args: tuple[Expr, ...]) -> Expr:
        if len(args) == len(node.args):
            return Access(node.type, exterior.source, args)
        arg, places = node.args[len(args)], beyond[len(args)]
        value = read((*args, arg))
        for by, first, last in _runs(exterior.kind, bounds[len(args)], places):
            condition = reduce(_both, _ends(arg, first, last, places))
            value = Select(node.type, condition, read((*args, arg + by)), value)
        return value

    return read(())


def _places(arg: Expr, bounds: Range, ranges: Ranges) -> tuple[range, range]:
    """The indices below the bounds, and those above them, that an index takes."""
    (low, size), (first, last) = bounds, _span(arg, ranges)
    return range(first, min(low, last + 1)), range(max(low + size, first), last + 1)


def _runs(kind: Kind, bounds: Range, places: tuple[range, range]) -> list[tuple[int, int, int]]:
    """Runs of indices beyond the bounds from which the element that is read lies equally far: by how much, and the
    first and the last one."""
    low, size = bounds
    found = []
    for side in places:
        moved = [(low + int(nearest(kind, np.array(each - low), size)) - each, each) for each in side]
        for by, run in groupby(moved, lambda each: each[0]):
            each = [place for _, place in run]
            found.append((by, each[0], each[-1]))
    return found


def _ends(arg: Expr, first: int, last: int, places: tuple[range, range]) -> list[Expr]:
    """That an index is one from `first` to `last`, all of which lie on one side."""
    below, above = places
    if first == last:
        return [binary("eq", arg, first)]
    conditions = [] if below and first == below[0] else [binary("ge", arg, first)]
    return conditions + ([] if above and last == above[-1] else [binary("le", arg, last)])


def _within(arg: Expr, places: tuple[range, range]) -> list[Expr]:
    """That an index is beyond the bounds, on the one side or on the other."""
    below, above = places
    ends = [("le", below[-1:]), ("ge", above[:1])]
    return [binary(op, arg, end[0]) for op, end in ends if end]


def _either(a: Expr, b: Expr) -> Expr:
    return Binary(Bool(), "lor", a, b)


def _both(a: Expr, b: Expr) -> Expr:
    return Binary(Bool(), "land", a, b)
