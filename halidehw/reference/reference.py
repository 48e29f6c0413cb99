"""The values of a Func from its algorithm alone, in NumPy: the truth that hardware is compared with.

Vectorised over the pure variables; a reduction domain is walked in order, its x fastest. While evaluating, each
variable has an array along an axis of its own, so that an index or a weight is only as large as what it uses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from halidehw.errors import BoundsError, SourceLine
from halidehw.expr.arithmetic import apply
from halidehw.expr.interval import Interval, intervals
from halidehw.expr.intrinsics import Intrinsic
from halidehw.expr.nodes import Access, Binary, Cast, Const, Expr, Select, Unary, Variable
from halidehw.expr.tree import Program, nodes, program, transform
from halidehw.expr.tuples import Field, Pack
from halidehw.expr.types import Struct, record
from halidehw.frontend.boundary import BoundaryFunc, Exterior
from halidehw.frontend.definition import Definition
from halidehw.frontend.expand import expanded
from halidehw.frontend.func import Func
from halidehw.frontend.params import Buffer, ImageParam, Range
from halidehw.frontend.pipeline import bind
from halidehw.frontend.reduce import Reduce, free_rvars
from halidehw.ir.exterior import nearest, within

Value = Any
"""An int, or an array that broadcasts over the variables in use."""

Known = dict[tuple[Any, ...], Value]
"""What pure Funcs are at places asked for before, so that a chain of windows grows with the places of each."""

MOST = 1 << 20
"""Places among which an update at data is known to choose beforehand."""

Box = tuple[Range, ...]
Environment = Mapping[str, Value]


def reference(
    func: Func,
    inputs: Mapping[str, np.ndarray | Buffer] | None = None,
    region: Sequence[int | Range] | None = None,
) -> np.ndarray | tuple[np.ndarray, ...]:
    """The values of `func` over `region` as an array of its type's dtype, dimension 0 last; of a Func of several values
    an array of each.

    `inputs`: an array or Buffer for each input by name, where its ImageParam is not set. `region`: for each dimension,
    the fastest first, an extent or a pair (min, extent); by default what `bound` states. Raises `BoundsError` for an
    access outside an input or a region not known, `TypeMismatch` for an array that does not fit its input.
    """
    box = region_of(func, region)
    values = _Evaluation(bind(func, inputs or {})).values(func, box).transpose()
    return func.type.split(values) if isinstance(func.type, Struct) else values


def region_of(func: Func, region: Sequence[int | Range] | None = None) -> Box:
    """(min, extent) for each dimension. Raises `BoundsError` if one is unknown, not positive, or not as stated."""
    if region is None:
        unknown = [var for var in func.args if var not in func.known]
        if unknown:
            raise BoundsError(
                f"the extents of {', '.join(unknown)} of {func.name} are not known",
                legal=[f"{func.name}.bound({var}, 0, 16)" for var in unknown],
            )
        return tuple(func.known[var] for var in func.args)
    if len(region) != func.dimensions:
        sizes = [func.bounds.get(var, (0, 16))[1] for var in func.args]
        raise BoundsError(
            f"{func.name} has {func.dimensions} dimensions, {len(region)} sizes are given",
            legal=[f"{func.name}.realize({sizes})"],
        )
    return tuple(_range(func, *pair) for pair in zip(func.args, region, strict=True))


def _range(func: Func, var: str, size: int | Range) -> Range:
    stated = func.bounds.get(var)
    low, extent = size if isinstance(size, tuple | list) else (stated[0] if stated else 0, size)
    if extent < 1:
        raise BoundsError(f"the extent {extent} of {var} of {func.name} is not positive")
    if stated and stated != (low, extent):
        raise BoundsError(
            f"{func.name} is asked for along {var} over {_span((low, extent))}, but is bound to {_span(stated)}",
            legal=[f"{func.name}.realize()"] if all(each in func.bounds for each in func.args) else (),
        )
    return int(low), int(extent)


@dataclass
class _Evaluation:
    """One run: the inputs, and every Func with updates over the box in which it has been computed."""

    inputs: Mapping[str, Buffer]
    computed: dict[Func, tuple[Box, np.ndarray]] = field(default_factory=dict)
    growing: dict[Func, tuple[Box, np.ndarray]] = field(default_factory=dict)
    opened: dict[Definition, Definition] = field(default_factory=dict)
    programs: dict[Expr, Program[Expr]] = field(default_factory=dict)
    """Of expressions in the order in which they are evaluated: a reduction has its own once, not at each point."""

    def values(self, func: Func, box: Box) -> np.ndarray:
        """An array indexed by dimension 0 first."""
        if isinstance(func, BoundaryFunc):
            grid = [_along(axis, len(box), *pair) for axis, pair in enumerate(box)]
            return np.broadcast_to(self.read(func, grid, None, {}), [extent for _, extent in box])
        whole = self._needed_of_itself(func, box)
        shape = tuple(extent for _, extent in whole)
        values = np.zeros(shape, func.type.dtype)
        self.growing[func] = whole, values
        for stage in func.stages:
            self._run(func, self._open(stage.definition), whole, values)
        del self.growing[func]
        inner = zip(box, whole, strict=True)
        return values[tuple(slice(low - start, low - start + extent) for (low, extent), (start, _) in inner)]

    def _open(self, definition: Definition) -> Definition:
        """The definition with every inline reduction as the element of a Func that it is."""
        if definition not in self.opened:
            change = lambda node: expanded(node) if isinstance(node, Reduce) else node  # noqa: E731
            own = any(map(free_rvars, (*definition.args, definition.value)))
            value, domain = transform(definition.value, change), definition.domain if own else None
            self.opened[definition] = replace(definition, value=value, domain=domain)
        return self.opened[definition]

    def _run(self, func: Func, definition: Definition, box: Box, values: np.ndarray) -> None:
        pure = _axes(definition, box)
        self._prepare(definition, {**pure, **_reduction_axes(definition, len(box))}, {})
        names = [var.name for var in reversed(definition.reduction)]
        ranges = [range(var.min, var.min + var.extent) for var in reversed(definition.reduction)]
        for point in product(*ranges):
            here = {**pure, **dict(zip(names, point, strict=True))}
            if definition.where is not None:
                self._run_where(func, definition, here, box, values)
                continue
            value = self.evaluate(definition.value, here, definition.source)
            if definition.pure == func.args:
                values[...] = value
            elif not _misses(definition, box):
                where = [self.evaluate(arg, here, definition.source) for arg in definition.args]
                values[_offsets(func.name, where, box, definition.source)] = value

    def _run_where(
        self, func: Func, definition: Definition, here: Environment, box: Box, values: np.ndarray
    ) -> None:
        """One point of the domain, at those points of the pure variables where the domain has it."""
        assert definition.where is not None
        kept = np.asarray(self.evaluate(definition.where, here, definition.source), bool)
        each = np.broadcast_arrays(kept, *here.values())
        chosen = {name: array[each[0]] for name, array in zip(here, each[1:], strict=True)}
        if each[0].any():
            where = [self.evaluate(arg, chosen, definition.source) for arg in definition.args]
            value = self.evaluate(definition.value, chosen, definition.source)
            place = _offsets(func.name, where, box, definition.source)
            values[place] = value if place else np.ravel(value)[0]

    def _needed_of_itself(self, func: Func, box: Box) -> Box:
        """`box` and every point that an update writes or reads, as far as that is known beforehand. An update of a row
        is left out where nothing asks for that row."""
        updates = [stage.definition for stage in func.stages[1:]]
        missed = [each for each in updates if _misses(each, box)]
        for definition in (*(each for each in updates if each not in missed), *missed):
            if _misses(definition, box):
                continue
            everywhere = {**_axes(definition, box), **_reduction_axes(definition, len(box))}
            own = [read.args for read in definition.reads if read.target is func]
            for args in (definition.args, *own):
                box = tuple(self._grown(*each, everywhere) for each in zip(box, args, strict=True))
        return box

    def _grown(self, pair: Range, index: Expr, everywhere: Environment) -> Range:
        if not _reads(index):
            return _union(pair, _reach(self.evaluate(index, everywhere)))
        low, high = intervals(index, lambda node: _interval(node, everywhere))[id(index)].range
        return _union(pair, (low, high - low + 1)) if high - low < MOST else pair

    def _prepare(self, definition: Definition, everywhere: Environment, seen: Known) -> None:
        """Checks inputs against, and computes Funcs over, all that the definition will read."""
        if definition.where is not None:
            return
        for read in definition.reads:
            if read.target not in self.growing and not any(map(_reads, read.args)):
                self._prepare_read(read, everywhere, definition.source, seen)

    def _prepare_read(
        self, read: Access, everywhere: Environment, source: SourceLine | None, seen: Known
    ) -> None:
        where = [self.evaluate(arg, everywhere) for arg in read.args]
        match read.target:
            case ImageParam(name=name):
                _offsets(name, where, self.inputs[name].bounds, source)
            case BoundaryFunc(boundary=Exterior(kind=kind, source=Func() as total, stated=tuple() as stated)):
                spans = [(low, low + size - 1) for low, size in map(_reach, where)]
                ends = (within(kind, own, span) for own, span in zip(stated, spans, strict=True))
                self._compute(total, tuple((first, last - first + 1) for first, last in ends))
            case BoundaryFunc():
                pass
            case Func() as func if len(func.stages) == 1:
                if (place := _place(func, where)) not in seen:
                    seen[place] = 0
                    self._prepare(self._open(func.pure), dict(zip(func.args, where, strict=True)), seen)
            case Func() as func:
                self._compute(func, tuple(map(_reach, where)))

    def _compute(self, func: Func, box: Box) -> tuple[Box, np.ndarray]:
        """The values of a Func over at least `box`."""
        known, values = self.computed.get(func, (None, None))
        if known is None or values is None:
            self.computed[func] = box, self.values(func, box)
        elif (whole := tuple(map(_union, known, box))) != known:
            self.computed[func] = whole, self.values(func, whole)
        return self.computed[func]

    def evaluate(
        self, expr: Expr, here: Environment, source: SourceLine | None = None, known: Known | None = None
    ) -> Value:
        """The value of an expression where each variable has the value, or values, of `here`."""
        known = {} if known is None else known

        def value_of(node: Expr, parts: tuple[Value, ...]) -> Value:
            match node:
                case Const(value=value):
                    return value
                case Variable(name=name):
                    return here[name]
                case Binary(op=op, a=a) | Unary(op=op, a=a):
                    return apply(op, a.type, *parts)
                case Cast(type=kind):
                    return kind.wrap(*parts)
                case Select():
                    return _select(*parts)
                case Pack(type=kind):
                    return record(kind, parts)
                case Field(index=index):
                    return np.asarray(parts[0][f"f{index}"])
                case Access(target=target):
                    return self.read(target, list(parts), source, known)
                case Intrinsic():
                    return self.evaluate(node.body, dict(zip(node.places, parts, strict=True)), None, known)
            raise TypeError(f"{type(node).__name__} has no reference value")

        if expr not in self.programs:
            self.programs[expr] = program(expr)
        return self.programs[expr].run(value_of)

    def read(self, target: Any, where: list[Value], source: SourceLine | None, known: Known) -> Value:
        """The elements of a tensor at index arrays, one for each dimension."""
        match target:
            case ImageParam(name=name):
                buffer = self.inputs[name]
                return buffer.array.transpose()[_offsets(name, where, buffer.bounds, source)]
            case BoundaryFunc(boundary=boundary):
                return self._read_boundary(boundary, where, source, known)
            case Func() as func if func in self.growing:
                box, values = self.growing[func]
                return values[_offsets(func.name, where, box, source)]
            case Func() as func if len(func.stages) == 1:
                if (place := _place(func, where)) not in known:
                    here = dict(zip(func.args, where, strict=True))
                    known[place] = self.evaluate(self._open(func.pure).value, here, func.pure.source, known)
                return known[place]
            case Func() as func:
                box, values = self._compute(func, tuple(map(_reach, where)))
                return values[_offsets(func.name, where, box, source)]
        raise TypeError(f"{target} cannot be read")

    def _read_boundary(
        self, boundary: Exterior, where: list[Value], source: SourceLine | None, known: Known
    ) -> Value:
        bounds = boundary.bounds or self.inputs[boundary.source.name].bounds
        pairs = zip(where, bounds, strict=True)
        inner = [low + nearest(boundary.kind, np.asarray(index) - low, extent) for index, (low, extent) in pairs]
        inside = self.read(boundary.source, inner, source, known)
        if boundary.value is None:
            return inside
        kept = reduce(np.logical_and, map(np.equal, where, inner))
        return np.where(kept, inside, boundary.value).astype(boundary.source.type.dtype)


def _place(func: Func, where: list[Value]) -> tuple[Any, ...]:
    """A Func at index arrays, to be looked up."""
    return (func, *((np.shape(index), np.asarray(index).tobytes()) for index in where))


def _reads(expr: Expr) -> bool:
    return any(isinstance(node, Access) for node in nodes(expr))


def _select(cond: Value, a: Value, b: Value) -> Value:
    return np.where(cond, a, b) if isinstance(cond, np.ndarray | np.generic) else (a if cond else b)


def _axes(definition: Definition, box: Box) -> dict[str, np.ndarray]:
    """For each pure variable its range, along the axis of its dimension."""
    places = [place for place, arg in enumerate(definition.args) if str(arg) in definition.pure]
    return {str(definition.args[place]): _along(place, len(box), *box[place]) for place in places}


def _reduction_axes(definition: Definition, dimensions: int) -> dict[str, np.ndarray]:
    """For each variable of the domain its range, along axes before those of the Func's dimensions."""
    return {
        var.name: _along(0, dimensions + 1 + place, var.min, var.extent)
        for place, var in enumerate(definition.reduction)
    }


