"""Icarus Verilog, the second simulator: slower, four-valued, for cross-checks. Cached like the first."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from halidehw.errors import SimulationError
from halidehw.simulate.bench import TOP
from halidehw.simulate.cache import stored
from halidehw.simulate.tools import excerpt, find_icarus, identify


def build_icarus(sources: dict[str, str]) -> Path:
    """The folder of a bench built for Icarus Verilog. Raises SimulationError when it is missing or fails."""
    texts = tuple(text for source in sources.items() for text in source)
    return stored("icarus", (identify(Path(find_icarus())), *texts), partial(_build, sources=sources))


def _build(folder: Path, sources: dict[str, str]) -> None:
    from cocotb_tools.runner import get_runner  # late: it imports pytest

    for name, text in sources.items():
        (folder / name).write_text(text)
    log = folder / "build.log"
    try:
        get_runner("icarus").build(
            sources=[folder / name for name in sources if not name.endswith(".cpp")],
            hdl_toplevel=TOP,
            build_dir=folder,
            build_args=["-g2012"],
            timescale=("1ns", "1ns"),
            always=True,
            log_file=log,
        )
    except (SystemExit, RuntimeError):
        raise SimulationError(f"iverilog failed:\n{excerpt(log.read_text())}") from None
