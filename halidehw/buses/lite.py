"""AXI4-Lite: a bus of 32 bits before registers."""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Member, Out

from halidehw.backend_hdl.library import Library, Part
from halidehw.buses.registers import BITS, BYTES

CHANNELS: dict[str, Member] = {
    "awvalid": In(1), "awready": Out(1), "wvalid": In(1), "wready": Out(1), "wdata": In(BITS), "wstrb": In(BYTES),
    "bvalid": Out(1), "bready": In(1), "bresp": Out(2), "arvalid": In(1), "arready": Out(1), "rvalid": Out(1),
    "rready": In(1), "rdata": Out(BITS), "rresp": Out(2),
}  # fmt: skip
"""All signals but the addresses, as the slave has them."""


def channels(bits: int) -> dict[str, Member]:
    """The signals of a slave with addresses of so many bits. What the protocol says of protection is not looked at."""
    return {"awaddr": In(bits), "araddr": In(bits), "awprot": In(3), "arprot": In(3), **CHANNELS}


class Lite(Part[int]):
    """The slave. Its spec: the bits of an address.

    An address and its data are taken in either order, or together; the write is made in the cycle after the later of
    both, with `write`, if the answer before it has been taken. A read is made in the cycle in which its address is
    taken, with `read`; `read_data` is its word, from the next cycle to the next read. One of each kind is under way at
    a time; both may be. All answers are OKAY. Reset: nothing is under way.
    """

    title = "axi_lite"

    def __init__(self, library: Library, spec: int):
        members = channels(spec)
        members |= {"write": Out(1), "write_address": Out(spec), "write_data": Out(BITS), "write_strobe": Out(BYTES)}
        members |= {"read": Out(1), "read_address": Out(spec), "read_data": In(BITS)}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        addressed, worded = Signal(name="addressed"), Signal(name="worded")
        m.d.comb += [
            self.awready.eq(~addressed),
            self.wready.eq(~worded),
            self.write.eq(addressed & worded & (~self.bvalid | self.bready)),
            self.arready.eq(~self.rvalid),
            self.read.eq(self.arvalid & self.arready),
            self.read_address.eq(self.araddr),
            self.rdata.eq(self.read_data),
        ]
        with m.If(self.write):
            m.d.sync += [addressed.eq(0), worded.eq(0), self.bvalid.eq(1)]
        with m.Else():
            with m.If(self.bready):
                m.d.sync += self.bvalid.eq(0)
            with m.If(self.awvalid & ~addressed):
                m.d.sync += [addressed.eq(1), self.write_address.eq(self.awaddr)]
            with m.If(self.wvalid & ~worded):
                m.d.sync += [worded.eq(1), self.write_data.eq(self.wdata), self.write_strobe.eq(self.wstrb)]
        with m.If(self.read):
            m.d.sync += self.rvalid.eq(1)
        with m.Elif(self.rready):
            m.d.sync += self.rvalid.eq(0)
        return m
