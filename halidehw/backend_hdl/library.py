"""A design as a set of distinct components, each emitted once.

Amaranth repeats a submodule for every instance. Here a component is described by a frozen `spec`; a parent that
uses one gets signals for its ports and an `Instance`, and components with equal class and spec share one module.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from amaranth.hdl import Cat, ClockSignal, Const, Fragment, Instance, Module, Mux, ResetSignal, Shape, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.rtl.demand import needed
from halidehw.backend_hdl.rtl.hierarchy import Hierarchy
from halidehw.backend_hdl.rtl.ir import Module as RTL
from halidehw.backend_hdl.rtl.propagate import propagated
from halidehw.backend_hdl.rtl.read import CLOCK, RESET, read
from halidehw.ir.varies import Varies
from halidehw.microarch.held import Role
from halidehw.microarch.stores import RAM_LATENCY

S = TypeVar("S")


class Part(wiring.Component, Generic[S]):
    """A component of the library: `spec` says all there is about it, `title` names its module, `role` says what it is
    there for.

    Every part has the clock and the synchronous reset of the domain `sync`.
    """

    title = "part"
    role: Role = ""

    def __init__(self, library: Library, spec: S, signature: dict[str, wiring.Member]):
        self.library, self.spec = library, spec
        super().__init__(signature)

    def __getitem__(self, name: str) -> Any:
        """The port of that name."""
        return getattr(self, name)


class Ports:
    """A component's ports as its parent sees them, each a signal: `ports.step`, or `ports["read0_address"]` where the
    name is made of others."""

    def __init__(self, signals: Mapping[str, Signal]):
        self._signals = dict(signals)

    def __getattr__(self, name: str) -> Signal:
        return self[name]

    def __getitem__(self, name: str) -> Signal:
        return self._signals[name]

    def side(self, name: str) -> Side:
        """Those of its ports that face one other component."""
        return Side(self, name)


@dataclass(frozen=True)
class Side:
    """The ports of a component that are called `name` and a field's name: `side["address"]` is `{name}_address`."""

    ports: Ports
    name: str

    def __getitem__(self, field: str) -> Signal:
        return self.ports[f"{self.name}_{field}"]


@dataclass(frozen=True)
class Number:
    """What `signal` brings to a component: a number that differs between programs, or all that one inside it needs."""

    name: str
    value: Varies | tuple[Number, ...]
    signal: Signal

    def flat(self, path: str = "") -> Iterator[tuple[str, Varies, Shape]]:
        """The numbers from the lowest bit on: the way to each, it, and its shape."""
        here = f"{path}.{self.name}" if path else self.name
        if isinstance(self.value, Varies):
            yield here, self.value, self.signal.shape()
            return
        for inner in self.value:
            yield from inner.flat(here)


class Library:
    """The modules of one design by class and spec. `prefix`: what their names begin with."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix and f"{prefix}_"
        self._parts: dict[tuple[type, object], tuple[str, Part[Any]]] = {}
        self._modules: list[list[RTL]] = []
        self._numbers: dict[str, tuple[Number, ...]] = {}
        self._open: list[list[Number]] = []

    def add(self, kind: type[Part[Any]], spec: object, name: str = "") -> tuple[str, Part[Any]]:
        """The module of the component `kind` with `spec`, elaborated when it is new. `name`: instead of the prefix and
        the component's title."""
        if (kind, spec) not in self._parts:
            part = kind(self, spec)  # type: ignore[call-arg]
            base = name or self.prefix + identifier(part.title)
            same = sum(other == base or other.startswith(f"{base}_") for other, _ in self._parts.values())
            name = f"{base}_{same + 1}" if same else base
            self._parts[kind, spec] = name, part
            ports = [(value, member.flow == Out) for _, member, value in part.signature.flatten(part)]
            self._open.append([])
            body = Fragment.get(part, None)
            self._numbers[name] = numbers = self.numbers()
            self._open.pop()
            if numbers:
                given = Signal(sum(len(number.signal) for number in numbers), name="numbers")
                body.add_statements("comb", Cat(number.signal for number in numbers).eq(given))
                ports.append((given, False))
            self._modules.append(read(name, inspect.getdoc(kind) or "", body, ports, part.role))
        return self._parts[kind, spec]

    def number(self, name: str, number: int, value: Callable[[int], Any], bits: int = 0) -> Any:
        """A number that a component works with: `value` of one that is the same in all programs, else a signal that
        brings the one of the program under way. `name`: what it is, which one signal brings wherever a component asks
        for it; `bits`: that it has at least where other programs are to fit."""
        if not isinstance(number, Varies):
            return value(number)
        low, high = min(number.values), max(number.values)
        bits = max(low.bit_length(), high.bit_length(), number.bits, bits if number.bits else 0, 1)
        signed = low < 0 or number.bits > 0
        return self._asked(name, number, Shape(bits + signed, signed))

    def _asked(self, name: str, number: Varies, shape: Shape) -> Signal:
        """What brings a number to the component that is being elaborated."""
        for each in self._open[-1]:
            if (each.name, each.value, each.signal.shape()) == (name, number, shape):
                return each.signal
        signal = Signal(shape, name=f"{name}_number")
        self._open[-1].append(Number(name, number, signal))
        return signal

    def numbers(self) -> tuple[Number, ...]:
        """The numbers that the component that is being elaborated has asked for, itself or through what it uses, since
        it was asked for them before."""
        found, self._open[-1] = tuple(self._open[-1]), []
        return found

    def use(
        self, m: Module, label: str, kind: type[Part[Any]], spec: object, inputs: dict[str, Value] | None = None,
        reset: Value | None = None, alike: bool = False,
    ) -> Ports:  # fmt: skip
        """Instantiate a component in `m` under `label`; its ports as signals of the parent, but for those that
        `inputs` connects to a value. `reset`: its reset, where that is not the parent's. `alike`: its numbers are the
        parent's own, so that those of one name are one for all instances that are alike."""
        inputs = inputs or {}
        (module, part), label = self.add(kind, spec), identifier(label)
        ports, wires = {}, dict[str, Signal]()
        for path, member, _value in part.signature.flatten(part):
            name = "__".join(map(str, path))
            if name in (CLOCK, RESET):
                continue
            shape = Shape.cast(member.shape)
            if name in inputs:
                ports[f"i_{name}"] = resize(inputs[name], shape.width)
                continue
            signal = Signal(shape, name=f"{label}_{name}")
            ports[f"{'i' if member.flow == In else 'o'}_{name}"] = signal
            wires[name] = signal
        if numbers := self._numbers[module]:
            given = Signal(sum(len(number.signal) for number in numbers), name=f"{label}_numbers")
            ports["i_numbers"] = given
            if alike:
                leaves = [leaf for number in numbers for leaf in number.flat()]
                m.d.comb += given.eq(Cat(self._asked(*leaf) for leaf in leaves))
            else:
                self._open[-1].append(Number(label, numbers, given))
        rst = ResetSignal() if reset is None else reset
        m.submodules[label] = Instance(module, i_clk=ClockSignal(), i_rst=rst, **ports)
        return Ports(wires)

    @property
    def hierarchy(self) -> Hierarchy:
        """All modules, users before what they use, without what nobody needs."""
        modules = [module for added in reversed(self._modules) for module in added]
        kept = needed([propagated(module) for module in modules], modules[0].name)
        return Hierarchy(self.prefix, tuple(kept))


    def verilog(self) -> str:
        """All modules as Verilog."""
        return self.hierarchy.verilog()


