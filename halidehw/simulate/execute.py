"""Running built benches under cocotb."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypedDict

from halidehw.errors import SimulationError
from halidehw.simulate.bench import TOP

Simulator = Literal["verilator", "icarus"]
_LOG_LINES = 12
HARNESS = Path(__file__).parent / "harness"


class Plan(TypedDict):
    """What one bench is asked: its name below the top, the signals to read, and the parameters of each run."""

    name: str
    read: list[str]
    runs: list[dict[str, int | tuple[int, int]]]


def execute(
    simulator: Simulator, build_folder: Path, folder: Path, plan: list[Plan], arguments: list[str]
) -> list[list[dict[str, int]]]:
    """Run a build in `folder`, where its memory files are: for each bench of the plan and each of its runs, up to the
    first that does not finish, the values of the signals.

    Raises SimulationError when the simulator does not start or ends early, with the last lines of its log.
    """
    from cocotb_tools.runner import get_runner  # late: it imports pytest

    (folder / "plan.json").write_text(json.dumps(plan))
    log = folder / "simulation.log"
    try:
        with _importable(HARNESS):
            get_runner(simulator).test(
                test_module="halidehw_drive",
                hdl_toplevel=TOP,
                hdl_toplevel_lang="verilog",
                build_dir=build_folder,
                test_dir=folder,
                results_xml=str(folder / "results.xml"),
                test_args=arguments,
                extra_env={"HALIDEHW_SIMULATOR": simulator, "COCOTB_REWRITE_ASSERTION_FILES": ""},
                log_file=log,
            )
    except ValueError as error:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise SimulationError(f"cocotb: {error}", legal=(f"sudo apt-get install libpython{version}",)) from None
    except (SystemExit, RuntimeError):
        pass  # how it ended is in the log; what counts is whether the bench wrote its result
    result = folder / "result.json"
    if not result.exists():
        lines = log.read_text().splitlines() if log.exists() else []
        raise SimulationError("the simulator ended without a result:\n" + "\n".join(lines[-_LOG_LINES:]))
    return json.loads(result.read_text())


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """The simulator imports what this process can; the cocotb test lies outside the package, to start quickly."""
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
