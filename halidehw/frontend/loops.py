"""The loops of one stage by name, and what each directive makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import count
from math import prod
from typing import Any

from halidehw.errors import ScheduleError
from halidehw.frontend.dataflow import parse
from halidehw.frontend.directives import Dataflow, Fuse, LoopDirective, Reorder, Split, Systolic, Tile, Unroll


@dataclass(frozen=True)
class LoopName:
    """A loop: the extent where it is a known constant, the lanes side by side in space (1: none).

    `dimension`: the axis of the PE array (0 vertical, 1 horizontal) where a dataflow has named it.
    """

    name: str
    reduction: bool = False
    extent: int | None = None
    lanes: int = 1
    systolic: bool = False
    dimension: int | None = None


@dataclass(frozen=True)
class LoopNames:
    """The loops of `stage`, outer to inner, and how they came from its variables.

    `derived` lists splits and fuses in the order applied. Undone last to first, on offsets from each loop's min,
    they give back the variables: old = outer * factor + inner; outer = fused // n, inner = fused % n with n the
    extent of the inner loop. A split may have used the old name again for one of its two loops.
    """

    stage: str
    loops: tuple[LoopName, ...]
    derived: tuple[Split | Fuse, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(loop.name for loop in self.loops)

    def __getitem__(self, name: str) -> LoopName:
        return self.loops[self.names.index(name)]


def apply(loops: LoopNames, directive: LoopDirective) -> LoopNames:
    """The loops after `directive`. Raises `ScheduleError` if it is not legal here or would change nothing."""
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


def _find(loops: LoopNames, directive: LoopDirective, name: str) -> LoopName:
    if name not in loops.names:
        known = ", ".join(loops.names)
        raise _error(
            directive,
            f"{name} is not a loop of {loops.stage}; its loops, outer to inner, are {known}",
            tuple(f"{directive.primitive}({loop}, ...)" for loop in loops.names),
        )
    return loops[name]


def _replace(loops: LoopNames, old: str, *new: LoopName) -> tuple[LoopName, ...]:
    place = loops.names.index(old)
    return (*loops.loops[:place], *new, *loops.loops[place + 1 :])


def _check_temporal(directive: LoopDirective, loop: LoopName) -> None:
    if loop.lanes == 1:
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
            (f"split({split.old}, {split.outer}, {split.inner}, 8)",),
        )
    if split.factor == 1:
        legal = tuple(str(replace(split, factor=factor)) for factor in _factors(old.extent or 16))
        raise _error(split, f"a factor of 1 leaves {split.old} as it is; remove the line or split by 2 or more", legal)
    if old.extent is not None:
        check_factor(split, old.name, old.extent)
    outer = None if old.extent is None else -(-old.extent // split.factor)
    new = replace(old, name=split.outer, extent=outer), replace(old, name=split.inner, extent=split.factor)
    return replace(loops, loops=_replace(loops, split.old, *new), derived=(*loops.derived, split))


def check_factor(directive: Split | Tile, loop: str, extent: int, field: str = "factor") -> None:
    """Raises `ScheduleError` for a factor above the iterations of its loop. One equal to them is legal: the outer loop,
    of one iteration, is a place for a buffer of all that the loop touches."""
    if getattr(directive, field) <= extent:
        return
    factors = _factors(extent)
    why = "which is less" if factors else "which no factor splits; remove the line"
    legal = tuple(str(replace(directive, **{field: factor})) for factor in factors)  # type: ignore[arg-type]
    raise _error(directive, f"{loop} has {extent} iteration{'s' * (extent > 1)}, {why}", legal)


def _factors(extent: int) -> list[int]:
    """The largest proper divisor of an extent, or else about its half, and itself: what it can be split by."""
    parts = [n for n in range(2, extent) if extent % n == 0] or [-(-extent // 2)]
    return [factor for factor in dict.fromkeys((parts[-1], extent)) if factor > 1]


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
        other = (str(replace(reorder, order=reorder.order[::-1])),) if len(named) > 1 else ()
        why = f"the loops, outer to inner, are {', '.join(loops.names)} and stay so; remove the line"
        raise _error(reorder, why, other)
    return replace(loops, loops=new)


def _permuted(loops: LoopNames, named: Sequence[LoopName]) -> tuple[LoopName, ...]:
    places = sorted(loops.names.index(loop.name) for loop in named)
    new = list(loops.loops)
    for place, loop in zip(places, reversed(named), strict=True):
        new[place] = loop
    return tuple(new)


def _tile(loops: LoopNames, tile: Tile) -> tuple[LoopDirective, ...]:
    for name, factor, field in ((tile.x, tile.xfactor, "xfactor"), (tile.y, tile.yfactor, "yfactor")):
        extent = _find(loops, tile, name).extent
        if extent is not None and isinstance(factor, int):
            check_factor(tile, name, extent, field)
    return (
        Split(tile.x, tile.xo, tile.xi, tile.xfactor, source=tile.source),
        Split(tile.y, tile.yo, tile.yi, tile.yfactor, source=tile.source),
        Reorder((tile.xi, tile.yi, tile.xo, tile.yo), source=tile.source),
    )


def _unroll(loops: LoopNames, unroll: Unroll) -> LoopNames:
    """`lanes` iterations of the loop in space."""
    loop = _find(loops, unroll, unroll.var)
    _check_temporal(unroll, loop)
    lanes = loop.extent if unroll.factor is None else unroll.factor
    if lanes is not None and not isinstance(lanes, int):
        raise _error(unroll, f"{lanes!r} is not a number of iterations", (f"unroll({loop.name}, 4)",))
    if lanes is None:
        raise _error(
            unroll,
            f"the extent of {loop.name} is not a constant",
            (f"bound({loop.name}, 0, 16) before it", f"unroll({loop.name}, 4)"),
        )
    if loop.extent == 1:
        several = [each for each in loops.loops if each.lanes == 1 and each.extent != 1]
        legal = tuple(str(replace(unroll, var=each.name, factor=None if each.extent else 4)) for each in several)
        raise _error(unroll, f"{loop.name} has 1 iteration, nothing to lie side by side; remove the line", legal)
    if lanes < 2:
        raise _error(unroll, f"{lanes} iterations side by side change nothing", (f"unroll({loop.name}, 4)",))
    return replace(loops, loops=_replace(loops, loop.name, replace(loop, lanes=lanes)))


def _systolic(loops: LoopNames, systolic: Systolic) -> LoopNames:
    """The lanes of the named loops are skewed by a cycle each."""
    if not systolic.vars:
        raise _error(systolic, "no loop is named", tuple(f"systolic({x.name})" for x in loops.loops if x.lanes > 1))
    for name in systolic.vars:
        loop = _find(loops, systolic, name)
        if loop.lanes == 1:
            raise _error(systolic, f"{name} is not unrolled, so it has no PEs", (f"unroll({name}, 4).{systolic}",))
        if loop.systolic:
            raise _error(systolic, f"{name} is systolic already; remove the line")
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
    used = prod(other.lanes for other in taken)
    free = None if size is None else size // used
    if loop.extent is None and (free is None or not last):
        bound = f"bound({loop.name}, 0, 16) before it"
        raise _error(
            dataflow, f"the extent of {loop.name} is not a constant", (bound, f'dataflow("{loop.name}", rows=16)')
        )
    lanes = min(value for value in (loop.extent, free) if value is not None)
    if lanes > 1:
        return lanes
    if loop.extent == 1:
        raise _error(dataflow, f"{loop.name} has 1 iteration, nothing to lie side by side")
    shares = " x ".join(f"{other.name} {other.lanes}" for other in taken)
    why = f"{shares} = {used} of {size} PEs are taken" if taken else f"there is {size} PE"
    needed = 2 * prod(other.extent or other.lanes for other in taken)
    enough: dict[str, Any] = {"cols" if any(other.dimension for other in taken) else "rows": needed}
    raise _error(dataflow, f"{why}, {loop.name} needs 2 or more", (str(replace(dataflow, **enough)),) if taken else ())