def identifier(name: str) -> str:
    """A Verilog identifier for a name of the design; a letter beyond ASCII is written as its number."""
    return re.sub(r"\W", lambda found: "_" if found[0].isascii() else f"u{ord(found[0]):x}", name, flags=re.ASCII)


def addresses(words: int) -> range:
    """The shape of the place of one of so many words: a bit at least, as a vector of Verilog has."""
    return range(max(words, 2))


def ram(
    m: Module, label: str, depth: int, write: tuple[Value, Value, Value], read: tuple[Value, Value],
    one_port: bool = False,
) -> Signal:  # fmt: skip
    """A memory of `depth` words: write = (enable, address, data), read = (enable, address); the word read,
    RAM_LATENCY cycles later, and until the next one. With `one_port` both are never wanted in one cycle."""
    enable, address, data = write
    out = Signal(len(data), name=f"{label}_word")
    bits = Shape.cast(addresses(depth)).width
    m.submodules[label] = Instance(
        "one_port" if one_port else "ram", p_WIDTH=len(data), p_DEPTH=depth, p_ADDRESS=bits, i_clk=ClockSignal(),
        i_write_enable=enable, i_write_address=resize(address, bits), i_write_data=data, i_read_enable=read[0],
        i_read_address=resize(read[1], bits), o_read_data=out,
    )  # fmt: skip
    return out


def alone(
    m: Module, label: str, depth: int, write: tuple[Value, Value, Value], read: tuple[Value, Value],
    writing: Sequence[Value], reading: Sequence[Value],
) -> Value:  # fmt: skip
    """`ram` as memories with one port each, of `depth` words, of which one is written and one read: that with a bit in
    `writing`, and in `reading`."""
    words = list[Value]()
    for place, (into, out_of) in enumerate(zip(writing, reading, strict=True)):
        name = f"{label}_part{place}" if len(writing) > 1 else label
        words.append(ram(m, name, depth, (write[0] & into, *write[1:]), (read[0] & out_of, read[1]), one_port=True))
    found = words[0]
    if len(words) > 1:
        came = Signal(len(words), name=f"{label}_came", reset_less=True)
        with m.If(read[0]):
            m.d.sync += came.eq(Cat(*reading))
        late = delay(m, f"{label}_came", came, RAM_LATENCY - 1)
        for place, word in enumerate(words[1:], 1):
            found = Mux(late[place], word, found)
    return found


def delay(
    m: Module, label: str, value: Value, cycles: int, *, reset: bool = False, role: Role = ""
) -> Value:
    """`value`, `cycles` later; with `reset`, zero after reset. `role`: what it is there for."""
    if cycles == 0 or len(value) == 0:
        return value
    out = Signal(value.shape(), name=f"{label}_late{cycles}")
    clear = {"i_rst": ResetSignal()} if reset else {}
    m.submodules[f"{label}_delay{cycles}"] = Instance(
        "delay_reset" if reset else "delay",
        p_WIDTH=len(value), p_DEPTH=cycles, i_clk=ClockSignal(), i_d=value, o_q=out, a_role=role, **clear,
    )  # fmt: skip
    return out


def masked(taken: Value, mask: Value) -> Value:
    """How many bits of `mask` are set, where `taken`."""
    return Mux(taken, ones(mask), 0)


def ones(mask: Value) -> Value:
    """How many bits are set: summed up in pieces, as Amaranth recurses over long sums."""
    pieces = [mask[first : first + 64] for first in range(0, len(mask), 64)]
    first, *others = [sum((piece[lane] for lane in range(len(piece))), Const(0)) for piece in pieces]
    return sum(others, first)


def resize(value: Value, bits: int) -> Value:
    """The low `bits` of a value, extended by its sign where it is narrower."""
    value = Value.cast(value)
    if len(value) == bits:
        return value
    top = value[-1] if value.shape().signed else Const(0, 1)
    return Cat(value, *[top] * (bits - len(value)))[:bits]
