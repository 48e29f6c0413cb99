"""From the numbers of a schedule to sizes that hold for other extents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import sympy

from halidehw.errors import ScheduleError
from halidehw.frontend.directives import Fuse, Split, Tile
from halidehw.schedules.line import Line
from halidehw.schedules.sizes import Condition, Size, divides, extent, number


@dataclass
class _Rewriter:
    """The extents of a stage's loops after the directives so far; what has to divide what."""

    extents: Mapping[str, int]
    scaled: frozenset[str]
    guarded: bool
    loops: dict[str, Size]
    condition: list[Condition] = field(default_factory=list)

    def line(self, line: Line) -> Line:
        match line.directive:
            case Split(old=old, outer=outer, inner=inner, factor=factor):
                return self._sized(line, factor=self._split(old, outer, inner, factor))
            case Tile(x=x, y=y, xo=xo, yo=yo, xi=xi, yi=yi, xfactor=across, yfactor=down):
                return self._sized(line, xfactor=self._split(x, xo, xi, across), yfactor=self._split(y, yo, yi, down))
            case Fuse(inner=inner, outer=outer, fused=fused):
                self.loops[fused] = self.loops.pop(inner) * self.loops.pop(outer)
        return line

    def _sized(self, line: Line, **sizes: Size) -> Line:
        return replace(line, sizes={name: each for name, each in sizes.items() if each.free_symbols})

    def _split(self, old: str, outer: str, inner: str, factor: int) -> Size:
        """The size of the inner loop."""
        whole = self.loops.pop(old)
        kept = sympy.Integer(factor)
        if inner in self.scaled:
            kept = sympy.Integer(-(-self._number(whole) // factor))
        elif whole.is_Integer:
            kept = sympy.Min(kept, whole)
        other, needed = whole / kept, divides(kept, whole)
        if needed and self.guarded:
            other = sympy.ceiling(other)
        elif needed:
            self.condition.append(needed)
        self.loops[outer], self.loops[inner] = (kept, other) if inner in self.scaled else (other, kept)
        return self.loops[inner]

    def _number(self, whole: Size) -> int:
        found = number(whole, self.extents)
        assert found is not None
        return found


def rewritten(
    lines: Iterable[Line], loops: Mapping[str, tuple[str, ...]], extents: Mapping[str, int], scaled: frozenset[str],
    guarded: bool,
) -> tuple[tuple[Line, ...], tuple[Condition, ...]]:  # fmt: skip
    """The lines with sizes, and what must hold of the extents for every split to divide its loop.

    Raises `ScheduleError` for a `scaled` loop that is the inner one of no split.
    """
    every, output = list(lines), list(loops)[-1]
    inner = {name for line in every for name in _inner(line)}
    for name in sorted(scaled - inner):
        legal = [f'scaled=["{each}"]' for each in sorted(inner)]
        raise ScheduleError(f"{name} is the inner loop of no split", legal=legal)
    stages: dict[tuple[str, int | None], _Rewriter] = {}
    found = []
    for line in every:
        if line.stage is None:
            found.append(line)
            continue
        own = {name: extent(name if line.func == output else f"{line.func}.{name}") for name in loops[line.func]}
        stage = stages.setdefault((line.func, line.stage), _Rewriter(extents, scaled, guarded, own))
        found.append(stage.line(line))
    conditions = [each for stage in stages.values() for each in stage.condition]
    return tuple(found), tuple(_joined(conditions))


def _inner(line: Line) -> tuple[str, ...]:
    match line.directive:
        case Split(inner=inner):
            return (inner,)
        case Tile(xi=xi, yi=yi):
            return xi, yi
    return ()


def _joined(conditions: Iterable[Condition]) -> list[Condition]:
    """Each said once: of several numbers that divide the same size, their least common multiple."""
    numbers: dict[Size, int] = {}
    others: dict[Condition, None] = {}
    for each in conditions:
        match each.left:
            case sympy.Mod(args=(of, sympy.Integer() as by)):
                numbers[of] = int(sympy.ilcm(numbers.get(of, 1), by))
            case _:
                others[each] = None
    return [*(Condition(sympy.Mod(of, by), "==", sympy.Integer(0)) for of, by in numbers.items()), *others]
