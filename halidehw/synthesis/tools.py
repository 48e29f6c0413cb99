"""The tools of the gate-level flow: found or named, and run."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from halidehw.errors import SynthesisError
from halidehw.simulate.children import finished
from halidehw.simulate.tools import excerpt

INSTALL = "sudo apt-get install yosys opensta qflow-tech-osu018"
LIBRARY = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")


@dataclass(frozen=True)
class Tools:
    """`yosys` and `sta`: commands; `library`: a Liberty file."""

    yosys: str
    sta: str
    library: Path


def find_tools(library: Path | None = None) -> Tools:
    """Yosys, OpenSTA and a cell library (Debian's osu018 unless one is given).

    Raises SynthesisError that names everything missing in one line.
    """
    paths = {name: shutil.which(name) for name in ("yosys", "sta")}
    cells = library or LIBRARY
    missing = [name for name, path in paths.items() if path is None]
    missing += [] if cells.exists() else [str(cells)]
    if missing:
        raise SynthesisError(f"gate level needs {', '.join(missing)}; install with: {INSTALL}")
    return Tools(str(paths["yosys"]), str(paths["sta"]), cells)


def run(command: list[str], folder: Path) -> str:
    """The output of a tool run in a folder. Raises SynthesisError with the first lines of its message if it fails."""
    ((code, out, err),) = finished([command], folder, {**os.environ, "LC_ALL": "C"})
    if code:
        raise SynthesisError(f"{Path(command[0]).name} failed in {folder}:\n{excerpt(err or out)}")
    return out
