"""Cycles without simulation."""

import pytest

from halidehw import Func, ImageParam, Int, RDom, Var, i32
from halidehw.energy_model.cycles import Cycles, cycles
from halidehw.energy_model.timeline import timeline
from halidehw.errors import CostError
from halidehw.microarch.derive import derive
from halidehw.microarch.network import Network
from halidehw.scheduler import lower
from halidehw.simulate import Memory
from tests.energy_model.designs import conv, padded, product, spilling


def hardware(func: Func) -> Network:
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
    """Each cycle of latency shows, of the first words at least."""
    accelerator = hardware(conv(17, 13, 2))
    by_latency = [cycles(accelerator, Memory(latency=latency)).total for latency in (1, 2, 3, 20, 100)]
    by_rate = [cycles(accelerator, Memory(words_per_cycle=rate)).total for rate in (1, 0.5, 0.2, 0.1)]
    assert by_latency == sorted(set(by_latency))
    assert by_rate == sorted(by_rate)


def test_the_culprit_of_a_slow_memory_is_named():
    found = cycles(hardware(conv()), Memory(words_per_cycle=0.2))
    assert max(found.stalls, key=found.stalls.__getitem__) == "input_in"
    assert found.tensors["input_in"] == "input"


def two_levels() -> Func:
    """A matrix product that uses 16 words of `a` in 4 steps; they come one a cycle from a buffer of 64."""
    n, m, no, ni, mo, mi = map(Var, ("n", "m", "no", "ni", "mo", "mi"))
    k = RDom([(0, 16)], "k")
    a, b, c = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("c")
    c[n, m] += i32(a[k.x, m]) * i32(b[n, k.x])
    c.bound(n, 0, 16).bound(m, 0, 32)
    stage = c.update().split(n, no, ni, 8).split(m, mo, mi, 4).reorder(ni, k.x, mi, no, mo)
    stage.unroll(ni, 8).unroll(k.x, 4)
    a.in_().compute_at(c, mo)
    a.in_().in_().compute_at(c, mi)
    b.in_().compute_at(c, mo)
    return c.accelerate([a, b])


@pytest.mark.parametrize(
    ("memory", "level", "cause"),
    [
        (Memory(), "a_in", "width"),
        (Memory(words_per_cycle=0.1), "memory", "bandwidth"),
    ],
)
def test_culprits_are_followed_to_the_level_that_is_late(memory: Memory, level: str, cause: str):
    found = cycles(hardware(two_levels()), memory)
    late = [culprit for culprit in found.culprits if culprit.buffer == "a_in_in"]
    most = max(late, key=lambda culprit: culprit.cycles)
    assert (most.tensor, most.level, most.cause) == ("a", level, cause)


@pytest.mark.parametrize("memory", [Memory(), Memory(latency=50), Memory(20, 0.3)])
@pytest.mark.parametrize("func", [conv(17, 13, 2), padded(), product(), spilling(), two_levels()])
def test_culprits_add_up_to_the_stalls(func: Func, memory: Memory):
    found = cycles(hardware(func), memory)
    for buffer, stall in found.stalls.items():
        assert sum(culprit.cycles for culprit in found.culprits if culprit.buffer == buffer) == stall
    assert all(culprit.cycles > 0 for culprit in found.culprits)


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
