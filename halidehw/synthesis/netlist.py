"""A hierarchical netlist of cells and macros, as Yosys writes it in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Bit = int | str
"""A net's number, or the constant "0", "1" or "x"."""

MACRO = "halidehw_macro"


@dataclass(frozen=True)
class Port:
    name: str
    direction: str
    bits: tuple[Bit, ...]


@dataclass(frozen=True)
class Instance:
    """An instance of a cell, a module or a macro (`kind`); `parameters`: those of a macro."""

    name: str
    kind: str
    pins: dict[str, tuple[Bit, ...]]
    parameters: dict[str, int]


@dataclass(frozen=True)
class Module:
    name: str
    ports: tuple[Port, ...]
    instances: tuple[Instance, ...]

    @cached_property
    def nets(self) -> tuple[int, ...]:
        """All net numbers, rising."""
        bits = {bit for port in self.ports for bit in port.bits}
        bits |= {bit for instance in self.instances for pin in instance.pins.values() for bit in pin}
        return tuple(sorted(bit for bit in bits if isinstance(bit, int)))


@dataclass(frozen=True)
class Netlist:
    """`modules` by name; names are plain identifiers, cells are numbered within their module."""

    top: str
    modules: dict[str, Module]

    def leaves(self, name: str | None = None, path: str = "") -> Iterator[tuple[str, str, Instance]]:
        """Every cell and macro below a module (the top): the path of the module it is in, that module, the instance."""
        name = name or self.top
        for instance in self.modules[name].instances:
            if instance.kind in self.modules:
                yield from self.leaves(instance.kind, f"{path}{instance.name}/")
            else:
                yield path, name, instance


def read_netlist(text: str) -> Netlist:
    """A netlist from Yosys' JSON."""
    modules = json.loads(text)["modules"]
    kept = {name: module for name, module in modules.items() if "blackbox" not in module["attributes"]}
    names = _plain(kept)
    found = {names[name]: _module(names[name], module, names) for name, module in kept.items()}
    top = next(names[name] for name, module in kept.items() if int(module["attributes"].get("top", "0"), 2))
    return Netlist(top, found)


def _plain(modules: dict[str, Any]) -> dict[str, str]:
    """Identifiers for module names; those that Yosys made for parameters are numbered."""
    names: dict[str, str] = {}
    for name in modules:
        base = re.sub(r"\W", "_", name.rpartition("\\")[2])
        same = sum(known == base or known.startswith(f"{base}__") for known in names.values())
        names[name] = f"{base}__{same + 1}" if same else base
    return names


def _module(name: str, data: dict[str, Any], names: dict[str, str]) -> Module:
    ports = tuple(Port(port, each["direction"], tuple(each["bits"])) for port, each in data["ports"].items())
    instances = tuple(
        Instance(
            re.sub(r"\W", "_", label) if _hierarchical(each["type"], names) else f"g{number}",
            names.get(each["type"], each["type"]),
            {pin: tuple(bits) for pin, bits in each["connections"].items()},
            {key: int(value, 2) for key, value in each["parameters"].items()} if each["type"] == MACRO else {},
        )
        for number, (label, each) in enumerate(data["cells"].items())
    )
    return Module(name, ports, instances)


def _hierarchical(kind: str, names: dict[str, str]) -> bool:
    return kind in names or kind == MACRO
