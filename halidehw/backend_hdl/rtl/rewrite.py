"""Changing all expressions of a module."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from halidehw.backend_hdl.rtl import build
from halidehw.backend_hdl.rtl.ir import (
    Assign,
    Case,
    Const,
    Expr,
    For,
    If,
    Module,
    Ref,
    Statement,
    Store,
    children,
)

Change = Callable[[Expr], Expr]


def substituting(values: Mapping[str, Expr]) -> Change:
    """Replaces what signals hold, everywhere in an expression."""
    known: dict[int, tuple[Expr, Expr]] = {}

    def change(expr: Expr) -> Expr:
        if id(expr) not in known:
            if isinstance(expr, Ref):
                value = values.get(expr.name)
                found = expr if value is None else build.fit(value, expr.width, expr.signed)
            else:
                parts = children(expr)
                changed = tuple(change(part) for part in parts)
                kept = all(new is old for new, old in zip(changed, parts, strict=True))
                found = expr if kept else build.rebuilt(expr, changed)
            known[id(expr)] = expr, found
        return known[id(expr)][1]

    return change


def statements(body: tuple[Statement, ...], change: Change) -> tuple[Statement, ...]:
    """Statements with changed expressions; a branch that is never taken goes."""
    return tuple(new for old in body for new in _statement(old, change))


def _statement(statement: Statement, change: Change) -> Iterator[Statement]:
    match statement:
        case Assign(_, _, width, value):
            new = change(value)
            yield replace(statement, value=build.fit(new, width, new.signed))
        case Store(_, address, value):
            yield replace(statement, address=change(address), value=change(value))
        case If(branches, other):
            yield from conditional(
                [(change(test), statements(body, change)) for test, body in branches], statements(other, change)
            )
        case Case(value, cases):
            yield Case(change(value), tuple((patterns, statements(body, change)) for patterns, body in cases))
        case For(_, body):
            yield replace(statement, body=statements(body, change))


def conditional(
    branches: list[tuple[Expr, tuple[Statement, ...]]], other: tuple[Statement, ...]
) -> tuple[Statement, ...]:
    """An if without branches that are empty or whose condition is known."""
    kept: list[tuple[Expr, tuple[Statement, ...]]] = []
    skipped: Expr = Const(0, 1)
    for test, body in branches:
        if isinstance(test, Const):
            if test.value:
                other = body
                break
        elif body:
            free = build.unary("~", skipped)
            kept.append((build.binary("&", free, test), body))
            skipped = Const(0, 1)
        else:
            skipped = build.binary("|", skipped, test)
    if other and not (isinstance(skipped, Const) and not skipped.value):
        kept.append((build.unary("~", skipped), other))
        other = ()
    return (If(tuple(kept), other),) if kept else other


def module(old: Module, change: Change) -> Module:
    """A module all of whose expressions are changed."""
    wires = {name: change(value) for name, value in old.wires.items()}
    instances = tuple(
        replace(each, inputs={port: change(value) for port, value in each.inputs.items()}) for each in old.instances
    )
    loops = tuple(statements(each, change) for each in old.loops)
    return replace(old, wires=wires, clocked=statements(old.clocked, change), instances=instances, loops=loops)


def merged(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Statements with neighbouring ifs on the same conditions joined."""
    found: list[Statement] = []
    for statement in body:
        last = found[-1] if found else None
        if isinstance(statement, If) and isinstance(last, If) and _together(last, statement):
            branches = tuple(
                (test, (*one, *two))
                for (test, one), (_, two) in zip(last.branches, statement.branches, strict=True)
            )
            found[-1] = If(branches, (*last.other, *statement.other))
        else:
            found.append(statement)
    return tuple(found)


def _together(one: If, two: If) -> bool:
    return len(one.branches) == len(two.branches) and all(
        build.same(a, b) for (a, _), (b, _) in zip(one.branches, two.branches, strict=True)
    )


def expressions(old: Module) -> Iterator[Expr]:
    """Every expression that a module has at its top: of wires, statements and connections."""
    yield from old.wires.values()
    yield from _within(old.clocked)
    for body in old.loops:
        yield from _within(body)
    for each in old.instances:
        yield from each.inputs.values()


def _within(body: tuple[Statement, ...]) -> Iterator[Expr]:
    for statement in body:
        match statement:
            case Assign(_, _, _, value):
                yield value
            case Store(_, address, value):
                yield from (address, value)
            case If(branches, other):
                for test, inner in branches:
                    yield test
                    yield from _within(inner)
                yield from _within(other)
            case Case(value, cases):
                yield value
                for _, inner in cases:
                    yield from _within(inner)
            case For(_, body):
                yield from _within(body)


def free(module: Module) -> Iterator[Expr]:
    """The expressions of a module that drive no wire."""
    wires = {id(value) for value in module.wires.values()}
    for value in expressions(module):
        if id(value) not in wires:
            yield value
