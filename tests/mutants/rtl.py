"""Mistakes in generated hardware, all in one text: a signal of the bench says which of them is made."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from halidehw.backend_hdl.rtl import build
from halidehw.backend_hdl.rtl.hierarchy import Hierarchy
from halidehw.backend_hdl.rtl.ir import (
    Assign,
    Binary,
    Case,
    Cat,
    Choice,
    Const,
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
    children,
)

CHOSEN = "mutant_chosen"
BITS = 32
_SWAPPED = {"+": "-", "-": "+", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&": "|", "|": "&",
            "^": "|", "*": "+"}  # fmt: skip

ABOUT = (
    ("handshakes", r"control\.|valid|ready|free|full|granted|pending|advance|wanted|allowed|expected|retire|reserve"
                   r"|commit|idle|queue|level|produce|consume"),
    ("parts", r"ping_pong|ring\.|_base|owner"),
    ("counters", r"_count|_last|_more|_zero|room|cycles|steps|_words"),
    ("tiles", r"opens|closes|leaves|ends|first|fresh|visits"),
    ("links", r"hop|skew|lanes\.|chain|tree|select"),
    ("folds", r"sums|fold|acc|combine|total"),
    ("addresses", r"address|_at_|_at\b|place|digit|position|part\d|base|bank"),
)  # fmt: skip
"""What a mutant is about: the first of these patterns that its place has; of the others, the datapath."""


@dataclass(frozen=True)
class Mutant:
    """A mistake of a `kind` in a module: at a place, in the node of that number there."""

    module: str
    place: str
    node: int
    kind: str

    @property
    def about(self) -> str:
        if "sign" in self.kind:
            return "signs"
        where = f"{self.module}.{self.place}"
        return next((name for name, pattern in ABOUT if re.search(pattern, where)), "datapath")

    def __str__(self) -> str:
        return f"{self.module}.{self.place} #{self.node} {self.kind}"


def mutants(hierarchy: Hierarchy) -> list[Mutant]:
    """All mistakes that there are, in the order of the text."""
    return [mutant for module in hierarchy.modules for mutant in _Sites(module, hierarchy.prefix).mutants()]


def chosen(found: Sequence[Mutant], each: int, before: Collection[str] = ()) -> list[Mutant]:
    """Up to so many about each thing, in the order in which they are given: those chosen before, by their names, and at
    random others, which depend on no other mistake that there is."""
    about: dict[str, list[Mutant]] = {}
    for mutant in found:
        about.setdefault(mutant.about, []).append(mutant)
    kept: set[Mutant] = set()
    for some in about.values():
        kept |= set(sorted(some, key=lambda mutant: (str(mutant) not in before, _draw(mutant)))[:each])
    return [mutant for mutant in found if mutant in kept]


def _draw(mutant: Mutant) -> str:
    return hashlib.sha256(str(mutant).encode()).hexdigest()


def switchable(hierarchy: Hierarchy, made: Sequence[Mutant], signal: str) -> str:
    """The Verilog in which mistake i is made where the bench's `signal` is i + 1."""
    modules = []
    for module in hierarchy.modules:
        sites = _Sites(module, hierarchy.prefix)
        own = {(each.place, each.node, each.kind): n for n, each in enumerate(made, 1) if each.module == sites.name}
        modules.append(sites.rewritten(own) if own else module)
    text = Hierarchy(hierarchy.prefix, tuple(modules)).verilog()
    wire = f"wire [{BITS - 1}:0] {CHOSEN} = "
    switched, count = re.subn(rf"{re.escape(wire)}[^;]*;", f"{wire}{signal};", text)
    assert count == len({each.module for each in made})
    return switched


@dataclass(frozen=True)
class _Root:
    """An expression of a module, what it is part of, and what else could stand there: kind of mistake -> value."""

    place: str
    expr: Expr
    others: dict[str, Expr]


@dataclass(frozen=True)
class _Site:
    """A node of an expression, or (the first at its place) the whole; kind of mistake -> value."""

    place: str
    node: int
    others: dict[str, Expr]


