"""A design's hardware, simulated, and compared with the algorithm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halidehw.backend_hdl import verilog
from halidehw.buses.axi import AXI, bus_of
from halidehw.buses.generate import verilog as bus_verilog
from halidehw.buses.masters import MastersSpec
from halidehw.driver.arrays import inputs_of, laid
from halidehw.driver.build import Compiled, compile
from halidehw.driver.counters import check_counters
from halidehw.driver.extra import LONG, Extra, further, judged
from halidehw.driver.limits import expected, limited
from halidehw.driver.observer import Observer
from halidehw.driver.work import iterations
from halidehw.energy_model.cycles import is_known
from halidehw.expr.types import Struct, Type, points, words_of
from halidehw.frontend.design import Design
from halidehw.frontend.func import Func
from halidehw.frontend.outputs import Pipeline
from halidehw.frontend.params import Buffer
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Tensor
from halidehw.microarch.network import Network
from halidehw.notation import counted
from halidehw.reference.reference import reference
from halidehw.simulate import Experiment, Memory, Scenario, Waves, simulate_scenarios
from halidehw.simulate.behind import Placement
from halidehw.simulate.memory import memory_of
from halidehw.simulate.waves import waves_of

MANY = 256
"""PEs of an array beyond which it is simulated as loops over arrays, unless someone looks at its waves."""

_BESIDES = 64
"""What a simulator does each cycle for everything but the PEs, in PEs."""

WORTH = LONG * _BESIDES
"""PE-cycles, those included, of a run that a build for its speed shortens by more than such a build takes."""

Values = np.ndarray | tuple[np.ndarray, ...]
"""Dimension 0 last; of a Func of several values an array of each."""


@dataclass(frozen=True)
class Written:
    """An output: what the hardware wrote, and what the algorithm alone gives."""

    name: str
    type: Type
    outputs: Values
    expected: Values

    @property
    def mismatches(self) -> int:
        """Words that are not as expected."""
        return int(np.count_nonzero(points(self.type, self.outputs) != points(self.type, self.expected)))

    @property
    def words(self) -> int:
        """How many words are compared."""
        return points(self.type, self.expected).size

    @property
    def distinct(self) -> int:
        """How many different words are compared: what the comparison is worth."""
        return int(np.unique(points(self.type, self.expected)).size)

    @property
    def saturated(self) -> int:
        """How many of the numbers are the least or the greatest of their type."""
        kinds = self.type.parts if isinstance(self.type, Struct) else (self.type,)
        values = self.expected if isinstance(self.expected, tuple) else (self.expected,)
        pairs = zip(values, kinds, strict=True)
        return sum(int(np.isin(array, [kind.min, kind.max]).sum()) for array, kind in pairs)


@dataclass(frozen=True)
class Result:
    """What the hardware did.

    written: each of its outputs.
    counters: its own, by name. cycles: clock cycles from start to done. macs: iterations of the algorithm. extras: what
    it did besides, as short as it may be.
    """

    written: tuple[Written, ...]
    counters: dict[str, int]
    cycles: int
    macs: int
    pes: int
    extras: tuple[Extra, ...] = ()

    def __repr__(self) -> str:
        wrong = self.mismatches + sum(extra.mismatches for extra in self.extras)
        verdict = f"{wrong} words WRONG" if wrong else "right" if self.match else "counters WRONG"
        return f"<Result: {verdict}, {self.macs} iterations on {counted(self.pes, 'PE')} in {self.cycles} cycles>"

    @property
    def outputs(self) -> Any:
        """What it wrote, in the dtype of the type; of several outputs that of each, by name."""
        found = {each.name: each.outputs for each in self.written}
        return found if len(found) > 1 else self.written[0].outputs

    @property
    def expected(self) -> Any:
        """What the algorithm alone gives, as `outputs`."""
        found = {each.name: each.expected for each in self.written}
        return found if len(found) > 1 else self.written[0].expected

    @property
    def type(self) -> Type:
        """That of the last output."""
        return self.written[-1].type

    @property
    def match(self) -> bool:
        """Whether every bit is as expected, in every run, and of the further ones every counter."""
        return not self.mismatches and all(extra.match for extra in self.extras)

    @property
    def mismatches(self) -> int:
        """Words of all outputs that are not as expected."""
        return sum(each.mismatches for each in self.written)

    @property
    def words(self) -> int:
        """How many words are compared."""
        return sum(each.words for each in self.written)

    @property
    def distinct(self) -> int:
        """How many different words of each output are compared, in all."""
        return sum(each.distinct for each in self.written)

    @property
    def saturated(self) -> int:
        """How many of the numbers are the least or the greatest of their type."""
        return sum(each.saturated for each in self.written)

    @property
    def utilization(self) -> float:
        """The part of all PEs' cycles in which one does an iteration's work."""
        return self.macs / (self.cycles * self.pes)


def simulate(
    design: Func | Pipeline | Design | Compiled,
    inputs: Mapping[str, np.ndarray | Buffer] | None = None,
    *,
    memory: Memory | None = None,
    bus: AXI | str | None = None,
    waves: Waves | Path | str | None = None,
    timeout_cycles: int | None = None,
    once: bool = False,
    observer: Observer | None = None,
) -> Result:
    """Run a design's Verilog on its inputs, and the reference evaluation of its algorithm beside it; then start it
    again, twice more with random stalls, after an abort and, each memory held back, after a reset, and on a slower
    memory (see `extra`).

    inputs: an array (dimension 0 last) or Buffer for each input by name, where its ImageParam is not set.
    memory: the timing of the memory outside (default: ideal). bus: what the accelerator is put behind, an `AXI`, or
    "axi4"; the memory is behind that, moves beats for words, and is by default as slow as the bus expects. waves: a
    `.vcd` or `.fst` file for the waveforms of the first run, or a part of them (`Waves`); without, an array of over 256
    PEs is simulated as `compile(loops=True)` writes it. timeout_cycles: give up when a start is not done after so many
    (default: longer than the design can take, or without a word on any port for longer than it can be silent). once:
    without the further runs. observer: who is told of a long run.

    Raises `TypeMismatch` for inputs that do not fit, `SimulationError` if the simulation cannot be run or does not
    finish, `HardwareError` if a counter is too narrow for its run, and what `compile` raises.
    """
    compiled = design if isinstance(design, Compiled) else compile(design)
    accelerator = compiled.accelerator
    buffers = inputs_of(compiled.design, compiled.graph, {} if inputs is None else inputs)
    words = laid(compiled.graph, buffers)
    bus = bus_of(bus)
    first = Scenario(words, memory_behind(bus, memory), timeout_cycles=timeout_cycles)
    check_counters(compiled.graph, accelerator, first.memory)
    slow = bus is None and is_known(accelerator, first.memory)
    tried = (first,) if once else (first, *further(first, accelerator, slow=slow))
    tried = tuple(each if each is first and timeout_cycles else limited(each, accelerator, bus) for each in tried)
    work, shown = sum(map(iterations, compiled.graph.stages)), waves_of(waves)
    long = shown or work > LONG * accelerator.pes or (tried[0].timeout_cycles or 0) > LONG
    lengthy = max(work // accelerator.pes, tried[0].timeout_cycles or 0) * _beside(accelerator) > WORTH
    length = expected(accelerator, first.memory) if long or lengthy else 0
    loops = not shown and accelerator.pes > MANY
    if bus:
        text, placement = bus_verilog(accelerator, bus, loops=loops), Placement(MastersSpec(accelerator, bus).attached)
    else:
        text, placement = verilog(accelerator, loops=True) if loops else compiled.verilog, None
    run, *others = simulate_scenarios(
        Experiment(text, compiled.interface, tried, placement=placement),
        waves=shown,
        optimize="run" if length * _beside(accelerator) > WORTH else "build",
        watch=(observer or Observer()).watch(length) if long else None,
    )
    right = answers(compiled.design, compiled.graph, buffers)
    written = written_of(compiled.graph, run.outputs, right)
    expectations = [(nest, words_of(nest.output.type, right[nest.name])) for nest in compiled.graph.outputs]
    extras = judged(zip(tried, (run, *others), strict=True), expectations, accelerator)
    return Result(written, run.counters, run.cycles, work, accelerator.pes, extras)


def _beside(accelerator: Network) -> int:
    """What a simulator does each cycle, in PEs."""
    return accelerator.pes + _BESIDES


def memory_behind(bus: AXI | None, memory: Memory | None) -> Memory:
    """The memory that an argument states: by default the ideal one, and behind a bus one as slow as it expects."""
    return Memory(bus.latency) if bus and memory is None else memory_of(memory)


def answers(design: Design, graph: Graph, buffers: Mapping[str, Buffer]) -> dict[str, Values]:
    """What the algorithm alone gives for each output, by name."""
    regions = {nest.name: list(zip(nest.output.mins, nest.output.extents, strict=True)) for nest in graph.outputs}
    return {func.name: reference(func, buffers, regions[func.name]) for func in design.outputs}


def written_of(graph: Graph, words: Mapping[str, np.ndarray], right: Mapping[str, Values]) -> tuple[Written, ...]:
    """What is in memory, `words` of each output by name, beside what should be."""
    outputs = (nest.output for nest in graph.outputs)
    return tuple(Written(each.name, each.type, _values(each, words[each.name]), right[each.name]) for each in outputs)


def _values(output: Tensor, words: np.ndarray) -> Values:
    """The words of a tensor in memory as arrays, dimension 0 last."""
    shaped = output.taken(words).reshape(output.extents[::-1])
    kind = output.type
    return kind.split(kind.records(shaped)) if isinstance(kind, Struct) else shaped.astype(kind.dtype)
