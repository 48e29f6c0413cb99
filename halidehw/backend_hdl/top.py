"""The accelerator: processes, memories and the array, wired together."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import and_
from zlib import crc32

from amaranth.hdl import Cat, ClockDomain, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out, Signature

from halidehw.backend_hdl.buffer import lent
from halidehw.backend_hdl.control import Control, control_spec
from halidehw.backend_hdl.counters import detailed
from halidehw.backend_hdl.gate import COUNT, Gate
from halidehw.backend_hdl.library import Library, Part, Ports, delay, identifier, masked
from halidehw.backend_hdl.program import PORT, STATUS, Program, ProgramSpec, Share
from halidehw.backend_hdl.stage import Around, Wired
from halidehw.backend_hdl.wiring import port_of
from halidehw.microarch.counters import most
from halidehw.microarch.interface import ALWAYS, Port
from halidehw.microarch.network import Network
from halidehw.microarch.stores import Memory


class Top(Part[Network]):
    """A whole accelerator.

    A `start` is taken when idle; the processes then run by themselves, meeting only in buffers. Reset at any time
    leaves it idle; contents of memories are not cleared and not needed. An abort ends in the same reset of everything
    but `control`, which says when.
    """

    def __init__(self, library: Library, spec: Network):
        self.title = spec.interface.module
        members = {"clk": In(1), "rst": In(1)}
        members |= {each.name: (Out if each.out else In)(each.bits) for each in spec.interface.control}
        for port in spec.interface.ports:
            members |= {f"{port.name}_{name}": member for name, member in signature(port).members.items()}
        members |= {counter.name: Out(counter.bits) for counter in spec.interface.counters}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.control = self._control(m)
        go = Signal(name="go")
        early = self.spec.early if self.spec.interface.listed else ()
        self.begin = {load.name: Signal(name=f"begin_{identifier(load.name)}") for load in early}
        self.may_open = {load.name: Signal(name=f"may_open_{identifier(load.name)}") for load in early}
        ports = {port.name for port in self.spec.interface.ports if port.posted and port.tiles}
        self.passing = self.spec.passing if self.spec.passing in ports else ""
        stages = self._stages(m, go)
        finished = reduce(and_, (stage.finished for stage in stages))
        self._early(m, go, stages)
        self._program(m, go, finished)
        self._count(m, stages)
        return m

    def _program(self, m: Module, go: Signal, finished: Value) -> None:
        """What `go` comes from, which starts all processes, and what ends a run. In a machine, a list of programs is
        run, and the numbers of each are fetched before."""
        self.program = self.library.numbers()
        self.descriptor: ProgramSpec | None = None
        control = self.control
        if not self.spec.interface.listed:
            m.d.comb += [go.eq(control.go), control.finished.eq(finished)]
            return
        self.descriptor = self._descriptor()
        program = self.library.use(m, PORT, Program, self.descriptor)
        for each in self.spec.interface.control[len(ALWAYS) :]:
            m.d.comb += self[each.name].eq(program[each.name]) if each.out else program[each.name].eq(self[each.name])
        settled = (self[f"{name}_settled"] for name in control_spec(self.spec).posted if name != STATUS)
        m.d.comb += [program.start.eq(control.go), go.eq(program.go), control.finished.eq(~program.busy)]
        m.d.comb += program.finished.eq(reduce(and_, settled, finished))
        m.d.comb += Cat(number.signal for number in self.program).eq(program.numbers)
        m.d.comb += [Cat(self.begin.values()).eq(program.starts), program.rests.eq(Cat(self.rests))]
        m.d.comb += Cat(gate.word for gate in self.gates).eq(program.gates)
        m.d.comb += Cat(self[f"{port.name}_base"] for port in self._based).eq(program.bases)
        port_of(m, self, control, program, PORT)
        m.d.comb += [self[f"{STATUS}_{name}"].eq(program[name]) for name in ("addr", "data")]
        m.d.comb += [control[f"{STATUS}_offer"].eq(program.valid), program.ready.eq(self[f"{STATUS}_ready"])]

    @property
    def _based(self) -> list[Port]:
        return [port for port in self.spec.interface.ports if port.based]

    def _descriptor(self) -> ProgramSpec:
        """Of a key that other machines hardly have: it follows from what the numbers are for and how wide they are."""
        numbers = [(path, shape.width) for number in self.program for path, _, shape in number.flat()]
        key = crc32(repr((self.title, numbers)).encode())
        bits, others = sum(len(number.signal) for number in self.program), self.spec.interface.others
        return ProgramSpec(bits, len(self._based), key, others, tuple(map(self._share, self.begin)))

    def _share(self, load: str) -> Share:
        """What a load that may begin early is told."""
        port = next(each.tap.port.name for each in self.spec.early if each.name == load)
        base = [each.name for each in self._based].index(port)
        first = 0
        for number in self.program:
            if number.name == identifier(load):
                return Share(base, first, len(number.signal))
            first += len(number.signal)
        return Share(base, 0, 0)

    def _stages(self, m: Module, go: Signal) -> list[Wired]:
        """All stages, the output's first: a writer is wired to memories that are there."""
        signals = {name: getattr(self, name) for name in self.signature.members}
        for read, _ in control_spec(self.spec).after:  # these are accepted when they are offered at all
            signals[f"{read}_req_ready"] = accepted = Signal(name=f"{read}_accepted")
            m.d.comb += accepted.eq(self[f"{read}_req_ready"] & self.control[f"{read}_req_valid"])
        outside = Ports(signals)
        memories = {memory.name: memory for memory in self.spec.memories}
        buffers, stages = dict[str, Ports](), list[Wired]()
        left = {name: Signal(name=f"{identifier(name)}_left") for name in self.spec.between}
        for stage in reversed(self.spec.stages):
            around = Around(outside, self.control, go, memories, buffers, left, self.begin, self.may_open, self.passing)
            stages.append(Wired(self.library, m, stage, around))
            buffers |= stages[-1].buffers
            if stage.name in left:
                self._leave(m, stages[-1], left[stage.name], go)
        for memory in self.spec.memories:
            if memory.home:
                _lie_together(m, memory, buffers)
        return stages

    def _early(self, m: Module, go: Value, stages: list[Wired]) -> None:
        """The loads that may begin a program early: whether each is done with the one before, and its gate, which
        counts the tiles that have arrived."""
        loaders = {load.name: stage.loaders[load.sink.memory] for stage in stages for load in stage.spec.loads}
        ports = {load.name: load.tap.port.name for load in self.spec.early}
        self.rests, self.gates = [loaders[name].rests for name in self.begin], list[Ports]()
        arrived = Signal(COUNT, name="tiles_arrived")
        if self.begin and self.passing:
            more = arrived + self[f"{self.passing}_arrived"]
            m.d.sync += arrived.eq(Mux(go, 0, Mux(more[COUNT:].any(), (1 << COUNT) - 1, more)))
        for name, begin in self.begin.items():
            gate = self.library.use(m, f"{name}_gate", Gate, None)
            self.gates.append(gate)
            m.d.comb += [gate.start.eq(begin), gate.go.eq(go), gate.opens.eq(loaders[name].reserve)]
            m.d.comb += [gate.arrived.eq(arrived), self.may_open[name].eq(gate.may_open)]
            m.d.comb += self[f"{ports[name]}_anew"].eq(gate.anew)

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
        m.d.comb += [control[f"{name}_settled"].eq(self[f"{name}_settled"]) for name in control_spec(self.spec).posted]
        return control

    def _count(self, m: Module, stages: list[Wired]) -> None:
        running, events = self.control.running, dict[str, Value]()
        events |= {"cycles": running}
        for port in self.spec.interface.ports:
            channel = f"{port.name}_req" if port.kind == "read" else port.name
            taken = self[f"{channel}_valid"] & self[f"{channel}_ready"]
            if port.lanes > 1:
                taken = delay(m, f"{port.name}_taken", masked(taken, self[f"{channel}_mask"]), 1, reset=True)
            events[f"{port.name}_words"] = taken
        for stage in stages:
            name = f"{stage.spec.label}steps"
            events[name] = stage.step
            if stage.spec.compute.watched:
                sink = stage.spec.write.outside
                drained = events[f"{sink.port.name}_words"] if sink else stage.landed
                events |= detailed(stage, running, self[name], drained)
        reached = most(self.spec)
        for counter in self.spec.interface.counters:
            count = self[counter.name]
            low = count[: reached.get(counter.name, 1 << counter.bits).bit_length()]
            with m.If(self.control.go):
                m.d.sync += count.eq(0)
            with m.Else():
                m.d.sync += low.eq(low + events[counter.name])


def _lie_together(m: Module, tenant: Memory, buffers: Mapping[str, Ports]) -> None:
    """The banks of a memory are those of its home."""
    asking, lending = buffers[tenant.name], buffers[tenant.home]
    for name, (_, heard) in lent(tenant).items():
        into, out_of = (asking, lending) if heard else (lending, asking)
        m.d.comb += into[f"l_{name}"].eq(out_of[f"l_{name}"])


def signature(port: Port) -> Signature:
    """A port as an accelerator has it; what is on its other side has it flipped."""
    return Signature({each.name: (Out if each.out else In)(each.bits) for each in port.signals})


