"""Which inputs of generated Verilog an output hangs on in the same cycle, without a register between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

NAME = re.compile(r"(?<![\w'.$])[A-Za-z_]\w*")
"""A name that is no part of a number, and no port of an instance."""

PORT = re.compile(r"\b(input|output)\s+(?:wire|reg)\s+(?:signed\s+)?(?:\[[^\]]*\]\s*)?(\w+)")

CLOCKED = re.compile(r"^ +always @\(posedge[^\n]*\n(?:    [^\n]*\n)*", re.M)
AT_ONCE = re.compile(r"^  always @\*[^\n]*\n(?:    [^\n]*\n)*", re.M)
"""Blocks of registers, and of what is chosen at once."""


@dataclass(frozen=True)
class Module:
    """`wires`: what the value of each name is made of at once. `instances`: of each the module, and by port the names
    that stand there."""

    inputs: frozenset[str]
    outputs: frozenset[str]
    wires: dict[str, frozenset[str]]
    instances: tuple[tuple[str, dict[str, frozenset[str]]], ...]


def paths(text: str, top: str) -> dict[str, frozenset[str]]:
    """Of each output of a module the inputs."""
    modules = dict(_modules(re.sub(r"//[^\n]*", "", text)))

    @cache
    def of(name: str) -> dict[str, frozenset[str]]:
        module = modules[name]
        wires = {wire: set(names) for wire, names in module.wires.items()}
        for child, ports in module.instances:
            for output, inputs in of(child).items():
                for wire in ports.get(output, ()):
                    wires.setdefault(wire, set()).update(*(ports.get(each, ()) for each in inputs))
        return {output: frozenset(_reached(output, wires) & module.inputs) for output in module.outputs}

    return of(top)


def _reached(name: str, wires: dict[str, set[str]]) -> set[str]:
    found, open_names = set[str](), [name]
    while open_names:
        if (each := open_names.pop()) not in found:
            found.add(each)
            open_names += wires.get(each, ())
    return found


def _modules(text: str) -> Iterator[tuple[str, Module]]:
    for each in re.finditer(r"\bmodule (\w+)(.*?)\bendmodule", text, re.S):
        header, _, body = each[2].partition(");")
        ports = {name: kind for kind, name in PORT.findall(header)}
        at_once = [*_wires(CLOCKED.sub("", body)), *_chosen(body)]
        yield each[1], Module(
            frozenset(name for name, kind in ports.items() if kind == "input"),
            frozenset(name for name, kind in ports.items() if kind == "output"),
            dict(at_once), tuple(_instances(body)),
        )  # fmt: skip


def _wires(body: str) -> Iterator[tuple[str, frozenset[str]]]:
    for each in re.finditer(r"^\s*(?:assign|wire\b[^=;(]*?)\s*(\w+)\s*=(.*?);", body, re.S | re.M):
        yield each[1], frozenset(NAME.findall(each[2]))


def _chosen(body: str) -> Iterator[tuple[str, frozenset[str]]]:
    assert not re.search(r"assign \w+\[", body)
    assert "always" not in CLOCKED.sub("", AT_ONCE.sub("", body))
    for block in AT_ONCE.findall(body):
        for name in dict.fromkeys(re.findall(r"(\w+) = ", block)):
            yield name, frozenset(NAME.findall(block))


def _instances(body: str) -> Iterator[tuple[str, dict[str, frozenset[str]]]]:
    for each in re.finditer(r"^  (\w+)\s*(?:#\(.*?\)\s*)?\w+ \(\n(.*?)\n  \);", body, re.S | re.M):
        ports = re.findall(r"\.(\w+)\((.*?)\)(?=,\n|$)", each[2], re.S)
        yield each[1], {name: frozenset(NAME.findall(value)) for name, value in ports}