def _along(axis: int, axes: int, low: int, extent: int) -> np.ndarray:
    shape = [1] * axes
    shape[axis] = extent
    return np.arange(low, low + extent, dtype=np.int32).reshape(shape)


def _reach(index: Value) -> Range:
    low, high = int(np.min(index)), int(np.max(index))
    return low, high - low + 1


def _misses(definition: Definition, box: Box) -> bool:
    """Whether an update of a row, without a domain, is of one outside the box, which nothing in it can depend on."""
    pairs = zip(definition.args, box, strict=True)
    outside = any(isinstance(arg, Const) and not low <= arg.value < low + n for arg, (low, n) in pairs)
    return outside and definition.domain is None


def _interval(node: Expr, everywhere: Environment) -> Interval:
    """All that a variable is everywhere, or anything of its type."""
    if isinstance(node, Variable):
        low, extent = _reach(everywhere[node.name])
        return Interval.of(low, low + extent - 1)
    return Interval.full(node.type)


def _union(a: Range, b: Range) -> Range:
    low = min(a[0], b[0])
    return low, max(a[0] + a[1], b[0] + b[1]) - low


def _span(pair: Range) -> str:
    return f"{pair[0]} .. {pair[0] + pair[1] - 1}"


def _offsets(name: str, where: list[Value], box: Box, source: SourceLine | None) -> tuple[Value, ...]:
    """Indices into an array over `box`. Raises `BoundsError` if one lies outside."""
    for dimension, (index, actual) in enumerate(zip(where, box, strict=True)):
        needed = _reach(index)
        if _union(actual, needed) != actual:
            raise BoundsError(
                f"dimension {dimension} of {name} is accessed over {_span(needed)}, but it is {_span(actual)}",
                legal=(
                    f"{name}.dim({dimension}).set_bounds({', '.join(map(str, _union(actual, needed)))})",
                    f"BoundaryConditions.repeat_edge({name})",
                ),
                source=source,
            )
    return tuple(index - low for index, (low, _) in zip(where, box, strict=True))
