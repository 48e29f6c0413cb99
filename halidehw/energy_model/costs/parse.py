"""TOML and YAML texts to plain values, and the line of each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import yaml

from halidehw.errors import CostError, SourceLine
from halidehw.nested import Unreadable, nested

Place = tuple[str | int, ...]
"""Keys and list positions on the way to a value."""

_DEEPEST, _MOST = 16, 1 << 16
"""How many tables may lie inside each other, and how many fields a file may have: an alias may stand for the table that
it is in, and for ten others that do."""

LONGEST = 1 << 15
"""Characters of a text in which slips are looked for: it is parsed again for each that there might be."""

_BACK = 64
"""Lines that are looked back for where a value begins that does not end."""

Parsed = tuple[dict[str, Any], dict[Place, int]]
"""A file's outermost table, and the 1-based line of each place in it."""


@dataclass(frozen=True)
class Spelling:
    """How a file is written: what stands `between` a field and its value, whether tables are `indented`, and whether
    they have `headed` lines of their own."""

    between: str
    indented: bool
    headed: bool

    def headings(self, name: str) -> Iterator[str]:
        """The lines that a table, or one of a list of them, may begin with."""
        yield from (f"[[{name}]]", f"[{name}]") if self.headed else (f"{name}:",)


TOML, YAML = Spelling(" = ", False, True), Spelling(": ", True, False)


def spelling(file: str) -> Spelling:
    """YAML where the file's name ends so, else TOML."""
    return YAML if file.endswith((".yaml", ".yml")) else TOML


class Garbled(CostError):
    """A text that cannot be read; `suspects`: the 1-based lines at which that may lie, the likeliest first."""

    def __init__(
        self, message: str, *, legal: Iterable[object] = (), source: SourceLine | None = None,
        suspects: tuple[int, ...] = (1,),
    ):  # fmt: skip
        super().__init__(message, legal=legal, source=source)
        self.suspects = suspects


def unreadable(
    file: str, text: str, message: str, suspects: Iterable[int], legal: Iterable[object] = ()
) -> Garbled:  # fmt: skip
    """The error for a text that cannot be read, at the first of the lines at which that may lie."""
    last = max(len(text.splitlines()), 1)
    found = tuple(dict.fromkeys(min(max(line, 1), last) for line in suspects))
    return Garbled(message, legal=legal, source=_source(file, text, found[0]), suspects=found)


def parse_toml(file: str, text: str) -> Parsed:
    """Raises Garbled for a text that is not TOML."""
    try:
        data = nested(tomllib.loads, text)
    except Unreadable as problem:
        raise CostError(f"not TOML: {problem}", source=_source(file, text, 1)) from None
    except tomllib.TOMLDecodeError as problem:
        line, first = re.search(r"line (\d+)", str(problem)), _begun(text, str(problem))
        suspects = ((int(line[1]), first) if line else (first, len(text.rstrip().splitlines()))) + _headed(text, first)
        raise unreadable(file, text, f"not TOML: {problem}", suspects) from None
    return data, _toml_lines(text)


def _headed(text: str, number: int) -> tuple[int, ...]:
    """The lines before one that begins a table at which one of the same name begins."""
    names = [re.match(r"\s*\[\[?([^\[\]]+)\]", line) for line in text.splitlines()[:number]]
    own = names[-1] if names else None
    return tuple(at for at, name in enumerate(names[:-1], 1) if own and name and name[1] == own[1])


def _begun(text: str, problem: str) -> int:
    """The line at which what cannot be read begins: the first one after all that can."""
    lines = text.splitlines()
    line = re.search(r"line (\d+)", problem)
    last = min(int(line[1]), len(lines)) if line else len(lines)
    for number in range(last - 1, max(last - _BACK, 0), -1) if len(text) <= LONGEST else ():
        try:
            tomllib.loads("\n".join(lines[:number]))
        except (tomllib.TOMLDecodeError, RecursionError, ValueError):
            continue
        blank = (at for at in range(number, last) if lines[at].split("#")[0].strip())
        return next(blank, last - 1) + 1
    return 1 if last <= _BACK and len(text) <= LONGEST else max(last, 1)


