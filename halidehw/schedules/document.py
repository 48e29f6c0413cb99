"""Schedules as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halidehw.errors import ScheduleError
from halidehw.frontend.directives import from_dict, to_dict
from halidehw.nested import Unreadable, nested
from halidehw.schedules.line import Line
from halidehw.schedules.sizes import Condition, condition, size, written

VERSION = 1
"""Of the form of a file."""


@dataclass(frozen=True)
class Parts:
    """What a schedule is made of; see `Schedule`."""

    kernel: str
    tensors: tuple[str, ...]
    loops: Mapping[str, tuple[str, ...]]
    extents: Mapping[str, int]
    lines: tuple[Line, ...]
    condition: tuple[Condition, ...]


def text(parts: Parts) -> str:
    """A schedule as JSON."""
    table = {
        "version": VERSION, "kernel": parts.kernel, "tensors": list(parts.tensors),
        "loops": {name: list(loops) for name, loops in parts.loops.items()}, "extents": dict(parts.extents),
        "lines": [_line(line) for line in parts.lines], "condition": list(map(str, parts.condition)),
    }  # fmt: skip
    return json.dumps(table, indent=1) + "\n"


def _line(line: Line) -> dict[str, Any]:
    sizes = {name: written(each) for name, each in line.sizes.items()}
    return {"func": line.func, "stage": line.stage, **to_dict(line.directive)} | ({"sizes": sizes} if sizes else {})


def file_text(path: str | Path) -> str:
    """Raises `ScheduleError` for a file that cannot be read."""
    try:
        return Path(path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ScheduleError(f"cannot read the schedule {path}: {error}") from None


def parts(text: str, name: str) -> Parts:
    """From what `text` gives. Raises `ScheduleError` for what is damaged or of another version."""
    try:
        table = nested(json.loads, text)
    except (json.JSONDecodeError, Unreadable) as error:
        raise ScheduleError(f"{name} is no JSON: {error}") from None
    if not isinstance(table, dict) or table.get("version") != VERSION:
        found = table.get("version") if isinstance(table, dict) else None
        raise ScheduleError(f"{name} is a schedule of version {found!r}, not {VERSION}; save it again")
    try:
        return Parts(
            str(table["kernel"]), tuple(map(str, table["tensors"])),
            {str(func): tuple(map(str, loops)) for func, loops in table["loops"].items()},
            {str(loop): int(n) for loop, n in table["extents"].items()},
            tuple(_read(line) for line in table["lines"]), tuple(map(condition, table["condition"])),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ScheduleError(f"{name} is no whole schedule: {error!r}") from None


def _read(line: Mapping[str, Any]) -> Line:
    plain = {key: value for key, value in line.items() if key not in ("func", "stage", "sizes")}
    sizes = {name: size(each) for name, each in line.get("sizes", {}).items()}
    return Line(str(line["func"]), line["stage"], from_dict(plain), sizes)
