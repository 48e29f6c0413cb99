"""An accelerator whose tensors share one port to the memory outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Member, Out

from halidehw.backend_hdl.library import Library, Part, Ports, resize
from halidehw.backend_hdl.top import Top
from halidehw.microarch.interface import Port
from halidehw.microarch.network import Network
from halidehw.microarch.shared import ports_in_order


@dataclass(frozen=True)
class SharedSpec:
    """Ports by number. `writes`: those that write, whose requests go first, the first of them before all others.
    `reads`: those that read, and the bits of their `order`: of equal ones the first goes first."""

    writes: tuple[int, ...]
    reads: tuple[tuple[int, int], ...]

    @property
    def count(self) -> int:
        return len(self.writes) + len(self.reads)

    @property
    def bits(self) -> int:
        """Of the number of a port."""
        return max((self.count - 1).bit_length(), 1)


class _Request(NamedTuple):
    valid: Value
    order: Value
    port: Value


class SharedArbiter(Part[SharedSpec]):
    """Chooses, in each cycle, the port whose request is offered outside.

    A port that writes goes first, else the one that reads with the least `order`. No cycle passes from `valid` to
    `chosen`. What is offered and not taken stays chosen: `held` says so. Reset: nothing is held.
    """

    title = "shared_port"

    def __init__(self, library: Library, spec: SharedSpec):
        members: dict[str, Member] = {"valid": In(spec.count), "ready": In(1), "chosen": Out(spec.bits)}
        members |= {f"order{port}": In(bits) for port, bits in spec.reads if bits}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        held, holder, first = Signal(name="held"), Signal(spec.bits, name="holder"), Signal(spec.bits, name="first")
        m.d.comb += self.chosen.eq(Mux(held, holder, first))
        m.d.sync += [held.eq(self.valid.any() & ~self.ready), holder.eq(self.chosen)]
        m.d.comb += first.eq(self._read(m) if spec.reads else spec.writes[0])
        for port in reversed(spec.writes):
            with m.If(self.valid[port]):
                m.d.comb += first.eq(port)
        return m

    def _read(self, m: Module) -> Value:
        """The number of the port that reads next: the winner of pairs."""
        asking = [
            _Request(self.valid[port], self[f"order{port}"] if bits else Const(0), Const(port, self.spec.bits))
            for port, bits in self.spec.reads
        ]
        level = 0
        while len(asking) > 1:
            pairs = range(0, len(asking) - 1, 2)
            last = asking[len(pairs) * 2 :]
            asking = [self._sooner(m, f"{level}_{i // 2}", asking[i], asking[i + 1]) for i in pairs] + last
            level += 1
        return asking[0].port

    def _sooner(self, m: Module, label: str, one: _Request, other: _Request) -> _Request:
        """Of two requests the one that goes first: of equal ones, `one`."""
        second = Signal(name=f"second{label}")
        order = Signal(max(len(one.order), len(other.order)), name=f"order{label}_least")
        port = Signal(self.spec.bits, name=f"port{label}")
        m.d.comb += second.eq(other.valid & (~one.valid | (other.order < one.order)))
        m.d.comb += [order.eq(Mux(second, other.order, one.order)), port.eq(Mux(second, other.port, one.port))]
        return _Request(one.valid | other.valid, order, port)


class SharedTop(Part[Network]):
    """An accelerator with one port to the memory outside, `memory_...`, which all of its ports share.

    In a cycle one request is offered, and stays until it is taken; an answer goes to the port whose number comes with
    it. Neither costs a cycle. `memory_resp_ready` has a bit for each port that says whether it takes an answer; no
    output hangs on an input of its cycle. What starts and stops runs, an abort and a reset are as of the accelerator.
    """

    title = "shared"

    def __init__(self, library: Library, spec: Network):
        interface = spec.interface
        members = {each.name: (Out if each.out else In)(each.bits) for each in (*interface.control, *interface.memory)}
        members |= {each.name: Out(each.bits) for each in interface.counters}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, interface = Module(), self.spec.interface
        self.library.add(Top, self.spec, f"{self.spec.prefix}_core")
        core = self.library.use(m, "core", Top, self.spec)
        for each in interface.control:
            m.d.comb += self[each.name].eq(core[each.name]) if each.out else core[each.name].eq(self[each.name])
        m.d.comb += [self[each.name].eq(core[each.name]) for each in interface.counters]
        chosen = self._choose(m, core)
        for number, port in enumerate(interface.ports):
            self._ask(m, core, port, chosen == number)
            if port.kind == "read":
                self._answer(m, core, port, number)
        return m

    def _choose(self, m: Module, core: Ports) -> Value:
        """The number of the port whose request is offered."""
        ports = self.spec.interface.ports
        numbers, orders = {port.name: i for i, port in enumerate(ports)}, {port.name: port.order for port in ports}
        writes = tuple(i for i, port in enumerate(ports) if port.kind == "write")
        spec = SharedSpec(writes, tuple((numbers[name], orders[name]) for name in ports_in_order(self.spec)))
        arbiter = self.library.use(m, "arbiter", SharedArbiter, spec)
        valid = [core[f"{_request(port)}valid"] for port in ports]
        m.d.comb += [arbiter.valid.eq(Cat(valid)), arbiter.ready.eq(self.memory_ready)]
        m.d.comb += [self.memory_valid.eq(Cat(valid).any()), self.memory_port.eq(arbiter.chosen)]
        for number, port in enumerate(ports):
            if port.order:
                m.d.comb += arbiter[f"order{number}"].eq(core[f"{port.name}_req_order"])
        return arbiter.chosen

    def _ask(self, m: Module, core: Ports, port: Port, mine: Value) -> None:
        """A port's request, where it is the one that is chosen."""
        request = _request(port)
        m.d.comb += core[f"{request}ready"].eq(self.memory_ready & mine)
        with m.If(mine):
            m.d.comb += self.memory_write.eq(port.kind == "write")
            m.d.comb += self.memory_addr.eq(core[f"{request}addr"])
            m.d.comb += self.memory_mask.eq(core[f"{request}mask"] if port.lanes > 1 else 1)
            if port.kind == "write":
                m.d.comb += self.memory_data.eq(core[f"{request}data"])

    def _answer(self, m: Module, core: Ports, port: Port, number: int) -> None:
        data = core[f"{port.name}_resp_data"]
        m.d.comb += core[f"{port.name}_resp_valid"].eq(self.memory_resp_valid & (self.memory_resp_port == number))
        m.d.comb += [data.eq(resize(self.memory_resp_data, len(data)))]
        m.d.comb += self.memory_resp_ready[number].eq(core[f"{port.name}_resp_ready"])


def _request(port: Port) -> str:
    """What begins the names of the signals of a port's request."""
    return f"{port.name}_req_" if port.kind == "read" else f"{port.name}_"
