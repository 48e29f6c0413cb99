"""When each process works, tile by tile."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from halidehw.energy_model.engine import Engine
from halidehw.energy_model.processes import system
from halidehw.microarch.accelerator import Accelerator
from halidehw.simulate.memory import Memory, memory_of


@dataclass(frozen=True)
class Span:
    """A process's work on one tile: its first and last step's cycle."""

    process: str
    first: int
    last: int


class _Enough(Exception):
    pass


def timeline(accelerator: Accelerator, memory: Memory | None = None, *, until: int, most: int = 20_000) -> list[Span]:
    """The tiles that the processes work on until the array has reached cycle `until`, at most `most` of them."""
    spans: list[Span] = []

    def note(process: str, first: int, last: int) -> None:
        spans.append(Span(process, first, last))
        if len(spans) == most or (process == "array" and last >= until):
            raise _Enough

    with suppress(_Enough):
        Engine(system(accelerator), memory_of(memory), note).run()
    return spans
