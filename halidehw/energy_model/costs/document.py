"""TOML and YAML files with quantities: every value is checked for its unit, every complaint points at its line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from halidehw.energy_model.costs.mend import mended
from halidehw.energy_model.costs.parse import YAML, Garbled, Place, parse_toml, parse_yaml, spelling, unreadable
from halidehw.errors import CostError, SourceLine

T = TypeVar("T")

UNITS: dict[str, dict[str, float]] = {
    "energy": {"pJ": 1.0, "fJ": 1e-3, "nJ": 1e3},
    "size": {"B": 1.0, "KB": 1024.0, "MB": 1024.0**2},
    "width": {"bit": 1.0},
    "bandwidth": {"word/cycle": 1.0},
    "frequency": {"MHz": 1.0, "GHz": 1e3},
    "area": {"um2": 1.0, "mm2": 1e6},
    "density": {"um2/bit": 1.0, "um2/B": 1 / 8, "mm2/KB": 1e6 / 8192},
}


@dataclass(frozen=True)
class Document:
    """A parsed file. A place in it is a tuple of keys and list positions, e.g. ("level", 0, "energy"); `lines`: the
    1-based lines of the places that were found."""

    file: str
    text: str
    data: Mapping[str, Any]
    lines: Mapping[Place, int]

    @classmethod
    def load(cls, file: str | Path) -> Document:
        """What a file says. Raises CostError when it cannot be read or parsed."""
        return cls.of(str(file), _text(file))

    @classmethod
    def of(cls, file: str, text: str) -> Document:
        """What a file with this text says: YAML where its name ends so, else TOML. Raises CostError when it cannot be
        parsed."""
        data, lines = (parse_yaml if _is_yaml(file) else parse_toml)(file, text)
        return cls(file, text, data, lines)

    def get(self, place: Place) -> Any:
        """The value at `place`, None when absent."""
        value: Any = self.data
        for key in place:
            if isinstance(value, dict):
                value = value.get(key)
            else:
                value = value[key] if isinstance(value, list) and isinstance(key, int) else None
        return value

    def known(self, place: Place, keys: tuple[str, ...], example: str = "") -> None:
        """Raises CostError when the table at `place` has a key that is not in `keys`; `example`: one that works."""
        table = self.get(place)
        if not isinstance(table, dict):
            name = self._name(place)
            state = "is missing," if table is None else f"is {table!r}, not"
            legal, why = (example or self.said(f"[{name}]"),), f"{name} {state} a table with {', '.join(keys)}"
            raise self._garbled(place, why, legal) if isinstance(table, str) else self._wrongly(place, why, legal)
        for key in table:
            if key not in keys:
                error = self._wrongly if re.fullmatch(r"[\w-]+", key) else self._garbled
                raise error((*place, key), f"unknown field {key!r}", keys)

    def number(self, place: Place, default: int | None = None) -> int:
        """A positive integer."""
        value = self.get(place)
        if value is None and default is not None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            self._wrong(place, value, "a positive integer", "16")
        return value

    def flag(self, place: Place, default: bool) -> bool:
        value = self.get(place)
        if value is not None and not isinstance(value, bool):
            self._wrong(place, value, "true or false", "true")
        return default if value is None else value

    def word(self, place: Place, *examples: str) -> str:
        """A string that is not empty; `examples`: what works, by default the field's own name."""
        value = self.get(place)
        if not isinstance(value, str) or not value:
            self._wrong(place, value, "a text", *(f'"{each}"' for each in examples or (str(place[-1]),)))
        return value

    def quantity(self, place: Place, kind: str, *, positive: bool = False, example: str = "") -> float:
        """A number with a unit of `kind` (a key of UNITS), in that kind's first unit; `example`: one that works."""
        return self.measure(place, self.get(place), kind, positive=positive, example=example)

    def measure(self, place: Place, value: Any, kind: str, *, positive: bool = False, example: str = "") -> float:
        """`value`, found at `place`, as a number in the first unit of `kind`; `example`: one that works."""
        units = UNITS[kind]
        field = self._name(place)
        example = example or f"4 {next(iter(units))}"
        legal = (self.entry(str(place[-1]), f'"{example}"'),)
        if value is None:
            self.fail(place, f"{field} is missing", legal)
        match = re.fullmatch(r"\s*(-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(\S*)\s*", str(value))
        if not match:
            self.fail(place, f"{field} must be a number with a unit, is {value!r}", legal)
        if match[2] not in units:
            problem = f"has the unit {match[2]!r}" if match[2] else "has no unit"
            self.fail(place, f"{field} = {value!r} {problem}; it takes {', '.join(units)}", legal)
        number = float(match[1]) * units[match[2]]
        if not isfinite(number):
            self.fail(place, f"{field} = {value!r} is larger than any number here", legal)
        if number < 0 or (positive and number == 0):
            least = "greater than zero" if positive else "zero or more"
            self.fail(place, f"{field} = {value!r} must be {least}", legal)
        return number

    def entry(self, key: str, value: str) -> str:
        """A field with a value, text in quotes, as this file would have it."""
        key = key if key.isidentifier() else f'"{key}"'
        return f"{key}: {value}" if _is_yaml(self.file) else f"{key} = {value}"

    def said(self, text: str) -> str:
        """What is proposed for a TOML file, fields and headings of tables, as this file would have it."""
        if not _is_yaml(self.file):
            return text
        text = re.sub(r"(\w+) = ", r"\1: ", re.sub(r"\[\[\w+\]\] ", "- ", text))
        return re.sub(r"(?m)^\[(\w+)\]$", r"\1:", text)

    def items(self, key: str, tables: Sequence[Mapping[str, Any]]) -> str:
        """A list of tables, as this file would have it."""
        if _is_yaml(self.file):
            return "\n    ".join([f"{key}:", *(f"- {_inline(each, ': ')}" for each in tables)])
        return "\n\n    ".join(_block(key, each) for each in tables)

    def item(self, place: Place, table: Mapping[str, Any]) -> str:
        """Another table in place of the one at `place` in a list, written as that one is."""
        if _is_yaml(self.file):
            return f"- {_inline(table, ': ')}"
        headed = self.source(place).text.startswith("[[")
        return _block(str(place[-2]), table) if headed else _inline(table, " = ")

    def _wrong(self, place: Place, value: Any, needed: str, *examples: str) -> NoReturn:
        """A field that is missing, or not what is `needed`."""
        state = "is missing" if value is None else f"must be {needed}, is {value!r}"
        legal = tuple(self.entry(str(place[-1]), each) for each in examples)
        self.fail(place, f"{self._name(place)} {state}", legal)

    def fail(self, place: Place, message: str, legal: tuple[str, ...] = ()) -> NoReturn:
        """Raise CostError at the line of `place`."""
        raise self._wrongly(place, message, legal)

    def _wrongly(self, place: Place, message: str, legal: tuple[str, ...]) -> CostError:
        return CostError(message, legal=legal, source=self.source(place))

    def _garbled(self, place: Place, message: str, legal: tuple[str, ...]) -> Garbled:
        """The same for what is most likely a slip of the pen at that line or the next one."""
        line = self.source(place).line
        return unreadable(self.file, self.text, message, (line, line + 1), legal)

    def source(self, place: Place) -> SourceLine:
        """The line of `place`, or of the innermost table around it that the file has."""
        line = next((self.lines[place[:n]] for n in range(len(place), 0, -1) if place[:n] in self.lines), 1)
        lines = self.text.splitlines() or [""]
        return SourceLine(self.file, line, lines[min(line, len(lines)) - 1].strip())

    def _name(self, place: Place) -> str:
        return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in place).lstrip(".")


