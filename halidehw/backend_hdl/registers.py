"""How many register bits each component of a design has, before synthesis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from halidehw.backend_hdl.rtl.hierarchy import Hierarchy
from halidehw.backend_hdl.rtl.ir import Instance, Module, Role


@dataclass(frozen=True)
class Held:
    """Register bits of a component at `path` (instance names from the top), and of memory if it is one. `role`: what
    it is there for."""

    path: tuple[str, ...]
    role: Role
    registers: int
    memory: int = 0


def register_bits(design: Hierarchy) -> tuple[Held, ...]:
    """The components of a design, each with its own registers, those inside it apart.

    A register that synthesis finds constant is counted.
    """
    modules = {module.name: module for module in design.modules}
    return tuple(_below(modules, design.top, (), ""))


def _below(modules: dict[str, Module], module: Module, path: tuple[str, ...], outer: Role) -> Iterator[Held]:
    role = module.role or outer
    own = sum(signal.width for signal in module.registers.values())
    yield Held(path, role, own + sum(memory.width * memory.depth for memory in module.memories.values()))
    for each in module.instances:
        if each.module in modules:
            yield from _below(modules, modules[each.module], (*path, each.label), role)
        else:
            yield _primitive(each, (*path, each.label), role)


def _primitive(each: Instance, path: tuple[str, ...], outer: Role) -> Held:
    width, depth = each.parameters["WIDTH"], each.parameters["DEPTH"]
    role = each.role or outer
    return Held(path, role, 2 * width, width * depth) if each.module == "ram" else Held(path, role, width * depth)
