"""The folder of a plan of fused layers: a design for each group, and `plan.json`, which says which files those are."""

from __future__ import annotations

import json
import re
from itertools import count
from pathlib import Path
from typing import Any

from halidehw.errors import CostError

NAME = "plan.json"
DESIGN = re.compile(r"\d\d+_[^/\\]*\.hh")


def check_plan(folder: Path) -> None:
    """Raises CostError where the folder has a file of that name that is no plan, which would be written over."""
    _designs(folder)


def write_plan(folder: Path, answer: dict[str, Any]) -> None:
    """The designs of a plan, as JSON answers it, and the answer; those of an earlier plan in that folder go."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in _designs(folder):
        (folder / name).unlink(missing_ok=True)
    for group in answer["groups"]:
        if group["file"]:
            (folder / group["file"]).write_text(group["design"])
    (folder / NAME).write_text(json.dumps(answer, indent=2) + "\n")


def _designs(folder: Path) -> list[str]:
    """The files of the plan that is in a folder, if there is one."""
    if not (file := folder / NAME).exists():
        return []
    try:
        files = [group["file"] for group in json.loads(file.read_text())["groups"]]
    except (OSError, ValueError, TypeError, KeyError):
        names = (folder.with_name(f"{folder.name}{number}") for number in count(2))
        legal = [f"-o {next(name for name in names if not name.exists())}"]
        raise CostError(f"-o {folder}: its {NAME} is no plan of fused layers", legal=legal) from None
    return [name for name in files if isinstance(name, str) and DESIGN.fullmatch(name)]
