"""Answers that outlive a run."""

from __future__ import annotations

import json
from pathlib import Path


class Journal:
    """What is known, by what it is about; each answer is kept in a file at once."""

    def __init__(self, path: Path):
        self.path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.known: dict[str, str] = dict(json.loads(line) for line in lines)

    def __call__(self, key: str, answer: str) -> None:
        self.known[key] = answer
        with self.path.open("a") as stream:
            stream.write(json.dumps([key, answer]) + "\n")
