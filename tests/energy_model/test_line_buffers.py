"""Cycles of line buffers, where the model leaps over windows that are alike."""

from __future__ import annotations

from itertools import product

import pytest

from halidehw.energy_model.processes import system
from halidehw.energy_model.rows import rows_of
from halidehw.energy_model.timekeeper import Timekeeper
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.microarch.processes import taps_of
from halidehw.scheduler import lower
from halidehw.simulate import Memory
from tests.hardware.stencils import SCHEDULES, Schedule, ragged_tiles, rows_one_after_another, stencil

MEMORIES = (Memory(), Memory(latency=20, words_per_cycle=1), Memory(words_per_cycle=0.5))


@pytest.mark.parametrize("schedule", [*SCHEDULES, rows_one_after_another], ids=lambda schedule: schedule.__name__)
def test_windows_that_are_leapt_over_take_the_same_time(schedule: Schedule):
    """Regression: rows outside the tensor cost no words, so that windows near its end were taken for others."""
    for dilation, boundary, bits in product((1, 2), ("none", "constant_exterior"), (0, 16)):
        f = stencil(schedule, rows=12, dilation=dilation, boundary=boundary)
        parts = system(derive(lower(f), Options(port_bits=bits)))
        for memory in MEMORIES:
            walked = Timekeeper(parts, memory, lambda process, first, last: None).run()
            assert Timekeeper(parts, memory).run() == walked, (dilation, boundary, bits, memory)


def test_rows_of_each_tile():
    """13 rows in tiles of 4: windows of 6, by 4, and one of 3 at the end."""
    accelerator = derive(lower(stencil(ragged_tiles, rows=13)))
    tap = taps_of(accelerator.output.compute.operands)["a_in"].tap
    rows = rows_of(accelerator.output.memory("a_in"), tap, accelerator.output.compute.walk)
    assert [(rows.new([tile]), rows.held([tile]), rows.freed([tile])) for tile in range(4)] == [
        (range(0, 6), 6, 4), (range(6, 10), 6, 4), (range(10, 14), 6, 4), (range(14, 15), 3, 3),
    ]  # fmt: skip
