"""A Verilog accelerator, its interface and input words in; output words and counters out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from halidehw.errors import SimulationError, TypeMismatch
from halidehw.microarch.interface import Interface
from halidehw.simulate.bench import CONTROL_SIGNALS, bench, counter_signal, memories
from halidehw.simulate.build import Optimize, Waves, build, find_toolchain
from halidehw.simulate.execute import HARNESS, Simulator, execute
from halidehw.simulate.icarus import build_icarus
from halidehw.simulate.memory import Memory
from halidehw.simulate.outcome import check_outcome
from halidehw.simulate.words import read_words, write_words

DEFAULT_TIMEOUT = 10_000_000


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
    resets: int = 1,
    optimize: Optimize = "build",
    simulator: Simulator = "verilator",
) -> Run:
    """Simulate a design that obeys `interface` on memories that hold `inputs`.

    inputs: tensor name -> integers, shape (words,), in address order.
    memory: timing of the memory ports (default: the ideal memory).
    waves: a file for the waveforms, `.vcd` (always possible) or `.fst` (needs lz4's headers); open it with Surfer
        or GTKWave. The design is `halidehw_bench.accelerator`.
    timeout_cycles: give up when a run is not done after this many cycles (default 10 million).
    starts: run this often in a row, with fresh outputs; every run must deliver the same words.
    reset_at: reset after this many cycles of an extra run before the others.
    resets: with `reset_at`, such a run before each of the first `resets` starts, each reset a cycle later.
    optimize: "build" for the shortest build, "run" for the fastest simulation.

    Raises TypeMismatch for inputs that do not fit the interface, SimulationError when a tool is missing or fails,
    the protocol of a port is violated, an address lies outside its tensor, or a run does not finish.
    """
    _check_names(interface, inputs)
    _check_sequence(starts, reset_at, resets, timeout_cycles)
    build_folder = _build(_sources(verilog, interface), waves, optimize, simulator)
    timeout = timeout_cycles or DEFAULT_TIMEOUT
    plusargs = {"starts": starts, "timeout": timeout, **(memory or Memory()).plusargs}
    plusargs |= {"reset_at": reset_at, "resets": resets} if reset_at else {}
    signals = (*CONTROL_SIGNALS, *(counter_signal(counter) for counter in interface.counters))
    with TemporaryDirectory(prefix="halidehw-") as name:
        folder = Path(name)
        for part in memories(interface):
            if part.write is None:
                write_words(folder / f"{part.port.name}.hex", part.port, inputs[part.tensor])
        arguments = [str(Path(waves).resolve())] if waves else []
        values = execute(simulator, build_folder, folder, signals, plusargs, arguments)
        check_outcome(values, interface, timeout)
        outputs = _outputs(folder, interface, starts)
    counters = {counter.name: values[counter_signal(counter)] for counter in interface.counters}
    return Run(outputs, counters, values["cycles"])


def _sources(verilog: str, interface: Interface) -> dict[str, str]:
    """File name -> text of everything the simulator is built from."""
    fixed = {path.name: path.read_text() for path in sorted(HARNESS.iterdir()) if path.suffix in (".sv", ".cpp")}
    return fixed | {"accelerator.v": verilog, "bench.sv": bench(interface)}


def _build(sources: dict[str, str], waves: Path | str | None, optimize: Optimize, simulator: Simulator) -> Path:
    match simulator:
        case "verilator":
            return build(sources, find_toolchain(_format(waves), optimize))
        case "icarus" if waves is None:
            return build_icarus(sources)
        case "icarus":
            raise SimulationError("waveforms are written by Verilator only", legal=('simulator="verilator"',))
    raise SimulationError(
        f"no simulator is called {simulator!r}", legal=('simulator="verilator"', 'simulator="icarus"')
    )


def _outputs(folder: Path, interface: Interface, starts: int) -> dict[str, np.ndarray]:
    outputs = {}
    for part in memories(interface):
        if part.write is not None:
            runs = [read_words(folder / f"{part.port.name}.{run}.hex", part.port) for run in range(1, starts + 1)]
            _check_equal(part.tensor, runs)
            outputs[part.tensor] = runs[-1]
    return outputs


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
    works = ["inputs={" + ", ".join(f'"{name}": ...' for name in sorted(needed)) + "}"]
    if missing := needed - inputs.keys():
        raise TypeMismatch(f"no words are given for {', '.join(sorted(missing))}", legal=works)
    if unknown := inputs.keys() - needed:
        raise TypeMismatch(f"{', '.join(sorted(unknown))}: {interface.module} has no such input", legal=works)


def _check_sequence(starts: int, reset_at: int | None, resets: int, timeout_cycles: int | None) -> None:
    if starts < 1:
        raise SimulationError(f"starts={starts}: a simulation starts at least once", legal=("starts=1",))
    if reset_at is not None and reset_at < 1:
        raise SimulationError(f"reset_at={reset_at}: cycles count from 1", legal=("reset_at=1", "reset_at=None"))
    if not 1 <= resets <= starts:
        fits = max(resets, 1)
        raise SimulationError(
            f"resets={resets}: each is followed by one of {starts} starts", legal=(f"starts={fits}, resets={fits}",)
        )
    if timeout_cycles is not None and timeout_cycles < 1:
        raise SimulationError(f"timeout_cycles={timeout_cycles}: no run is that short", legal=("timeout_cycles=None",))


def _format(waves: Path | str | None) -> Waves:
    if waves is None:
        return None
    match Path(waves).suffix:
        case ".vcd":
            return "vcd"
        case ".fst":
            return "fst"
    raise SimulationError(
        f"waves={str(waves)!r}: the ending of the name says the format", legal=('waves="run.vcd"', 'waves="run.fst"')
    )
