"""TOML and YAML texts to plain values, and the line of each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
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

Parsed = tuple[dict[str, Any], dict[Place, int]]
"""A file's outermost table, and the 1-based line of each place in it."""


def parse_toml(file: str, text: str) -> Parsed:
    """Raises CostError, at its line, for a text that is not TOML."""
    try:
        data = nested(tomllib.loads, text)
    except (tomllib.TOMLDecodeError, Unreadable) as problem:
        line = re.search(r"line (\d+)", str(problem))
        raise CostError(f"not TOML: {problem}", source=_source(file, text, int(line[1]) if line else 1)) from None
    return data, _toml_lines(text)


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
            raise CostError(f"{file} is no table of fields", source=_source(file, text, 1))
        lines: dict[Place, int] = {}
        return _value(file, text, root, (), lines), lines
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        line = mark.line + 1 if mark else 1
        raise CostError(f"not YAML: {problem.problem}", source=_source(file, text, line)) from None
    except (yaml.YAMLError, Unreadable) as problem:
        raise CostError(f"not YAML: {problem}", source=_source(file, text, 1)) from None


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
