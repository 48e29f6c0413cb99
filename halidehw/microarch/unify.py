"""One network for several programs: equal values stay, numbers that differ become `Varies`, all else is refused.

Which numbers may differ is said here once, by the class and the field that holds them: how far a loop runs, how an
address moves, where a tensor ends, a constant of an expression. Everything else is structure.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from halidehw.expr.nodes import Const
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Boundary, LoopValue
from halidehw.ir.varies import varying
from halidehw.microarch.banking import Dim
from halidehw.microarch.interface import Interface
from halidehw.microarch.network import Network
from halidehw.microarch.taps import IndexValue, PortTap, Revisit
from halidehw.microarch.walk import Axis

NUMBERS: dict[type, tuple[str, ...]] = {
    Axis: ("extent",),
    Affine: ("constant",),
    Dim: ("extent", "stride"),
    PortTap: ("extents", "strides"),
    Revisit: ("init", "distance"),
    IndexValue: ("offsets",),
    Boundary: ("value",),
    Const: ("value",),
}
"""The fields whose integers may differ; of a dimension whose banks turn, none."""

FIRST: dict[type, tuple[str, ...]] = {Network: ("schedule", "prefix", "name"), Interface: ("module",)}
"""The fields that are those of the first program."""

NAMES: dict[type, tuple[str, ...]] = {LoopValue: ("index",)}
"""The fields that say which operand is meant, and are no numbers of the hardware."""


@dataclass(frozen=True)
class Disagreement(Exception):
    """Structure in which programs differ: the way to it from the network, and what each has there."""

    path: tuple[str, ...]
    values: tuple[Any, ...]


def unified(networks: tuple[Network, ...], bits: int = 0) -> Network:
    """The network of all. `bits`: the least width of numbers, which then all may be other ones in further programs; 0:
    equal ones are constants.

    Raises Disagreement where they differ in structure.
    """
    found = _Unifier(bits).value(networks, (), False)
    assert isinstance(found, Network)
    return found


@dataclass(frozen=True)
class _Unifier:
    """`done`: what has been made of values that several others have."""

    bits: int
    done: dict[tuple[int, ...], Any] = field(default_factory=dict)

    def value(self, values: tuple[Any, ...], path: tuple[str, ...], number: bool) -> Any:
        first = values[0]
        if any(type(value) is not type(first) for value in values):
            raise Disagreement(path, values)
        match first:
            case Affine():
                return self._affine(values)
            case bool() | str() | None:
                return self._equal(values, path)
            case int():
                return self._number(values) if number else self._equal(values, path)
            case tuple():
                if len({len(value) for value in values}) > 1:
                    raise Disagreement(path, values)
                pairs = enumerate(zip(*values, strict=True))
                return tuple(self.value(each, (*path, str(i)), number) for i, each in pairs)
        if is_dataclass(first):
            key = tuple(map(id, values))
            if key not in self.done:
                self.done[key] = self._record(values, path)
            return self.done[key]
        return self._equal(values, path)

    def _record(self, values: tuple[Any, ...], path: tuple[str, ...]) -> Any:
        first, kind = values[0], type(values[0])
        turns = isinstance(first, Dim) and first.rotating
        numbers, kept, named = () if turns else NUMBERS.get(kind, ()), FIRST.get(kind, ()), NAMES.get(kind, ())
        changed = {}
        for each in fields(first):
            old = tuple(getattr(value, each.name) for value in values)
            if each.name in kept or not each.init:
                continue
            here = (*path, _shown(first, each.name))
            new = self._equal(old, here) if each.name in named else self.value(old, here, each.name in numbers)
            if new is not old[0]:
                changed[each.name] = new
        return replace(first, **changed) if changed else first

    def _affine(self, forms: tuple[Affine, ...]) -> Affine:
        names = sorted({name for form in forms for name in form.names})
        terms = tuple((name, self._number(tuple(form[name] for form in forms))) for name in names)
        found = Affine(terms, self._number(tuple(form.constant for form in forms)))
        return forms[0] if found == forms[0] else found

    def _number(self, values: tuple[int, ...]) -> int:
        return values[0] if len(set(values)) == 1 and not self.bits else varying(values, self.bits)

    @staticmethod
    def _equal(values: tuple[Any, ...], path: tuple[str, ...]) -> Any:
        if any(value != values[0] for value in values):
            raise Disagreement(path, values)
        return values[0]


def _shown(value: Any, field: str) -> str:
    name = getattr(value, "name", None)
    return f"{name}.{field}" if isinstance(name, str) else field
