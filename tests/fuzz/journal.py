"""How far the random designs of one state of the compiler have come: runs resume, and their number is of one state."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "fuzz"


@dataclass(frozen=True)
class State:
    """What makes hardware out of a seed: the `folders` of the sources, `without` files of these names; tests beside
    them are none of it."""

    folders: tuple[str, ...]
    without: tuple[str, ...] = ()


_COMPILER = tuple(f"halidehw/{room}" for room in ("expr", "ir", "frontend", "scheduler", "microarch", "backend_hdl"))
DESIGNS = State((*_COMPILER, "tests/fuzz"), ("machines.py", "chains.py"))
MACHINES = State((*_COMPILER, *(f"halidehw/{room}" for room in ("machines", "buses", "energy_model", "driver", "host")),
                  "tests/fuzz"))  # fmt: skip
"""Of random designs, and of random machines with their lists, buses, predictions and hosts."""


@dataclass
class Journal:
    """The seed that comes next, and how many designs ended how; kept in `path` (None: nowhere)."""

    path: Path | None
    next: int
    tally: Counter[str] = field(default_factory=Counter)

    def save(self) -> None:
        """All of it or nothing."""
        if self.path:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            private = self.path.with_suffix(".new")
            private.write_text(json.dumps({"next": self.next, "tally": self.tally}, indent=2))
            os.replace(private, self.path)


def resumed(check: str, state: State = DESIGNS, folder: Path = FOLDER, first: int = 1) -> Journal:
    """The journal of a check on what a state is at present, which may be new."""
    path = folder / f"{check}-{digest(state)}.json"
    if not path.exists():
        return Journal(path, first)
    found = json.loads(path.read_text())
    return Journal(path, found["next"], Counter(found["tally"]))


def digest(state: State, root: Path = ROOT) -> str:
    """Of the sources of a state."""
    every = sorted(path for folder in state.folders for path in (root / folder).rglob("*.py"))
    found = hashlib.sha256()
    for path in every:
        if not path.name.startswith("test_") and path.name not in state.without:
            found.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return found.hexdigest()[:12]
