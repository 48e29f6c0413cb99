"""The accelerator: processes, memories and the array, wired together."""

from __future__ import annotations

from functools import reduce
from operator import and_

from amaranth.hdl import Cat, ClockDomain, Const, Module, Signal, Value
from amaranth.lib.wiring import In, Out, Signature

from halidehw.backend_hdl.control import Control, control_spec
from halidehw.backend_hdl.counters import detailed
from halidehw.backend_hdl.library import Library, Part, Ports, identifier, masked
from halidehw.backend_hdl.program import PORT, Program, ProgramSpec
from halidehw.backend_hdl.stage import Around, Wired, port_of
from halidehw.microarch.interface import Port
from halidehw.microarch.network import Network


class Top(Part[Network]):
    """A whole accelerator.

    A `start` is taken when idle; the processes then run by themselves, meeting only in buffers. Reset at any time
    leaves it idle; contents of memories are not cleared and not needed. An abort ends in the same reset of everything
    but `control`, which says when.
    """

    def __init__(self, library: Library, spec: Network):
        self.title = spec.interface.module
        members = {"clk": In(1), "rst": In(1), "start": In(1), "abort": In(1), "idle": Out(1), "done": Out(1)}
        for port in spec.interface.ports:
            members |= {f"{port.name}_{name}": member for name, member in signature(port).members.items()}
        members |= {counter.name: Out(counter.bits) for counter in spec.interface.counters}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.control = self._control(m)
        go = Signal(name="go")
        stages = self._stages(m, go)
        idle = self._program(m, go)
        m.d.comb += self.control.finished.eq(reduce(and_, (stage.finished for stage in stages), idle))
        self._count(m, stages)
        return m

    def _program(self, m: Module, go: Signal) -> Value:
        """What `go` comes from, which starts all processes; whether nothing else is to be awaited. In a machine, the
        numbers of its program are fetched first."""
        self.program = self.library.numbers()
        if not self.program:
            m.d.comb += go.eq(self.control.go)
            return Const(1)
        spec = ProgramSpec(sum(len(number.signal) for number in self.program))
        program = self.library.use(m, PORT, Program, spec)
        m.d.comb += [program.start.eq(self.control.go), go.eq(program.go)]
        m.d.comb += Cat(number.signal for number in self.program).eq(program.numbers)
        port_of(m, self, self.control, program, PORT)
        return ~program.busy

    def _stages(self, m: Module, go: Signal) -> list[Wired]:
        """All stages, the output's first: a writer is wired to memories that are there."""
        outside = Ports({name: getattr(self, name) for name in self.signature.members})
        memories = {memory.name: memory for memory in self.spec.memories}
        buffers, stages = dict[str, Ports](), list[Wired]()
        left = {name: Signal(name=f"{identifier(name)}_left") for name in self.spec.between}
        for stage in reversed(self.spec.stages):
            around = Around(outside, self.control, go, memories, buffers, left)
            stages.append(Wired(self.library, m, stage, around))
            buffers |= stages[-1].buffers
            if stage.name in left:
                self._leave(m, stages[-1], left[stage.name], go)
        return stages

    def _leave(self, m: Module, stage: Wired, left: Signal, go: Value) -> None:
        """A pulse when all that a stage writes outside is there."""
        busy = Signal(name=f"{identifier(stage.spec.name)}_busy")
        m.d.comb += left.eq(busy & stage.finished)
        m.d.sync += busy.eq(go | (busy & ~left))

    def _control(self, m: Module) -> Ports:
        """What starts and stops a run; everything else has its reset besides the accelerator's own."""
        m.domains.sync = domain = ClockDomain()
        domain.clk, domain.rst = self.clk, Signal(name="clear")
        control = self.library.use(m, "control", Control, control_spec(self.spec), reset=self.rst)
        m.d.comb += [domain.rst.eq(self.rst | control.reset), control.start.eq(self.start)]
        m.d.comb += [control.abort.eq(self.abort), self.idle.eq(control.idle), self.done.eq(control.done)]
        for channel in control_spec(self.spec).channels:
            m.d.comb += control[f"{channel}_ready"].eq(self[f"{channel}_ready"])
            m.d.comb += self[f"{channel}_valid"].eq(control[f"{channel}_valid"])
        return control

    def _count(self, m: Module, stages: list[Wired]) -> None:
        running, events = self.control.running, dict[str, Value]()
        events |= {"cycles": running}
        for port in self.spec.interface.ports:
            channel = f"{port.name}_req" if port.kind == "read" else port.name
            taken = self[f"{channel}_valid"] & self[f"{channel}_ready"]
            events[f"{port.name}_words"] = masked(taken, self[f"{channel}_mask"]) if port.lanes > 1 else taken
        counters = self.spec.interface.counters
        for stage in stages:
            name = f"{stage.spec.label}steps"
            events[name] = stage.step
            if stage.spec.compute.watched:
                sink = stage.spec.write.outside
                drained = events[f"{sink.port.name}_words"] if sink else stage.landed
                events |= detailed(stage, running, self[name], drained)
        for counter in counters:
            count = self[counter.name]
            with m.If(self.control.go):
                m.d.sync += count.eq(0)
            with m.Else():
                m.d.sync += count.eq(count + events[counter.name])


def signature(port: Port) -> Signature:
    """A port as an accelerator has it; what is on its other side has it flipped."""
    return Signature({each.name: (Out if each.out else In)(each.bits) for each in port.signals})


