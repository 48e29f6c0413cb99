"""A Verilog accelerator, its interface and input words in; output words and counters out."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np
from cocotb_tools.runner import get_runner

from halidehw.errors import SimulationError, TypeMismatch
from halidehw.microarch.interface import Interface
from halidehw.simulate.bench import CONTROL_SIGNALS, TOP, bench, memories
from halidehw.simulate.build import Optimize, build, find_toolchain
from halidehw.simulate.memory import Memory
from halidehw.simulate.outcome import check_outcome
from halidehw.simulate.tools import excerpt
from halidehw.simulate.words import read_words, write_words

DEFAULT_TIMEOUT = 10_000_000
_BENCH = Path(__file__).parent / "bench"


@dataclass(frozen=True)
class Run:
    """What the last run of a simulation delivered.

    outputs: tensor -> words in address order, shape (words,), int64 (uint64 for unsigned words of 64 bits).
    counters: the accelerator's own, as declared by its interface.
    cycles: clock cycles from the edge that takes `start` to the edge that raises `done`, seen from outside.
    """

    outputs: dict[str, np.ndarray]
    counters: dict[str, int]
    cycles: int


def simulate_verilog(
    verilog: str,
    interface: Interface,
    inputs: dict[str, np.ndarray],
    *,
    memory: Memory | None = None,
    waves: Path | str | None = None,
    timeout_cycles: int | None = None,
    starts: int = 1,
    reset_at: int | None = None,
    optimize: Optimize = "build",
    simulator: Literal["verilator", "icarus"] = "verilator",
) -> Run:
    """Simulate a design that obeys `interface` on memories that hold `inputs`.

    inputs: tensor name -> integers, shape (words,), in address order.
    memory: timing of the memory ports (default: the ideal memory).
    waves: a file for the waveforms, `.vcd` (always possible) or `.fst` (needs lz4's headers). Open it with Surfer
        or GTKWave. `halidehw_bench.accelerator` is the design.
    timeout_cycles: give up when a run is not done after this many cycles (default 10 million).
    starts: run this often in a row, with fresh outputs; every run must deliver the same words.
    reset_at: reset in this cycle of an extra run before the others.
    optimize: "build" for the shortest build, "run" for the fastest simulation.

    Raises TypeMismatch for inputs that do not fit the interface, SimulationError when a tool is missing or fails,
    the protocol of a port is violated, an address lies outside its tensor, or a run does not finish.
    """
    _check_names(interface, inputs)
    _check_sequence(starts, reset_at)
    waves_kind = _waves_kind(waves)
    sources = {path.name: path.read_text() for path in sorted(_BENCH.glob("*.sv"))}
    sources |= {"accelerator.v": verilog, "bench.sv": bench(interface)}
    executable = build(sources, find_toolchain(waves_kind, optimize))
    timeout = timeout_cycles or DEFAULT_TIMEOUT
    plusargs = {"starts": starts, "reset_at": reset_at or 0, "timeout": timeout, **(memory or Memory()).plusargs}
    with TemporaryDirectory(prefix="halidehw-") as name:
        folder = Path(name)
        for part in memories(interface):
            if part.write is None:
                write_words(folder / f"{part.port.name}.hex", part.port, inputs[part.tensor])
        trace = ["--trace-file", str(Path(waves).resolve())] if waves else []
        values = _execute(executable, folder, interface, plusargs, trace)
        check_outcome(values, interface, timeout, reset_at)
        return _collect(folder, interface, values, starts)


def _execute(
    executable: Path, folder: Path, interface: Interface, plusargs: dict[str, int], trace: list[str]
) -> dict[str, int]:
    """Run the simulator in a folder; the values of the bench's signals when it halted."""
    names = (*CONTROL_SIGNALS, *(f"count_{counter.name}" for counter in interface.counters))
    log = folder / "simulation.log"
    try:
        with _importable(_BENCH):
            get_runner("verilator").test(
                test_module="halidehw_drive",
                hdl_toplevel=TOP,
                hdl_toplevel_lang="verilog",
                build_dir=executable.parent,
                test_dir=folder,
                results_xml=str(folder / "results.xml"),
                test_args=[*trace],
                plusargs=[f"+{name}={value}" for name, value in plusargs.items()],
                extra_env={"HALIDEHW_READ": ",".join(names)},
                waves=bool(trace),
                log_file=log,
            )
    except (SystemExit, ValueError) as error:
        text = log.read_text() if log.exists() else str(error)
        raise SimulationError(f"the simulator failed:\n{excerpt(text)}") from None
    result = folder / "result.json"
    if not result.exists():
        raise SimulationError(f"the simulator ended without a result:\n{excerpt(log.read_text())}")
    return json.loads(result.read_text())


def _collect(folder: Path, interface: Interface, values: dict[str, int], starts: int) -> Run:
    outputs = {}
    for part in memories(interface):
        if part.write is not None:
            runs = [read_words(folder / f"{part.port.name}.{run}.hex", part.port) for run in range(1, starts + 1)]
            _check_equal(part.tensor, runs)
            outputs[part.tensor] = runs[-1]
    counters = {counter.name: values[f"count_{counter.name}"] for counter in interface.counters}
    return Run(outputs, counters, values["cycles"])


def _check_equal(tensor: str, runs: list[np.ndarray]) -> None:
    for number, words in enumerate(runs[1:], start=2):
        if (different := np.flatnonzero(words != runs[0])).size:
            at = different[0]
            raise SimulationError(
                f"start {number} of {len(runs)} gives {words[at]} for word {at} of {tensor}, "
                f"the first start gives {runs[0][at]}"
            )


def _check_names(interface: Interface, inputs: dict[str, np.ndarray]) -> None:
    needed = {part.tensor for part in memories(interface) if part.write is None}
    if missing := needed - inputs.keys():
        raise TypeMismatch(f"no words for the input {', '.join(sorted(missing))}", legal=_inputs_line(needed))
    if unknown := inputs.keys() - needed:
        raise TypeMismatch(
            f"{', '.join(sorted(unknown))} is not an input of {interface.module}", legal=_inputs_line(needed)
        )


def _inputs_line(names: set[str]) -> list[str]:
    return ["inputs={" + ", ".join(f'"{name}": ...' for name in sorted(names)) + "}"]


def _check_sequence(starts: int, reset_at: int | None) -> None:
    if starts < 1:
        raise SimulationError(f"starts={starts}: a simulation starts at least once", legal=("starts=1",))
    if reset_at is not None and reset_at < 1:
        raise SimulationError(f"reset_at={reset_at}: cycles count from 1", legal=("reset_at=1", "reset_at=None"))


def _waves_kind(waves: Path | str | None) -> Literal["vcd", "fst"] | None:
    if waves is None:
        return None
    match Path(waves).suffix:
        case ".vcd":
            return "vcd"
        case ".fst":
            return "fst"
    raise SimulationError(
        f"waves={str(waves)!r}: the file's ending says the format", legal=('waves="run.vcd"', 'waves="run.fst"')
    )


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """The simulator imports what this process can; it needs the cocotb test, which lies outside the package."""
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
