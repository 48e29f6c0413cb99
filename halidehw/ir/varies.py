"""Numbers that differ between the programs of a machine.

A machine's network is that of one design, but for its numbers: where its programs have different ones, a `Varies`
stands, with the number of each. Arithmetic goes program by program. Nothing else can be done with it: what needs a
number to decide asks for each program's (`each`), or for the greatest (`most`), and what asks for neither fails.

    >>> n = Varies((3, 5)) - 1
    >>> n.values, pick(n, 1), most(n)
    ((2, 4), 4, 4)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
    """A value as that program has it; what is in several places of it is picked once."""
    found = dict[int, Any]()

    def picked(one: Any) -> Any:
        if id(one) not in found:
            found[id(one)] = parts(one)
        return found[id(one)]

    def parts(one: Any) -> Any:
        match one:
            case Varies(values):
                return values[program]
            case tuple():
                return tuple(picked(part) for part in one)
            case Mapping():
                return {name: picked(part) for name, part in one.items()}
        if is_dataclass(one) and not isinstance(one, type) and programs(one):
            return replace(one, **{f.name: picked(getattr(one, f.name)) for f in fields(one)})
        return one

    return picked(value)


def _numbers(value: Any) -> Iterator[Varies]:
    """Those in a value; what is in several places of it, as an expression's parts are, is looked at once."""
    seen, left = set[int](), [value]
    while left:
        one = left.pop()
        if isinstance(one, str | int | None) or id(one) in seen:
            continue
        seen.add(id(one))
        match one:
            case Varies():
                yield one
            case tuple() | list():
                left.extend(one)
            case Mapping():
                left.extend(one.values())
            case _ if is_dataclass(one) and not isinstance(one, type):
                left.extend(getattr(one, f.name) for f in fields(one))
