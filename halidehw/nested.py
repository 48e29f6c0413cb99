"""Texts of lists and tables that lie in each other, JSON, TOML and YAML, and which of them can be read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

DEEPEST = 64
"""Lists and tables that may lie in each other; Python itself neither reads nor prints a thousand."""


class Unreadable(Exception):
    """A text in order that holds what cannot be held here."""


def nested(read: Callable[[str], Any], text: str) -> Any:
    """What `read` makes of a text. Raises what it raises, and Unreadable for lists and tables that lie deeper in each
    other than DEEPEST, and for a number whose digits Python does not read."""
    try:
        found = read(text)
    except RecursionError:
        raise Unreadable("lists and tables too deep in each other to be read") from None
    except ValueError as problem:
        if type(problem) is not ValueError:
            raise
        raise Unreadable("a number of more digits than are read") from None
    level = [found] * isinstance(found, dict | list)
    for _ in range(DEEPEST):
        inside = (each.values() if isinstance(each, dict) else each for each in level)
        level = [value for values in inside for value in values if isinstance(value, dict | list)]
        if not level:
            return found
    raise Unreadable("lists and tables too deep in each other to be read")


Place = tuple[str | int, ...]
"""Keys and numbers that lead to a value."""

_TOKEN = re.compile(r"""("(?:[^"\\]|\\.)*")|[\[\]{},]""")


_SOLID = re.compile(r"\S")


def places(text: str) -> Iterator[tuple[Place, int]]:
    """Where in a JSON text, which is in order, each key stands and each item of a list begins: the offset of the first
    character."""
    around: list[str | int] = []
    key = False
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "{" | "[" as opening:
                key = opening == "{"
                around.append("" if key else 0)
            case "}" | "]":
                around.pop()
                key = False
            case ",":
                last = around[-1]
                key = isinstance(last, str)
                around[-1] = last if isinstance(last, str) else last + 1
            case name if key:
                around[-1], key = json.loads(name), False
                yield tuple(around), token.start()
        if token[0] in "[," and not key:
            begin = _SOLID.search(text, token.end())
            if begin and begin[0] != "]":
                yield tuple(around), begin.start()
