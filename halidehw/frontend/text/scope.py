"""What the names of a text stand for, and how its errors and directives come to bear its lines."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from difflib import get_close_matches
from functools import lru_cache
from types import CodeType
from typing import Any

from halidehw.errors import NOTATION, HalideHWError, ParseError, SourceLine
from halidehw.expr.nodes import Expr, Variable
from halidehw.expr.types import Type
from halidehw.frontend.absent import absent_function
from halidehw.frontend.func import Func
from halidehw.frontend.output_buffer import OutputImageParam
from halidehw.frontend.params import ImageParam
from halidehw.frontend.rdom import RDom
from halidehw.frontend.text import syntax
from halidehw.notation import TEXT

Value = Any
"""An int, an `Expr` (a `Var` too), `RDom`, `Func`, `ImageParam`, stage, wrapper, `Type`, str, or a list of these."""


class Scope:
    """The names declared so far, in order. `reserved` are those of the language."""

    def __init__(self, reserved: frozenset[str]):
        self.names: dict[str, Value] = {}
        self._places: dict[str, SourceLine] = {}
        self._reserved = reserved

    def check_free(self, name: str, source: SourceLine) -> None:
        """Raises `ParseError` if `name` cannot be declared."""
        if name in self._reserved:
            raise ParseError(f"{name} is a name of the language; declare another", legal=(f"{name}_",), source=source)
        if name in self.names:
            first = f"{describe(self.names[name])} of line {self._places[name].line}"
            raise ParseError(f"{name} is declared twice; it is {first}", source=source)

    def declare(self, name: str, value: Value, source: SourceLine) -> None:
        self.names[name], self._places[name] = value, source

    def place(self, name: str) -> SourceLine:
        """Where a name was declared."""
        return self._places[name]

    def __getitem__(self, node: syntax.Name) -> Value:
        """What the name stands for. Raises `ParseError`, with names like it, if it was never declared."""
        if node.name in self.names:
            return self.names[node.name]
        if absent := absent_function(node.name):
            raise absent.at(node.source)
        near = get_close_matches(node.name, self.names)
        declared = f"declared are {', '.join(self.names)}" if self.names else "nothing is declared before it"
        raise ParseError(f"{node.name} was never declared; {declared}", legal=near, source=node.source)


def describe(value: Value) -> str:
    """A value in a reader's words."""
    match value:
        case int() | float():
            return f"the number {value}"
        case str():
            return f'the string "{value}"'
        case list():
            return "a list in braces"
        case Variable():
            return f"the variable {value}"
        case RDom():
            return f"the RDom {value.name} of {len(value.ranges)} dimension{'s' * (len(value.ranges) > 1)}"
        case Expr():
            return f"the expression {value}"
        case Func() | ImageParam():
            return f"the {type(value).__name__} {value.name}"
        case Type():
            return f"the type {value}"
        case OutputImageParam():
            return f"the output buffer of {value.name}"
    return f"a {type(value).__name__.lower()}"


def register(text: str, filename: str) -> None:
    """Makes the lines of a text known to tracebacks, and so to `errors.user_line`."""
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)


@lru_cache(maxsize=1 << 10)
def _standing(file: str, line: int) -> CodeType:
    """A call that stands at a line."""
    return compile("\n" * (line - 1) + "function(*args)", file, "eval")


def call_at(source: SourceLine, function: Callable[..., Value], *args: Value) -> Value:
    """`function(*args)`, called from a frame that stands at `source`.

    Directives and definitions made there record that line as the user's, and its notation. An error is raised again
    with the column.
    """
    try:
        return eval(_standing(source.file, source.line), {"function": function, "args": args, NOTATION: TEXT})
    except HalideHWError as error:
        raise type(error)(error.message, legal=error.proposed, source=source) from None
