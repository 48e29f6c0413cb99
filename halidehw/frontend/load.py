"""Design files: `.hh` texts and Python programs."""

from __future__ import annotations

import ast
import runpy
from itertools import islice
from pathlib import Path
from typing import Any

from halidehw.errors import HalideHWError, ParseError
from halidehw.frontend.design import Design, design_of
from halidehw.frontend.directives import Accelerate
from halidehw.frontend.func import Func
from halidehw.frontend.outputs import Pipeline
from halidehw.frontend.text import parse

SUFFIXES = (".hh", ".py")
EXAMPLE = (
    "import halidehw as hl; x, a = hl.Var('x'), hl.ImageParam(hl.UInt(8), 1, 'a'); design = hl.Func('f'); "
    "design[x] = a[x] + 1; design.bound(x, 0, 16).accelerate([a])"
)
"""A program with a design, as one line."""
_SHOWN = 5


def load(path: str | Path) -> Design:
    """The design in a file.

    A `.hh` file is parsed. A `.py` file is run, though not as `__main__`; its design is the module-level name `design`,
    a Func, a Pipeline or a Design, or else the one Func that is accelerated. Raises `ParseError` if there is no such
    file or design; what the file itself raises passes through.
    """
    file = Path(path)
    if file.is_dir():
        legal = [f'load("{each}")' for each in islice(filter(_is_design, sorted(file.iterdir())), _SHOWN)]
        raise ParseError(f"{file} is a folder; a design is a file, .hh or .py", legal=legal)
    if file.suffix not in SUFFIXES:
        beside = [str(each) for each in map(file.with_suffix, SUFFIXES) if _is_design(each)]
        raise ParseError(f"{file} is neither a .hh text nor a Python file", legal=beside)
    if not file.is_file():
        raise ParseError(f"there is no file {file}")
    if file.suffix == ".hh":
        return parse(_text(file), str(file))
    return _of_module(file, runpy.run_path(str(file), run_name=file.stem))


def load_all(path: str | Path) -> list[Design]:
    """The designs in a file: those of the module-level list `designs` of a `.py` file, or else the one of `load`.

    Raises what `load` raises, and `ParseError` for a list of anything else.
    """
    file = Path(path)
    if file.suffix != ".py" or not file.is_file():
        return [load(file)]
    names = runpy.run_path(str(file), run_name=file.stem)
    if "designs" not in names:
        return [_of_module(file, names, several=True)]
    found = names["designs"]
    kinds = (Func, Pipeline, Design)
    if not isinstance(found, list | tuple) or not found or not all(isinstance(each, kinds) for each in found):
        legal = [f"designs = [{', '.join(_outputs(names)[:_SHOWN])}]"]
        raise ParseError(f"designs in {file} is no list of Funcs", legal=legal)
    return [design_of(each) for each in found]


def _is_design(file: Path) -> bool:
    """Whether a file can be loaded, as far as that shows without running it."""
    if file.suffix not in SUFFIXES or not file.is_file():
        return False
    try:
        return bool(parse(_text(file), str(file))) if file.suffix == ".hh" else _names_a_design(_text(file))
    except (HalideHWError, SyntaxError):
        return False


def _names_a_design(program: str) -> bool:
    """Whether the lines of a module itself, outside its functions, assign `design` or accelerate a Func."""
    body = [each for each in ast.parse(program).body if not isinstance(each, ast.FunctionDef | ast.ClassDef)]
    return any(
        (isinstance(node, ast.Name) and node.id == "design" and isinstance(node.ctx, ast.Store))
        or (isinstance(node, ast.Attribute) and node.attr == "accelerate")
        for statement in body
        for node in ast.walk(statement)
    )


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ParseError(f"{file} is not a UTF-8 text: byte {error.start} is {error.object[error.start]:#x}") from None


def _of_module(file: Path, names: dict[str, Any], several: bool = False) -> Design:
    """`several`: the list `designs` would be taken, too."""
    if "design" in names:
        return _of_name(file, names)
    accelerated = {name: value for name, value in names.items() if isinstance(value, Func) and _is_hardware(value)}
    if len(set(accelerated.values())) == 1:
        return design_of(next(iter(accelerated.values())))
    found = f"accelerates {', '.join(accelerated)}" if accelerated else "accelerates no Func"
    known = list(accelerated) or _outputs(names) or _within(names) or _made(file, names)
    legal = [f"design = {name}" for name in known] or [EXAMPLE]
    if several and len(known) > 1:
        legal.insert(0, f"designs = [{', '.join(known[:_SHOWN])}]")
    tests = (each.test for each in ast.parse(_text(file)).body if isinstance(each, ast.If))
    main = any(isinstance(node, ast.Name) and node.id == "__name__" for test in tests for node in ast.walk(test))
    why = f"{found}, and does not say which one is its design{'; it is run, but not as __main__' * main}"
    raise ParseError(f"{file} {why}", legal=legal)


def _of_name(file: Path, names: dict[str, Any]) -> Design:
    match value := names["design"]:
        case Func() | Pipeline() | Design():
            return design_of(value)
    message = f"design in {file} is {type(value).__name__}, neither a Func nor a Pipeline nor a Design"
    known = _outputs(names) or _within(names) or _made(file, names)
    raise ParseError(message, legal=[f"design = {name}" for name in known] or [EXAMPLE])


def _outputs(names: dict[str, Any]) -> list[str]:
    """The names of the Funcs that are defined and that no other one reads, each Func once."""
    funcs = {value: name for name, value in reversed(names.items()) if isinstance(value, Func) and value.stages}
    read = {each for func in funcs for each in func.sources if each is not func}
    return [name for func, name in reversed(funcs.items()) if func not in read]


def _within(names: dict[str, Any]) -> list[str]:
    """Funcs that are defined, Pipelines and Designs in lists, tuples and tables of a module, as it would write them."""
    tables = {name: value for name, value in names.items() if isinstance(value, list | tuple | dict)}
    found = {
        f"{name}[{key!r}]": value
        for name, table in tables.items()
        for key, value in (table.items() if isinstance(table, dict) else enumerate(table))
    }
    kinds = {name: value for name, value in found.items() if isinstance(value, Func | Pipeline | Design)}
    return [name for name, value in kinds.items() if not isinstance(value, Func) or value.stages][:_SHOWN]


def _made(file: Path, names: dict[str, Any]) -> list[str]:
    """Calls of the module's own functions that take no arguments and return a Func that they accelerate, as far as that
    shows without calling them."""
    body = ast.parse(_text(file)).body
    made = (each for each in body if isinstance(each, ast.FunctionDef) and callable(names.get(each.name)))
    return [f"{each.name}()" for each in made if _no_arguments(each.args) and _accelerated(each)]


def _no_arguments(args: ast.arguments) -> bool:
    """Whether a function can be called without any."""
    return len(args.posonlyargs) + len(args.args) == len(args.defaults) and None not in args.kw_defaults


def _accelerated(function: ast.FunctionDef) -> bool:
    """Whether it returns what it calls `accelerate` of, or that call."""
    calls = {
        node.func.value.id: node for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "accelerate"
        and isinstance(node.func.value, ast.Name)
    }  # fmt: skip
    results = (node.value for node in ast.walk(function) if isinstance(node, ast.Return))
    return any(each in calls.values() or (isinstance(each, ast.Name) and each.id in calls) for each in results)


def _is_hardware(func: Func) -> bool:
    return any(isinstance(directive, Accelerate) for directive in func.directives)
