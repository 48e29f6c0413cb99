"""The plan of the house: a room imports only rooms above it in the list, and no modules import in a circle."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

ROOMS = (
    "notation", "errors", "notes", "expr", "ir", "frontend", "reference", "scheduler", "microarch", "backend_hdl",
    "simulate", "energy_model", "mapping", "optimize", "report", "driver", "synthesis",
    "methods", "", "demo", "commands", "cli", "__main__",
)  # fmt: skip
"""Each may import those before it; "" is the package's top, which users import."""

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (ROOT / "halidehw").rglob("*.py")
}


def imports(module: str) -> set[str]:
    """The modules of the package that a module imports, at its top or inside a function."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text())):
        match node:
            case ast.ImportFrom(module=str() as source, names=names):
                found |= {f"{source}.{name.name}" for name in names} & MODULES.keys() or {source}
            case ast.Import(names=names):
                found |= {name.name for name in names}
    return {name for name in found if name.split(".")[0] == "halidehw"}


def room(module: str) -> str:
    return f"{module}.".split(".")[1]


@pytest.mark.parametrize("name", sorted({room(module) for module in MODULES}))
def test_a_room_imports_only_rooms_above_it(name: str) -> None:
    allowed = ROOMS[: ROOMS.index(name) + 1]
    upward = {(module, used) for module in MODULES if room(module) == name
              for used in imports(module) if room(used) not in allowed}  # fmt: skip
    assert not upward


def test_no_modules_import_each_other_in_a_circle() -> None:
    TopologicalSorter({module: imports(module) for module in MODULES}).prepare()


def test_nothing_is_imported_by_a_name_built_at_run_time() -> None:
    assert not [module for module, path in MODULES.items() if room(module) and "import_module" in path.read_text()]
