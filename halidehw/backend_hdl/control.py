"""Starting and stopping a run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import and_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.library import Library, Part
from halidehw.backend_hdl.program import ADDRESS, PORT
from halidehw.microarch.network import Network


@dataclass(frozen=True)
class ControlSpec:
    """`reads`: each read port and the most answers that it can wait for. `writes`: the write ports. `posted`: those
    that say when their words have arrived. `after`: read ports, and the posted port of the same tensor."""

    reads: tuple[tuple[str, int], ...]
    writes: tuple[str, ...]
    posted: tuple[str, ...] = ()
    after: tuple[tuple[str, str], ...] = ()

    @property
    def channels(self) -> tuple[str, ...]:
        """The channels on which the accelerator offers something."""
        return (*(f"{name}_req" for name, _ in self.reads), *self.writes)


def control_spec(acc: Network) -> ControlSpec:
    most = {load.tap.port.name: load.tap.outstanding for load in acc.loads} | {PORT: 1 << ADDRESS}
    reads = [port for port in acc.interface.ports if port.kind == "read"]
    writes = [port for port in acc.interface.ports if port.kind == "write"]
    posted = {port.tensor: port.name for port in writes if port.posted}
    after = tuple((port.name, posted[port.tensor]) for port in reads if port.tensor in posted)
    named = tuple((port.name, most[port.name]) for port in reads)
    return ControlSpec(named, tuple(port.name for port in writes), tuple(posted.values()), after)


class Control(Part[ControlSpec]):
    """Starts the processes, knows when they are done, and stops them on `abort`.

    `start` is taken in a cycle with `idle`: `go` in that cycle, `running` from the next one on. A cycle after
    `finished`, `running` falls and `done` rises until the next `go`; posted writes must have settled for both. A tensor
    that is written by a posted port is asked for only when its words have settled. `abort` counts while `running`, but
    not in a cycle with `finished`. From the next cycle on the ports offer nothing new; what a port has offered already
    stays there until it is accepted, and every answer is taken. When nothing is offered any more, `reset` holds all
    processes in reset until no answer is outstanding; then the accelerator is idle, and not done. So nothing inside
    needs to know of an abort. A port's `offer` and `take` are its process's; `valid`, `ready` and so on are its own.
    Answers come a cycle after their request or later. Reset: idle, not done, no answer outstanding.
    """

    title = "control"

    def __init__(self, library: Library, spec: ControlSpec):
        members = {"start": In(1), "abort": In(1), "finished": In(1)}
        members |= {"go": Out(1), "running": Out(1), "idle": Out(1), "done": Out(1), "reset": Out(1)}
        members |= {f"{name}_settled": In(1) for name in spec.posted}
        for channel in spec.channels:
            members |= {f"{channel}_offer": In(1), f"{channel}_ready": In(1), f"{channel}_valid": Out(1)}
        for name, _ in spec.reads:
            members |= {f"{name}_take": In(1), f"{name}_resp_valid": In(1), f"{name}_resp_ready": Out(1)}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        aborting = Signal(name="aborting")
        waiting = [Signal(name=f"{channel}_waiting") for channel in spec.channels]
        arrived = {f"{read}_req": self[f"{write}_settled"] for read, write in spec.after}
        settled = reduce(and_, (self[f"{name}_settled"] for name in spec.posted), Const(1))
        for channel, wait in zip(spec.channels, waiting, strict=True):
            valid, ready = self[f"{channel}_valid"], self[f"{channel}_ready"]
            new = ~aborting & arrived[channel] if channel in arrived else ~aborting
            m.d.comb += valid.eq(self[f"{channel}_offer"] & (new | wait))
            m.d.sync += wait.eq(valid & ~ready)
        outstanding = [Signal(range(most + 1), name=f"{name}_outstanding") for name, most in spec.reads]
        for (name, _), count in zip(spec.reads, outstanding, strict=True):
            asked, taken = Signal(name=f"{name}_asked"), Signal(name=f"{name}_taken")
            m.d.comb += [
                asked.eq(self[f"{name}_req_valid"] & self[f"{name}_req_ready"]),
                taken.eq(self[f"{name}_resp_valid"] & self[f"{name}_resp_ready"]),
                self[f"{name}_resp_ready"].eq(self[f"{name}_take"] | aborting),
            ]
            with m.If(asked ^ taken):
                m.d.sync += count.eq(count + Mux(taken, -1, 1))
        m.d.comb += [self.idle.eq(~self.running), self.go.eq(self.start & self.idle)]
        with m.If(self.go):
            m.d.sync += [self.running.eq(1), self.done.eq(0)]
        with m.Elif(self.reset & ~Cat(*outstanding).any() & settled):
            m.d.sync += [self.running.eq(0), aborting.eq(0), self.reset.eq(0)]
        with m.Elif(aborting):
            m.d.sync += self.reset.eq(self.reset | ~Cat(*waiting).any())
        with m.Elif(self.running & self.finished & settled):
            m.d.sync += [self.running.eq(0), self.done.eq(1)]
        with m.Elif(self.running & self.abort):
            m.d.sync += aborting.eq(1)
        return m
