"""Mistakes in the package's own source: one changed operator, number or condition in a function."""

from __future__ import annotations

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("expr", "ir", "scheduler", "microarch", "energy_model", "backend_hdl")
_SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Change:
    """In a file (relative to the project), in the function that begins in line `function`: node `node` does `kind`.
    `text`: its line, stripped; `nth`: the number of this kind among those of the file's lines with this text."""

    file: str
    function: int
    line: int
    text: str
    node: int
    kind: str
    nth: int

    def __str__(self) -> str:
        """A name that stays when other lines change."""
        return f"{self.file}: {self.text} #{self.nth} {self.kind}"


def chosen(number: int, room: str = "") -> list[Change]:
    """So many of all, or of a room's, at random, but each independent of all others."""
    found = [change for change in changes() if change.file.startswith(f"halidehw/{room}")]
    return sorted(found, key=lambda change: hashlib.sha256(str(change).encode()).hexdigest())[:number]


def changes() -> list[Change]:
    """All of them, in the order of the files."""
    files = sorted(path for room in ROOMS for path in (ROOT / "halidehw" / room).rglob("*.py"))
    return [change for path in files for change in _of(path)]


def _of(path: Path) -> Iterator[Change]:
    source = path.read_text()
    tree, lines = ast.parse(source), source.splitlines()
    same: Counter[tuple[str, str]] = Counter()
    inside: dict[int, int] = {}
    types = (each.annotation for each in ast.walk(tree) if isinstance(each, ast.AnnAssign))
    said = {id(node) for each in types for node in ast.walk(each)}
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            first = min([function.lineno, *(each.lineno for each in function.decorator_list)])
            inside |= {id(node): first for statement in function.body for node in ast.walk(statement)}
    for number, node in enumerate(ast.walk(tree)):
        if id(node) in inside and id(node) not in said and not _in_text(node):
            line = getattr(node, "lineno", 1)
            text = lines[line - 1].strip()
            for kind in _kinds(node):
                nth, file = same[text, kind], str(path.relative_to(ROOT))
                same[text, kind] += 1
                yield Change(file, inside[id(node)], line, text, number, kind, nth)


def changed(source: str, change: Change) -> ast.Module:
    """The module with the change."""
    tree = ast.parse(source)
    node = list(ast.walk(tree))[change.node]
    other = _kinds(node)[change.kind]
    vars(node).update(vars(other))
    node.__class__ = other.__class__  # type: ignore[assignment]
    return ast.fix_missing_locations(tree)


def _in_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr | ast.FormattedValue)


def _kinds(node: ast.AST) -> dict[str, ast.AST]:
    """Kind of change -> the node that it makes."""

    def swapped(op: ast.AST) -> ast.AST:
        return _SWAPPED[type(op)]()

    other = copy.copy(node)
    match node, other:
        case ast.BinOp(op=op), ast.BinOp() if type(op) in _SWAPPED:
            other.op = swapped(op)  # type: ignore[assignment]
        case ast.BoolOp(op=op), ast.BoolOp():
            other.op = swapped(op)  # type: ignore[assignment]
        case ast.Compare(ops=[op]), ast.Compare() if type(op) in _SWAPPED:
            other.ops = [swapped(op)]  # type: ignore[list-item]
        case ast.UnaryOp(op=ast.Not(), operand=operand), _:
            return {"not dropped": operand}
        case ast.Constant(value=int() as value), ast.Constant() if not isinstance(value, bool):
            other.value = value + 1
            return {"+ 1": other}
        case ast.Call(func=ast.Name(id=name)), ast.Call() if name in _CALLS:
            other.func = ast.Name(_CALLS[name], ast.Load())
            return {f"{name} is {_CALLS[name]}": other}
        case ast.IfExp(test=test, body=body, orelse=orelse), ast.IfExp():
            return {"swapped": ast.IfExp(test, orelse, body, lineno=node.lineno, col_offset=node.col_offset)}
        case _:
            return {}
    return {f"{type(op).__name__} is {_SWAPPED[type(op)].__name__}": other}
