"""Where the cycles and the energy of a design go, before any simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from halidehw.buses.axi import AXI, check
from halidehw.energy_model.cells import cell_energies
from halidehw.energy_model.compulsory import compulsory
from halidehw.energy_model.costs.area import areas
from halidehw.energy_model.costs.table import CostTable
from halidehw.energy_model.cycles import Cycles, cycles
from halidehw.energy_model.energy import Energy, energies
from halidehw.energy_model.traffic import Count, traffic
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Nest
from halidehw.microarch.held import Elaborated
from halidehw.microarch.network import Network
from halidehw.simulate.memory import Memory, memory_of

DEFAULT_COSTS = "table3"


@dataclass(frozen=True)
class PortUse:
    """A memory port: its words in all, the fewest possible, and the words it can move in a cycle."""

    tensor: str
    words: int
    least: int
    bandwidth: float

    @property
    def again(self) -> float:
        """The part of its words that are fetched or stored once more."""
        return 1 - self.least / self.words if self.least and self.words else 0.0


@dataclass(frozen=True)
class Estimate:
    """One run of a design: exact counts and cycles, and the energy and area that the cost table `costs` gives them.

    `area`: um2 by level, None if the table has no areas.
    """

    name: str
    costs: str
    technology: str
    pes: int
    counts: tuple[Count, ...]
    cycles: Cycles
    energy: tuple[Energy, ...]
    ports: tuple[PortUse, ...]
    area: dict[str, float] | None
    accelerator: Network = field(repr=False, compare=False)
    memory: Memory | None = field(repr=False, compare=False)

    def __repr__(self) -> str:
        return f"<Estimate of {self.name}: {self.cycles.total} cycles, {self.energy_pj:.0f} pJ by {self.costs}>"

    def count(self, name: str) -> int:
        """A count by name. Raises KeyError for one that the design does not have."""
        return {count.name: count.words for count in self.counts}[name]

    @property
    def macs(self) -> int:
        """The iterations of all stages."""
        return sum(count.words for count in self.counts if count.event == "mac")

    @property
    def energy_pj(self) -> float:
        return sum(part.pj for part in self.energy)

    @property
    def pj_per_mac(self) -> float:
        return self.energy_pj / self.macs

    @property
    def tops_per_watt(self) -> float:
        """Two operations a MAC."""
        return 2 / self.pj_per_mac if self.energy_pj else float("inf")

    @property
    def area_mm2(self) -> float | None:
        return None if self.area is None else sum(self.area.values()) / 1e6

    @property
    def ideal_cycles(self) -> float:
        """With every PE of the output's stage at work in every cycle."""
        return self.count("macs") / self.accelerator.output.pes

    @property
    def utilization(self) -> float:
        """The part of all PEs' cycles in which one does an iteration's work."""
        return self.macs / self.pes / self.cycles.total

    @property
    def intensity(self) -> float:
        """MACs for each word that passes a port."""
        return self.macs / sum(port.words for port in self.ports)

    @property
    def roof(self) -> float:
        """MACs per cycle that the PEs and the ports allow in the long run: a port's first request does not wait."""
        return min([float(self.pes), *(self.macs * port.bandwidth / port.words for port in self.ports if port.words)])

    def gap(self) -> dict[str, float]:
        """Cycles beyond the ideal by cause; they add up to the difference exactly."""
        causes = {"idle PEs": self.cycles.busy - self.ideal_cycles, "fill": float(self.cycles.fill)}
        causes |= {f"stalls by {name}": float(stall) for name, stall in self.cycles.stalls.items() if stall}
        return causes | {"drain": float(self.cycles.drain)}

    def by(self, field: str) -> dict[str, float]:
        """pJ by "level" or by "tensor" (iterations under "mac")."""
        totals: dict[str, float] = {}
        for part in self.energy:
            key = getattr(part, field) if part.event != "mac" else "mac"
            totals[key] = totals.get(key, 0.0) + part.pj
        return totals


def estimate_hardware(
    design: Nest | Graph, accelerator: Network, table: CostTable, memory: Memory | None,
    elaborated: Elaborated | None = None, bus: AXI | None = None,
) -> Estimate:  # fmt: skip
    """The estimate of a lowered design. `elaborated`: says what its components hold, for a table with costs of cells.
    `bus`: what its ports share.

    Raises CostError for a table without a cost that the design needs, and a memory with random stalls."""
    counts = traffic(accelerator, design)
    graph = design if isinstance(design, Graph) else Graph((design,))
    if bus:
        check(accelerator.interface, bus)
    found = cycles(accelerator, memory, bus)
    energy = energies_of(accelerator, counts, lambda: found.total, table, elaborated)
    return Estimate(
        accelerator.name, table.name, table.technology, accelerator.pes, counts, found, energy,
        tuple(_ports(graph, accelerator, counts, memory_of(memory))), areas(accelerator, table), accelerator, memory,
    )  # fmt: skip


def energies_of(
    accelerator: Network, counts: Iterable[Count], cycles: Callable[[], int], table: CostTable,
    elaborated: Elaborated | None = None,
) -> tuple[Energy, ...]:  # fmt: skip
    """What the counts of a run cost by a table, of which one with costs of cells asks for its `cycles`."""
    if table.cells:
        return cell_energies(accelerator, counts, cycles(), table, elaborated)
    return energies(accelerator, counts, table)


def _ports(graph: Graph, accelerator: Network, counts: Iterable[Count], memory: Memory) -> Iterator[PortUse]:
    rate, words = memory.words_per_cycle, {count.name: count.words for count in counts}
    reader = {load.tap.port.name: stage.name for stage in accelerator.stages for load in stage.loads}
    reader |= {sink.port.name: stage.name for stage in accelerator.stages if (sink := stage.write.outside)}
    for port in accelerator.interface.ports:
        nest = graph.stage[reader[port.name]]
        returning = (port.kind, port.tensor) == ("read", nest.output.name)
        least = 0 if returning else compulsory(nest, port.tensor)
        bandwidth = min(float(rate), port.lanes) if rate else float(port.lanes)
        yield PortUse(port.tensor, words[f"{port.name}_words"], least, bandwidth)
