"""The estimate of a design as a user has it."""

from __future__ import annotations

from pathlib import Path

from halidehw.backend_hdl.compiled import Compiled
from halidehw.backend_hdl.registers import elaborated
from halidehw.buses.axi import AXI, bus_of
from halidehw.energy_model.costs.table import CostTable, load_costs
from halidehw.energy_model.estimate import DEFAULT_COSTS, Estimate, estimate_hardware
from halidehw.frontend.design import Design, design_of
from halidehw.frontend.func import Func
from halidehw.frontend.outputs import Pipeline
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.scheduler import lower_graph
from halidehw.simulate.memory import Memory


def estimate(
    design: Func | Pipeline | Design | Compiled,
    costs: CostTable | str | Path = DEFAULT_COSTS,
    *,
    memory: Memory | None = None,
    bus: AXI | str | None = None,
    port_bits: int = 0,
    shared_port_bits: int = 0,
) -> Estimate:
    """Counts, cycles and energy of one run of a design.

    `costs`: a cost table, a TOML or YAML file with one, or the name of one that is built in. `memory`: the timing of
    the memory outside (default: ideal, or as slow as the bus expects). `bus`: an `AXI` or "axi4" that all tensors
    share. `port_bits`, `shared_port_bits`: as of `compile`. Raises CostError for a cost table that is not complete, a
    memory with random stalls and one of few words a cycle behind a bus, and what is not known of a shared port;
    HardwareError for a bus that is narrower than a port, and what `compile` raises.
    """
    table, attached = costs if isinstance(costs, CostTable) else load_costs(costs), bus_of(bus)
    if isinstance(design, Compiled):
        return estimate_hardware(design.graph, design.accelerator, table, memory, elaborated, attached)
    graph = lower_graph(design_of(design))
    network = derive(graph, Options(port_bits, shared_port_bits=shared_port_bits))
    return estimate_hardware(graph, network, table, memory, elaborated, attached)
