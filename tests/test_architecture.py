"""The plan of the house: a room imports only rooms above it in the list, and no modules import in a circle."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

ROOMS = (
    "notation", "nested", "errors", "notes", "expr", "ir", "frontend", "reference", "schedules", "scheduler",
    "microarch", "backend_hdl", "buses", "simulate", "energy_model", "mapping", "optimize", "transfer", "importers",
    "report", "driver", "machines", "host", "synthesis",
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


def test_the_model_imports_nothing_of_the_generator() -> None:
    """Latencies and depths are fields of the micro-architecture; what components hold is handed to the model."""
    models = {"energy_model", "report"}
    assert not {(module, used) for module in MODULES if room(module) in models
                for used in imports(module) if room(used) == "backend_hdl"}  # fmt: skip


def test_no_modules_import_each_other_in_a_circle() -> None:
    TopologicalSorter({module: imports(module) for module in MODULES}).prepare()


def test_nothing_is_imported_by_a_name_built_at_run_time() -> None:
    assert not [module for module, path in MODULES.items() if room(module) and "import_module" in path.read_text()]


PIECES = {"startswith", "endswith", "removeprefix", "removesuffix", "match", "fullmatch"}
"""What looks at a piece of a name."""

TEXTS = {
    "backend_hdl.library": "numbers the modules that share a title",
    "backend_hdl.rtl.text": "the text of Verilog",
    "energy_model.costs.document": "the ending of a file's name",
    "energy_model.costs.mend": "lines of a cost table",
    "energy_model.costs.parse": "lines of a cost table",
    "microarch.options": "the prefix that a user wants",
    "report.describe": "the parentheses of a formula",
}
"""What handles texts, and why it may look at pieces of them."""


def named(value: ast.expr) -> bool:
    match value:
        case ast.Attribute(attr="name") | ast.Subscript(slice=ast.Constant(value="name")):
            return True
    return False


def looks_at_names(node: ast.AST) -> bool:
    """Whether it looks at a piece of a text, or compares what is called a name with a text that stands in the code."""
    match node:
        case ast.Call(func=ast.Attribute(attr=attr)):
            return attr in PIECES
        case ast.Compare(left=left, comparators=others):
            sides = (left, *others)
            texts = (part for side in sides for part in getattr(side, "elts", [side]))
            return any(map(named, sides)) and any(isinstance(part, ast.Constant) for part in texts)
    return False


@pytest.mark.parametrize("name", ["microarch", "backend_hdl", "energy_model", "report"])
def test_nothing_is_found_by_its_name_or_a_piece_of_it(name: str) -> None:
    found = {
        f"{module}:{node.lineno}"
        for module, path in MODULES.items() if room(module) == name and module.removeprefix("halidehw.") not in TEXTS
        for node in ast.walk(ast.parse(path.read_text())) if looks_at_names(node)
    }  # fmt: skip
    assert not found
