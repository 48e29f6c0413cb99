"""TOML files with quantities: every value is checked for its unit, every complaint points at its line."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from halidehw.errors import CostError, SourceLine

UNITS: dict[str, dict[str, float]] = {
    "energy": {"pJ": 1.0, "fJ": 1e-3, "nJ": 1e3},
    "size": {"B": 1.0, "KB": 1024.0, "MB": 1024.0**2},
    "width": {"bit": 1.0},
    "bandwidth": {"word/cycle": 1.0},
    "frequency": {"MHz": 1.0, "GHz": 1e3},
    "area": {"um2": 1.0, "mm2": 1e6},
}

Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Document:
    """A parsed TOML file. A place in it is a tuple of keys and list positions, e.g. ("level", 0, "energy")."""

    file: str
    text: str
    data: dict[str, Any]

    @classmethod
    def load(cls, file: str | Path) -> Document:
        """Read `file`. Raises CostError when it cannot be read or is not TOML."""
        try:
            text = Path(file).read_text()
        except OSError as problem:
            raise CostError(f"cannot read {file}: {problem.strerror}") from None
        try:
            return cls(str(file), text, tomllib.loads(text))
        except tomllib.TOMLDecodeError as problem:
            line = re.search(r"line (\d+)", str(problem))
            document = cls(str(file), text, {})
            raise CostError(f"not TOML: {problem}", source=document._source(int(line[1]) if line else 1)) from None

    def get(self, place: Place) -> Any:
        """The value at `place`, None when absent."""
        value: Any = self.data
        for key in place:
            if isinstance(value, dict):
                value = value.get(key)
            else:
                value = value[key] if isinstance(value, list) and isinstance(key, int) else None
        return value

    def known(self, place: Place, keys: tuple[str, ...]) -> None:
        """Raises CostError when the table at `place` has a key that is not in `keys`."""
        table = self.get(place)
        if not isinstance(table, dict):
            self.fail(place, f"{self._name(place)} is missing, a table with {', '.join(keys)}")
        for key in table:
            if key not in keys:
                self.fail((*place, key), f"unknown field {key!r}", legal=keys)

    def number(self, place: Place, default: int | None = None) -> int:
        """A positive integer."""
        value = self.get(place)
        if value is None and default is not None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            self.fail(place, f"{self._name(place)} must be a positive integer, is {value!r}")
        return value

    def flag(self, place: Place, default: bool) -> bool:
        value = self.get(place)
        if value is not None and not isinstance(value, bool):
            self.fail(place, f"{self._name(place)} must be true or false, is {value!r}")
        return default if value is None else value

    def word(self, place: Place, default: str | None = None) -> str:
        """A string that is not empty."""
        value = self.get(place)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or not value:
            self.fail(place, f"{self._name(place)} must be a text, is {value!r}")
        return value

    def quantity(self, place: Place, kind: str, *, positive: bool = False) -> float:
        """A number with a unit of `kind` (a key of UNITS), in that kind's first unit."""
        return self.measure(place, self.get(place), kind, positive=positive)

    def measure(self, place: Place, value: Any, kind: str, *, positive: bool = False) -> float:
        """`value`, found at `place`, as a number in the first unit of `kind`."""
        units = UNITS[kind]
        field = self._name(place)
        example = f'"4 {next(iter(units))}"'
        if value is None:
            self.fail(place, f"{field} is missing", legal=(f"{place[-1]} = {example}",))
        match = re.fullmatch(r"\s*(-?[\d.]+(?:e-?\d+)?)\s*(\S*)\s*", str(value))
        if not match:
            self.fail(place, f"{field} must be a number with a unit, is {value!r}", legal=(example,))
        if match[2] not in units:
            problem = f"has the unit {match[2]!r}" if match[2] else "has no unit"
            self.fail(place, f"{field} = {value!r} {problem}; it takes {', '.join(units)}", legal=(example,))
        number = float(match[1]) * units[match[2]]
        if number < 0 or (positive and number == 0):
            self.fail(place, f"{field} = {value!r} must be {'greater than zero' if positive else 'zero or more'}")
        return number

    def fail(self, place: Place, message: str, legal: tuple[str, ...] = ()) -> NoReturn:
        """Raise CostError at the line of `place`."""
        raise CostError(message, legal=legal, source=self._source(self._line(place)))

    def _name(self, place: Place) -> str:
        return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in place).lstrip(".")

    def _source(self, line: int) -> SourceLine:
        lines = self.text.splitlines() or [""]
        return SourceLine(self.file, line, lines[min(line, len(lines)) - 1].strip())

    def _line(self, place: Place) -> int:
        """The 1-based line of `place`, or of the innermost table around it that the file has."""
        tables = [key for key in place[:-1] if isinstance(key, str)]
        position = next((key for key in place if isinstance(key, int)), 0)
        header = f"[[{tables[0]}]]" if tables and isinstance(self.get((tables[0],)), list) else f"[{'.'.join(tables)}]"
        lines = [line.strip() for line in self.text.splitlines()]
        if place and f"[{place[-1]}]" in lines:
            return lines.index(f"[{place[-1]}]") + 1
        starts = [at for at, line in enumerate(lines) if line.replace(" ", "") == header] if tables else [-1]
        start = starts[position] if position < len(starts) else -1
        for at in range(start + 1, len(lines)):
            if lines[at].startswith("["):
                break
            if re.match(rf'"?{re.escape(str(place[-1]))}"?\s*=', lines[at]):
                return at + 1
        return max(start, 0) + 1
