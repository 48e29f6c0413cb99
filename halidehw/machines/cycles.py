"""How long a machine takes for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from halidehw.energy_model.cycles import Cycles, cycles
from halidehw.energy_model.port import Bucket, read_tile
from halidehw.microarch.network import Network
from halidehw.simulate.memory import Memory

_BEGIN = 2
"""From a descriptor's last word, or the end of the program before, to the start of the processes."""
_END = 3
"""From the end of the last program to the end of the list, while its status is written."""


@dataclass(frozen=True)
class RunCycles:
    """A program in a list: `before`, since the end of the program before or the start of the list, for its descriptor
    and to begin; those of `run`, as of a design of its own; `after` it, until the list is done."""

    name: str
    before: int
    run: Cycles
    after: int

    @property
    def total(self) -> int:
        return self.before + self.run.total + self.after


def list_cycles(programs: Sequence[tuple[str, Network, int]], memory: Memory) -> list[RunCycles]:
    """The cycles of programs, each with a descriptor of so many words, in one list: it is fetched while the one before
    runs. Those without are started one by one."""
    found, ended, free = list[RunCycles](), 0, 0
    rate = memory.parameters
    bucket = Bucket(rate["rate_words"], rate["rate_cycles"])
    for number, (name, network, words) in enumerate(programs):
        run = cycles(network, memory)
        if not words:
            found.append(RunCycles(name, 0, run, 0))
            continue
        asked, fetched = read_tile([1] * words, 0, 0, memory.latency, bucket)
        begun = max(free + fetched + _BEGIN, ended + _BEGIN if number else 0)
        bucket.rest(max(begun - free - 1 - asked, 0))
        last = number == len(programs) - 1
        found.append(RunCycles(name, begun - ended, run, _END if last else 0))
        ended, free = begun + run.total, begun - 1
    return found
