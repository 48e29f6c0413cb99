"""Lists in which loads follow, tile by tile, what the program before writes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import halidehw as hl
from halidehw.buses.axi import AXI
from halidehw.buses.device import DeviceError
from halidehw.host.runtime import Loaded, Runtime
from halidehw.host.steps import Output, Step
from halidehw.machines.descriptor import Follows
from tests.host import layers

STALLS = hl.Memory(latency=20, stall_probability=0.3, stall_seed=4)
OLD = 0x55
"""What memory has where nothing was written."""


def ahead() -> list[Step]:
    """Two programs. The registers of the first one's second tile of weights are filled while its first is worked with:
    the next program's weights then come long before what they are used with."""
    drawn = np.random.default_rng(1)
    image, *weights = (drawn.integers(-9, 9, each, np.int8) for each in ((7, 3, 2), (1, 1, 8, 2), (3, 3, 8, 8)))
    return [Step(layers.layer("a", 3, 7, 2, 8, 1, 1), {"image": image, "weights": weights[0]}),
            Step(layers.layer("b", 1, 3, 8, 8, 3, 2), {"image": Output(0), "weights": weights[1]})]  # fmt: skip


def held_back() -> list[Step]:
    """Two programs. The second one's weights are there before its image, and their first tiles make room meanwhile."""
    drawn = np.random.default_rng(1)
    image, *weights = (drawn.integers(-9, 9, each, np.int8) for each in ((5, 2, 5), (1, 1, 8, 5), (1, 1, 13, 8)))
    return [Step(layers.layer("a", 2, 5, 5, 8, 1, 1), {"image": image, "weights": weights[0]}),
            Step(layers.layer("b", 2, 5, 8, 13, 1, 1), {"image": Output(0), "weights": weights[1]})]  # fmt: skip


def chain() -> list[Step]:
    """Four programs, each of which reads what the one before writes. Rows are no whole beats, so that the last beat of
    one has the first words of the next, which is written later."""
    drawn, steps = np.random.default_rng(3), list[Step]()
    for number, (channels, filters, kernel) in enumerate(((8, 3, 3), (3, 5, 1), (5, 3, 1), (3, 3, 1))):
        weights = drawn.integers(-128, 128, (kernel, kernel, filters, channels), np.int8)
        image = Output(number - 1) if number else drawn.integers(-128, 128, (5, 7, 8), np.int8)
        made = layers.layer(f"step{number}", 5, 3, channels, filters, kernel, 1)
        steps.append(Step(made, {"image": image, "weights": weights}))
    return steps


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    made = Runtime(hl.machine(layers.designs, counters=10), AXI(64), hl.Memory(), 1 << 16)
    yield made
    made.board.close()


@pytest.fixture(scope="module")
def loaded(runtime: Runtime) -> Loaded:
    runtime.board.memory[:] = OLD
    return runtime.load(chain())


def begun(runtime: Runtime, loaded: Loaded, cycles: int) -> None:
    """The list is under way for so many cycles, on a memory that stalls and has no results yet."""
    for step in loaded.plan.tensors:
        for each in step:
            if each.written:
                block = loaded.blocks[each.block]
                runtime.board.at(loaded.places[each.block], (block.size,), "u1")[:] = OLD
    runtime.board.timing(STALLS)
    told = runtime.arguments(loaded)
    runtime.device.start(*(told[name] for name in runtime.device.arguments))
    runtime.board.pause(cycles)


def as_predicted(runtime: Runtime, loaded: Loaded, latency: int) -> None:
    """Every bit is right, in as many cycles of each program as are predicted."""
    memory, designs = hl.Memory(latency), [task.program.design for task in loaded.plan.tasks]
    runtime.board.timing(memory)
    found, passed = runtime.start(loaded), {run: ["image"] for run in range(1, len(designs))}
    told = runtime.machine.estimate(designs, memory=memory, bus=AXI(64), listed=True, passed=passed)
    assert found.match and [step.cycles for step in found.steps] == [each.run.total for each in told]


@pytest.mark.parametrize("latency", [15, *(pytest.param(cycles, marks=pytest.mark.soak) for cycles in (2, 60, 200))])
def test_a_load_reads_no_word_that_was_fetched_before_it_was_written(runtime, loaded, latency):
    """Regression: the beat that the last tile before a program's start ended in was read again after the start, though
    words in it had been written since. To the cycle as predicted."""
    assert [loaded.plan.early(step, loaded.places)["image"].first > 0 for step in range(4)] == [False, True, True, True]
    assert loaded.plan.early(1, loaded.places)["image"] == Follows(1, 1)
    begun(runtime, loaded, 1)
    runtime.device.abort()
    with pytest.raises(DeviceError, match="aborted"):
        runtime.device.wait()
    as_predicted(runtime, loaded, latency)


def test_a_chain_that_is_cut_off_anywhere_is_right_the_next_time(runtime, loaded):
    """An abort, an error response and a stop in the middle of what follows, under stalls."""
    stopped = set[int]()
    for cycles in range(600, 1300, 50):
        begun(runtime, loaded, cycles)
        runtime.device.abort()
        with pytest.raises(DeviceError, match="aborted"):
            runtime.device.wait()
        assert runtime.start(loaded).match, f"after an abort at {cycles}"
        begun(runtime, loaded, cycles)
        runtime.board.timing(STALLS, refuse=1 + cycles % 100 // 50)
        runtime.board.pause(250)
        runtime.board.timing(STALLS)
        with pytest.raises(DeviceError, match="error"):
            runtime.device.wait()
        assert runtime.start(loaded).match, f"after errors at {cycles}"
        begun(runtime, loaded, cycles)
        runtime.device.command("stop")
        runtime.device.wait()
        runtime.device.write("isr", runtime.device.read("isr"))
        stopped.add(done := runtime.device.read("completed"))
        assert runtime.start(loaded, done).match, f"after a stop at {cycles}"
    assert stopped >= {2, 3}


def test_what_fills_registers_ahead_leaves_memory_in_time(runtime):
    """Regression: the model learned too late that weights had been taken: 59 cycles of 651."""
    runtime.board.memory[:] = OLD
    early = runtime.load(ahead())
    for latency in (40, 55):
        as_predicted(runtime, early, latency)


def test_what_fills_registers_goes_on_while_the_image_of_the_last_program_is_held_back(runtime):
    """Regression: only before another program did the model know in time that weights had been taken: 2 cycles of 1061,
    in a list on a memory 60 cycles away 69 of 387."""
    runtime.board.memory[:] = OLD
    as_predicted(runtime, runtime.load(held_back()), 60)
