"""What the hardware of a group takes: its printed design, lowered and estimated."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from halidehw.energy_model.costs.table import CostTable
from halidehw.energy_model.cycles import cycles
from halidehw.energy_model.estimate import estimate_hardware
from halidehw.energy_model.traffic import traffic
from halidehw.frontend.text import parse
from halidehw.ir.graph import Graph
from halidehw.microarch.derive import derive
from halidehw.microarch.network import Network
from halidehw.microarch.options import Options
from halidehw.microarch.stores import Memory
from halidehw.optimize.components import elaborated
from halidehw.optimize.fusion.chain import lanes
from halidehw.optimize.fusion.program import Program
from halidehw.optimize.fusion.targets import Target
from halidehw.optimize.fusion.ways import Group
from halidehw.scheduler import lower_graph


@dataclass(frozen=True)
class Run:
    """One run of a group's design with an ideal memory, as `estimate` has it."""

    graph: Graph
    network: Network
    costs: CostTable

    @cached_property
    def words(self) -> int:
        """That pass the ports."""
        return sum(count.words for count in traffic(self.network, self.graph) if count.level == "memory")

    @cached_property
    def capacity(self) -> int:
        """Bytes of all memories."""
        stores = (store for stage in self.network.stages for store in stage.stores if isinstance(store, Memory))
        return sum(-(-store.size * store.type.bits // 8) for store in stores)

    @cached_property
    def cycles(self) -> int:
        return cycles(self.network).total

    @cached_property
    def energy_pj(self) -> float | None:
        """None by costs of cells, which know designs of one stage only. Raises `CostError` for a cost table that lacks
        a kind of memory."""
        if self.costs.cells:
            return None
        return estimate_hardware(self.graph, self.network, self.costs, None, elaborated).energy_pj


@dataclass(frozen=True)
class Meter:
    """Of designs that differ in names only, one is estimated."""

    target: Target
    known: dict[object, Run] = field(default_factory=dict)

    def program(self, group: Group) -> Program | None:
        """The design of a group; a GPU's has none, and neither has a layer with groups of channels."""
        if self.target.gpu or group.chain.last.grouped:
            return None
        return Program(group, 8 * self.target.bytes, lanes(group.chain, group.filters, self.target.pes or 1))

    def run(self, group: Group) -> Run | None:
        program = self.program(group)
        if program is None:
            return None
        if program.alike not in self.known:
            graph = lower_graph(parse(program.text()).output)
            network = derive(graph, Options(port_bits=self.target.port_bits))
            self.known[program.alike] = Run(graph, network, self.target.costs)
        return self.known[program.alike]
