"""Several numbers side by side: the nodes that put them into one word and take one out, and what users write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from halidehw.errors import AlgorithmError
from halidehw.expr.nodes import Expr, Operand, Operators, as_expr, binary
from halidehw.expr.types import Struct, struct


@dataclass(frozen=True, eq=False, repr=False)
class Pack(Expr):
    """The word that holds `parts`; `type` is theirs, a Struct."""

    parts: tuple[Expr, ...]

    def written(self, parts: tuple[str, ...]) -> str:
        return f"{{{', '.join(parts)}}}"


@dataclass(frozen=True, eq=False, repr=False)
class Field(Expr):
    """Part `index` of the word `a`."""

    a: Expr
    index: int

    def written(self, parts: tuple[str, ...]) -> str:
        return f"{parts[0]}[{self.index}]"


def pack(parts: Sequence[Expr]) -> Pack:
    """The word that holds `parts`."""
    return Pack(struct([part.type for part in parts]), tuple(parts))


def field(a: Expr, index: int) -> Expr:
    """Part `index` of the word `a`."""
    if isinstance(a, Pack):
        return a.parts[index]
    assert isinstance(a.type, Struct)
    return Field(a.type.parts[index], a, index)


def fields(a: Expr) -> tuple[Expr, ...]:
    """All parts of the word `a`."""
    assert isinstance(a.type, Struct)
    return tuple(field(a, index) for index in range(len(a.type.parts)))


class Tuple(Operators):
    """`Tuple(a, b)` or `Tuple([a, b])`: the values of a Func that has several at each point. `t[0]` is the first.

    Raises `AlgorithmError` for less than one value.
    """

    def __init__(self, *values: Operand | Sequence[Operand]):
        given = values[0] if len(values) == 1 and isinstance(values[0], list | tuple | Tuple) else values
        self.elements = tuple(as_expr(value) for value in given)  # type: ignore[arg-type]
        if not self.elements:
            raise AlgorithmError("a Tuple has at least one value", legal=("Tuple(a, b)",))

    def __str__(self) -> str:
        return f"{{{', '.join(map(str, self.elements))}}}"

    __repr__ = __str__

    def __len__(self) -> int:
        return len(self.elements)

    def __iter__(self) -> Iterator[Expr]:
        return iter(self.elements)

    def __getitem__(self, index: int) -> Expr:
        if not -len(self) <= index < len(self):
            raise AlgorithmError(f"{self} has no value {index}; it has {len(self)}", legal=(f"[{len(self) - 1}]",))
        return self.elements[index]

    def expression(self) -> Expr:
        raise AlgorithmError(f"{self} is {len(self)} values, not one", legal=("[0]",))

    def __iadd__(self, other: object) -> Self:  # type: ignore[override]
        return self._each("+=", lambda a, b: binary("add", a, b), other)

    def __isub__(self, other: object) -> Self:  # type: ignore[override]
        return self._each("-=", lambda a, b: binary("sub", a, b), other)

    def __imul__(self, other: object) -> Self:  # type: ignore[override]
        return self._each("*=", lambda a, b: binary("mul", a, b), other)

    def _each(self, symbol: str, op: Callable[[Expr, Expr], Expr], other: object) -> Self:
        values = tuple(other) if isinstance(other, list | tuple | Tuple) else ()
        if len(values) != len(self):
            legal = (f"{symbol} ({', '.join('abcdefgh'[: len(self)])})",)
            raise AlgorithmError(f"{self} {symbol} {other}: both must be {len(self)} values", legal=legal)
        return type(self)(*map(op, self.elements, map(as_expr, values)))


def value_of(given: object) -> Expr:
    """What is assigned to a Func as one expression; several values as a word that holds them."""
    if isinstance(given, list | tuple | Tuple):
        return pack(Tuple(*given).elements)
    return as_expr(given)  # type: ignore[arg-type]
