"""Instances side by side as loops over arrays: the same words and counters, in a text that hardly grows."""

from __future__ import annotations

import numpy as np
import pytest

import halidehw as hl
from halidehw.backend_hdl import verilog
from halidehw.driver import run
from halidehw.microarch.derive import derive
from halidehw.simulate import Experiment, Scenario, simulate_together
from tests.fuzz.choices import seeded
from tests.fuzz.designs import design

SEEDS = (901, 903, 905)  # a bus cut lane by lane that is no signal of its own; trees; chains; several lanes drained


def test_loops_do_what_instances_do():
    experiments = []
    for seed in SEEDS:
        found = design(seeded(seed))
        accelerator = derive(found.nest, found.options)
        words = {name: np.ascontiguousarray(array).reshape(-1) for name, array in found.arrays.items()}
        scenario = Scenario(words, found.memory, found.starts)
        texts = [verilog(accelerator, loops=loops) for loops in (False, True)]
        assert texts[0] != texts[1]
        experiments += [Experiment(text, accelerator.interface, (scenario,)) for text in texts]
    runs = simulate_together(experiments)
    for one, two in zip(runs[::2], runs[1::2], strict=True):
        assert not isinstance(one, Exception), one
        assert not isinstance(two, Exception), two
        assert {name: list(words) for name, words in one[0].outputs.items()} == {
            name: list(words) for name, words in two[0].outputs.items()
        }
        assert one[0].counters == two[0].counters


@pytest.fixture
def product() -> hl.Func:
    """A matrix product on 16x16 PEs, weights in registers."""
    a, b = hl.ImageParam(hl.Int(8), 2, "a"), hl.ImageParam(hl.Int(8), 2, "b")
    n, m, f, r = hl.Var("n"), hl.Var("m"), hl.Func("f"), hl.RDom([(0, 16)], "r")
    f[n, m] += hl.i32(a[r.x, m]) * hl.i32(b[n, r.x])
    f.set_bounds([(0, 16), (0, 16)])
    f.update().reorder(n, r.x, m).unroll(r.x).unroll(n).systolic(r.x, n)
    return f.accelerate([a, b])


def test_a_grid_is_a_loop_in_a_loop(product):
    text = verilog(hl.compile(product).accelerator, loops=True)
    assert "for (i1 = 0; i1 < 16; i1 = i1 + 1)" in text
    assert "f_pe" not in text


def test_registers_of_loops_are_taken_over_whole(product):
    """A simulator queues each word that a loop assigns; it copies an array."""
    text = verilog(hl.compile(product).accelerator, loops=True)
    assert "lane_product_lane_mul1 <= lane_product_lane_mul1_next;" in text
    assert "_mul1[i0][i1] <=" not in text


def test_a_large_array_is_simulated_as_loops(product, monkeypatch):
    taken = []
    monkeypatch.setattr(run, "simulate_scenarios", lambda experiment, **rest: taken.append(experiment.verilog) or 1 / 0)
    compiled, inputs = hl.compile(product), {name: np.ones((16, 16), np.int8) for name in "ab"}
    for most in (256, 255):
        monkeypatch.setattr(run, "MANY", most)
        with pytest.raises(ZeroDivisionError):
            hl.simulate(compiled, inputs)
    assert taken == [compiled.verilog, verilog(compiled.accelerator, loops=True)]
