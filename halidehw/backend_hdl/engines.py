"""Several accelerators as one, each with a list of programs, which wait for each other where these say so."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from operator import and_, or_

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.library import Library, Part, Ports
from halidehw.backend_hdl.top import Top, signature
from halidehw.microarch.interface import LIST, Interface, side_by_side
from halidehw.microarch.network import Network


@dataclass(frozen=True)
class Engines:
    """Networks by name, each of which runs lists of programs and waits for all others, in their order. `prefix`: what
    the names of all modules begin with."""

    prefix: str
    parts: tuple[tuple[str, Network], ...]

    @cached_property
    def interface(self) -> Interface:
        """The ports, counters and lists of all."""
        return side_by_side(self.prefix, {name: network.interface for name, network in self.parts})

    @property
    def posted(self) -> Engines:
        """With writes that are on their way for a while."""
        return Engines(self.prefix, tuple((name, network.posted) for name, network in self.parts))

    @property
    def pes(self) -> int:
        return sum(network.pes for _, network in self.parts)


class EnginesTop(Part[Engines]):
    """Several accelerators that start, stop and end together; each runs its own list.

    A program begins when the programs of the other lists for which its descriptor waits have ended, their words
    arrived. Where none can go on, because each waits for another, all lists end, as by `stop`. `idle` and `done` are
    those of all. Reset: idle.
    """

    def __init__(self, library: Library, spec: Engines):
        self.title = spec.interface.module
        members = {each.name: (Out if each.out else In)(each.bits) for each in spec.interface.control}
        for port in spec.interface.ports:
            members |= {f"{port.name}_{name}": member for name, member in signature(port).members.items()}
        members |= {counter.name: Out(counter.bits) for counter in spec.interface.counters}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        engines = [self._engine(m, name, network) for name, network in spec.parts]
        start, stuck = Signal(name="start_all"), Signal(name="stuck")
        rests = reduce(and_, (engine.waiting | engine.done for engine in engines))
        m.d.comb += [
            self.idle.eq(reduce(and_, (engine.idle for engine in engines))),
            self.done.eq(reduce(and_, (engine.done for engine in engines))),
            start.eq(self.start & self.idle),
        ]
        m.d.sync += stuck.eq(rests & reduce(or_, (engine.waiting for engine in engines)))
        for number, engine in enumerate(engines):
            others = [each.completed for i, each in enumerate(engines) if i != number]
            m.d.comb += [engine.start.eq(start), engine.abort.eq(self.abort), engine.stop.eq(self.stop | stuck)]
            m.d.comb += engine.progress.eq(Cat(others))
        return m

    def _engine(self, m: Module, name: str, network: Network) -> Ports:
        """One of them, with ports, list and counters outside."""
        self.library.add(Top, network, network.interface.module)
        engine = self.library.use(m, name, Top, network)
        inside, outside = network.interface, network.interface.within(name)
        for own, other in zip(inside.ports, outside.ports, strict=True):
            for each in own.signals:
                self._join(m, engine[f"{own.name}_{each.name}"], f"{other.name}_{each.name}", each.out)
        for each in LIST:
            self._join(m, engine[each.name], f"{name}_{each.name}", each.out)
        for counter, named in zip(inside.counters, outside.counters, strict=True):
            self._join(m, engine[counter.name], named.name, True)
        return engine

    def _join(self, m: Module, inner: Signal, outer: str, out: bool) -> None:
        m.d.comb += self[outer].eq(inner) if out else inner.eq(self[outer])
