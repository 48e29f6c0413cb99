"""An accelerator behind an AXI4 master, controlled over AXI4-Lite."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Member, Out

from halidehw.backend_hdl.engines import Engines
from halidehw.backend_hdl.library import Library, Part
from halidehw.buses.attached import BUNDLE, Attached
from halidehw.buses.axi import AXI, check
from halidehw.buses.block import accelerator_side
from halidehw.buses.generate import shell
from halidehw.buses.interface import registers_of
from halidehw.buses.masters import Masters, MastersSpec
from halidehw.buses.registers import RegisterMap
from halidehw.buses.slave import Slave, bus_side
from halidehw.microarch.network import Network


@dataclass(frozen=True)
class ControlledSpec:
    """What lies behind the registers."""

    masters: MastersSpec

    @cached_property
    def registers(self) -> RegisterMap:
        network = self.masters.network
        return registers_of(network.prefix, network.interface)

    @property
    def bundle(self) -> dict[str, Member]:
        """The signals of the bus of memory."""
        signals = self.masters.attached.channels()
        return {f"{BUNDLE}_{name}": (Out if out else In)(bits) for name, bits, out in signals}


class Controlled(Part[ControlledSpec]):
    """`masters.Masters` behind `slave.Slave`: the bus that a host controls, the bus of memory, an interrupt. Reset:
    everything."""

    title = "controlled"

    def __init__(self, library: Library, spec: ControlledSpec):
        super().__init__(library, spec, {**bus_side(spec.registers), **spec.bundle, "interrupt": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        slave = self.library.use(m, "control", Slave, spec.registers)
        masters = self.library.use(m, "masters", Masters, spec.masters)
        for members, side in ((bus_side(spec.registers), slave), (spec.bundle, masters)):
            for name, member in members.items():
                m.d.comb += side[name].eq(self[name]) if member.flow == In else self[name].eq(side[name])
        for name, member in accelerator_side(spec.registers).items():
            match name:
                case "interrupt":
                    m.d.comb += self.interrupt.eq(slave.interrupt)
                case "error":
                    m.d.comb += slave.error.eq(masters.errors.any())
                case _:
                    m.d.comb += masters[name].eq(slave[name]) if member.flow == Out else slave[name].eq(masters[name])
        return m


@dataclass(frozen=True)
class Behind:
    """An accelerator behind its buses: the text, what the outside sees of its AXI4 master, its registers."""

    verilog: str
    attached: Attached
    registers: RegisterMap


def behind(network: Network | Engines, bus: AXI, *, loops: bool = False) -> Behind:
    """One file: the top module `NAME_axi`, with clock `ap_clk` and reset `ap_rst_n`, first. `loops`: see
    `backend_hdl.verilog`.

    Raises HardwareError for a port that moves more than the bus does in a cycle.
    """
    check(network.interface, bus)
    library = Library(network.prefix)
    spec = ControlledSpec(MastersSpec(network, bus))
    library.add(Controlled, spec)
    attached, design = spec.masters.attached, library.hierarchy
    return Behind(shell(design.looped if loops else design, attached.module).verilog(), attached, spec.registers)
