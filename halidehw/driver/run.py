"""A design's hardware, simulated, and compared with the algorithm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halidehw.driver.arrays import inputs_of
from halidehw.driver.build import Compiled, compile
from halidehw.driver.work import iterations
from halidehw.frontend.design import Design
from halidehw.frontend.func import Func
from halidehw.frontend.params import Buffer
from halidehw.reference.reference import reference
from halidehw.simulate import Memory, simulate_verilog

LONG = 1_000_000
"""Cycles of a run from which on a faster simulator is worth its longer build."""


@dataclass(frozen=True)
class Result:
    """What the hardware did.

    outputs, expected: what it wrote, and what the algorithm alone gives; dimension 0 last, the dtype of the type.
    counters: its own, by name. cycles: clock cycles from start to done. macs: iterations of the algorithm.
    """

    outputs: np.ndarray
    expected: np.ndarray
    counters: dict[str, int]
    cycles: int
    macs: int
    pes: int

    @property
    def match(self) -> bool:
        """Whether every bit is as expected."""
        return bool(np.array_equal(self.outputs, self.expected))

    @property
    def utilization(self) -> float:
        """The part of all PEs' cycles in which one does an iteration's work."""
        return self.macs / (self.cycles * self.pes)


def simulate(
    design: Func | Design | Compiled,
    inputs: Mapping[str, np.ndarray | Buffer] | None = None,
    *,
    memory: Memory | None = None,
    waves: Path | str | None = None,
    timeout_cycles: int | None = None,
) -> Result:
    """Run a design's Verilog on its inputs, and the reference evaluation of its algorithm beside it.

    inputs: an array (dimension 0 last) or Buffer for each input by name, where its ImageParam is not set.
    memory: the timing of the memory outside (default: ideal). waves: a `.vcd` or `.fst` file for the waveforms.
    Raises `TypeMismatch` for inputs that do not fit, `SimulationError` if the simulation cannot be run or does not
    finish, and what `compile` raises.
    """
    compiled = design if isinstance(design, Compiled) else compile(design)
    nest = compiled.nest
    buffers = inputs_of(compiled.design, nest, {} if inputs is None else inputs)
    words = {name: buffer.array.reshape(-1) for name, buffer in buffers.items()}
    work = iterations(nest)
    run = simulate_verilog(
        compiled.verilog,
        compiled.interface,
        words,
        memory=memory,
        waves=waves,
        timeout_cycles=timeout_cycles,
        optimize="run" if work > LONG * compiled.accelerator.pes else "build",
    )
    output = nest.output
    region = list(zip(output.mins, output.extents, strict=True))
    return Result(
        outputs=run.outputs[output.name].reshape(output.extents[::-1]).astype(output.type.dtype),
        expected=reference(compiled.design.output, buffers, region),
        counters=run.counters,
        cycles=run.cycles,
        macs=work,
        pes=compiled.accelerator.pes,
    )
