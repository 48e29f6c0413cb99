"""Whether `halidehw check` sees a mistake: the same inputs, scenarios and comparisons, on a design with a switch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from halidehw import Func
from halidehw.backend_hdl.generate import hierarchy
from halidehw.backend_hdl.rtl.hierarchy import Hierarchy
from halidehw.driver.arrays import inputs_of
from halidehw.driver.draw import random_inputs
from halidehw.driver.extra import further, judged
from halidehw.energy_model.counters import predicted
from halidehw.errors import SimulationError
from halidehw.frontend.design import design_of
from halidehw.ir.nest import Nest
from halidehw.microarch.derive import derive
from halidehw.microarch.network import Network
from halidehw.microarch.options import Options
from halidehw.reference.reference import reference
from halidehw.scheduler import lower
from halidehw.simulate import Experiment, Memory, Scenario, simulate_together
from tests.mutants.rtl import Mutant, switchable

_BITS = 12
"""The low bits of the bench's `timeout` say which mistake is made: nothing else depends on them."""

SURVIVES = "survives"


@dataclass(frozen=True)
class Subject:
    """A design in which mistakes are made."""

    func: Func

    @cached_property
    def nest(self) -> Nest:
        return lower(self.func)

    @cached_property
    def accelerator(self) -> Network:
        return derive(self.nest, Options(port_bits=32, counters="all"))

    @cached_property
    def hierarchy(self) -> Hierarchy:
        return hierarchy(self.accelerator)

    @cached_property
    def words(self) -> dict[str, np.ndarray]:
        return {name: array.reshape(-1) for name, array in random_inputs(self.nest, 0).items()}

    @cached_property
    def expected(self) -> np.ndarray:
        buffers = inputs_of(design_of(self.func), self.nest, random_inputs(self.nest, 0))
        return reference(self.func, buffers).reshape(-1)

    @cached_property
    def counts(self) -> dict[str, int]:
        return predicted(self.nest, self.accelerator, Memory())

    def scenarios(self, number: int) -> tuple[Scenario, ...]:
        """Those of `halidehw check`, with a mistake."""
        timeout = (self.counts["cycles"] // 1024 + 2 << _BITS) + number
        first = Scenario(self.words, timeout_cycles=timeout)
        return (first, *further(first, self.accelerator))

    def verilog(self, made: Sequence[Mutant]) -> str:
        """The design in which mistake i is made where `scenarios` has the number i + 1."""
        return switchable(self.hierarchy, made, f"{{{{{32 - _BITS}{{1'b0}}}}, halidehw_bench.timeout[{_BITS - 1}:0]}}")

    def found(self, verilog: str, number: int) -> str:
        """How `check` finds a mistake, or that it survives."""
        (runs,) = simulate_together([Experiment(verilog, self.accelerator.interface, self.scenarios(number))])
        if isinstance(runs, SimulationError):
            return f"stopped: {runs.message.splitlines()[0]}"
        if not np.array_equal(runs[0].outputs[self.nest.output.name], self.expected):
            return "words"
        if wrong := [name for name, count in runs[0].counters.items() if count != self.counts[name]]:
            return f"count of {', '.join(wrong[:3])}"
        tried = zip(self.scenarios(number), runs, strict=True)
        for extra in judged(tried, [(self.nest, self.expected)], self.accelerator):
            if not extra.match:
                what = f"count of {', '.join(extra.counters[:3])}" if not extra.mismatches else "words"
                return f"{what} {extra.name}"
        return SURVIVES
