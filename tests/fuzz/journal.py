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
STATE = (
    *(f"halidehw/{room}" for room in ("expr", "ir", "frontend", "scheduler", "microarch", "backend_hdl")),
    "tests/fuzz",
)
"""What makes hardware out of a seed: the rooms of the compiler, and the random designs; not the tests beside these."""


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


def resumed(check: str, folder: Path = FOLDER, first: int = 1) -> Journal:
    """The journal of a check on the present state, which may be new."""
    path = folder / f"{check}-{digest()}.json"
    if not path.exists():
        return Journal(path, first)
    found = json.loads(path.read_text())
    return Journal(path, found["next"], Counter(found["tally"]))


def digest(root: Path = ROOT) -> str:
    """Of the sources of the state."""
    paths = sorted(
        path for folder in STATE for path in (root / folder).rglob("*.py") if not path.name.startswith("test_")
    )
    found = hashlib.sha256()
    for path in paths:
        found.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return found.hexdigest()[:12]
