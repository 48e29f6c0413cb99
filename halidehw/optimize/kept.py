"""Answers of searches, kept on disk by content: what is asked again is not searched again.

An entry is a file of its own, named by what was asked and by the program that answered. It may be removed at any time;
one that is damaged is as good as none, and where nothing can be written nothing is kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from halidehw.simulate.cache import cache_folder

KEEP = 1 << 14
"""Answers that are kept; of more, those that were used last."""


@cache
def program() -> str:
    """A digest of this package: another program's answers are not its own."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for file in sorted([*root.rglob("*.py"), *root.rglob("*.toml")]):
        digest.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def recall(key: str) -> dict[str, Any] | None:
    """The answer to what has this key, unless none is kept."""
    file = _file(key)
    try:
        entry = json.loads(file.read_bytes())
        answer: dict[str, Any] = entry["answer"]
        if entry["digest"] != _digest(answer):
            return None
        os.utime(file)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return {**answer, "kept": True}


def keep(key: str, answer: dict[str, Any]) -> None:
    """Keep an answer, in place of what is there."""
    file = _file(key)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, prefix=".", delete=False) as new:
            json.dump({"digest": _digest(answer), "answer": answer}, new)
        os.replace(new.name, file)


def prune() -> None:
    """Remove the answers beyond KEEP that were used longest ago."""
    with suppress(OSError):
        found = [entry for entry in os.scandir(_folder()) if not entry.name.startswith(".")]
        if len(found) > KEEP:
            for entry in sorted(found, key=lambda each: each.stat().st_mtime)[: len(found) - KEEP]:
                os.unlink(entry.path)


def _folder() -> Path:
    return cache_folder() / "answers"


def _file(key: str) -> Path:
    return _folder() / hashlib.sha256(f"{program()} {key}".encode()).hexdigest()[:32]


def _digest(answer: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(answer, sort_keys=True).encode()).hexdigest()
