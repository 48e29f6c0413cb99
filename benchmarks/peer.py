"""nngen's matrix product, simulated beside ours."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path

from halidehw.simulate.cache import stored
from halidehw.simulate.tools import find_compiler, find_verilator, run_tool

GENERATOR = Path(__file__).with_name("nngen_gemm.py")
SIMULATOR = "Vbench"


def installed(python: str) -> bool:
    """Whether that Python has nngen."""
    return subprocess.run([python, "-c", "import nngen"], capture_output=True).returncode == 0


def cycles(python: str) -> int:
    """Cycles of nngen's accelerator from start to done, on Verilator. Building takes a few minutes; it is cached.

    Raises SimulationError when a tool fails.
    """
    tools = find_verilator()
    folder = stored("peers", (tools.identity, GENERATOR.read_text()), partial(_build, python=python))
    run = subprocess.run([folder / SIMULATOR], cwd=folder, capture_output=True, text=True, check=True)
    return int(next(line.split()[1] for line in run.stdout.splitlines() if line.startswith("cycles")))


def _build(folder: Path, python: str) -> None:
    tools = find_verilator()
    run_tool([python, str(GENERATOR), "bench.v"], folder)
    options = ["-cc", "--main", "--timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--output-split", "50000"]
    run_tool([*tools.command, *options, "--Mdir", ".", "--top-module", "bench", "bench.v"], folder, tools.environment)
    include = tools.root / "include"
    runtime = [str(include / f"{name}.cpp") for name in ("verilated", "verilated_threads", "verilated_timing")]
    flags = ["-std=c++20", "-O1", "-DVM_TIMING=1", "-I.", f"-I{include}", f"-I{include / 'vltstd'}", "-pthread"]
    units = sorted(path.name for path in folder.glob("*.cpp"))
    run_tool([find_compiler(), *flags, *units, *runtime, "-o", SIMULATOR], folder)
    for path in folder.iterdir():
        if path.suffix in (".cpp", ".h", ".v"):
            path.unlink()
