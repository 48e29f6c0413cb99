"""When each process works, tile by tile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from halidehw.energy_model.processes import System, system
from halidehw.energy_model.timekeeper import Timekeeper
from halidehw.microarch.network import Network
from halidehw.microarch.processes import Transfer
from halidehw.simulate.memory import Memory, memory_of


@dataclass(frozen=True)
class Span:
    """A process's work on one tile: its first and last step's cycle. `tensor`: whose words it moves ("": the array)."""

    process: str
    tensor: str
    first: int
    last: int


class _Enough(Exception):
    pass


def timeline(accelerator: Network, memory: Memory | None = None, *, until: int, most: int = 20_000) -> list[Span]:
    """The tiles that the processes work on until the array has reached cycle `until`, at most `most` of them."""
    spans: list[Span] = []
    processes = system(accelerator)
    tensor = dict(_moved(processes))

    def note(process: str, first: int, last: int) -> None:
        spans.append(Span(process, tensor.get(process, ""), first, last))
        if len(spans) == most or (process == processes.output.array.name and last >= until):
            raise _Enough

    with suppress(_Enough):
        Timekeeper(processes, memory_of(memory), note).run()
    return spans


def _moved(found: System) -> Iterator[tuple[str, str]]:
    """Each process besides the arrays, and the tensor whose words it moves."""
    for line in found.lines:
        for sums, taker in zip(line.sums, line.takers, strict=True):
            yield taker.name, sums.tensor
        readers = [line.array, *line.takers]
        for reader in readers:
            for source in reader.sources:
                if isinstance(source.feeder.work, Transfer) and not source.channel.sums:
                    yield source.feeder.name, source.channel.tensor
                    readers.append(source.feeder)
