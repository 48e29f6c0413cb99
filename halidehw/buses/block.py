"""The registers as hardware: what a host writes, and what an accelerator does with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Member, Out

from halidehw.backend_hdl.library import Library, Part
from halidehw.buses.registers import BITS, BYTES, OWN_STATUS, Register, RegisterMap


def accelerator_side(spec: RegisterMap) -> dict[str, Member]:
    """What is not the bus's: the interrupt, control as accelerators have it, arguments, and what is only read."""
    members = {"interrupt": Out(1), "start": Out(1), "idle": In(1), "done": In(1)}
    members |= {each.name: Out(1) for each in spec.commands}
    members |= {each.name: Out(each.bits) for each in spec.arguments}
    return members | {each.name: In(each.bits) for each in spec.inputs}


class Block(Part[RegisterMap]):
    """Registers between a bus and an accelerator (`microarch.interface`).

    A 1 written to `ap_start` starts a run when the accelerator is idle. The arguments are then taken over: they are
    there in the cycle of `start`, stay for the run, and may be written for the one after it. Where one of them is not
    aligned nothing is run, and the run is over at once. While a run goes on a start is ignored. Whatever ends a run,
    its end or an abort, `ap_start` falls, and `ap_done` and `ap_ready` rise until they are read. With `auto_restart` a
    run that ends without a flag of `status` is followed by another one. `interrupt` is high while it is enabled and a
    bit of `isr` is set.

    A read or a write takes effect in its cycle, and `read_data` is the word read from the next one on. Bytes without
    strobe stay; addresses without a register read 0, and writing there does nothing. Reset: no run, no interrupt;
    arguments are 0.
    """

    title = "registers"

    def __init__(self, library: Library, spec: RegisterMap):
        bits = spec.address_bits
        members = {"write": In(1), "write_address": In(bits), "write_data": In(BITS), "write_strobe": In(BYTES)}
        members |= {"read": In(1), "read_address": In(bits), "read_data": Out(BITS)}
        super().__init__(library, spec, members | accelerator_side(spec))

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        self.strobes, self.word = Signal(BITS, name="strobes"), Signal(BITS, name="word")
        m.d.comb += self.strobes.eq(Cat(self.write_strobe[byte].replicate(8) for byte in range(BYTES)))
        m.d.comb += self.word.eq(self.write_data & self.strobes)
        held = {register.name: self._held(m, register) for value in spec.arguments for register in value.registers}
        told = {value.name: Cat(held[each.name] for each in value.registers) for value in spec.arguments}
        running, over, starting = Signal(name="running"), Signal(name="over"), Signal(name="starting")
        skewed, well = Signal(name="skewed"), self.done & ~_any(self[field.name] for field in spec.status)
        m.d.comb += skewed.eq(_any(told[each.name][: (each.align - 1).bit_length()] for each in spec.arguments))
        started, restart = Signal(name="ap_start"), self._held(m, spec.register("ap_ctrl"), "auto_restart")
        begun, refused = Signal(name="begun"), Signal(name="refused")
        asked = self._written(spec.register("ap_ctrl"), "ap_start")
        m.d.comb += [
            begun.eq(started & ~running & self.idle),
            refused.eq(begun & skewed),
            self.start.eq(starting),
            over.eq((running & ~starting & self.idle) | refused),
            *(self[each.name].eq(self._written(spec.register("abort"), each.name)) for each in spec.commands),
        ]
        m.d.sync += starting.eq(begun & ~skewed)
        with m.If(over):
            m.d.sync += [running.eq(0), started.eq(running & restart & well)]
        with m.Elif(begun):
            m.d.sync += [running.eq(1), *(self[name].eq(value) for name, value in told.items())]
        with m.Elif(asked):
            m.d.sync += started.eq(1)
        own = self._status(m, begun, refused, asked & started, over & running & ~self.done)
        status = {**own, **{field.name: self[field.name] for field in spec.status}}
        flags = {name: self._flag(m, name, over) for name in ("ap_done", "ap_ready")}
        control = {"ap_start": started, "ap_idle": ~started & ~running & self.idle, "auto_restart": restart, **flags}
        values = {**{name: {"value": value} for name, value in held.items()}, "status": status, "ap_ctrl": control}
        for value in spec.numbers:
            for word, register in enumerate(value.registers):
                values[register.name] = {"value": self[value.name][word * BITS : (word + 1) * BITS]}
        values |= self._interrupts(m, over)
        self._read(m, values)
        return m

    def _written(self, register: Register, field: str) -> Value:
        """The bits of a field for which a 1 is written."""
        found = register.field(field)
        where = slice(found.at, found.at + found.bits)
        return self.word[where] & self._at(register).replicate(found.bits)

    def _at(self, register: Register) -> Value:
        return self.write & (self.write_address[2:] == register.offset // BYTES)

    def _held(self, m: Module, register: Register, name: str = "value") -> Signal:
        """A field that is read and written."""
        field = register.field(name)
        held = Signal(field.bits, name=f"{register.name}_{name}")
        where = slice(field.at, field.at + field.bits)
        with m.If(self._at(register)):
            m.d.sync += held.eq((held & ~self.strobes[where]) | self.word[where])
        return held

    def _flag(self, m: Module, name: str, over: Value) -> Signal:
        """Rises when a run is over, until it is read."""
        flag = Signal(name=name)
        read = self.read & (self.read_address[2:] == self.spec.register("ap_ctrl").offset // BYTES)
        m.d.sync += flag.eq(over | (flag & ~read))
        return flag

    def _status(self, m: Module, begun: Value, *events: Value) -> dict[str, Value]:
        """What has happened since the last start: `OWN_STATUS`, in its order."""
        ignored, misaligned, aborted = (Signal(name=field.name) for field in OWN_STATUS)
        refused, again, cut = events
        m.d.sync += [
            ignored.eq((ignored & ~begun) | again),
            misaligned.eq(Mux(begun, refused, misaligned)),
            aborted.eq((aborted & ~begun) | cut),
        ]
        return {"ignored": ignored, "misaligned": misaligned, "aborted": aborted}

    def _interrupts(self, m: Module, over: Value) -> dict[str, dict[str, Value]]:
        """The registers of interrupts: the end of a run is the cause of both."""
        spec, enables, causes = self.spec, dict[str, Value](), dict[str, Value]()
        enabled = self._held(m, spec.register("gie"), "enable")
        for field in spec.register("isr").fields:
            enables[field.name] = enable = self._held(m, spec.register("ier"), field.name)
            causes[field.name] = cause = Signal(name=f"isr_{field.name}")
            turned = self._written(spec.register("isr"), field.name)
            m.d.sync += cause.eq((over & enable) | (cause ^ turned))
        m.d.comb += self.interrupt.eq(enabled & _any(causes.values()))
        return {"gie": {"enable": enabled}, "ier": enables, "isr": causes}

    def _read(self, m: Module, values: dict[str, dict[str, Value]]) -> None:
        with m.If(self.read), m.Switch(self.read_address[2:]):
            for register in self.spec.registers:
                with m.Case(register.offset // BYTES):
                    m.d.sync += self.read_data.eq(_word(register, values.get(register.name, {})))
            with m.Default():
                m.d.sync += self.read_data.eq(0)


def _word(register: Register, values: Mapping[str, Value]) -> Value:
    """What is read of a register: the values of its fields, zeros elsewhere."""
    parts, at = list[Value](), 0
    for field in sorted(register.fields, key=lambda field: field.at):
        parts += [Const(0, field.at - at), values.get(field.name, Const(0, field.bits))]
        at = field.at + field.bits
    return Cat(*parts)


def _any(values: Iterable[Value]) -> Value:
    return reduce(or_, (value.any() for value in values), Const(0))