def _toml_lines(text: str) -> dict[Place, int]:
    """The lines of tables and of the fields that stand on a line of their own."""
    lines: dict[Place, int] = {}
    table: Place = ()
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*(\[\[?)([^\[\]]+)\]", line)
        field = re.match(r"""\s*("[^"]*"|'[^']*'|[\w-]+(?:\s*\.\s*[\w-]+)*)\s*=""", line)
        if header:
            table = _keys(header[2])
            if header[1] == "[[":
                lines.setdefault(table, number)
                table = (*table, sum(place[:-1] == table and isinstance(place[-1], int) for place in lines))
            lines[table] = number
        elif field:
            lines.setdefault((*table, *_keys(field[1])), number)
            for at, item in enumerate(_items(text, number, field[1])):
                lines.setdefault((*table, *_keys(field[1]), at), item)
    return lines


_TOKEN = re.compile(r"""#.*|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\[\]{}\n]""")


def _items(text: str, number: int, key: str) -> Iterator[int]:
    """The lines of the tables in a list that is the value of a key on some line."""
    rest = "".join(text.splitlines(keepends=True)[number - 1 :])
    rest, around = rest[rest.index(key) + len(key) :], ""
    if not re.match(r"\s*=\s*\[", rest):
        return
    for token in _TOKEN.finditer(rest):
        number += token[0] == "\n"
        if token[0] in ("[", "{"):
            around += token[0]
            if around == "[{":
                yield number
        elif token[0] in ("]", "}"):
            around = around[:-1]
            if not around:
                return


def _keys(dotted: str) -> Place:
    found = re.findall(r""""([^"]*)"|'([^']*)'|([\w-]+)""", dotted)
    return tuple(next(filter(None, groups), "") for groups in found)


def parse_yaml(file: str, text: str) -> Parsed:
    """Raises CostError, at its line, for a text that is not YAML, is no table, or has a field twice."""
    try:
        root = nested(partial(yaml.compose, Loader=yaml.SafeLoader), text)
        if not isinstance(root, yaml.MappingNode):
            raise unreadable(file, text, f"{file} is no table of fields", (1,))
        lines: dict[Place, int] = {}
        return _value(file, text, root, (), lines), lines
    except yaml.MarkedYAMLError as problem:
        raise unreadable(file, text, f"not YAML: {problem.problem}", _marked(problem, text)) from None
    except (yaml.YAMLError, Unreadable) as problem:
        raise CostError(f"not YAML: {problem}", source=_source(file, text, 1)) from None


def _marked(problem: yaml.MarkedYAMLError, text: str) -> list[int]:
    """The lines at which a text is no YAML: where a token begins that does not end, else where it was noticed."""
    marks = [mark.line + 1 for mark in (problem.problem_mark, problem.context_mark) if mark]
    if isinstance(problem, yaml.scanner.ScannerError) or marks[:1] > [len(text.splitlines())]:
        marks.reverse()
    return [*marks, *(mark - 1 for mark in marks if mark > 1)] or [1]


def _value(file: str, text: str, node: yaml.Node, place: Place, lines: dict[Place, int]) -> Any:
    """The value of a node, its scalars by YAML's own rules; the lines below it are noted."""
    if len(place) > _DEEPEST or len(lines) > _MOST:
        where = _source(file, text, node.start_mark.line + 1)
        what = "tables inside each other without end" if len(place) > _DEEPEST else f"more than {_MOST} fields"
        raise CostError(what, source=where)
    if isinstance(node, yaml.SequenceNode):
        items = []
        for at, child in enumerate(node.value):
            lines[(*place, at)] = child.start_mark.line + 1
            items.append(_value(file, text, child, (*place, at), lines))
        return items
    if not isinstance(node, yaml.MappingNode):
        return _scalar(file, text, node)
    table: dict[str, Any] = {}
    for key, child in node.value:
        name = str(key.value)
        line = key.start_mark.line + 1
        if name in table:
            raise CostError(f"{name} is given twice", source=_source(file, text, line))
        lines[(*place, name)] = line
        table[name] = _value(file, text, child, (*place, name), lines)
    return table


def _scalar(file: str, text: str, node: yaml.Node) -> Any:
    """Raises CostError for what looks like a date, or a number, and is none."""
    try:
        return yaml.SafeLoader("").construct_object(node)
    except ValueError as problem:
        why = f"not YAML: {problem}"
        raise CostError(why, source=_source(file, text, node.start_mark.line + 1)) from None


def _source(file: str, text: str, line: int) -> SourceLine:
    lines = text.splitlines() or [""]
    return SourceLine(file, line, lines[min(line, len(lines)) - 1].strip())
