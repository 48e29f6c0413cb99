"""What compiling a design gives."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.frontend.design import Design
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Access, Nest
from halidehw.microarch.interface import Interface
from halidehw.microarch.network import Network
from halidehw.notes import Note


@dataclass(frozen=True)
class Compiled:
    """A design at each stage: as written, scheduled, as hardware, as Verilog."""

    design: Design
    graph: Graph
    accelerator: Network
    verilog: str

    @property
    def nest(self) -> Nest:
        """The last stage."""
        return self.graph.output

    @property
    def reads(self) -> dict[str, tuple[Access, ...]]:
        """What each stage reads."""
        return {nest.name: nest.reads for nest in self.graph.stages}

    @property
    def name(self) -> str:
        return self.design.name

    @property
    def notes(self) -> tuple[Note, ...]:
        """What of the schedule holds without it, in the order of its lines."""
        return self.graph.notes

    @property
    def interface(self) -> Interface:
        return self.accelerator.interface

    def __repr__(self) -> str:
        lines = len(self.verilog.splitlines())
        return f"<Compiled {self.name}: {self.accelerator.pes} PEs, {lines} lines of Verilog>"
