"""Registers of loops that keep what they hold, as registers that take a value in every cycle.

A compiler makes vector instructions of `next[i] = enable[i] ? value[i] : held[i]`, and of the same as an `if` where the
processor can store parts of a vector only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from halidehw.backend_hdl.rtl import build
from halidehw.backend_hdl.rtl.ir import Assign, Expr, For, If, Module, Ref, Signal, Statement, Word, children, targets


def held(module: Module) -> Module:
    """The module with choices in place of conditions around one assignment, in its loops."""
    times = Counter(name for statement in module.clocked for name in targets(statement))
    once = {name: signal for name, signal in module.registers.items() if signal.dims and times[name] == 1}
    return replace(module, clocked=tuple(_changed(each, once) for each in module.clocked))


def _changed(statement: Statement, registers: Mapping[str, Signal]) -> Statement:
    match statement:
        case For(_, body):
            return replace(statement, body=tuple(_changed(each, registers) for each in body))
        case If(branches, other):
            return _choice([*branches, (None, other)], registers) or statement
    return statement


def _choice(
    branches: list[tuple[Expr | None, tuple[Statement, ...]]], registers: Mapping[str, Signal]
) -> Assign | None:
    """One assignment in place of one in each branch, or None where they are not all of one register."""
    (_, first), *_ = branches
    if len(first) != 1 or not isinstance(first[0], Assign) or first[0].name not in registers:
        return None
    into, signal = first[0], registers[first[0].name]
    value: Expr = Ref(into.name, signal.width, signal.signed, into.index)
    for test, body in reversed(branches):
        match body:
            case (Assign(into.name, 0, signal.width, taken, into.index),):
                found = taken
            case () if test is None:
                continue
            case _:
                return None
        if _looks_up(found) or (test is not None and _looks_up(test)):
            return None
        value = found if test is None else build.fit(build.mux(test, found, value), signal.width, signal.signed)
    return replace(into, value=value)


def _looks_up(value: Expr) -> bool:
    """Whether a value depends on a word at an address, which is better not read where nobody asks for it."""
    return isinstance(value, Word) or any(_looks_up(part) for part in children(value))
