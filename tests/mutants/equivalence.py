"""Whether a mistake changes anything: the module that has it beside the one that has not, for all inputs, for ever."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

from halidehw.backend_hdl.rtl.hierarchy import Hierarchy
from tests.mutants.rtl import Mutant, switchable

SECONDS = 60
"""Given to each tool."""


def equivalent(hierarchy: Hierarchy, mutant: Mutant, folder: Path) -> bool:
    """Whether Yosys and ABC prove, by property directed reachability, that the mutant's module does what the module
    does, for any inputs, from all registers and words of memories at their initial values (or 0). False where they find
    a difference or do not end in time."""
    below = _below(hierarchy, mutant.module)
    commands = []
    for label, number in (("gold", 0), ("gate", 1)):
        (folder / f"{label}.v").write_text(switchable(below, [mutant], f"32'd{number}"))
        commands.append(f"read_verilog {label}.v; hierarchy -top {below.top.name}; proc; flatten; memory -nomap; "
                        f"memory_map; opt -full; rename {below.top.name} {label}; design -stash {label}")  # fmt: skip
    commands += [f"design -copy-from {label} -as {label} {label}" for label in ("gold", "gate")]
    commands += [
        "miter -equiv -flatten gold gate miter; hierarchy -top miter; setundef -init -zero; opt -full; async2sync",
        "dffunmap; techmap; dfflegalize -cell $_DFF_P_ 01; opt_clean; aigmap; write_aiger -zinit miter.aig",
    ]
    try:
        command = ["yosys", "-q", "-p", "; ".join(commands)]
        subprocess.run(command, cwd=folder, capture_output=True, timeout=SECONDS, check=True)
    except subprocess.TimeoutExpired:
        return False
    proof = ["yosys-abc", "-c", f"read_aiger miter.aig; fold; pdr -T {SECONDS}"]
    done = subprocess.run(proof, cwd=folder, capture_output=True, text=True)
    return "Property proved" in done.stdout


def _below(hierarchy: Hierarchy, name: str) -> Hierarchy:
    """A module and all that it uses."""
    modules, waiting = {module.name: module for module in hierarchy.modules}, [hierarchy.prefix + name]
    kept: list[str] = []
    for module in waiting:
        if module in modules and module not in kept:
            kept.append(module)
            waiting += [each.module for each in modules[module].instances]
    top, *others = kept
    return replace(hierarchy, modules=(modules[top], *(m for m in hierarchy.modules if m.name in others)))