class _Sites:
    """Where a module can be wrong: its expressions as wholes, and the nodes in them, numbered at each place as they
    come."""

    def __init__(self, module: Module, prefix: str):
        self.module, self.name = module, module.name.removeprefix(prefix)
        self.of: dict[int, _Site] = {}
        self.found: list[_Site] = []
        self.roots: list[_Site] = []
        self.nodes: Counter[str] = Counter()
        for root in _roots(module):
            self.roots.append(self._add(root.place, root.others))
            self._visit(root.place, root.expr)

    def _add(self, place: str, others: dict[str, Expr]) -> _Site:
        self.found.append(_Site(place, self.nodes[place], others))
        self.nodes[place] += 1
        return self.found[-1]

    def _visit(self, place: str, expr: Expr) -> None:
        if id(expr) in self.of:
            return
        self.of[id(expr)] = self._add(place, _alternatives(expr))
        for child in children(expr):
            self._visit(place, child)

    def mutants(self) -> Iterator[Mutant]:
        for site in self.found:
            yield from (Mutant(self.name, site.place, site.node, kind) for kind in site.others)

    def rewritten(self, made: dict[tuple[str, int, str], int]) -> Module:
        """The module with some of its mutants, each under its number."""
        done: dict[int, Expr] = {}
        roots = iter(self.roots)

        def changed(whole: Expr, site: _Site) -> Expr:
            for kind, other in site.others.items():
                if number := made.get((site.place, site.node, kind)):
                    test = Binary("==", Ref(CHOSEN, BITS), Const(number, BITS), 1)
                    whole = Mux(test, build.fit(other, whole.width, whole.signed), whole, whole.width, whole.signed)
            return whole

        def node(expr: Expr) -> Expr:
            if id(expr) not in done:
                inner = _with_children(expr, [node(child) for child in children(expr)])
                done[id(expr)] = changed(inner, self.of[id(expr)])
            return done[id(expr)]

        def root(expr: Expr) -> Expr:
            return changed(node(expr), next(roots))

        def statement(each: Statement) -> Statement:
            match each:
                case Assign():
                    return replace(each, value=root(each.value))
                case Store():
                    return replace(each, address=root(each.address), value=root(each.value))
                case If(branches, other):
                    tests = tuple((root(test), tuple(map(statement, body))) for test, body in branches)
                    return If(tests, tuple(map(statement, other)))
                case Case(value, cases):
                    first = root(value)
                    return Case(first, tuple((patterns, tuple(map(statement, body))) for patterns, body in cases))

        module = self.module
        return replace(
            module,
            signals=module.signals | {CHOSEN: Signal(CHOSEN, BITS)},
            wires={name: root(value) for name, value in module.wires.items()} | {CHOSEN: Const(0, BITS)},
            clocked=tuple(map(statement, module.clocked)),
            instances=tuple(
                replace(each, inputs={port: value if port in CLOCKS else root(value)
                                      for port, value in each.inputs.items()})
                for each in module.instances
            ),
        )  # fmt: skip


CLOCKS = ("clk", "rst")


def _roots(module: Module) -> Iterator[_Root]:
    """Every expression of a module."""
    for name, value in module.wires.items():
        yield _Root(name, value, {})
    for statement in module.clocked:
        yield from _of(statement, module)
    before: dict[str, Instance] = {}
    for each in module.instances:
        for port, value in each.inputs.items():
            if port in CLOCKS:
                continue
            others = _conditions(value) if value.width == 1 else {}
            if each.module in before and (neighbour := before[each.module].inputs[port]) != value:
                others["is the neighbour's"] = neighbour
            yield _Root(f"{each.label}.{port}", value, others)
        before[each.module] = each


def _of(statement: Statement, module: Module) -> Iterator[_Root]:
    match statement:
        case Assign(name, _, width, value):
            signal = module.signals[name]
            held = {"keeps its value": Ref(name, width, signal.signed)} if signal.width == width else {}
            yield _Root(name, value, held if not isinstance(value, Const) else {})
        case Store(memory, address, value):
            yield _Root(f"{memory}.address", address, {})
            yield _Root(memory, value, {})
        case If(branches, other):
            for test, body in branches:
                inner = [found for each in body for found in _of(each, module)]
                yield _Root(inner[0].place if inner else "if", test, _conditions(test))
                yield from inner
            for each in other:
                yield from _of(each, module)
        case Case(value, cases):
            yield _Root("case", value, {})
            for _, body in cases:
                for each in body:
                    yield from _of(each, module)


def _conditions(test: Expr) -> dict[str, Expr]:
    return {} if isinstance(test, Const) else {"always": Const(1, 1), "never": Const(0, 1)}


def _alternatives(expr: Expr) -> dict[str, Expr]:
    """Kind of mistake -> what stands there instead."""
    found: dict[str, Expr] = {}
    match expr:
        case Const(value, width, signed) if width == 1:
            found["flipped"] = build.const(value ^ 1, width, signed)
        case Const(value, width, signed) if width > 1:
            found |= {"+ 1": build.const(value + 1, width, signed), "- 1": build.const(value - 1, width, signed)}
        case Binary(op, a, b, width, signed):
            if op in _SWAPPED:
                found[f"{op} is {_SWAPPED[op]}"] = build.binary(_SWAPPED[op], a, b)  # type: ignore[arg-type]
            if op in "&|" and width == 1:
                found |= {f"left of {op} dropped": b, f"right of {op} dropped": a}
            if op in ("<", "<=", ">", ">=", "*", ">>") and (a.signed or b.signed):
                plain = build.binary(op, build.fit(a, a.width), build.fit(b, b.width) if op != ">>" else b)
                found[f"{op} without signs"] = plain
        case Mux(test, a, b):
            found["swapped"] = build.mux(test, b, a)
        case Unary(op, value) if op in "-~":
            found[f"{op} dropped"] = value
        case Fit(value, width, _) if width > value.width and value.width:
            found["extended by the other sign"] = build.fit(
                build.fit(value, value.width, not value.signed), width, expr.signed
            )
    return found


def _with_children(expr: Expr, parts: list[Expr]) -> Expr:
    match expr:
        case Const() | Ref():
            return expr
        case Word():
            return replace(expr, address=parts[0])
        case Fit() | Slice() | Unary():
            return replace(expr, value=parts[0])
        case Cat():
            return replace(expr, parts=tuple(parts))
        case Binary():
            return replace(expr, a=parts[0], b=parts[1])
        case Mux():
            return replace(expr, test=parts[0], a=parts[1], b=parts[2])
        case Choice(_, cases):
            values = zip(cases, parts[1:], strict=True)
            return replace(expr, index=parts[0], cases=tuple((patterns, value) for (patterns, _), value in values))
