"""Partial sums: one memory per output lane, updated in place."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.datapath import combine, shape_of
from halidehw.backend_hdl.library import Library, Part, addresses, alone, delay, ram
from halidehw.expr.types import Type
from halidehw.ir.nest import Combine
from halidehw.microarch.stores import LEAD, RAM_LATENCY


@dataclass(frozen=True)
class AccumulateSpec:
    """`words` in all parts; `first_only`: every word is visited once, so nothing is read back. `scattered`: words are
    visited in no order, or never. `ports`: memories with one port, each with every so-many-th word, the least bits of
    the address say which; what is drained lies in one for each part of `part` words. `soon`: a word may be visited
    again, and not as the first time, before its sum is in memory. `given`: what is combined into a word, where that is
    of another type: a state, of which each is given out."""

    words: int
    type: Type
    combine: Combine | None
    init: int
    first_only: bool
    scattered: bool = False
    ports: int = 0
    part: int = 0
    soon: bool = True
    given: Type | None = None


class Accumulate(Part[AccumulateSpec]):
    """A memory of partial sums with a read-modify-write every cycle.

    `valid`, `first` and `address` come LEAD cycles ahead of `value`. Stage 0 reads the memory; stage LEAD combines
    value and sum; the stage after stores the new sum. The memory does not yet hold the sums of the steps in stages 1
    to LEAD + 1, so where words are visited again so `soon`, a step whose address one of them has takes that sum
    instead, the nearest first: invariant: the sum combined is the latest one of its address. `first` starts from the
    initial value; where words are scattered, that of a tile forgets all, and a bit for each word says since whether it
    was visited. Drain: the word at `drain_address` is on `drain_data` RAM_LATENCY cycles later. A state is on `state`
    a cycle after `value`. No back-pressure; reset: idle.
    """

    title = "accumulator"
    role = "sums"

    def __init__(self, library: Library, spec: AccumulateSpec):
        address = addresses(spec.words)
        members = {"valid": In(1), "first": In(1), "address": In(address), "value": In((spec.given or spec.type).bits)}
        out = {"drain_address": In(address), "drain_data": Out(spec.type.bits)}
        super().__init__(library, spec, members | ({"state": Out(spec.type.bits)} if spec.given else out))

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        shape = shape_of(spec.type)
        total = Signal(shape, name="total", reset_less=True)
        valid, address = [self.valid], [self.address]
        for stage in range(1, LEAD + 2):
            valid.append(Signal(name=f"valid{stage}"))
            address.append(Signal(addresses(spec.words), name=f"address{stage}", reset_less=True))
            m.d.sync += [valid[stage].eq(valid[stage - 1]), address[stage].eq(address[stage - 1])]
        write = (valid[-1], address[-1], total)
        init: Value = Const(spec.init, shape)
        value = self.value.as_signed() if spec.type.signed else self.value
        if spec.first_only:
            m.d.sync += total.eq(combine(self.library, spec.combine, spec.type, init, value) if spec.combine else value)
        else:
            start = self._latest(m, write, valid, address)
            m.d.sync += total.eq(combine(self.library, spec.combine or "add", spec.type, start, value))
        if spec.given:
            m.d.comb += self.state.eq(total)
            return m
        drained = self._drained(m, write)
        if spec.scattered:
            there = delay(m, "visited", (self.visited >> self.drain_address)[0], RAM_LATENCY)
            drained = Mux(there, drained, Const(spec.init, shape).as_unsigned())
        m.d.comb += self.drain_data.eq(drained)
        return m

    def _drained(self, m: Module, write: tuple[Value, Value, Value]) -> Value:
        """The word at the drain's address. With one port each part is a memory; one that is being written is nobody
        else's, so nothing is read there."""
        spec = self.spec
        if not spec.ports:
            return ram(m, "drained", spec.words, write, (Const(1), self.drain_address))
        first = range(0, spec.words, spec.part)
        into, out_of = (
            [(at >= base) & (at < base + spec.part) for base in first] for at in (write[1], self.drain_address)
        )
        asked = [out & ~(write[0] & held) for out, held in zip(out_of, into, strict=True)]
        place, source = (
            sum((Mux(here, at - base, 0) for here, base in zip(of, first, strict=True)), Const(0))
            for of, at in ((into, write[1]), (out_of, self.drain_address))
        )
        return alone(m, "drained", spec.part, (write[0], place, write[2]), (Const(1), source), into, asked)

    def _sums(self, m: Module, write: tuple[Value, Value, Value]) -> Value:
        """The sum at this step's address, as the memory has it."""
        spec = self.spec
        if not spec.ports:
            return ram(m, "sums", spec.words, write, (self.valid, self.address))
        bits = spec.ports.bit_length() - 1
        turns = (
            [at[:bits] == bank if bits else Const(1) for bank in range(spec.ports)] for at in (write[1], self.address)
        )
        written, read = (Cat(at[bits:], Const(0)) for at in (write[1], self.address))
        depth = -(-spec.words // spec.ports)
        return alone(m, "sums", depth, (write[0], written, write[2]), (self.valid, read), *turns)

    def _first(self, m: Module) -> Value:
        """Whether a step is the first one at its address."""
        if not self.spec.scattered:
            return self.first
        self.visited = Signal(self.spec.words, name="visited", reset_less=True)
        here = (Const(1) << self.address)[: self.spec.words]
        with m.If(self.valid):
            m.d.sync += self.visited.eq(Mux(self.first, here, self.visited | here))
        return self.first | ~(self.visited >> self.address)[0]

    def _latest(
        self, m: Module, write: tuple[Value, Value, Value], valid: list[Signal], address: list[Signal]
    ) -> Value:
        """The sum at this step's address, when its value arrives."""
        spec, total = self.spec, write[2]
        shape = shape_of(spec.type)
        memory = self._sums(m, write)
        begins = self._first(m)
        first = delay(m, "first", begins, LEAD - 1)
        chosen: Value = memory.as_signed() if spec.type.signed else memory
        same = [valid[ahead] & (self.address == address[ahead]) for ahead in range(1, LEAD + 2) if spec.soon]
        for ahead in reversed(range(2, len(same) + 1)):
            earlier = delay(m, f"total{ahead}", total, ahead - 2)
            chosen = Mux(delay(m, f"same{ahead}", same[ahead - 1], LEAD - 1), earlier, chosen)
        start = Signal(shape, name="start", reset_less=True)
        m.d.sync += start.eq(Mux(first, Const(spec.init, shape), chosen))
        return Mux(delay(m, "same1", same[0] & ~begins, LEAD), total, start) if same else start
