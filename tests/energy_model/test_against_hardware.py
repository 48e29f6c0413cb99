"""The model and the hardware's own counters: all of them, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count, islice

import numpy as np
import pytest

from halidehw.backend_hdl import verilog
from halidehw.energy_model.counters import predicted
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Nest
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.scheduler import lower
from halidehw.simulate import Experiment, Memory, Scenario, simulate_together
from tests.energy_model.designs import conv, levels, padded, product, spilling
from tests.fuzz.check import accepted

MEMORIES = (
    Memory(),
    Memory(latency=9),
    Memory(latency=4, words_per_cycle=0.7),
    Memory(words_per_cycle=0.25),
)


def check(designs: Sequence[tuple[Nest | Graph, Options]], memories: tuple[Memory, ...] = MEMORIES) -> None:
    """All designs in one build, each with every memory."""
    accelerators = [derive(nest, replace(options, counters="all")) for nest, options in designs]
    experiments = []
    for (nest, _), accelerator, text in zip(designs, accelerators, map(verilog, accelerators), strict=True):
        zeros = {tensor.name: np.zeros(tensor.words, np.int64) for tensor in nest.inputs}
        scenarios = tuple(Scenario(zeros, memory) for memory in memories)
        experiments.append(Experiment(text, accelerator.interface, scenarios))
    for (nest, _), accelerator, runs in zip(designs, accelerators, simulate_together(experiments), strict=True):
        assert isinstance(runs, tuple), runs
        for memory, run in zip(memories, runs, strict=True):
            found = predicted(nest, accelerator, memory)
            assert {name: found[name] for name in run.counters} == run.counters, (accelerator.schedule, memory)


def test_designs():
    """Tiles that divide and ragged ones, padding, chains, trees, sums that spill and in levels."""
    designs = [
        (conv(filters=2), 0), (conv(17, 13, 2, 3, systolic=False), 32), (padded(), 16), (product(), 32),
        (product(systolic=False), 0), (spilling(), 0), (levels(False), 64), (levels(True), 0),
    ]  # fmt: skip
    check([(lower(func), Options(port_bits=port_bits)) for func, port_bits in designs])


@pytest.mark.soak
def test_random_designs():
    found = islice(accepted(count(500)), 6)
    check([(design.nest, design.options) for design in found], MEMORIES[:3])
