"""The lines of a schedule: directives, with sizes that are expressions of extents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from halidehw.errors import ScheduleError, user_line
from halidehw.frontend.directives import Accelerate, Bound, BufferDirective, Directive, Fuse, SetEstimate, Split, Tile
from halidehw.frontend.pipeline import pending
from halidehw.schedules.kernel import Kernel
from halidehw.schedules.sizes import Size, number, written

_NOT_OURS = Bound | SetEstimate | Accelerate
"""What a Func says of itself, not of how it is computed."""

@dataclass(frozen=True)
class Line:
    """A directive for stage `stage` of Func `func`; `stage` None: for the Func or a buffer in its loops. `sizes`: those
    of its fields that are expressions, in place of the numbers there."""

    func: str
    stage: int | None
    directive: Directive
    sizes: Mapping[str, Size] = field(default_factory=dict, hash=False)

    def at(self, extents: Mapping[str, int]) -> Directive:
        """The directive for these extents. Raises `ScheduleError` for a size that is no positive number there."""
        found = {name: number(each, extents) for name, each in self.sizes.items()}
        for name, value in found.items():
            if value is None:
                what = f"{name} = {written(self.sizes[name])} is no positive number"
                raise ScheduleError(f"{self}: {what} {said(extents)}")
        return replace(self.directive, source=user_line(), **found)  # type: ignore[arg-type]

    @property
    def unsized(self) -> Line:
        """With tiles of one place."""
        match self.directive:
            case Split() as split:
                return Line(self.func, self.stage, replace(split, factor=1))
            case Tile() as tile:
                return Line(self.func, self.stage, replace(tile, xfactor=1, yfactor=1))
        return self

    @property
    def made(self) -> tuple[str, ...]:
        """The loops that it makes."""
        match self.directive:
            case Split(outer=outer, inner=inner):
                return outer, inner
            case Tile(xo=xo, yo=yo, xi=xi, yi=yi):
                return xo, yo, xi, yi
            case Fuse(fused=fused):
                return (fused,)
        return ()

    def __str__(self) -> str:
        text = self.directive.call(self.directive.notation)
        text += "".join(f" with {name} = {written(each)}" for name, each in self.sizes.items())
        if isinstance(self.directive, BufferDirective):
            return f"{self.directive.subject}.{text}"
        stage = f".update({self.stage - 1 or ''})" if self.stage else ""
        return f"{self.func}{stage}.{text}"


def lines_of(kernel: Kernel) -> Iterator[Line]:
    """All directives of an algorithm: loops first, then what has its place in them."""
    for func in kernel.funcs:
        for n, stage in enumerate(func.stages):
            yield from (Line(func.name, n, directive) for directive in stage.directives)
    for func in kernel.funcs:
        yield from (Line(func.name, None, each) for each in func.directives if not isinstance(each, _NOT_OURS))
    output = kernel.funcs[-1]
    yield from (Line(output.name, None, each) for each in pending(output))


def said(extents: Mapping[str, int]) -> str:
    return "where " + ", ".join(f"{name} = {n}" for name, n in extents.items())
