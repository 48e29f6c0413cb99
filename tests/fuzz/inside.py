"""Random memories on the chip: the order of their words, one port, and one memory for what a stage makes and reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from halidehw import Func
from halidehw.errors import HalideHWError
from halidehw.frontend.design import Design
from halidehw.frontend.directives import (
    AlignStorage,
    ComputeAt,
    ComputeRoot,
    Described,
    ReorderStorage,
    SinglePort,
    StoreWith,
)
from halidehw.frontend.pipeline import tensors_of
from halidehw.frontend.wrapper import Wrapper
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.scheduler import lower_graph
from tests.fuzz.choices import Choices

MOST = 4
BEYOND = 1000
"""Words before those of a memory, which leave room for any other one here."""
WORDS = [2, 4, 8, 16, 32, 3, 6]
"""Elements of a word at a port."""


@dataclass(frozen=True)
class Held:
    """A memory: `place` says where it is, and `by` has the line: the Func in whose loops it is, or a copy that is in
    none. `dimensions`: as they are written; `sources`: names of what it is computed from, if it is a stage."""

    by: Func | Wrapper
    place: ComputeAt | ComputeRoot
    dimensions: tuple[str, ...]
    sources: tuple[str, ...]

    @property
    def sums(self) -> bool:
        return self.place.tensor == self.by.name and self.place.level > 0

    def say(self, design: Design, options: Options, line: Described, nests: dict[object, Any]) -> bool:
        """Adds a line, unless there is no such hardware. `nests`: of the same algorithm."""
        by = self.by
        directives, pending = list(by.directives) if isinstance(by, Func) else [], by.pending
        try:
            if isinstance(by, Func):
                by.add(line)
            else:
                by.pending = (*by.pending, line)
            derive(lower_graph(design, nests=nests), options)
        except HalideHWError:
            if isinstance(by, Func):
                by.directives[:] = directives
            by.pending = pending
            return False
        return True


def lie_inside(choices: Choices, design: Design, options: Options) -> list[str]:
    """Says of some memories of a design how they lie; gives the lines. Others, and those that are refused, stay."""
    lines, nests = list[str](), dict[object, Any]()
    memories = list(held(design)) if choices.chance(3) else []
    for memory in choices.some(memories, MOST):
        taken = list[Described]()
        for line in said(choices, memory, taken):
            if memory.say(design, options, line, nests):
                taken.append(line)
        lines += map(str, taken)
    return lines


def held(design: Design) -> Iterator[Held]:
    """All memories that the schedule asks for."""
    tensors = {each.name: each for each in (*design.inputs, *design.funcs)}

    def of(by: Func | Wrapper, place: ComputeAt | ComputeRoot) -> Held:
        tensor = tensors[place.tensor]
        if isinstance(tensor, Func) and place.level == 0:
            return Held(by, place, tensor.args, tuple(each.name for each in tensors_of(tensor)[1:]))
        return Held(by, place, tuple(map(str, range(tensor.dimensions))), ())

    for func in design.funcs:
        yield from (of(func, each) for each in func.directives if isinstance(each, ComputeAt | ComputeRoot))
    for copy in [wrapper for tensor in tensors.values() for wrapper in tensor.wrappers]:
        yield from (of(copy, each) for each in copy.pending if isinstance(each, ComputeRoot))


def said(choices: Choices, memory: Held, taken: Sequence[Described]) -> Iterator[Described]:
    """Lines for a memory, of which those before are `taken`. What lies in the memory of its input passes the port by
    words of several elements, if it can."""
    at = memory.place.buffer
    if memory.sums:
        yield SinglePort(*at, choices.pick([8, 16, 32, 1, 2, 4, 64]))
        return
    if memory.dimensions and choices.chance(2):
        order = choices.shuffled(memory.dimensions)
        yield ReorderStorage(*at, tuple(order))
        yield AlignStorage(*at, choices.pick(order), choices.pick([2, 4, 8, 16, 3]))
    if isinstance(memory.place, ComputeRoot) and not choices.chance(3):
        yield from (StoreWith(*at, other, words) for other in memory.sources for words in (0, BEYOND))
    if not choices.chance(3):
        if any(isinstance(line, StoreWith) for line in taken):
            yield from (SinglePort(*at, words) for words in choices.shuffled(WORDS))
        yield SinglePort(*at)
