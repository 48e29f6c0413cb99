"""The model and the hardware's own counters: all of them, exactly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from halidehw import Func
from halidehw.backend_hdl import verilog
from halidehw.energy_model.counters import predicted
from halidehw.errors import HardwareError, ScheduleError
from halidehw.ir.nest import Nest
from halidehw.microarch.derive import Options, derive
from halidehw.scheduler import lower
from halidehw.simulate import Memory, simulate_verilog
from tests.energy_model.designs import conv, padded, product, spilling
from tests.fuzz.choices import seeded
from tests.fuzz.designs import design

MEMORIES = (
    Memory(),
    Memory(latency=9),
    Memory(latency=4, words_per_cycle=0.7),
    Memory(words_per_cycle=0.25),
)


def check(nest: Nest, options: Options, memories: tuple[Memory, ...] = MEMORIES) -> None:
    accelerator = derive(nest, replace(options, counters=True))
    text = verilog(accelerator)
    zeros = {tensor.name: np.zeros(tensor.words, np.int64) for tensor in nest.inputs}
    for memory in memories:
        run = simulate_verilog(text, accelerator.interface, zeros, memory=memory)
        found = predicted(nest, accelerator, memory)
        assert {name: found[name] for name in run.counters} == run.counters, memory


@pytest.mark.parametrize(
    ("func", "port_bits"),
    [
        (conv(filters=2), 0), (conv(17, 13, 2, 3, systolic=False), 32), (padded(), 16), (product(), 32),
        (product(systolic=False), 0), (spilling(), 0),
    ],
    ids=["divided", "ragged", "padded", "chains", "trees", "spilling"],
)  # fmt: skip
def test_designs(func: Func, port_bits: int):
    check(lower(func), Options(port_bits=port_bits))


@pytest.mark.parametrize("group", range(2))
def test_random_designs(group: int):
    """Three designs that are accepted."""
    passed, seed = 0, 500 + 100 * group
    while passed < 3:
        try:
            found = design(seeded(seed))
            check(found.nest, found.options, MEMORIES[:3])
            passed += 1
        except (ScheduleError, HardwareError):
            pass
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error
        seed += 1
