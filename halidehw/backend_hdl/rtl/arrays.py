"""n instances of one module as one body in a loop, over arrays of its signals.

The instances of a module under one parent are lanes of a loop: each signal of the module becomes an array with a
dimension more, each statement a loop over it. What enters lane i is written in terms of i where all lanes have that in
common, with the first lane apart where only that differs (the edge of a grid), and lane by lane where nothing else is
left. What stands inside a lane is taken in first, so a grid is a loop in a loop.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from halidehw.backend_hdl.rtl import build, primitives, rewrite
from halidehw.backend_hdl.rtl.gather import families, gathered, parted, pieces
from halidehw.backend_hdl.rtl.held import held
from halidehw.backend_hdl.rtl.ir import (
    Assign,
    Case,
    Choice,
    Expr,
    Fit,
    For,
    If,
    Instance,
    Lane,
    Memory,
    Module,
    Number,
    Place,
    Ref,
    Signal,
    Slice,
    Statement,
    Store,
    Word,
    children,
    parts_of,
)  # fmt: skip
from halidehw.backend_hdl.rtl.lanes import common
from halidehw.backend_hdl.rtl.names import Names
from halidehw.backend_hdl.rtl.propagate import is_wiring
from halidehw.backend_hdl.rtl.roll import joined, rolled

LEAST = 2
"""Instances of one module that are worth a loop."""


def looped(modules: Sequence[Module]) -> list[Module]:
    """The modules with loops in place of instances; those that nobody uses any more are gone."""
    known, taken = {module.name: module for module in modules}, dict[str, Module]()
    kept: dict[str, Module] = {}
    waiting = [modules[0].name]
    while waiting:
        name = waiting.pop()
        if name not in kept:
            kept[name] = _Taking(known[name], known, taken).module(everything=False)
            waiting += [each.module for each in kept[name].instances if each.module in known]
    return [held(kept[module.name]) for module in modules if module.name in kept]


@dataclass
class _Group:
    """Instances that become one body: `lanes` of a loop, or 0 for one instance."""

    label: str
    body: Module
    members: list[Instance]
    lanes: int
    names: dict[str, str] = field(default_factory=dict)

    @property
    def lane(self) -> Lane:
        return Lane(0, self.lanes)


class _Taking:
    """A module on its way to taking in what is inside it."""

    def __init__(self, module: Module, known: Mapping[str, Module], taken: dict[str, Module]):
        module = gathered(parted(module))
        self.old, self.known, self.taken = module, known, taken
        labels = (each.label for each in module.instances)
        self.names = Names((*module.signals, *module.memories, *labels))
        self.signals: dict[str, Signal] = dict(module.signals)
        self.wires: dict[str, Expr] = {}
        self.loops: list[tuple[Statement, ...]] = []
        self.clocked: list[Statement] = []
        self.memories: dict[str, Memory] = dict(module.memories)

    def module(self, everything: bool) -> Module:
        """With loops for its groups of instances; with `everything`, without instances at all."""
        groups, single = self.groups(everything)
        values: dict[str, Expr] = {}
        for group in groups:
            values |= self.declare(group)
        change = rewrite.substituting(values)
        old = rewrite.module(self.old, change)
        self.wires |= {name: value for name, value in old.wires.items()}
        self.clocked += joined(old.clocked)
        for name, value in values.items():
            if any(port.name == name for port in self.old.ports):
                self.wires[name] = value
            else:
                self.signals.pop(name)
        for group in groups:
            self.take(group, change)
        kept = [each for each in old.instances if each.label in single]
        wires = {name: _picked(value, self.signals) for name, value in self.wires.items()}
        return replace(
            old, signals=self.signals, wires=wires, clocked=_joined(self.clocked), memories=self.memories,
            instances=tuple(kept), loops=(*old.loops, *self.loops),
        )  # fmt: skip

    def groups(self, everything: bool) -> tuple[list[_Group], set[str]]:
        groups: list[_Group] = []
        single: set[str] = set()
        for stem, members in families(self.old.instances):
            if len(members) >= LEAST:
                label = self.names.new(re.sub("_+", "_", stem).strip("_") or "lane")
                alike = all(each.parameters == members[0].parameters for each in members)
                body = self.body(members[0]) if alike else primitives.delays(members)
                groups.append(_Group(label, body, members, len(members)))
            elif everything:
                groups.append(_Group(members[0].label, self.body(members[0]), members, 0))
            else:
                single.add(members[0].label)
        return groups, single

    def body(self, each: Instance) -> Module:
        if each.module not in self.known:
            return primitives.body(each)
        if each.module not in self.taken:
            whole = _Taking(self.known[each.module], self.known, self.taken).module(everything=True)
            self.taken[each.module] = _short(whole)
        return self.taken[each.module]

    def declare(self, group: _Group) -> dict[str, Expr]:
        """Names for the signals of a group; what its instances put out, in terms of these."""
        body = group.body
        inputs = {port.name for port in body.ports if not port.output}
        dims = (group.lanes,) if group.lanes else ()
        for name, signal in body.signals.items():
            if name not in inputs and not self.alias(body, name):
                group.names[name] = self.names.new(f"{group.label}_{name}")
                self.signals[group.names[name]] = replace(signal, name=group.names[name], dims=(*dims, *signal.dims))
        for name, memory in body.memories.items():
            group.names[name] = self.names.new(f"{group.label}_{name}")
            self.memories[group.names[name]] = replace(memory, name=group.names[name], dims=(*dims, *memory.dims))
        values: dict[str, Expr] = {}
        for number, member in enumerate(group.members):
            for port, name in member.outputs.items():
                source = self.alias(body, port) or Ref(port, body.signals[port].width)
                if len(source.index) == 1 and "DEPTH" in member.parameters:
                    source = replace(source, index=(Place((), member.parameters["DEPTH"] - 1),))
                signal = self.signals[name] if name in self.signals else self.old.signals[name]
                place = (Place((), number),) if group.lanes else ()
                inner = tuple(_shifted(each) for each in source.index) if group.lanes else source.index
                values[name] = Ref(group.names[source.name], signal.width, signal.signed, (*place, *inner))
        return values

    @staticmethod
    def alias(body: Module, name: str) -> Ref | None:
        """The register that a wire of a body is another name of."""
        value = body.wires.get(name)
        inputs = {port.name for port in body.ports if not port.output}
        if isinstance(value, Ref) and value.name not in inputs and value.name not in body.wires:
            return value if value.width == body.signals[name].width else None
        return None

    def take(self, group: _Group, change: rewrite.Change) -> None:
        body, uses, cut = group.body, _uses(group.body), pieces(group.body)
        entering: dict[str, Entry] = {}
        if group.lanes and body.clocked == primitives.register(body):
            late = [change(member.inputs["d"]) for member in group.members]
            self.clocked += rolled(group.names["q"], body.signals["q"].width, late)
            return
        for port in (port.name for port in body.ports if not port.output):
            if port in group.members[0].inputs:
                each = [_picked(change(member.inputs[port]), self.signals) for member in group.members]
                entering[port] = self.entering(group, port, each, uses[port], cut.get(port, 0))
        inside = _Inside(group, entering)
        for name, value in body.wires.items():
            if name in group.names:
                new = group.names[name]
                if not group.lanes and not self.signals[new].dims:
                    self.wires[new] = inside.change(value)
                    continue
                whole = Assign(name, 0, self.signals[new].width, value)
                self.loops.append(inside.statements((whole,)))
        self.loops += [inside.statements(each) for each in body.loops]
        self.clocked += inside.statements(body.clocked)

    def entering(self, group: _Group, port: str, each: list[Expr], uses: int, piece: int) -> Entry:
        """What enters a port, in terms of the lane; by way of an array where that is not short, of pieces where the
        body reads such."""
        lane, width = group.lane, group.body.signals[port].width
        whole = common(each, lane) if group.lanes else each[0]
        if whole is not None and (isinstance(whole, Ref) if piece else uses <= 1 or _plain(whole)):
            return Entry(whole)
        name = self.names.new(f"{group.label}_{port}")
        lanes, bits = ((group.lanes,) if group.lanes else ()), piece or width
        inside = (width // piece,) if piece else ()
        self.signals[name] = Signal(name, bits, dims=(*lanes, *inside))
        if piece:
            parts = [[build.cut(value, at, piece) for at in range(0, width, piece)] for value in each]
            self.loops.append(rolled(name, bits, parts if group.lanes else parts[0]))
        elif group.lanes:
            self.loops.append(rolled(name, bits, each))
        else:
            self.wires[name] = each[0]
        return Entry(Ref(name, bits, index=(Place(((lane, 1),)),) if group.lanes else ()), piece)


@dataclass(frozen=True)
class Entry:
    """What enters a port; with `piece`, an array of pieces of so many bits."""

    value: Expr
    piece: int = 0


class _Inside:
    """Expressions and statements of a body in its parent."""

    def __init__(self, group: _Group, entering: Mapping[str, Entry]):
        self.group, self.entering = group, entering
        self.known: dict[int, tuple[Expr, Expr]] = {}

    def change(self, expr: Expr) -> Expr:
        if id(expr) not in self.known:
            self.known[id(expr)] = expr, self.changed(expr)
        return self.known[id(expr)][1]

    def changed(self, expr: Expr) -> Expr:
        lanes = self.group.lanes
        match expr:
            case Slice(Ref(name), start) if name in self.entering and self.entering[name].piece:
                return self.piece(self.entering[name], start, expr.lanes, expr.signed)
            case Fit(Ref(name)) if name in self.entering and self.entering[name].piece:
                return self.piece(self.entering[name], 0, (), expr.signed)
            case Ref(name) if name in self.entering:
                return build.fit(self.entering[name].value, expr.width, expr.signed)
            case Ref(name):
                source = _Taking.alias(self.group.body, name) if name not in self.group.names else None
                if source is not None:
                    return self.change(replace(source, width=expr.width, signed=expr.signed))
                return replace(expr, name=self.group.names[name], index=self.index(expr.index))
            case Number(lane) if lanes:
                return replace(expr, lane=replace(lane, depth=lane.depth + 1))
        below = tuple(self.change(part) for part in children(expr))
        if isinstance(expr, Word):
            return replace(expr, memory=self.group.names[expr.memory], address=below[0], index=self.index(expr.index))
        if isinstance(expr, Slice) and lanes:
            expr = replace(expr, lanes=tuple((replace(lane, depth=lane.depth + 1), by) for lane, by in expr.lanes))
        return build.rebuilt(expr, below)

    def piece(self, entry: Entry, start: int, lanes: tuple[tuple[Lane, int], ...], signed: bool) -> Expr:
        assert isinstance(entry.value, Ref)
        place = Place(tuple((lane, by // entry.piece) for lane, by in lanes), start // entry.piece)
        deeper = _shifted(place) if self.group.lanes else place
        return replace(entry.value, signed=signed, index=(*entry.value.index, deeper))

    def index(self, index: tuple[Place, ...]) -> tuple[Place, ...]:
        if not self.group.lanes:
            return index
        return (Place(((self.group.lane, 1),)), *(_shifted(place) for place in index))

    def statements(self, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        inner = self.inside(body)
        return (For(self.group.lane, inner),) if self.group.lanes and inner else inner

    def inside(self, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        return tuple(new for each in body for new in self.statement(each))

    def statement(self, statement: Statement) -> Iterator[Statement]:
        match statement:
            case Assign(name, _, width, value, index):
                new = build.fit(self.change(value), width, value.signed)
                yield replace(statement, name=self.group.names[name], value=new, index=self.index(index))
            case Store(memory, address, value, index):
                yield Store(self.group.names[memory], self.change(address), self.change(value), self.index(index))
            case If(branches, other):
                changed = [(self.change(test), self.inside(body)) for test, body in branches]
                yield from rewrite.conditional(changed, self.inside(other))
            case Case(value, cases):
                yield Case(self.change(value), tuple((patterns, self.inside(body)) for patterns, body in cases))
            case For(lane, body):
                deeper = replace(lane, depth=lane.depth + 1) if self.group.lanes else lane
                yield replace(statement, lane=deeper, body=self.inside(body))


def _shifted(place: Place) -> Place:
    return Place(tuple((replace(lane, depth=lane.depth + 1), by) for lane, by in place.terms), place.offset)


def _plain(value: Expr) -> bool:
    return is_wiring(value) or (isinstance(value, Slice | Fit) and isinstance(value.value, Ref))


def _uses(body: Module) -> Counter[str]:
    found: Counter[str] = Counter()
    seen: set[int] = set()
    stack = list(rewrite.expressions(body))
    while stack:
        each = stack.pop()
        if isinstance(each, Ref):
            found[each.name] += 1
        elif id(each) not in seen:
            seen.add(id(each))
            stack += children(each)
    return found


def _short(body: Module) -> Module:
    """A body without the wires that are used once."""
    ports = {port.name for port in body.ports}
    while True:
        uses = _uses(body)
        values = {
            name: value for name, value in body.wires.items()
            if name not in ports and not isinstance(value, Choice) and (uses[name] <= 1 or is_wiring(value))
        }  # fmt: skip
        if not values:
            return body
        inner = {each.name for value in values.values() for each in parts_of(value) if isinstance(each, Ref)}
        values = {name: value for name, value in values.items() if name not in inner}
        wires = {name: value for name, value in body.wires.items() if name not in values}
        signals = {name: signal for name, signal in body.signals.items() if name not in values}
        body = rewrite.module(replace(body, wires=wires, signals=signals), rewrite.substituting(values))


def _picked(value: Expr, signals: Mapping[str, Signal]) -> Expr:
    """A choice among all of an array, by number, as the one at that number."""
    if not isinstance(value, Choice):
        return value
    values = [each for _, each in value.cases]
    first, bits = values[0], value.index.width
    if not isinstance(first, Ref) or len(values) != 1 << bits or signals[first.name].dims != (len(values),):
        return value
    for number, (patterns, each) in enumerate(value.cases):
        named = patterns == (format(number, f"0{bits}b"),) or (not patterns and number == len(values) - 1)
        if not named or not isinstance(each, Ref) or each.name != first.name or each.index != (Place((), number),):
            return value
    return Word(first.name, value.index, first.width, first.signed)


def _joined(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Loops over the same lanes that follow each other as one."""
    found: list[Statement] = []
    for each in statements:
        last = found[-1] if found else None
        if isinstance(each, For) and isinstance(last, For) and (last.lane, last.first) == (each.lane, each.first):
            found[-1] = replace(last, body=(*last.body, *each.body))
        else:
            found.append(each)
    return tuple(found)
