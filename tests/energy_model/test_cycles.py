"""Cycles without simulation."""

import pytest

from halidehw import Func
from halidehw.energy_model.cycles import Cycles, cycles
from halidehw.energy_model.timeline import timeline
from halidehw.errors import CostError
from halidehw.microarch.accelerator import Accelerator
from halidehw.microarch.derive import derive
from halidehw.scheduler import lower
from halidehw.simulate import Memory
from tests.energy_model.designs import conv, padded, product, spilling


def hardware(func: Func) -> Accelerator:
    return derive(lower(func))


def test_the_worked_example():
    found = cycles(hardware(conv()))
    assert (found.busy, found.stalls) == (307_200, {"input_in": 0, "w_in": 0, "sums": 0})
    assert found.fill == 12 * 12 * 3 + 2
    assert found.total == found.fill + found.busy + found.drain <= 1.02 * 307_200


@pytest.mark.parametrize("func", [conv(), conv(17, 13, 2), padded(), product(), spilling()])
@pytest.mark.parametrize("memory", [Memory(), Memory(latency=50), Memory(words_per_cycle=0.3)])
def test_every_cycle_has_one_cause(func: Func, memory: Memory):
    found = cycles(hardware(func), memory)
    assert found.total == found.fill + found.busy + sum(found.stalls.values()) + found.drain
    assert min(found.fill, found.busy, found.drain, *found.stalls.values()) >= 0


def test_a_slower_memory_never_helps():
    accelerator = hardware(conv(17, 13, 2))
    by_latency = [cycles(accelerator, Memory(latency=latency)).total for latency in (1, 2, 5, 20, 100)]
    by_rate = [cycles(accelerator, Memory(words_per_cycle=rate)).total for rate in (1, 0.5, 0.2, 0.1)]
    assert by_latency == sorted(by_latency)
    assert by_rate == sorted(by_rate)


def test_the_culprit_of_a_slow_memory_is_named():
    found = cycles(hardware(conv()), Memory(words_per_cycle=0.2))
    assert max(found.stalls, key=found.stalls.__getitem__) == "input_in"
    assert found.tensors["input_in"] == "input"


def test_leaps_agree_with_single_steps():
    """The timeline works every tile out; the model leaps over those that repeat."""
    accelerator = hardware(product())
    spans = timeline(accelerator, until=10**9)
    leapt: Cycles = cycles(accelerator)
    assert max(span.last for span in spans if span.process == "array") == leapt.total - leapt.drain
    assert all(span.first <= span.last for span in spans)


def test_random_stalls_are_refused():
    with pytest.raises(CostError, match=r"^a stall probability of 0.3: the model knows no chance\n.*\n *Memory\("):
        cycles(hardware(product()), Memory(stall_probability=0.3))
