"""The calls a text may make: their parameters, by name and kind, checked before anything is called."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from halidehw.errors import ParseError, SourceLine
from halidehw.expr.nodes import Operators, Variable
from halidehw.expr.types import Type
from halidehw.frontend.directives import MemoryType
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam
from halidehw.frontend.rdom import RDom
from halidehw.frontend.scalar import Param
from halidehw.frontend.text.scope import Value, describe


@dataclass(frozen=True)
class Kind:
    """What an argument may be. `many`: all arguments from here on, or one list in braces."""

    words: str
    accepts: Callable[[Value], bool]
    optional: bool = False
    many: bool = False


def maybe(kind: Kind) -> Kind:
    return replace(kind, optional=True)


def several(kind: Kind) -> Kind:
    return replace(kind, many=True, optional=True)


def _is_int(value: Value) -> bool:
    return isinstance(value, int)


def _is_variable(value: Value) -> bool:
    return isinstance(value, Variable | str) or (isinstance(value, RDom) and len(value.ranges) == 1)


def _is_pair(value: Value) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_int, value))


INT = Kind("a number", _is_int)
STRING = Kind("a string", lambda value: isinstance(value, str))
EXPR = Kind("an expression", lambda value: isinstance(value, int | float | Operators))
EXPRS = Kind(
    "a list of expressions such as {a(x), b(x)}",
    lambda value: isinstance(value, list) and len(value) > 0 and all(map(EXPR.accepts, value)),
)
VAR = Kind("a loop variable", _is_variable)
FUNC = Kind("a Func", lambda value: isinstance(value, Func))
IMAGE = Kind("an ImageParam", lambda value: isinstance(value, ImageParam))
TENSOR = Kind("an ImageParam or a Func", lambda value: isinstance(value, ImageParam | Func))
INPUT = Kind("an ImageParam, a Param or a Func", lambda value: isinstance(value, ImageParam | Param | Func))
MEMORY = Kind("a memory such as MemoryType::Heap", lambda value: isinstance(value, MemoryType))
TYPE = Kind("a type such as Int(16)", lambda value: isinstance(value, Type))
RANGES = Kind(
    "a list of ranges such as {{0, 16}, {0, 3}}",
    lambda value: isinstance(value, list) and len(value) > 0 and all(map(_is_pair, value)),
)


@dataclass(frozen=True)
class Signature:
    """`name(parameters)`, and the function that it calls with one argument a parameter (a list for `many`)."""

    name: str
    function: Callable[..., Value]
    parameters: tuple[tuple[str, Kind], ...]

    def __str__(self) -> str:
        words = [name + (", ..." if kind.many else "") for name, kind in self.parameters]
        return f"{self.name}({', '.join(words)})"

    @cached_property
    def counts(self) -> range:
        """How many arguments it takes."""
        least = sum(not kind.optional for _, kind in self.parameters)
        endless = any(kind.many for _, kind in self.parameters)
        return range(least, sys.maxsize if endless else len(self.parameters) + 1)

    def given(self, first: Value) -> Signature:
        """What is left to be given after the first argument."""
        return Signature(self.name, partial(self.function, first), self.parameters[1:])

    def bind(self, values: list[Value], sources: list[SourceLine]) -> list[Value]:
        """The arguments to call the function with. Raises `ParseError` for a wrong kind."""
        pairs = list(zip(values, sources, strict=True))
        bound: list[Value] = []
        for place, (name, kind) in enumerate(self.parameters):
            if kind.many:
                bound.append([self._argument(name, kind, *pair) for pair in _flat(pairs[place:])])
            elif place < len(pairs):
                bound.append(self._argument(name, kind, *pairs[place]))
        return bound

    def _argument(self, name: str, kind: Kind, value: Value, source: SourceLine) -> Value:
        if not kind.accepts(value):
            message = f"{name} of {self.name} is {kind.words}, not {describe(value)}"
            raise ParseError(message, legal=(str(self),), source=source)
        return value[0] if kind.words == VAR.words and isinstance(value, RDom) else value


def signature(name: str, function: Callable[..., Value], /, **parameters: Kind) -> Signature:
    return Signature(name, function, tuple(parameters.items()))


def choose(ways: Sequence[Signature], count: int, source: SourceLine) -> Signature:
    """The first of several ways to call one name that takes `count` arguments. Raises `ParseError` if none does."""
    for way in ways:
        if count in way.counts:
            return way
    numbers = " or ".join(_number(way.counts) for way in ways)
    arguments = "argument" if numbers.endswith(" 1") or numbers == "1" else "arguments"
    message = f"{ways[0].name} takes {numbers} {arguments}, not {count}"
    raise ParseError(message, legal=tuple(map(str, ways)), source=source)


def _number(counts: range) -> str:
    least, most = counts[0], counts[-1]
    if counts.stop == sys.maxsize:
        return f"at least {least}"
    return str(least) if least == most else f"{least} to {most}"


def _flat(pairs: list[tuple[Value, SourceLine]]) -> list[tuple[Value, SourceLine]]:
    """One list in braces as the arguments that it holds."""
    if len(pairs) == 1 and isinstance(pairs[0][0], list):
        return [(value, pairs[0][1]) for value in pairs[0][0]]
    return pairs
