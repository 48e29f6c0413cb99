"""Modules out of Amaranth's: names and expressions stay as they were written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from amaranth.hdl import Fragment, Shape, Value
from amaranth.hdl import Instance as Use
from amaranth.hdl import Signal as Net
from amaranth.hdl import _ast as ast
from amaranth.hdl._ir import RequirePosedge
from amaranth.hdl._mem import MemoryInstance

from halidehw.backend_hdl.rtl import build
from halidehw.backend_hdl.rtl.ir import (
    Assign,
    Case,
    Const,
    Expr,
    If,
    Instance,
    Memory,
    Module,
    Port,
    Ref,
    Role,
    Signal,
    Statement,
    Store,
    Word,
)
from halidehw.backend_hdl.rtl.names import Names

CLOCK, RESET = "clk", "rst"


def read(name: str, comment: str, component: Any, ports: list[tuple[Net, bool]], role: Role = "") -> list[Module]:
    """The module of an Amaranth component, and those of components inside it that are not instances.

    `ports`: its signals, and which are outputs. It also has a clock and a reset, or ports of these names; those it has
    where it makes its domain, and so what resets it, itself.
    """
    whole, *below = _Reader(name, comment, Fragment.get(component, None), ports).modules()
    return [replace(whole, role=role), *below]


class _Reader:
    """One fragment on its way to a module."""

    def __init__(self, name: str, comment: str, fragment: Fragment, ports: list[tuple[Net, bool]]):
        self.name, self.comment, self.fragment = name, comment, fragment
        self.names = Names((CLOCK, RESET))
        self.known: ast.SignalDict = ast.SignalDict()
        self.signals = {CLOCK: Signal(CLOCK, 1), RESET: Signal(RESET, 1)}
        self.initial: dict[str, int] = {}
        self.read: dict[int, tuple[Value, Expr]] = {}
        self.ports = [Port(CLOCK, False), Port(RESET, False)]
        for net, output in ports:
            if net.name in (CLOCK, RESET):
                self.known[net] = Ref(net.name, 1)
            elif len(net):
                self.ports.append(Port(self.signal(net).name, output))
        domain = fragment.domains.get("sync")
        self.reset = self.signal(domain.rst).name if domain else RESET
        self.inputs = {port.name for port in self.ports if not port.output}

    def modules(self) -> list[Module]:
        """The module of the fragment, and those below it."""
        fragment = self.fragment
        state: dict[str, Expr] = {}
        self.execute(fragment.statements.get("comb", ()), state)
        clocked = list(self.statements(fragment.statements.get("sync", ())))
        memories: dict[str, Memory] = {}
        instances: list[Instance] = []
        below: list[Module] = []
        for inner, label, _ in fragment.subfragments:
            match inner:
                case Use():
                    instances.append(self.instance(self.names.new(label), inner))
                case MemoryInstance():
                    memory = self.memory(self.names.new(label), inner, clocked, state)
                    memories[memory.name] = memory
                case RequirePosedge():
                    pass
                case _:
                    instance, modules = self.nested(self.names.new(label), inner)
                    instances.append(instance)
                    below += modules
        self.driven = {*self.inputs, *state, *self.clocked, *(s for each in instances for s in each.outputs.values())}
        driven = self.driven
        wires = {name: build.const(self.initial[name], signal.width, signal.signed)
                 for name, signal in self.signals.items() if name not in driven}  # fmt: skip
        module = Module(self.name, self.comment, tuple(self.ports), self.signals, wires | state, tuple(clocked),
                        memories, tuple(instances), self.reset)  # fmt: skip
        return [module, *below]

    def signal(self, net: Net) -> Ref:
        """The signal of a net of Amaranth, declared where it is new."""
        if net not in self.known:
            shape = net.shape()
            name = self.names.new(net.name)
            self.known[net] = Ref(name, shape.width, shape.signed)
            self.initial[name] = net.init
            if shape.width:
                self.signals[name] = Signal(name, shape.width, shape.signed, net.init, not net.reset_less)
        return self.known[net]

    # Values

    def value(self, value: Value) -> Expr:
        if id(value) not in self.read:
            self.read[id(value)] = value, self.expression(value)
        return self.read[id(value)][1]

    def expression(self, value: Value) -> Expr:
        match value:
            case ast.Const():
                shape = value.shape()
                return Const(value.value, shape.width, shape.signed)
            case Net():
                return self.signal(value) if len(value) else Const(0, 0)
            case ast.ClockSignal():
                return Ref(CLOCK, 1)
            case ast.ResetSignal():
                return Ref(self.reset, 1)
            case ast.Slice():
                return build.cut(self.value(value.value), value.start, value.stop - value.start)
            case ast.Concat():
                return build.cat([self.value(part) for part in value.parts])
            case ast.Operator():
                return self.operator(value.operator, [self.value(operand) for operand in value.operands])
            case ast.SwitchValue():
                return self.switch(value)
        raise NotImplementedError(f"{type(value).__name__} in {self.name}")

    @staticmethod
    def operator(op: str, operands: list[Expr]) -> Expr:
        match op, operands:
            case "u" | "s", [a]:
                return build.fit(a, a.width, op == "s")
            case "+", [a]:
                return a
            case "-" | "~", [a]:
                return build.unary(op, a)
            case "b" | "r|" | "r&" | "r^", [a]:
                return build.unary("|" if op == "b" else op[1], a)  # type: ignore[arg-type]
            case _, [a, b]:
                return build.binary(op, a, b)  # type: ignore[arg-type]
        raise NotImplementedError(op)

    def switch(self, value: ast.SwitchValue) -> Expr:
        test, cases = self.value(value.test), value.cases
        if len(cases) == 2 and cases[0][0] == ("0" * test.width,) and cases[1][0] is None:
            return build.mux(test, self.value(cases[1][1]), self.value(cases[0][1]))
        return build.choice(test, [(patterns or (), self.value(each)) for patterns, each in cases])

    # Statements

    @property
    def clocked(self) -> set[str]:
        """What the clock changes."""
        return {self.known[net].name for statement in self.fragment.statements.get("sync", ())
                for net in statement._lhs_signals()} | self.remembered  # fmt: skip

    remembered: frozenset[str] = frozenset()

    def pieces(self, target: Value, value: Expr) -> Iterator[Assign]:
        """The assignments to signals that one to `target` is."""
        if isinstance(target, ast.Concat):
            start = 0
            for part in target.parts:
                yield from self.pieces(part, build.cut(build.fit(value, len(target)), start, len(part)))
                start += len(part)
            return
        start, width = 0, len(target)
        while not isinstance(target, Net):
            match target:
                case ast.Slice():
                    start += target.start
                    target = target.value
                case ast.Operator(operator="u" | "s"):
                    (target,) = target.operands
                case _:
                    raise NotImplementedError(f"an assignment to {type(target).__name__} in {self.name}")
        ref = self.signal(target)
        if width:
            yield Assign(ref.name, start, width, build.fit(value, width, value.signed))

    def statements(self, statements: Any) -> Iterator[Statement]:
        for statement in statements:
            match statement:
                case ast.Assign():
                    yield from self.pieces(statement.lhs, self.value(statement.rhs))
                case ast.Switch():
                    yield from self.branches(statement)
                case _:
                    raise NotImplementedError(f"{type(statement).__name__} in {self.name}")

    def branches(self, switch: ast.Switch) -> Iterator[Statement]:
        bodies = [tuple(self.statements(body)) for _, body, _ in switch.cases]
        tests = _tests(switch)
        if tests is None:
            cases = tuple((patterns or (), body) for (patterns, _, _), body in zip(switch.cases, bodies, strict=True))
            yield Case(self.value(switch.test), cases)
            return
        branches: list[tuple[Expr, tuple[Statement, ...]]] = []
        for test, body in zip(tests, bodies, strict=True):
            condition = Const(1, 1) if test is None else self.value(test)
            if isinstance(condition, Const):
                if condition.value:
                    yield from (If(tuple(branches), body),) if branches else body
                    return
                continue
            branches.append((condition, body))
        if branches:
            yield If(tuple(branches))

    def execute(self, statements: Any, state: dict[str, Expr]) -> None:
        """What each wire is after combinational statements, of which the last one that applies counts."""
        for statement in self.statements(statements):
            self.apply(statement, state)

    def apply(self, statement: Statement, state: dict[str, Expr]) -> None:
        match statement:
            case Assign(name, start, width, value):
                old, signal = self.held(name, state), self.signals[name]
                parts = [build.cut(old, 0, start), build.fit(value, width)]
                above = start + width
                parts.append(build.cut(old, above, signal.width - above))
                whole = value if width == signal.width else build.cat(parts)
                state[name] = build.fit(whole, signal.width, signal.signed)
            case If(branches, other):
                ends = []
                for body in (*(body for _, body in branches), other):
                    ends.append(dict(state))
                    for inner in body:
                        self.apply(inner, ends[-1])
                for name in {name: None for end in ends for name in end}:
                    value = self.held(name, ends[-1])
                    for (test, _), end in zip(reversed(branches), reversed(ends[:-1]), strict=True):
                        value = build.mux(test, self.held(name, end), value)
                    state[name] = build.fit(value, self.signals[name].width, self.signals[name].signed)
            case _:
                raise NotImplementedError(f"{type(statement).__name__} without a clock in {self.name}")

    def held(self, name: str, state: dict[str, Expr]) -> Expr:
        signal = self.signals[name]
        return state.get(name, build.const(self.initial[name], signal.width, signal.signed))

    # What is inside

    def instance(self, label: str, use: Use) -> Instance:
        inputs, outputs = {}, {}
        for name, (value, kind) in use.ports.items():
            if kind == "i":
                inputs[name] = self.value(value)
            elif len(value):
                outputs[name] = self.signal(value).name
        return Instance(label, use.type, {n: v for n, v in inputs.items() if v.width}, outputs, dict(use.parameters),
                        use.attrs.get("role", ""))  # fmt: skip

    def memory(self, name: str, memory: Any, clocked: list[Statement], state: dict[str, Expr]) -> Memory:
        width, depth = Shape.cast(memory._data.shape).width, memory._data.depth
        for port in memory._write_ports:
            enable = self.value(port._en)
            store = Store(name, self.value(port._addr), self.value(port._data))
            clocked += [If(((enable, (store,)),))] if not isinstance(enable, Const) else [store] * enable.value
        for port in memory._read_ports:
            data = self.signal(port._data)
            word = Word(name, self.value(port._addr), width)
            if port._domain == "comb":
                state[data.name] = word
                continue
            self.remembered |= {data.name}
            self.signals[data.name] = Signal(data.name, width)
            clocked.append(If(((self.value(port._en), (Assign(data.name, 0, width, word),)),)))
        return Memory(name, width, depth)

    def nested(self, label: str, fragment: Fragment) -> tuple[Instance, list[Module]]:
        """A fragment inside, as a module of its own: what it reads goes in, what is read of it here comes out."""
        reader = _Reader(f"{self.name}_{label}", "", fragment, [])
        modules = reader.modules()
        inputs: dict[str, Expr] = {CLOCK: Ref(CLOCK, 1), RESET: Ref(self.reset, 1)}
        outputs, wires = {}, dict(modules[0].wires)
        for net, ref in list(reader.known.items()):
            if not ref.width:
                continue
            if ref.name not in reader.driven:
                inputs[ref.name] = self.signal(net)
                del wires[ref.name]
            elif net in self.known:
                outputs[ref.name] = self.signal(net).name
        ports = [Port(name, False) for name in inputs] + [Port(name, True) for name in outputs]
        return Instance(label, modules[0].name, inputs, outputs), [
            _with_ports(modules[0], tuple(ports), wires), *modules[1:]
        ]  # fmt: skip


def _with_ports(module: Module, ports: tuple[Port, ...], wires: dict[str, Expr]) -> Module:
    return replace(module, ports=ports, wires=wires)


def _tests(switch: ast.Switch) -> list[Value | None] | None:
    """The conditions of a switch that was written as an if, None for its else; None for another switch."""
    if not isinstance(switch.test, ast.Concat) or any(len(part) != 1 for part in switch.test.parts):
        return None
    parts, tests = switch.test.parts, list[Value | None]()
    for place, (patterns, _, _) in enumerate(switch.cases):
        if patterns is None:
            tests.append(None)
            continue
        wanted = ("1" + "-" * place).rjust(len(parts), "-")
        if patterns != (wanted,):
            return None
        tests.append(parts[place])
    return tests
