"""Numbers that differ between the programs of a machine.

A machine's network is that of one design, but for its numbers: where its programs have different ones, a `Varies`
stands, with the number of each. Arithmetic goes program by program. Nothing else can be done with it: what needs a
number to decide asks for each program's (`each`), or for the greatest (`most`), and what asks for neither fails.

    >>> n = Varies((3, 5)) - 1
    >>> n.values, pick(n, 1), most(n)
    ((2, 4), 4, 4)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Varies:
    """`values`: the number in each program. `bits`: how many bits it has at least, so that other programs fit."""

    values: tuple[int, ...]
    bits: int = 0

    def __add__(self, other: int | Varies) -> Varies:
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: int | Varies) -> Varies:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: int) -> Varies:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: int | Varies) -> Varies:
        return self._with(other, lambda a, b: a * b)

    def __neg__(self) -> Varies:
        return self * -1

    __radd__, __rmul__ = __add__, __mul__

    def __bool__(self) -> bool:
        return True

    def __index__(self) -> NoReturn:
        raise TypeError(f"{self} is no single number")

    def _with(self, other: int | Varies, operate: Callable[[int, int], int]) -> Varies:
        if isinstance(other, int):
            return Varies(tuple(operate(value, other) for value in self.values), self.bits)
        pairs = zip(self.values, other.values, strict=True)
        return Varies(tuple(operate(a, b) for a, b in pairs), max(self.bits, other.bits))


def most(number: int) -> int:
    """The greatest of a number in all programs."""
    return max(number.values) if isinstance(number, Varies) else number


def each(function: Callable[[T], int], value: T) -> int:
    """A number that is worked out of a value: of each program's, where that has numbers that differ."""
    count = programs(value)
    if not count:
        return function(value)
    found = tuple(function(pick(value, i)) for i in range(count))
    bits = room(value)
    return found[0] if len(set(found)) == 1 and not bits else varying(found, bits)


def varying(values: tuple[int, ...], bits: int = 0) -> Any:
    """What stands for a number that differs, wherever one can."""
    return Varies(values, bits)


def programs(value: Any) -> int:
    """How many programs the numbers of a value are of; 0: none differs."""
    return max((len(number.values) for number in _numbers(value)), default=0)


def room(value: Any) -> int:
    """The bits that the numbers of a value have at least."""
    return max((number.bits for number in _numbers(value)), default=0)


def pick(value: Any, program: int) -> Any:
    """A value as that program has it."""
    match value:
        case Varies(values):
            return values[program]
        case tuple():
            return tuple(pick(each, program) for each in value)
        case Mapping():
            return {name: pick(each, program) for name, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type) and programs(value):
        return replace(value, **{f.name: pick(getattr(value, f.name), program) for f in fields(value)})
    return value


def _numbers(value: Any) -> list[Varies]:
    match value:
        case Varies():
            return [value]
        case str() | int() | None:
            return []
        case tuple() | list():
            return [number for each in value for number in _numbers(each)]
        case Mapping():
            return [number for each in value.values() for number in _numbers(each)]
    if is_dataclass(value) and not isinstance(value, type):
        return [number for f in fields(value) for number in _numbers(getattr(value, f.name))]
    return []
