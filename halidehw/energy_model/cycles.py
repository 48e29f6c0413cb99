"""Cycles of a run, and what the array waited for."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.energy_model.engine import Engine
from halidehw.energy_model.processes import system
from halidehw.errors import CostError
from halidehw.microarch.accelerator import Accelerator
from halidehw.simulate.memory import Memory


@dataclass(frozen=True)
class Cycles:
    """`total` is fill + busy + stalls + drain: from start to the array's first step, its steps, its waits between
    them by the buffer that was not ready (its name; "sums": no accumulator was free), from its last step to done.

    `tensors`: the tensor of each buffer in `stalls`.
    """

    total: int
    fill: int
    busy: int
    stalls: dict[str, int]
    drain: int
    tensors: dict[str, str]


def cycles(accelerator: Accelerator, memory: Memory | None = None) -> Cycles:
    """The cycles of a run on a memory (default: the ideal one), without simulating it.

    Exact on memories without random stalls. Raises CostError for one with random stalls.
    """
    memory = memory or Memory()
    if memory.stall_probability:
        raise CostError(
            f"a stall probability of {memory.stall_probability}: the model knows no chance",
            legal=("Memory(stall_probability=0)",),
        )
    engine = Engine(system(accelerator), memory)
    times = engine.run()
    stalls = {name: every - before for name, (every, before) in times.waits.items()}
    busy = times.end - times.first - sum(stalls.values())
    tensors = {slots.channel.name: slots.channel.tensor for slots in engine.channels}
    return Cycles(times.done, times.first - 1, busy, stalls, times.done - times.end + 1, tensors)
