"""An accelerator whose tensors lie behind one AXI4 master."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from operator import and_, or_

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib.wiring import In, Member, Out

from halidehw.backend_hdl.engines import Engines
from halidehw.backend_hdl.generate import top_of
from halidehw.backend_hdl.library import Library, Part, Ports
from halidehw.buses.arbiter import ArbiterSpec, ReadArbiter, WriteArbiter
from halidehw.buses.attached import BUNDLE, Attached
from halidehw.buses.axi import ADDRESS, AXI, lanes_of, log2
from halidehw.buses.reads import Reads, ReadSpec
from halidehw.buses.writes import Writes, WriteSpec
from halidehw.microarch.interface import PROGRAM_BITS, Port
from halidehw.microarch.network import Network


@dataclass(frozen=True)
class MastersSpec:
    """An accelerator, and the bus that it is put behind."""

    network: Network | Engines
    bus: AXI

    @cached_property
    def attached(self) -> Attached:
        return Attached(f"{self.network.prefix}_axi", self.native.interface, self.bus)

    @cached_property
    def native(self) -> Network | Engines:
        """The accelerator, whose writes are on their way for a while."""
        return self.network.posted


class Masters(Part[MastersSpec]):
    """An accelerator with an adapter for each of its ports, which share one AXI4 master.

    What starts and stops it is as of the accelerator; when it is `idle`, every burst has its beats and its response.
    `X_base`: the address of the first byte of tensor X, which stays while not `idle`. `errors`: a bit for each port in
    the order of the accelerator's, from an error response on until the next `start`; a run goes on with whatever data
    came. Reset: everything, so the other side of the bus must be reset with it; an abort needs none.
    """

    title = "masters"

    def __init__(self, library: Library, spec: MastersSpec):
        interface = spec.native.interface
        members: dict[str, Member] = {each.name: (Out if each.out else In)(each.bits) for each in interface.control}
        members |= {"errors": Out(len(interface.ports))}
        members |= {f"{tensor}_base": In(ADDRESS) for tensor in spec.attached.bases}
        members |= {each.name: Out(each.bits) for each in interface.counters}
        members |= {f"{BUNDLE}_{name}": (Out if out else In)(bits) for name, bits, out in spec.attached.channels()}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        interface, native = spec.native.interface, spec.native
        self.library.add(top_of(native), native, interface.module)
        self.native = self.library.use(m, "accelerator", top_of(native), native)
        go, fresh, ended = Signal(name="go"), Signal(name="fresh"), list[Value]()
        quiet = Signal(name="quiet", init=1)
        errors = [*self._reads(m, go, fresh, ended), *self._writes(m, go)]
        order = {port.name: i for i, port in enumerate((*spec.attached.reads, *spec.attached.writes))}
        inputs = {each.name for each in interface.control if not each.out}
        for name in (*(each.name for each in interface.control), *(each.name for each in interface.counters)):
            here, inside = self[name], self.native[name]
            m.d.comb += inside.eq(here) if name in inputs else here.eq(inside)
        m.d.comb += [
            go.eq(self.start & self.idle),
            self.native.start.eq(go),
            self.idle.eq(self.native.idle & quiet),
            self.done.eq(self.native.done & quiet),
            self.errors.eq(Cat(errors[order[port.name]] for port in interface.ports)),
        ]
        m.d.sync += quiet.eq(reduce(and_, ended, Const(1)))  # a cycle late, as answers are
        self._begin(m, go, fresh)
        return m

    def _begin(self, m: Module, go: Value, fresh: Signal) -> None:
        """A pulse before the first request of each run, and of each program of a list, which says where tensors lie."""
        ended = list[Value]()
        for each in self.spec.native.interface.lists:
            completed, before = self[f"{each}completed"], Signal(PROGRAM_BITS, name=f"{each}completed_before")
            m.d.sync += before.eq(completed)
            ended.append(completed != before)
        m.d.comb += fresh.eq(reduce(or_, ended, go))

    def _reads(self, m: Module, go: Value, fresh: Value, ended: list[Value]) -> list[Value]:
        """The adapters of read ports; whether each has ended what it began; the errors of each."""
        bus, ports, adapters = self.spec.bus, self.spec.attached.reads, list[Ports]()
        written = {port.tensor for port in self.spec.attached.writes}
        for port in ports:
            keeps = port.tensor not in written
            spec = ReadSpec(lanes_of(port, bus), bus.burst, bus.room, bus.room + 1, keeps)
            adapters.append(adapter := self.library.use(m, f"{port.name}_reads", Reads, spec))
            self._wire(m, port, adapter)
            changed = self.native[f"{port.name}_anew"] if port.anew else fresh if port.based else go
            m.d.comb += [adapter.fresh.eq(changed)]
            m.d.comb += [adapter.beat_data.eq(self._axi("RDATA"))]
            ended.append(adapter.quiet)
        if not ports:
            return []
        shared = self._shared(m, "reads", ReadArbiter, adapters, go)
        m.d.comb += [shared.r_valid.eq(self._axi("RVALID")), shared.r_id.eq(self._axi("RID")),
                     shared.r_resp.eq(self._axi("RRESP")), self._axi("RREADY").eq(1)]  # fmt: skip
        m.d.comb += [adapter.beat_valid.eq(shared[f"beat{i}_valid"]) for i, adapter in enumerate(adapters)]
        self._address(m, "AR", shared)
        return list(shared.errors)

    def _writes(self, m: Module, go: Value) -> list[Value]:
        bus, adapters = self.spec.bus, list[Ports]()
        for port in self.spec.attached.writes:
            spec = WriteSpec(lanes_of(port, bus), bus.burst, 2 * bus.burst, port.tiles)
            adapters.append(adapter := self.library.use(m, f"{port.name}_writes", Writes, spec))
            self._wire(m, port, adapter)
        shared = self._shared(m, "writes", WriteArbiter, adapters, go)
        for i, adapter in enumerate(adapters):
            m.d.comb += [shared[f"beat{i}_{name}"].eq(adapter[f"beat_{name}"]) for name in ("valid", "data", "strobe")]
            m.d.comb += adapter.beat_ready.eq(shared[f"beat{i}_ready"])
            m.d.comb += adapter.answered.eq(shared[f"answered{i}"])
        for name, signal in (("WVALID", "w_valid"), ("WDATA", "w_data"), ("WSTRB", "w_strobe"), ("WLAST", "w_last")):
            m.d.comb += self._axi(name).eq(shared[signal])
        for name, signal in (("WREADY", "w_ready"), ("BVALID", "b_valid"), ("BID", "b_id"), ("BRESP", "b_resp")):
            m.d.comb += shared[signal].eq(self._axi(name))
        m.d.comb += self._axi("BREADY").eq(1)
        self._address(m, "AW", shared)
        return list(shared.errors)

    def _axi(self, name: str) -> Signal:
        found = self[f"{BUNDLE}_{name}"]
        assert isinstance(found, Signal)
        return found

    def _wire(self, m: Module, port: Port, adapter: Ports) -> None:
        """The accelerator's port to its adapter."""
        for each in (each for each in port.signals if each.name != "anew"):
            inside, outside = adapter[each.name], self.native[f"{port.name}_{each.name}"]
            m.d.comb += inside.eq(outside) if each.out else outside.eq(inside)
        if not port.based:
            m.d.comb += adapter.base.eq(self[f"{port.tensor}_base"])

    def _shared(
        self, m: Module, label: str, kind: type[Part[ArbiterSpec]], adapters: list[Ports], go: Value
    ) -> Ports:
        spec = ArbiterSpec(len(adapters), self.spec.bus.bytes, self.spec.attached.id_bits)
        shared = self.library.use(m, label, kind, spec)
        for i, adapter in enumerate(adapters):
            m.d.comb += [shared[f"run{i}_{name}"].eq(adapter[f"run_{name}"]) for name in ("valid", "beat", "length")]
            m.d.comb += adapter.run_ready.eq(shared[f"run{i}_ready"])
        m.d.comb += shared.fresh.eq(go)
        return shared

    def _address(self, m: Module, name: str, shared: Ports) -> None:
        """An address channel: bursts of whole beats at following addresses (INCR), bufferable, in the order of each
        identifier."""
        inside = log2(self.spec.bus.bytes)
        m.d.comb += [
            self._axi(f"{name}VALID").eq(shared.a_valid),
            self._axi(f"{name}ID").eq(shared.a_id),
            self._axi(f"{name}ADDR").eq(Cat(Const(0, inside), shared.a_beat)),
            self._axi(f"{name}LEN").eq(shared.a_length),
            self._axi(f"{name}SIZE").eq(inside),
            self._axi(f"{name}BURST").eq(1),
            self._axi(f"{name}CACHE").eq(0b0011),
            shared.a_ready.eq(self._axi(f"{name}READY")),
        ]

