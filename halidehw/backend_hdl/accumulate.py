"""Partial sums: one memory per output lane, updated in place."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.datapath import combine, shape_of
from halidehw.backend_hdl.library import Library, Part, ram
from halidehw.frontend.types import Type


@dataclass(frozen=True)
class AccumulateSpec:
    """`words` in all parts; `first_only`: every word is visited once, so nothing is read back."""

    words: int
    type: Type
    combine: str | None
    init: int
    first_only: bool


class Accumulate(Part):
    """A memory of partial sums with a read-modify-write every cycle, at any sequence of addresses.

    `valid`, `first` and `address` come one cycle ahead of `value`: in that cycle the old sum is read; in the next,
    value and sum are combined; in the one after, the new sum is stored. A sum that is still on its way to the memory
    is forwarded: invariant: the sum combined is the latest one of its address. `first` starts from the initial value
    instead. Drain: the word at `drain_address` is on `drain_data` one cycle later. No back-pressure; reset: idle.
    """

    title = "accumulator"

    def __init__(self, library: Library, spec: AccumulateSpec):
        address = range(spec.words)
        super().__init__(
            library, spec,
            {"valid": In(1), "first": In(1), "address": In(address), "value": In(spec.type.bits),
             "drain_address": In(address), "drain_data": Out(spec.type.bits)},
        )  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        shape = shape_of(spec.type)
        valid, first = Signal(name="valid1"), Signal(name="first1", reset_less=True)
        address = Signal(range(spec.words), name="address1", reset_less=True)
        m.d.sync += [valid.eq(self.valid), first.eq(self.first), address.eq(self.address)]
        store, target = Signal(name="valid2"), Signal(range(spec.words), name="address2", reset_less=True)
        total = Signal(shape, name="total2", reset_less=True)
        m.d.sync += [store.eq(valid), target.eq(address)]
        init: Value = Const(spec.init, shape)
        value = self.value.as_signed() if spec.type.signed else self.value
        write = (store, target, total)
        if spec.first_only:
            m.d.sync += total.eq(combine(spec.combine, spec.type, init, value) if spec.combine else value)
        else:
            old = self._latest(m, write, valid, address)
            start = Mux(first, init, old.as_signed() if spec.type.signed else old)
            m.d.sync += total.eq(combine(spec.combine or "add", spec.type, start, value))
        m.d.comb += self.drain_data.eq(ram(m, "drained", spec.words, write, (Const(1), self.drain_address)))
        return m

    def _latest(self, m: Module, write: tuple[Value, Value, Value], valid: Value, address: Value) -> Value:
        """The sum at this step's address: from the memory, or one of the two not yet in it when it was read."""
        spec = self.spec
        store, target, total = write
        previous = Signal(len(total), name="total3", reset_less=True)
        m.d.sync += previous.eq(total)
        near, far = Signal(name="repeats1", reset_less=True), Signal(name="repeats2", reset_less=True)
        m.d.sync += [near.eq(valid & (self.address == address)), far.eq(store & (self.address == target))]
        memory = ram(m, "sums", spec.words, write, (self.valid, self.address))
        return Mux(near, total, Mux(far, previous, memory))
