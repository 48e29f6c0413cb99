"""What of a design is needed: how many low bits of each signal somebody reads in the end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from halidehw.backend_hdl.rtl import build, rewrite
from halidehw.backend_hdl.rtl.ir import (
    Assign,
    Binary,
    Case,
    Cat,
    Choice,
    Expr,
    Fit,
    If,
    Instance,
    Module,
    Mux,
    Ref,
    Signal,
    Slice,
    Statement,
    Store,
    Unary,
    Word,
)
from halidehw.backend_hdl.rtl.read import CLOCK


def needed(modules: Sequence[Module], top: str) -> list[Module]:
    """The modules without what nobody reads: registers, wires, ports, instances, modules, high bits.

    The ports of `top` stay.
    """
    demand = _Demand({module.name: module for module in modules})
    demand.run(top)
    kept = [_Trimmed(module, demand, module.name == top).module() for module in modules]
    return [module for module in kept if module.name == top or module.name in demand.used]


@dataclass(frozen=True)
class _Driven:
    """A clocked assignment, or one to a memory, and the conditions under which it happens."""

    statement: Assign | Store
    tests: tuple[Expr, ...]


class _Demand:
    """The bits that are read of every signal, by module and name; of a memory, one if it is read at all."""

    def __init__(self, modules: Mapping[str, Module]):
        self.modules = modules
        self.bits: dict[tuple[str, str], int] = {}
        self.used: set[str] = set()
        self.waiting: list[tuple[str, str]] = []
        self.seen: dict[tuple[str, int], int] = {}
        self.drivers = {name: _drivers(module) for name, module in modules.items()}
        self.makers = {
            (name, signal): (each, port)
            for name, module in modules.items()
            for each in module.instances
            for port, signal in each.outputs.items()
        }
        ports = [(name, port) for name, module in modules.items() for port in module.ports]
        self.inputs = {(name, port.name) for name, port in ports if not port.output}
        self.users: dict[str, list[tuple[str, Instance]]] = defaultdict(list)
        for name, module in modules.items():
            for each in module.instances:
                self.users[each.module].append((name, each))

    def run(self, top: str) -> None:
        module = self.modules[top]
        for port in module.ports:
            if port.output:
                self.need(top, port.name, module.signals[port.name].width)
        while self.waiting:
            self.follow(*self.waiting.pop())

    def need(self, module: str, name: str, bits: int) -> None:
        if bits > self.bits.get((module, name), 0):
            self.bits[module, name] = bits
            self.waiting.append((module, name))

    def follow(self, module: str, name: str) -> None:
        """Ask for what drives a signal or a memory."""
        bits, here = self.bits[module, name], self.modules[module]
        if name in here.wires:
            self.value(module, here.wires[name], bits)
        for driven in self.drivers[module].get(name, ()):
            self.need(module, CLOCK, 1)
            for test in driven.tests:
                self.value(module, test, test.width)
            match driven.statement:
                case Store(_, address, value):
                    self.value(module, address, address.width)
                    self.value(module, value, value.width)
                case Assign(_, start, width, value):
                    if here.signals[name].reset:
                        self.need(module, here.reset, 1)
                    self.value(module, value, min(bits - start, width))
        if (module, name) in self.makers:
            self.instance(module, *self.makers[module, name], bits)
        for parent, each in self.users[module]:
            if name in each.inputs and (module, name) in self.inputs:
                self.value(parent, each.inputs[name], bits)
            if name in each.outputs and (parent, each.outputs[name]) in self.bits:
                self.need(parent, each.outputs[name], bits)

    def instance(self, module: str, each: Instance, port: str, bits: int) -> None:
        signal = each.outputs[port]
        if each.module in self.modules:
            self.used.add(each.module)
            self.need(each.module, port, bits)
            self.need(module, signal, self.bits[each.module, port])
            return
        self.need(module, signal, self.modules[module].signals[signal].width)
        for value in each.inputs.values():
            self.value(module, value, value.width)

    def value(self, module: str, expr: Expr, bits: int) -> None:
        """Ask for what the low bits of an expression depend on."""
        bits = min(bits, expr.width)
        if bits <= self.seen.get((module, id(expr)), 0):
            return
        self.seen[module, id(expr)] = bits
        if isinstance(expr, Ref):
            self.need(module, expr.name, bits)
        if isinstance(expr, Word):
            self.need(module, expr.memory, 1)
        for part, wanted in parts(expr, bits):
            self.value(module, part, wanted)


def parts(expr: Expr, bits: int) -> Iterator[tuple[Expr, int]]:
    """What the low `bits` bits of a value are made of, and how many low bits of that."""
    match expr:
        case Word(_, address):
            yield address, address.width
        case Fit(value):
            yield value, bits
        case Slice(value, start, lanes=lanes):
            yield value, value.width if lanes else start + bits
        case Cat(inner):
            for part in inner:
                if bits > 0:
                    yield part, min(bits, part.width)
                bits -= part.width
        case Unary(op, value):
            yield value, bits if op in "-~" else value.width
        case Binary("+" | "-" | "*" | "&" | "|" | "^", a, b):
            yield from ((a, bits), (b, bits))
        case Binary("<<", a, b):
            yield from ((a, bits), (b, b.width))
        case Binary(_, a, b):
            yield from ((a, a.width), (b, b.width))
        case Mux(test, a, b):
            yield from ((test, 1), (a, bits), (b, bits))
        case Choice(index, cases):
            yield index, index.width
            for _, value in cases:
                yield value, bits


def _drivers(module: Module) -> dict[str, list[_Driven]]:
    found: dict[str, list[_Driven]] = defaultdict(list)

    def collect(body: tuple[Statement, ...], tests: tuple[Expr, ...]) -> None:
        for statement in body:
            match statement:
                case Assign(name) | Store(name):
                    found[name].append(_Driven(statement, tests))
                case If(branches, other):
                    before = tests
                    for test, inner in branches:
                        before = (*before, test)
                        collect(inner, before)
                    collect(other, before)
                case Case(value, cases):
                    for _, inner in cases:
                        collect(inner, (*tests, value))

    collect(module.clocked, ())
    return found


@dataclass(frozen=True)
class _Trimmed:
    """A module cut down to what is needed of it."""

    old: Module
    demand: _Demand
    top: bool

    def bits(self, name: str) -> int:
        wanted = self.demand.bits.get((self.old.name, name), 0)
        if self.top and any(port.name == name for port in self.old.ports):
            return self.old.signals[name].width
        return wanted

    def module(self) -> Module:
        old = self.old
        signals = {name: self.signal(signal) for name, signal in old.signals.items() if self.bits(name)}
        clocked = rewrite.merged(self.statements(old.clocked))
        return replace(
            old,
            ports=tuple(port for port in old.ports if self.bits(port.name)),
            signals=signals,
            wires={name: self.low(value, self.bits(name)) for name, value in old.wires.items() if self.bits(name)},
            clocked=clocked,
            memories={name: memory for name, memory in old.memories.items() if self.bits(name)},
            instances=tuple(new for each in old.instances for new in self.instance(each)),
        )

    def signal(self, signal: Signal) -> Signal:
        bits = self.bits(signal.name)
        if bits == signal.width:
            return signal
        return replace(signal, width=bits, signed=False, init=signal.init & ((1 << bits) - 1))

    @staticmethod
    def low(value: Expr, bits: int) -> Expr:
        return value if value.width <= bits else build.fit(value, bits)

    def statements(self, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        found: list[Statement] = []
        for statement in body:
            match statement:
                case Assign(name, start, width, value):
                    bits = min(self.bits(name) - start, width)
                    if bits > 0:
                        found.append(Assign(name, start, bits, self.low(value, bits)))
                case Store(name):
                    found += [statement] if self.bits(name) else []
                case If(branches, other):
                    inner = [(test, self.statements(each)) for test, each in branches]
                    found += rewrite.conditional(inner, self.statements(other))
                case Case(value, cases):
                    kept = tuple((patterns, self.statements(each)) for patterns, each in cases)
                    found += [Case(value, kept)] if any(each for _, each in kept) else []
        return tuple(found)

    def instance(self, each: Instance) -> Iterator[Instance]:
        outputs = {port: name for port, name in each.outputs.items() if self.bits(name)}
        if not outputs:
            return
        if each.module not in self.demand.modules:
            yield replace(each, outputs=outputs)
            return
        bits = {port.name: self.demand.bits.get((each.module, port.name), 0)
                for port in self.demand.modules[each.module].ports}  # fmt: skip
        inputs = {port: self.low(value, bits[port]) for port, value in each.inputs.items() if bits[port]}
        yield replace(each, inputs=inputs, outputs=outputs)
