"""Control of an accelerator over AXI4-Lite."""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Member

from halidehw.backend_hdl.library import Library, Part
from halidehw.buses.block import Block, accelerator_side
from halidehw.buses.lite import Lite, channels
from halidehw.buses.registers import RegisterMap

PREFIX = "s_axi_control_"
"""What the names of the bus's signals begin with."""


def bus_side(spec: RegisterMap) -> dict[str, Member]:
    """The bus's signals of a slave."""
    return {f"{PREFIX}{name.upper()}": member for name, member in channels(spec.address_bits).items()}


class Slave(Part[RegisterMap]):
    """The registers of a module as a slave: `lite.Lite` before `block.Block`, whose ports are what an accelerator has
    on its side."""

    title = "control_s_axi"

    def __init__(self, library: Library, spec: RegisterMap):
        super().__init__(library, spec, {**bus_side(spec), **accelerator_side(spec)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        lite = self.library.use(m, "lite", Lite, self.spec.address_bits)
        block = self.library.use(m, "registers", Block, self.spec)
        for name, member in channels(self.spec.address_bits).items():
            outer = self[f"{PREFIX}{name.upper()}"]
            m.d.comb += lite[name].eq(outer) if member.flow == In else outer.eq(lite[name])
        for name, member in accelerator_side(self.spec).items():
            m.d.comb += block[name].eq(self[name]) if member.flow == In else self[name].eq(block[name])
        for name in ("write", "write_address", "write_data", "write_strobe", "read", "read_address"):
            m.d.comb += block[name].eq(lite[name])
        m.d.comb += lite.read_data.eq(block.read_data)
        return m
