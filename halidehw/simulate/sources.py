"""Everything that a simulator is built from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from halidehw.simulate.bench import Outside, benches
from halidehw.simulate.execute import HARNESS


def sources(designs: Sequence[tuple[str, Outside]]) -> dict[str, str]:
    """File name -> text, for designs of Verilog and what stands around it.

    Designs without a module's name in common are taken as they are; else each gets modules of its own names.
    """
    fixed = {path.name: path.read_text() for path in sorted(HARNESS.iterdir()) if path.suffix in (".sv", ".cpp")}
    names = [name for verilog, _ in designs for name in _modules(verilog)]
    if len(set(names)) < len(names):
        designs = [_own(verilog, outside, f"design{i}_") for i, (verilog, outside) in enumerate(designs)]
    names = ["accelerator.v"] if len(designs) == 1 else [f"accelerator{i}.v" for i in range(len(designs))]
    texts = dict(zip(names, (verilog for verilog, _ in designs), strict=True))
    return fixed | texts | {"bench.sv": benches([outside for _, outside in designs])}


def _own(verilog: str, outside: Outside, prefix: str) -> tuple[str, Outside]:
    """A design all of whose modules have names with a prefix. An identifier that is also the name of a module is
    changed wherever it stands, which keeps what it means."""
    text = re.sub(rf"\b({'|'.join(_modules(verilog))})\b", rf"{prefix}\1", verilog)
    return text, replace(outside, module=prefix + outside.module)


def _modules(verilog: str) -> list[str]:
    return re.findall(r"^\s*module\s+(\w+)", verilog, re.M)
