"""Who owns which part of a buffer."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.library import Library, Part, addresses, delay


@dataclass(frozen=True)
class PingPongSpec:
    """`halves` parts of `stride` words. A part is full `commit_lag` cycles after its commit, and free
    `release_lag` cycles after its retire: what is still under way in a pipeline behind the pulse gets there first.
    """

    halves: int
    stride: int
    commit_lag: int = 0
    release_lag: int = 0


class PingPong(Part[PingPongSpec]):
    """Passes the parts of a buffer from its writer to its reader and back, in order.

    The writer pulses `reserve` with the first step of a tile, only while `free`, and `commit` with the tile's last
    word, only while `granted`; the reader pulses `retire` with the last step of a tile, only while `full`. `granted`
    falls with the commit of the last part granted; else the flags follow a pulse one cycle (and the spec's lag)
    later. `write_base` and `read_base` are the parts' first
    words; they move on one cycle after commit and retire. Parts free, granted, full and lagging are all the parts
    there are, at all times. Reset: all parts free.
    """

    title = "ping_pong"

    def __init__(self, library: Library, spec: PingPongSpec):
        bases = addresses((spec.halves - 1) * spec.stride + 1)
        super().__init__(
            library, spec,
            {"reserve": In(1), "commit": In(1), "retire": In(1), "free": Out(1), "granted": Out(1), "full": Out(1),
             "write_base": Out(bases), "read_base": Out(bases)},
        )  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        free = Signal(range(spec.halves + 1), init=spec.halves, name="free_parts")
        granted = Signal(range(spec.halves + 1), name="granted_parts")
        full = Signal(range(spec.halves + 1), name="full_parts")
        m.d.comb += [self.free.eq(free != 0), self.granted.eq(granted > self.commit), self.full.eq(full != 0)]
        filled = delay(m, "filled", self.commit, spec.commit_lag, reset=True)
        emptied = delay(m, "emptied", self.retire, spec.release_lag, reset=True)
        for count, more, less in (
            (free, emptied, self.reserve),
            (granted, self.reserve, self.commit),
            (full, filled, self.retire),
        ):
            with m.If(more & ~less):
                m.d.sync += count.eq(count + 1)
            with m.Elif(less & ~more):
                m.d.sync += count.eq(count - 1)
        if spec.halves > 1:
            last = (spec.halves - 1) * spec.stride
            for base, pulse in ((self.write_base, self.commit), (self.read_base, self.retire)):
                with m.If(pulse):
                    with m.If(base == last):
                        m.d.sync += base.eq(0)
                    with m.Else():
                        m.d.sync += base.eq(base + spec.stride)
        return m
