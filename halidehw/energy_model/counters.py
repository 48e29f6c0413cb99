"""What every counter of the hardware will say."""

from __future__ import annotations

from halidehw.energy_model.cycles import cycles
from halidehw.energy_model.traffic import traffic
from halidehw.ir.nest import Nest
from halidehw.microarch.network import Network
from halidehw.microarch.travel import plain
from halidehw.simulate.memory import Memory


def predicted(nest: Nest, accelerator: Network, memory: Memory | None = None) -> dict[str, int]:
    """Counter name -> value, for all counters of a design built with them. Raises CostError as `cycles` does."""
    found = cycles(accelerator, memory)
    counts = {count.name: count.words for count in traffic(accelerator, nest)}
    counts |= {"cycles": found.total, "fill_cycles": found.fill, "drain_cycles": found.drain}
    return counts | {f"stalls_{plain(name)}": stall for name, stall in found.stalls.items()}
