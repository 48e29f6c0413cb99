"""How many register bits each component of a design has, before synthesis."""

from __future__ import annotations

from collections.abc import Iterator

from halidehw.backend_hdl.generate import hierarchy
from halidehw.backend_hdl.rtl.ir import Instance, Module
from halidehw.backend_hdl.rtl.primitives import MEMORIES
from halidehw.microarch.held import Held, Role
from halidehw.microarch.network import Network


def elaborated(accelerator: Network) -> tuple[Held, ...]:
    """The components of a design, each with its own registers, those inside it apart.

    A register that synthesis finds constant is counted.
    """
    design = hierarchy(accelerator)
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
    return Held(path, role, 2 * width, width * depth) if each.module in MEMORIES else Held(path, role, width * depth)
