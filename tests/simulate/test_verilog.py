import sys

import numpy as np
import pytest

from halidehw.driver import compile, simulate
from halidehw.driver.draw import random_inputs
from halidehw.errors import SimulationError
from halidehw.frontend.text import parse
from halidehw.simulate import Memory, simulate_verilog

A = np.arange(101) * 37 - 500
B = np.arange(101) * -11 + 7

MEMORIES = {
    "ideal": Memory(),
    "slow": Memory(latency=13),
    "narrow": Memory(words_per_cycle=1),
    "stalling": Memory(latency=3, stall_probability=0.5, stall_seed=4),
}


@pytest.mark.parametrize("memory", MEMORIES.values(), ids=MEMORIES)
@pytest.mark.parametrize("lanes", [1, 4])
def test_words_are_right_whatever_the_memory(design, lanes, memory):
    d = design(lanes, 101)
    run = simulate_verilog(d.verilog, d.interface, {"a": A, "b": B}, memory=memory)
    assert (run.outputs["y"] == A + B).all()
    assert run.counters == {"cycles": run.cycles}


@pytest.mark.parametrize("memory", MEMORIES.values(), ids=MEMORIES)
def test_an_output_is_read_back(design, memory):
    d = design(4, 101, passes=2)
    run = simulate_verilog(d.verilog, d.interface, {"a": A}, memory=memory)
    assert (run.outputs["y"] == 2 * A).all()


@pytest.mark.parametrize("lanes, cycles", [(1, 102), (4, 27)])
def test_ideal_memory_answers_every_cycle_one_cycle_later(design, lanes, cycles):
    d = design(lanes, 101)
    assert simulate_verilog(d.verilog, d.interface, {"a": A, "b": B}).cycles == cycles


def test_latency_and_rate_are_exact(design):
    d = design(4, 101)

    def cycles(memory):
        return simulate_verilog(d.verilog, d.interface, {"a": A, "b": B}, memory=memory).cycles

    assert cycles(Memory(latency=50)) == 27 + 49
    assert cycles(Memory(latency=1000)) == 27 + 999
    assert cycles(Memory(words_per_cycle=1)) == 102
    assert cycles(Memory(words_per_cycle=3)) == 34 + 1
    assert cycles(Memory(words_per_cycle=0.5)) == 202
    assert cycles(Memory(words_per_cycle=100)) == 27


def test_stalls_depend_on_the_seed_alone(design):
    d = design(4, 101)
    runs = [
        simulate_verilog(
            d.verilog, d.interface, {"a": A, "b": B}, memory=Memory(stall_probability=0.4, stall_seed=seed)
        )
        for seed in (1, 1, 2)
    ]
    assert runs[0].cycles == runs[1].cycles != runs[2].cycles
    assert all((run.outputs["y"] == A + B).all() for run in runs)


@pytest.mark.parametrize("reset_at", [None, 1, 2, 9, 53])
def test_reset_and_further_starts_give_the_same_words(design, reset_at):
    d = design(4, 101, passes=2)
    run = simulate_verilog(d.verilog, d.interface, {"a": A}, starts=3, reset_at=reset_at)
    assert (run.outputs["y"] == 2 * A).all()
    assert run.cycles == 54


def test_a_reset_at_each_cycle_of_a_run(design):
    d = design(4, 101, passes=2)
    run = simulate_verilog(d.verilog, d.interface, {"a": A}, starts=60, reset_at=1, cuts=53)
    assert (run.outputs["y"] == 2 * A).all()
    with pytest.raises(SimulationError, match=r"reset_at=54: .* is done after 54 cycles, before the reset"):
        simulate_verilog(d.verilog, d.interface, {"a": A}, starts=60, reset_at=1, cuts=60)


@pytest.mark.parametrize("bits", [1, 8, 33, 64])
def test_words_of_any_width_wrap(design, bits):
    d = design(2, 4, bits=bits)
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    run = simulate_verilog(
        d.verilog, d.interface, {"a": np.array([low, high, low, high]), "b": np.array([low, high, high, -1])}
    )
    exact = [2 * low, 2 * high, low + high, high - 1]
    assert run.outputs["y"].tolist() == [(word - low) % (1 << bits) + low for word in exact]


def test_waveforms_show_the_accelerator(design, tmp_path):
    d = design(1, 8)
    waves = tmp_path / "run.vcd"
    simulate_verilog(d.verilog, d.interface, {"a": np.arange(8), "b": np.arange(8)}, waves=waves)
    text = waves.read_text()
    assert "accelerator" in text and "a_req_addr" in text and "#20" in text


def test_optimizing_for_speed_changes_nothing(design):
    d = design(4, 101)
    run = simulate_verilog(d.verilog, d.interface, {"a": A, "b": B}, optimize="run")
    assert (run.outputs["y"] == A + B).all()
    assert run.cycles == 27


LARGE = """
ImageParam input(Int(16), 3);
ImageParam weight(Int(16), 2);
Var k, y, y1, ys, b;
RDom r(0, 4);
Func output(Int(32), 3);
output(k, y, b) += cast<int32_t>(input(r.x, y, b)) * cast<int32_t>(weight(k, r.x));
output.bound(k, 0, 8).bound(y, 0, 14).bound(b, 0, 4);
output.update().split(y, y1, ys, 7).reorder(b, k, r.x, ys, y1);
output.update().dataflow("b k | r.x ys", 32, 28).systolic({b, k, r.x, ys});
input.in().compute_at(output, y1).ring_buffer(3);
weight.in().compute_root();
output.accelerate({input, weight});
"""


@pytest.mark.soak
def test_loops_over_the_lanes_of_a_large_array_are_compiled_right(monkeypatch):
    """GCC 12.2 for a machine with AVX2 made half of the words wrong, of 896 PEs in a run that is long enough for its
    optimizations."""
    monkeypatch.setattr(sys.modules[simulate.__module__], "WORTH", 0)
    compiled = compile(parse(LARGE).output, shared_port_bits=256)
    assert simulate(compiled, random_inputs(compiled.graph, 0), once=True).match


@pytest.mark.parametrize(("memory", "built"), [(Memory(), "build"), (Memory(words_per_cycle=0.002), "run")])
def test_a_run_that_mostly_waits_is_built_for_its_speed_too(monkeypatch, memory, built):
    """A depthwise layer on an array of 441 PEs was built as if it kept them busy, and took an hour where it takes a
    minute: cycles count, not multiply-accumulates."""
    asked = []

    def only_asked(*_, optimize, **__):
        asked.append(optimize)
        raise SimulationError("not run")

    monkeypatch.setattr(sys.modules[simulate.__module__], "simulate_scenarios", only_asked)
    compiled = compile(parse(LARGE).output, shared_port_bits=256)
    with pytest.raises(SimulationError):
        simulate(compiled, random_inputs(compiled.graph, 0), memory=memory, once=True)
    assert asked == [built]
