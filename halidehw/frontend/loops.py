"""The loops of one stage by name, and what each directive makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from itertools import count
from math import prod
from typing import Any

from halidehw.errors import ScheduleError
from halidehw.frontend.dataflow import parse
from halidehw.frontend.directives import Dataflow, Fuse, LoopDirective, Reorder, Split, Systolic, Tile, Unroll
from halidehw.notes import Note


@dataclass(frozen=True)
class LoopName:
    """A loop: the extent where it is a known constant, the lanes side by side in space (None: it is not unrolled).

    `dimension`: the axis of the PE array (0 vertical, 1 horizontal) where a dataflow has named it.
    """

    name: str
    reduction: bool = False
    extent: int | None = None
    lanes: int | None = None
    systolic: bool = False
    dimension: int | None = None


@dataclass(frozen=True)
class LoopNames:
    """The loops of `stage`, outer to inner, and how they came from its variables.

    `derived` lists splits and fuses in the order applied. Undone last to first, on offsets from each loop's min,
    they give back the variables: old = outer * factor + inner; outer = fused // n, inner = fused % n with n the
    extent of the inner loop. A split may have used the old name again for one of its two loops. `notes`: the directives
    that state what already held.
    """

    stage: str
    loops: tuple[LoopName, ...]
    derived: tuple[Split | Fuse, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(loop.name for loop in self.loops)

    def __getitem__(self, name: str) -> LoopName:
        return self.loops[self.names.index(name)]

    def lacking(self, name: str) -> str:
        """That they are not called so, and how they are called."""
        return f"{name} is not a loop of {self.stage}; its loops, outer to inner, are {', '.join(self.names)}"


def apply(loops: LoopNames, directive: LoopDirective) -> LoopNames:
    """The loops after `directive`; where it states what holds already, with a note. Raises `ScheduleError` if it is not
    legal here."""
    match directive:
        case Split():
            return _split(loops, directive)
        case Fuse():
            return _fuse(loops, directive)
        case Reorder():
            return _reorder(loops, directive)
        case Tile():
            return reduce(apply, _tile(loops, directive), loops)
        case Unroll():
            return _unroll(loops, directive)
        case Systolic():
            return _systolic(loops, directive)
        case Dataflow():
            return _dataflow(loops, directive)


def _error(directive: LoopDirective, why: str, legal: tuple[str, ...] = ()) -> ScheduleError:
    return ScheduleError(f"{directive}: {why}", legal=legal, source=directive.source)


def _noted(loops: LoopNames, directive: LoopDirective, what: str) -> LoopNames:
    """The loops, of which `directive` states what already holds."""
    return replace(loops, notes=(*loops.notes, Note(f"{directive}: {what}", directive.source)))


def _find(loops: LoopNames, directive: LoopDirective, name: str) -> LoopName:
    if name not in loops.names:
        others = (_naming(directive, name, loop) for loop in loops.names)
        legal = tuple(str(each) for each in others if _is_legal(loops, each))
        why = loops.lacking(name)
        raise _error(directive, why if legal else f"{why}; remove the line", legal)
    return loops[name]


def _naming(directive: LoopDirective, old: str, new: str) -> LoopDirective:
    """The directive with the loop `old` called `new`."""
    changed: dict[str, Any] = {}
    for field in fields(directive):
        match getattr(directive, field.name):
            case str() as name if name == old:
                changed[field.name] = new
            case tuple() as names:
                changed[field.name] = tuple(new if name == old else name for name in names)
    return replace(directive, **changed)


def _is_legal(loops: LoopNames, directive: LoopDirective) -> bool:
    """Whether all that it names are loops, and it can be applied to them."""
    match directive:
        case Reorder(order=named) | Systolic(vars=named):
            wanted = named
        case Tile(x=x, y=y):
            wanted = (x, y)
        case Fuse(inner=inner, outer=outer):
            wanted = (inner, outer)
        case _:
            wanted = ()
    try:
        return set(wanted) <= set(loops.names) and bool(apply(loops, directive))
    except ScheduleError:
        return False


def _replace(loops: LoopNames, old: str, *new: LoopName) -> tuple[LoopName, ...]:
    place = loops.names.index(old)
    return (*loops.loops[:place], *new, *loops.loops[place + 1 :])


def _check_temporal(directive: LoopDirective, loop: LoopName) -> None:
    if loop.lanes is None:
        return
    inner = {"split": "inner", "fuse": "fused"}.get(directive.primitive)
    legal = (f"{directive}.unroll({getattr(directive, inner)}, {loop.lanes})",) if inner else ()
    raise _error(directive, f"loop {loop.name} is already unrolled by {loop.lanes}; unroll comes last", legal)


def _check_new(loops: LoopNames, directive: Split | Fuse, new: str, free: tuple[str, ...]) -> None:
    if new in loops.names and new not in free:
        fresh = next(name for name in (f"{new}{n}" for n in count(2)) if name not in loops.names)
        field = next(each for each in ("outer", "inner", "fused") if getattr(directive, each, None) == new)
        other = replace(directive, **{field: fresh})  # type: ignore[arg-type]
        raise _error(directive, f"{new} is already a loop of {loops.stage}; a new loop needs a new name", (str(other),))


def _split(loops: LoopNames, split: Split) -> LoopNames:
    """[old] -> [outer, inner]"""
    old = _find(loops, split, split.old)
    _check_temporal(split, old)
    _check_new(loops, split, split.outer, (split.old,))
    _check_new(loops, split, split.inner, (split.old,))
    if split.outer == split.inner:
        raise _error(split, f"both new loops are named {split.inner}", (f"split({old.name}, xo, xi, {split.factor})",))
    if not isinstance(split.factor, int) or split.factor <= 0:
        raise _error(
            split,
            f"the factor {split.factor} is not a positive number of iterations",
            (str(replace(split, factor=8)),),
        )
    inner = split.factor if old.extent is None else min(split.factor, old.extent)
    outer = None if old.extent is None else -(-old.extent // inner)
    new = replace(old, name=split.outer, extent=outer), replace(old, name=split.inner, extent=inner)
    return replace(loops, loops=_replace(loops, split.old, *new), derived=(*loops.derived, split))


def _fuse(loops: LoopNames, fuse: Fuse) -> LoopNames:
    """[outer, inner] -> [fused]"""
    inner, outer = _find(loops, fuse, fuse.inner), _find(loops, fuse, fuse.outer)
    _check_temporal(fuse, inner)
    _check_temporal(fuse, outer)
    _check_new(loops, fuse, fuse.fused, (fuse.inner, fuse.outer))
    if loops.names.index(fuse.outer) + 1 != loops.names.index(fuse.inner):
        why = f"{fuse.inner} does not lie directly inside {fuse.outer} in {', '.join(loops.names)}"
        raise _error(fuse, why, _fusible(loops, fuse))
    if inner.reduction != outer.reduction:
        raise _error(fuse, "one of the two is a reduction loop and the other is not", _fusible(loops, fuse))
    extent = inner.extent * outer.extent if inner.extent and outer.extent else None
    kept = replace(loops, loops=_replace(loops, fuse.inner), derived=(*loops.derived, fuse))
    return replace(kept, loops=_replace(kept, fuse.outer, LoopName(fuse.fused, outer.reduction, extent)))


def _fusible(loops: LoopNames, fuse: Fuse) -> tuple[str, ...]:
    pairs = zip(loops.loops, loops.loops[1:], strict=False)
    return tuple(f"fuse({i.name}, {o.name}, {fuse.fused})" for o, i in pairs if i.reduction == o.reduction)


def _reorder(loops: LoopNames, reorder: Reorder) -> LoopNames:
    """The named loops change places, the first named to the innermost of them."""
    named = [_find(loops, reorder, name) for name in reorder.order]
    for name in reorder.order:
        if reorder.order.count(name) > 1:
            once = tuple(dict.fromkeys(named))
            changed = [each for each in (once, once[::-1]) if _permuted(loops, each) != loops.loops]
            orders = [replace(reorder, order=tuple(loop.name for loop in each)) for each in changed]
            raise _error(reorder, f"{name} is named twice", tuple(map(str, orders[:1])))
    new = _permuted(loops, named)
    if new == loops.loops:
        return _noted(loops, reorder, f"the loops, outer to inner, are {', '.join(loops.names)} already")
    return replace(loops, loops=new)


def _permuted(loops: LoopNames, named: Sequence[LoopName]) -> tuple[LoopName, ...]:
    places = sorted(loops.names.index(loop.name) for loop in named)
    new = list(loops.loops)
    for place, loop in zip(places, reversed(named), strict=True):
        new[place] = loop
    return tuple(new)


def _tile(loops: LoopNames, tile: Tile) -> tuple[LoopDirective, ...]:
    for name in (tile.x, tile.y):
        _find(loops, tile, name)
    return (
        Split(tile.x, tile.xo, tile.xi, tile.xfactor, source=tile.source),
        Split(tile.y, tile.yo, tile.yi, tile.yfactor, source=tile.source),
        Reorder((tile.xi, tile.yi, tile.xo, tile.yo), source=tile.source),
    )


def _unroll(loops: LoopNames, unroll: Unroll) -> LoopNames:
    """`lanes` iterations of the loop in space."""
    loop = _find(loops, unroll, unroll.var)
    lanes = loop.extent if unroll.factor is None else unroll.factor
    if lanes is not None and (not isinstance(lanes, int) or lanes < 1):
        raise _error(unroll, f"{lanes!r} is not a number of iterations", (f"unroll({loop.name}, 4)",))
    if lanes is None:
        raise _error(
            unroll,
            f"the extent of {loop.name} is not a constant",
            (f"bound({loop.name}, 0, 16) before it", f"unroll({loop.name}, 4)"),
        )
    lanes = min(lanes, loop.extent or lanes)
    if loop.lanes == lanes:
        return _noted(loops, unroll, f"{loop.name} is unrolled by {lanes} already")
    _check_temporal(unroll, loop)
    if lanes == 1:
        loops = _noted(loops, unroll, f"{loop.name} stays in time, an iteration after the other")
    return replace(loops, loops=_replace(loops, loop.name, replace(loop, lanes=lanes)))


def _systolic(loops: LoopNames, systolic: Systolic) -> LoopNames:
    """The lanes of the named loops are skewed by a cycle each."""
    if not systolic.vars:
        raise _error(systolic, "no loop is named", tuple(f"systolic({x.name})" for x in loops.loops if x.lanes))
    for name in systolic.vars:
        loop = _find(loops, systolic, name)
        if loop.lanes is None:
            raise _error(systolic, f"{name} is not unrolled, so it has no PEs", (f"unroll({name}, 4).{systolic}",))
        if loop.systolic or loop.lanes == 1:
            what = "is systolic already" if loop.systolic else "has one lane, which passes nothing on"
            loops = _noted(loops, systolic, f"{name} {what}")
        loops = replace(loops, loops=_replace(loops, name, replace(loop, systolic=True)))
    return loops


def _dataflow(loops: LoopNames, dataflow: Dataflow) -> LoopNames:
    """The loops left of `|` on dimension 0, those right of it on dimension 1; the leftmost are nearest."""
    sides = parse(dataflow, loops.names)
    _check_sizes(dataflow, len(sides))
    for dimension, (side, size) in enumerate(zip(sides, (dataflow.rows, dataflow.cols), strict=False)):
        taken: list[LoopName] = []
        for place, name in enumerate(side):
            _check_temporal(dataflow, loops[name])
            lanes = _lanes(dataflow, loops[name], taken, size, last=place + 1 == len(side))
            if lanes == 1:
                loops = _noted(loops, dataflow, f"{name} stays in time: {_why_one(loops[name], taken, size)}")
            taken.append(replace(loops[name], lanes=lanes, dimension=dimension))
            loops = replace(loops, loops=_replace(loops, name, taken[-1]))
    return loops


def _check_sizes(dataflow: Dataflow, sides: int) -> None:
    if sides == 1 and dataflow.cols is not None:
        one = replace(dataflow, rows=dataflow.rows or dataflow.cols, cols=None)
        raise _error(dataflow, "the array has one dimension, so it has no cols", (str(one),))
    if dataflow.rows is None and dataflow.cols is not None:
        raise _error(dataflow, "cols without rows", (str(replace(dataflow, rows=dataflow.cols)),))
    for size in (dataflow.rows, dataflow.cols):
        if size is not None and (not isinstance(size, int) or size < 1):
            sizes: dict[str, Any] = {"rows": 16, "cols": 16 if sides == 2 else None}
            raise _error(dataflow, f"{size} is not a positive number of PEs", (str(replace(dataflow, **sizes)),))


def _lanes(dataflow: Dataflow, loop: LoopName, taken: list[LoopName], size: int | None, last: bool) -> int:
    """The last loop of a dimension takes what the others, unrolled as a whole, leave free of its `size`."""
    used = prod(other.lanes or 1 for other in taken)
    free = None if size is None else size // used
    if loop.extent is None and (free is None or not last):
        bound = f"bound({loop.name}, 0, 16) before it"
        raise _error(
            dataflow, f"the extent of {loop.name} is not a constant", (bound, f'dataflow("{loop.name}", rows=16)')
        )
    return max(1, min(value for value in (loop.extent, free) if value is not None))


def _why_one(loop: LoopName, taken: list[LoopName], size: int | None) -> str:
    if loop.extent == 1:
        return "it has 1 iteration"
    shares = " x ".join(f"{other.name} {other.lanes}" for other in taken)
    used = prod(other.lanes or 1 for other in taken)
    return f"of {size} PEs, {shares} = {used} are taken" if taken else "there is 1 PE"
