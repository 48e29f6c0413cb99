"""In which lines the schedules of two designs differ, each in the other's names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from halidehw.errors import HardwareError, SourceLine
from halidehw.frontend.design import Design
from halidehw.frontend.directives import ComputeAt, StoreAt
from halidehw.schedules.kernel import Kernel
from halidehw.schedules.line import Line, lines_of


@dataclass(frozen=True)
class _Said:
    """A line in the names of its own design, and in those that all designs have: `common` without how long tiles are,
    `sized` with that."""

    own: str
    common: str
    sized: str
    source: SourceLine | None


class _Names:
    """The names of a design's tensors and loops, in the order in which they come, for those that all designs have."""

    def __init__(self, design: Design):
        kernel = Kernel(design.funcs, design.inputs)
        self.kind = kernel.signature
        self.tensors = {name: f"tensor{n}" for n, name in enumerate(kernel.tensors)}
        self.loops = {func.name: {name: f"loop{n}" for n, name in enumerate(kernel.loops(func))}
                      for func in kernel.funcs}  # fmt: skip
        self.lines = tuple(self._said(line) for line in lines_of(kernel))

    def _said(self, line: Line) -> _Said:
        loops = self._loops(line)
        for name in line.made:
            loops.setdefault(name, f"loop{len(loops)}")
        common, sized = (_renamed(str(each), {**loops, **self.tensors}) for each in (line.unsized, line))
        return _Said(str(line), common, sized, line.directive.source)

    def _loops(self, line: Line) -> dict[str, str]:
        consumer = line.directive.consumer if isinstance(line.directive, ComputeAt | StoreAt) else line.func
        return self.loops.setdefault(consumer, {})

    def written(self, common: str) -> tuple[str, ...]:
        """A line in this design's own names, if it has all of them."""
        loops = {common: own for each in self.loops.values() for own, common in each.items()}
        found = _renamed(common, {**loops, **{common: own for own, common in self.tensors.items()}})
        return () if re.search(r"\b(loop|tensor)[0-9]", found) else (found,)


def explained(error: HardwareError, designs: Sequence[Design]) -> HardwareError:
    """An error that designs have no hardware in common, with the line of a schedule in which one of them differs from
    the first, and what would agree. Itself, where their schedules do not differ in any."""
    first, *others = map(_Names, designs)
    for design, other in zip(designs[1:], others, strict=True):
        if other.kind != first.kind:
            continue
        for lacking in _beyond(first, other):
            instead = next(_beyond(other, first), None)
            what = f"where {design.name} has {instead.own}" if instead else f"and {design.name} has no such line"
            source = instead.source if instead else lacking.source
            message = f"{error.message}; {designs[0].name} has {lacking.own}, {what}"
            return HardwareError(message, legal=other.written(lacking.sized), source=source)
        for extra in _beyond(other, first):
            message = f"{error.message}; {design.name} has {extra.own}, and {designs[0].name} has no such line"
            return HardwareError(message, legal=first.written(extra.sized), source=extra.source)
        for mine, theirs in zip(first.lines, other.lines, strict=True):
            if mine.sized != theirs.sized and not error.legal:
                message = f"{error.message}; {designs[0].name} has {mine.own}, where {design.name} has {theirs.own}"
                return HardwareError(message, legal=other.written(mine.sized), source=theirs.source)
    return error


def _beyond(one: _Names, other: _Names) -> Iterator[_Said]:
    """The lines of one that the other does not have."""
    there = [each.common for each in other.lines]
    return (each for each in one.lines if each.common not in there)


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """The words of a line, those that are names by what stands for them."""
    every = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?<![\w.])(?:{every})(?!\w)", lambda found: names[found[0]], text) if names else text
