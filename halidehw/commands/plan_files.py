"""The folder of a plan of fused layers: a design for each group, and `plan.json`, which says which files those are."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from itertools import count
from pathlib import Path
from shlex import quote
from typing import Any

from halidehw.errors import CostError

NAME = "plan.json"
DESIGN = re.compile(r"\d\d+_([^/\\]*)\.hh")


def check_plan(folder: Path, layers: Collection[str]) -> None:
    """Raises CostError where a plan would be written over, or would remove, what no earlier plan has left there as it
    is. `layers`: their names as designs have them, of which files of the plan have one."""
    earlier = _designs(folder)
    for file in sorted(folder.glob("*.hh")):
        named = DESIGN.fullmatch(file.name)
        taken = file.name in earlier or (named and named[1] in layers)
        if taken and not (file.is_file() and file.read_bytes().decode(errors="replace") == earlier.get(file.name)):
            raise _other(folder, f"{file.name} is not as an earlier plan has left it there, and may be written over")


def write_plan(folder: Path, answer: dict[str, Any]) -> None:
    """The designs of a plan, as JSON answers it, and the answer; those of an earlier plan in that folder go."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in _designs(folder):
        (folder / name).unlink(missing_ok=True)
    for group in answer["groups"]:
        if group["file"]:
            (folder / group["file"]).write_text(group["design"])
    (folder / NAME).write_text(json.dumps(answer, indent=2) + "\n")


def _designs(folder: Path) -> dict[str, str]:
    """The files of the plan that is in a folder, if there is one, and what they say."""
    if not (file := folder / NAME).exists():
        return {}
    try:
        found = {group["file"]: str(group["design"]) for group in json.loads(file.read_text())["groups"]}
    except (OSError, ValueError, TypeError, KeyError):
        raise _other(folder, f"its {NAME} is no plan of fused layers") from None
    return {name: text for name, text in found.items() if isinstance(name, str) and DESIGN.fullmatch(name)}


def _other(folder: Path, why: str) -> CostError:
    """That a folder is not for a plan, and one that is."""
    free = next(each for number in count(1) if not (each := folder / f"plan{number}").exists())
    return CostError(f"-o {quote(str(folder))}: {why}", legal=[f"-o {quote(str(free))}"])