def read_as(use: Callable[[Document], T], file: str | Path) -> T:
    """What `use` makes of a file. Raises CostError as `use` does, and for one that cannot be read or parsed, with what
    would mend it."""
    text = _text(file)
    try:
        return use(Document.of(str(file), text))
    except Garbled as problem:
        raise mended(problem, str(file), text, lambda other: use(Document.of(str(file), other))) from None


def _text(file: str | Path) -> str:
    try:
        return Path(file).read_text()
    except OSError as problem:
        raise CostError(f"cannot read {file}: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise CostError(f"cannot read {file}: it is no text") from None


def table_of(file: str, place: Place, entries: Mapping[str, str]) -> tuple[str, ...]:
    """The lines of a table with these entries, as `file` would have it: YAML where its name ends so, else TOML."""
    if _is_yaml(file):
        return (f"{place[-1]}: {{{', '.join(f'{key}: {value}' for key, value in entries.items())}}}",)
    return (f"[{'.'.join(map(str, place))}]", *(f'"{key}" = "{value}"' for key, value in entries.items()))


def _inline(table: Mapping[str, Any], between: str) -> str:
    """A table on a line."""
    return f"{{{', '.join(key + between + _value(value) for key, value in table.items())}}}"


def _block(key: str, table: Mapping[str, Any]) -> str:
    """A table of a list in TOML, on lines of its own."""
    return "\n    ".join([f"[[{key}]]", *(f"{name} = {_value(value)}" for name, value in table.items())])


def _value(value: Any) -> str:
    """A text, number or truth as TOML and YAML have them both."""
    return json.dumps(value, ensure_ascii=False)


def _is_yaml(file: str) -> bool:
    return spelling(file) == YAML
