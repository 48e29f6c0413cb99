"""A design: its modules, the top first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources

from halidehw.backend_hdl.rtl.arrays import looped
from halidehw.backend_hdl.rtl.ir import Module
from halidehw.backend_hdl.rtl.layout import Group
from halidehw.backend_hdl.rtl.verilog import written


@dataclass(frozen=True)
class Hierarchy:
    """Modules, users before what they use, the top first. `prefix`: what all their names begin with."""

    prefix: str
    modules: tuple[Module, ...]

    @property
    def top(self) -> Module:
        return self.modules[0]

    @property
    def looped(self) -> Hierarchy:
        """The design with loops over arrays in place of instances of one module."""
        return Hierarchy(self.prefix, tuple(looped(self.modules)))

    def verilog(self, groups: tuple[Group, ...] = ()) -> str:
        """The text of all modules, and of the primitives that they use. `groups`: of the top's ports."""
        known = {module.name: module for module in self.modules}
        used = {each.module for module in self.modules for each in module.instances} - known.keys()
        texts = [
            written(module, known, self.prefix, groups if module is self.top else ()) for module in self.modules
        ]
        return "\n".join([*texts, *(text for name, text in primitives(self.prefix).items() if name in used)])


def primitives(prefix: str) -> dict[str, str]:
    """The modules with parameters that designs stand on, by name, with a prefix before that."""
    text = resources.files("halidehw.backend_hdl").joinpath("primitives.v").read_text()
    found = re.findall(r"(?:^//[^\n]*\n)*^module (\w+).*?^endmodule\n", text, re.M | re.S)
    chunks = re.findall(r"((?:^//[^\n]*\n)*^module \w+.*?^endmodule\n)", text, re.M | re.S)
    return {name: chunk.replace(f"module {name}", f"module {prefix}{name}", 1)
            for name, chunk in zip(found, chunks, strict=True)}  # fmt: skip
