"""What every counter of the hardware will say."""

from __future__ import annotations

from halidehw.energy_model.cycles import cycles
from halidehw.energy_model.traffic import traffic
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Nest
from halidehw.microarch.network import Network
from halidehw.microarch.travel import plain
from halidehw.simulate.memory import Memory


def predicted(design: Nest | Graph, accelerator: Network, memory: Memory | None = None) -> dict[str, int]:
    """Counter name -> value, for all counters of a design built with them. Raises CostError as `cycles` does."""
    return {count.name: count.words for count in traffic(accelerator, design)} | timed(accelerator, memory)


def timed(accelerator: Network, memory: Memory | None = None) -> dict[str, int]:
    """Those of cycles, which depend on the memory. Raises CostError as `cycles` does."""
    found = cycles(accelerator, memory)
    counts = {"cycles": found.total}
    for stage, ran in zip(accelerator.stages, found.stages, strict=True):
        counts |= {f"{stage.label}fill_cycles": ran.fill, f"{stage.label}drain_cycles": ran.drain}
        counts |= {f"{stage.label}stalls_{plain(name)}": stall for name, stall in ran.stalls.items()}
    return counts
