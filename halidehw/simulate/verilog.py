"""Verilog accelerators, their interfaces and input words in; output words and counters out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from halidehw.errors import SimulationError, TypeMismatch
from halidehw.microarch.interface import Interface, Port
from halidehw.simulate.behind import ERRORS, MEMORY, REFUSE, REFUSED, Placement, behind
from halidehw.simulate.bench import CONTROL_SIGNALS, Outside, bench_names, counter_signal, memories, native
from halidehw.simulate.build import Optimize, build, find_toolchain
from halidehw.simulate.execute import Build, Plan, Simulator, execute, launch
from halidehw.simulate.icarus import build_icarus
from halidehw.simulate.memory import Memory, memory_of
from halidehw.simulate.outcome import Outcome, check_outcome
from halidehw.simulate.scenario import Scenario
from halidehw.simulate.sources import sources
from halidehw.simulate.tools import find_icarus
from halidehw.simulate.waves import Waves, check_scope, check_seen, waves_of
from halidehw.simulate.words import read_words, unwritten_at, write_words

LARGE = 10_000
"""Cycles of waveforms from which on their size is foretold."""


@dataclass(frozen=True)
class Run:
    """What the last start of a scenario delivered.

    outputs: tensor -> words in address order, shape (words,), int64 (uint64 for unsigned words of 64 bits).
    counters: the accelerator's own, as declared by its interface.
    cycles: clock cycles from the edge that takes `start` to the edge that raises `done`, seen from outside.
    files: the texts of the files that a companion was asked for.
    whole: whether the last start was not stopped; where it was, its words not written are `words.unwritten_word`.
    starts: how many there have been since the simulation began.
    errors: of a design behind a bus, the ports for which a burst was answered with an error.
    """

    outputs: dict[str, np.ndarray]
    counters: dict[str, int]
    cycles: int
    files: dict[str, str] = field(default_factory=dict)
    whole: bool = True
    starts: int = 1
    errors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Companion:
    """C++ that the Verilog calls (DPI). `sources`: built with it; `files`: lie in the folder in which it runs; both by
    name. `results`: the files it leaves there that are wanted."""

    sources: dict[str, str]
    files: dict[str, str]
    results: tuple[str, ...]


@dataclass(frozen=True)
class Experiment:
    """A design that obeys `interface`, in one scenario after the other; `beside`: see `Companion`. `placement`: where
    tensors lie of one behind an AXI4 master.

    Raises TypeMismatch for inputs that are not those of the interface, SimulationError for a first scenario that needs
    one before it.
    """

    verilog: str
    interface: Interface
    scenarios: tuple[Scenario, ...]
    beside: Companion = field(default_factory=lambda: Companion({}, {}, ()))
    placement: Placement | None = None

    def outside(self, folder: int) -> Outside:
        """What stands around it, whose files are in the folder of this number."""
        return behind(self.placement, folder) if self.placement else native(self.interface, folder)

    def __post_init__(self) -> None:
        needed = {part.tensor for part in memories(self.interface) if part.write is None}
        works = ["inputs={" + ", ".join(f'"{name}": ...' for name in sorted(needed)) + "}"]
        for scenario in self.scenarios:
            if missing := needed - scenario.inputs.keys():
                raise TypeMismatch(f"no words are given for {', '.join(sorted(missing))}", legal=works)
            if unknown := scenario.inputs.keys() - needed:
                raise TypeMismatch(
                    f"{', '.join(sorted(unknown))}: {self.interface.module} has no such input", legal=works
                )
        if self.scenarios and isinstance(at := self.scenarios[0].cut_at, Fraction):
            name = f"{self.scenarios[0].cut}_at"
            raise SimulationError(
                f"{name}={at} is a part of the scenario before, and there is none", legal=(f"{name}=1",)
            )


@dataclass(frozen=True)
class Watch:
    """Who is told of a long simulation: `simulated`, a few times a second, how many cycles there are so far; `foretold`
    the bytes and the cycles of the waveforms before they are written. `cycles`: of the first start, about."""

    cycles: int
    simulated: Callable[[int], None]
    foretold: Callable[[int, int], None]


def simulate_verilog(
    verilog: str,
    interface: Interface,
    inputs: Mapping[str, np.ndarray],
    *,
    memory: Memory | None = None,
    waves: Waves | Path | str | None = None,
    timeout_cycles: int | None = None,
    starts: int = 1,
    reset_at: int | None = None,
    abort_at: int | None = None,
    cuts: int = 1,
    optimize: Optimize = "build",
    simulator: Simulator = "verilator",
    beside: Companion | None = None,
) -> Run:
    """Simulate one design that obeys `interface` in one scenario; for `inputs`, `memory`, `timeout_cycles`, `starts`,
    `reset_at`, `abort_at` and `cuts` see `Scenario`, for the others `simulate_scenarios`.

    beside: C++ that the Verilog calls, for Verilator only.

    Raises TypeMismatch for inputs that do not fit the interface, and what `simulate_scenarios` does.
    """
    scenario = Scenario(inputs, memory_of(memory), starts, reset_at, abort_at, cuts, timeout_cycles)
    experiment = Experiment(verilog, interface, (scenario,), beside or Companion({}, {}, ()))
    return simulate_scenarios(experiment, waves=waves, optimize=optimize, simulator=simulator)[0]


def simulate_scenarios(
    experiment: Experiment,
    *,
    waves: Waves | Path | str | None = None,
    optimize: Optimize = "build",
    simulator: Simulator = "verilator",
    watch: Watch | None = None,
) -> tuple[Run, ...]:
    """A run for each of the experiment's scenarios.

    waves: a file for the waveforms of the first one, `.vcd` (always possible) or `.fst` (needs lz4's headers), or a
        part of them; open it with Surfer or GTKWave. The design is `halidehw_bench.accelerator`.
    optimize: "build" for the shortest build, "run" for the fastest simulation.
    watch: who is told how far it is.

    Raises SimulationError when a tool is missing or fails, the waveforms cannot be written, the protocol of a port is
    violated, an address lies outside its tensor, or a start does not finish.
    """
    shown = waves_of(waves)
    (found,) = _simulate([experiment], shown, optimize, simulator, watch)
    if isinstance(found, SimulationError):
        raise found
    if shown:
        check_seen(shown, found[0].cycles)
    return found


def simulate_together(
    experiments: Sequence[Experiment], simulator: Simulator = "verilator"
) -> list[tuple[Run, ...] | SimulationError]:
    """Simulate several designs in one build, which takes a fraction of the time of a build for each; none has a
    companion.

    For each experiment a run for each of its scenarios, or the error that `simulate_verilog` would raise: where the
    build fails or the simulator ends early, each design is built alone. Raises TypeMismatch for words that do not fit
    their ports, SimulationError for a tool that is missing.
    """
    try:
        return _simulate(experiments, None, "build", simulator, None)
    except SimulationError as error:
        find_toolchain(None, "build") if simulator == "verilator" else find_icarus()
        if len(experiments) == 1:
            return [error]
    return [found for experiment in experiments for found in simulate_together([experiment], simulator)]


def _simulate(
    experiments: Sequence[Experiment],
    waves: Waves | None,
    optimize: Optimize,
    simulator: Simulator,
    watch: Watch | None,
) -> list[tuple[Run, ...] | SimulationError]:
    texts = sources([(each.verilog, each.outside(i)) for i, each in enumerate(experiments)])
    for experiment in experiments:
        texts |= experiment.beside.sources
        if waves:
            check_scope(waves, experiment.verilog, experiment.interface.module)
    build_folder = _build(texts, waves, optimize, simulator)
    plan = [_plan(name, each) for name, each in zip(bench_names(len(experiments)), experiments, strict=True)]
    with TemporaryDirectory(prefix="halidehw-") as name:
        folder = Path(name)
        for i, experiment in enumerate(experiments):
            _write_inputs(folder / str(i), experiment)
        if waves and watch and waves.window(watch.cycles) > LARGE:
            sample = folder / f"sample{waves.path.suffix}"
            launch(Build(simulator, build_folder, waves.sampled(sample, watch.cycles)), folder, plan)
            watch.foretold(waves.foretold(sample, watch.cycles), waves.window(watch.cycles))
        built = Build(simulator, build_folder, waves.arguments if waves else [])
        values = execute(built, folder, plan, watch.simulated if watch else None)
        return [_runs(folder / str(i), experiment, values[i]) for i, experiment in enumerate(experiments)]


def _plan(name: str, experiment: Experiment) -> Plan:
    counters = (counter_signal(counter) for counter in experiment.interface.counters)
    runs = [scenario.parameters for scenario in experiment.scenarios]
    if experiment.placement:
        pairs = zip(runs, experiment.scenarios, strict=True)
        runs = [run | {REFUSE: REFUSED[scenario.refuse]} for run, scenario in pairs]
    read = [*CONTROL_SIGNALS, *counters, *([ERRORS] if experiment.placement else [])]
    return {"name": name, "read": read, "runs": runs}


def _write_inputs(folder: Path, experiment: Experiment) -> None:
    """A file for each input and scenario; the same words are written once."""
    folder.mkdir()
    if experiment.placement:
        for number, scenario in enumerate(experiment.scenarios, start=1):
            experiment.placement.write(folder / f"{MEMORY}.{number}.hex", scenario.inputs)
    for part in () if experiment.placement else memories(experiment.interface):
        written: dict[int, Path] = {}
        for number, scenario in enumerate(experiment.scenarios if part.write is None else (), start=1):
            path, words = folder / f"{part.port.name}.{number}.hex", scenario.inputs[part.tensor]
            if id(words) in written:
                path.hardlink_to(written[id(words)])
            else:
                write_words(path, part.port, words)
                written[id(words)] = path
    for name, text in experiment.beside.files.items():
        (folder.parent / name).write_text(text)


def _runs(folder: Path, experiment: Experiment, values: list[dict[str, int]]) -> tuple[Run, ...] | SimulationError:
    """The runs of an experiment whose files are in `folder`; `values`: of its signals after each scenario."""
    runs, passes = [], 0
    for scenario, found in zip(experiment.scenarios, values, strict=False):
        try:
            runs.append(_run(folder, experiment, scenario, found, passes))
        except SimulationError as error:
            where = f"{scenario.name}: " if scenario.name else ""
            return SimulationError(f"{where}{error.message}", legal=error.proposed)
        passes += scenario.starts
    return tuple(runs)


def _run(folder: Path, experiment: Experiment, scenario: Scenario, found: dict[str, int], passes: int) -> Run:
    """One of them, after so many starts."""
    interface = experiment.interface
    check_outcome(found, interface, scenario, experiment.placement)
    counters = {counter.name: found[counter_signal(counter)] for counter in interface.counters}
    files = {name: (folder.parent / name).read_text() for name in experiment.beside.results}
    outputs = _outputs(folder, experiment, range(passes + 1, passes + scenario.starts + 1))
    whole, starts = found["outcome"] != Outcome.STOPPED, passes + scenario.starts
    errors = tuple(port.name for i, port in enumerate(interface.ports) if found.get(ERRORS, 0) >> i & 1)
    return Run(outputs, counters, found["cycles"], files, whole, starts, errors)


def _build(texts: dict[str, str], waves: Waves | None, optimize: Optimize, simulator: Simulator) -> Path:
    match simulator:
        case "verilator":
            return build(texts, find_toolchain(waves.format if waves else None, optimize))
        case "icarus" if waves is None:
            return build_icarus(texts)
        case "icarus":
            raise SimulationError("waveforms are written by Verilator only", legal=('simulator="verilator"',))
    raise SimulationError(
        f"no simulator is called {simulator!r}", legal=('simulator="verilator"', 'simulator="icarus"')
    )


def _outputs(folder: Path, experiment: Experiment, passes: range) -> dict[str, np.ndarray]:
    starts = [_start(folder, experiment, number) for number in passes]
    ports = {part.tensor: part.port for part in memories(experiment.interface)}
    for tensor in starts[-1]:
        _check_equal(ports[tensor], passes, [start[tensor] for start in starts])
    return starts[-1]


def _start(folder: Path, experiment: Experiment, number: int) -> dict[str, np.ndarray]:
    """What the start of this number has written."""
    if experiment.placement:
        return experiment.placement.read(folder / f"{MEMORY}.{number}.written.hex")
    parts = (part for part in memories(experiment.interface) if part.write is not None)
    return {part.tensor: read_words(folder / f"{part.port.name}.{number}.hex", part.port) for part in parts}


def _check_equal(port: Port, passes: range, starts: list[np.ndarray]) -> None:
    """All starts have written the same words; those that they have not written are different each time."""
    blank = [words == unwritten_at(port, number) for number, words in zip(passes, starts, strict=True)]
    for number, words in enumerate(starts[1:], start=2):
        if (different := np.flatnonzero((words != starts[0]) & ~(blank[0] & blank[number - 1]))).size:
            at = different[0]
            raise SimulationError(
                f"start {number} of {len(starts)} gives {words[at]} for word {at} of {port.tensor}, "
                f"the first start gives {starts[0][at]}"
            )
