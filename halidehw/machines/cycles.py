"""How long a machine takes for a program."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.energy_model.cycles import Cycles, cycles
from halidehw.energy_model.port import Bucket, read_tile
from halidehw.microarch.network import Network
from halidehw.simulate.memory import Memory


@dataclass(frozen=True)
class RunCycles:
    """A run of `total` cycles: `fetch` for the descriptor, then those of `run`, as of a design of its own."""

    name: str
    fetch: int
    run: Cycles

    @property
    def total(self) -> int:
        return self.fetch + self.run.total


def run_cycles(name: str, network: Network, words: int, memory: Memory) -> RunCycles:
    """The cycles of a program with a descriptor of so many words: the processes start a cycle after the last one, or at
    once where there is none."""
    if not words:
        return RunCycles(name, 0, cycles(network, memory))
    rate = memory.parameters
    _, taken = read_tile([1] * words, 0, 0, memory.latency, Bucket(rate["rate_words"], rate["rate_cycles"]))
    return RunCycles(name, taken + 1, cycles(network, memory))
