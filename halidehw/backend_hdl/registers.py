"""How many register bits each component of an accelerator's Verilog has, before synthesis."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MODULE = re.compile(r"^(?=module (\w+))(.*?^endmodule)$", re.M | re.S)
_DECLARED = re.compile(r"^ *(?:output )?reg (?:\[(\d+):0\] )?(\w+)(?: *\[(\d+):0\])?(?: = [^;]*)?;", re.M)
_ASSIGNED = re.compile(r"(\w+)(?:\[[^\]=;]*\])? <= ")
_INSTANCE = re.compile(r"^  (\w+) (?:#\(\n(.*?)\) )?(\w+) \(\n", re.M | re.S)
_PARAMETER = re.compile(r"\.(\w+)\(32'd(\d+)\)")
_DELAYS = ("halidehw_delay", "halidehw_delay_reset")


@dataclass(frozen=True)
class Held:
    """Register bits of a component at `path` (instance names from the top), and of memory if it is one."""

    path: tuple[str, ...]
    registers: int
    memory: int = 0


def register_bits(verilog: str, top: str) -> tuple[Held, ...]:
    """The components of a design as `verilog` writes it, each with its own registers, those inside it apart.

    A register that synthesis finds constant or unused is counted.
    """
    modules = {name: _Module.of(text) for name, text in _MODULE.findall(verilog)}
    return tuple(_below(modules, top, ()))


@dataclass(frozen=True)
class _Module:
    registers: int
    instances: tuple[tuple[str, dict[str, int], str], ...]

    @classmethod
    def of(cls, text: str) -> _Module:
        bits = {name: (int(high or 0) + 1) * (int(words or 0) + 1) for high, name, words in _DECLARED.findall(text)}
        instances = tuple(
            (kind, {key: int(value) for key, value in _PARAMETER.findall(parameters)}, name)
            for kind, parameters, name in _INSTANCE.findall(text)
        )
        return cls(sum(bits[name] for name in set(_ASSIGNED.findall(text)) & bits.keys()), instances)


def _below(modules: dict[str, _Module], name: str, path: tuple[str, ...]) -> Iterator[Held]:
    yield Held(path, modules[name].registers)
    for kind, parameters, label in modules[name].instances:
        inner = (*path, label)
        width, depth = parameters.get("WIDTH", 1), parameters.get("DEPTH", 1)
        if kind == "halidehw_ram":
            yield Held(inner, 2 * width, width * depth)
        elif kind in _DELAYS:
            yield Held(inner, width * depth)
        elif kind in modules:
            yield from _below(modules, kind, inner)
