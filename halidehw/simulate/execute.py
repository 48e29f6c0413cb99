"""Running built benches under cocotb."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from subprocess import STDOUT
from typing import IO, TYPE_CHECKING, Literal, TypedDict

from halidehw.errors import SimulationError
from halidehw.simulate.bench import TOP
from halidehw.simulate.children import child
from halidehw.simulate.scenario import Parameter

if TYPE_CHECKING:
    from cocotb_tools.runner import Runner

Simulator = Literal["verilator", "icarus"]
Told = Callable[[int], None]
LOG = "simulation.log"
_LOG_LINES = 12
HARNESS = Path(__file__).parent / "harness"


@dataclass(frozen=True)
class Build:
    """A built simulator: its folder, and the arguments it is run with."""

    simulator: Simulator
    folder: Path
    arguments: list[str]


class Plan(TypedDict):
    """What one bench is asked: its name below the top, the signals to read, and the parameters of each run."""

    name: str
    read: list[str]
    runs: list[dict[str, Parameter]]


def execute(build: Build, folder: Path, plan: list[Plan], told: Told | None = None) -> list[list[dict[str, int]]]:
    """Run a build in `folder`, where its memory files are: for each bench of the plan and each of its runs, up to the
    first that does not finish, the values of the signals. `told` is called with the cycles simulated so far, a few
    times a second (Verilator only).

    Raises SimulationError when the simulator does not start or ends early, with the last lines of its log.
    """
    result = folder / "result.json"
    launch(build, folder, plan, told)
    if not result.exists():
        log = folder / LOG
        lines = log.read_text().splitlines() if log.exists() else []
        raise SimulationError("the simulator ended without a result:\n" + "\n".join(lines[-_LOG_LINES:]))
    return json.loads(result.read_text())


def launch(build: Build, folder: Path, plan: list[Plan], told: Told | None = None) -> None:
    """Run a build, whether or not it comes to a result. Raises SimulationError when the simulator does not start."""
    from cocotb_tools.runner import get_runner  # late: it imports pytest

    (folder / "plan.json").write_text(json.dumps(plan))
    runner = get_runner(build.simulator)
    runner._execute_cmds = partial(_watched, runner=runner, told=told)  # type: ignore[method-assign]
    try:
        with _importable(HARNESS):
            runner.test(
                test_module="halidehw_drive",
                hdl_toplevel=TOP,
                hdl_toplevel_lang="verilog",
                build_dir=build.folder,
                test_dir=folder,
                results_xml=str(folder / "results.xml"),
                test_args=build.arguments,
                extra_env={"HALIDEHW_SIMULATOR": build.simulator, "COCOTB_REWRITE_ASSERTION_FILES": ""},
                log_file=folder / LOG,
            )
    except ValueError as error:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise SimulationError(f"cocotb: {error}", legal=(f"sudo apt-get install libpython{version}",)) from None
    except (SystemExit, RuntimeError):
        pass  # how it ended is in the log; what counts is whether the bench wrote its result


def _watched(
    commands: Sequence[Sequence[str]], cwd: Path, stdout: IO[str], *, runner: Runner, told: Told | None
) -> None:
    """Run the simulator as cocotb's runner does, though so that it ends with this process, and tells of its cycles."""
    for command in commands:
        receive, send = os.pipe()
        environment = {**runner.env, "HALIDEHW_PROGRESS": str(send)}
        with (
            open(receive) as progress,
            child(command, cwd=cwd, env=environment, stdout=stdout, stderr=STDOUT, pass_fds=(send,)) as process,
        ):
            os.close(send)
            for line in progress:
                if told:
                    told(int(line))
            if process.wait():
                raise RuntimeError(f"exit code {process.returncode}")


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """The simulator imports what this process can; the cocotb test lies outside the package, to start quickly."""
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
