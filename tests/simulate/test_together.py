"""Several designs in one build, and several scenarios of each."""

from fractions import Fraction

import numpy as np
import pytest

from halidehw.errors import SimulationError, TypeMismatch
from halidehw.simulate import Experiment, Memory, Scenario, simulate_together

A, B = np.arange(20) * 7 - 50, np.arange(20) * -3
INPUTS = {"a": A, "b": B}


def experiment(design, *scenarios, edit=str, words=20):
    found = design(1, words, edit=edit)
    return Experiment(found.verilog, found.interface, scenarios or (Scenario(INPUTS),))


def test_designs_whose_modules_have_the_same_names(design):
    sums, differences = simulate_together(
        [experiment(design), experiment(design, edit=lambda verilog: verilog.replace(" + (second", " - (second"))]
    )
    assert (sums[0].outputs["y"] == A + B).all()
    assert (differences[0].outputs["y"] == A - B).all()


def test_scenarios_do_not_depend_on_those_before(design):
    memory = Memory(latency=4, stall_probability=0.4, stall_seed=3)
    stalls, other, reset, again = (
        Scenario(INPUTS, memory),
        Scenario({"a": B, "b": B}, starts=2),
        Scenario(INPUTS, memory, starts=2, reset_at=9, cuts=2),
        Scenario(INPUTS, memory),
    )
    (runs,) = simulate_together([experiment(design, stalls, other, reset, again)])
    assert runs[0].cycles == runs[3].cycles > runs[1].cycles
    assert (runs[1].outputs["y"] == 2 * B).all()
    assert all((runs[i].outputs["y"] == A + B).all() for i in (0, 2, 3))


def test_reset_after_a_part_of_the_scenario_before(design):
    once = Scenario(INPUTS)
    (runs,) = simulate_together([experiment(design, once, Scenario(INPUTS, reset_at=Fraction(99, 100)))])
    assert (runs[1].outputs["y"] == A + B).all() and runs[1].cycles == runs[0].cycles


def test_no_scenario_before(design):
    with pytest.raises(SimulationError, match="reset_at=1/2 is a part of the scenario before, and there is none"):
        simulate_together([experiment(design, Scenario(INPUTS, reset_at=Fraction(1, 2)))])


def test_a_design_that_is_never_done_leaves_the_others(design):
    late = experiment(
        design, Scenario(INPUTS, timeout_cycles=90), Scenario(INPUTS), edit=lambda text: text.replace("done <= 1;", "")
    )
    first, second, third = simulate_together([experiment(design), late, experiment(design)])
    assert isinstance(second, SimulationError) and "add is not done after 90 cycles" in second.message
    assert (first[0].outputs["y"] == third[0].outputs["y"]).all()


def test_a_design_that_cannot_be_built_leaves_the_others(design):
    broken = experiment(design, edit=lambda text: text.replace("reg running;", "reg running"))
    first, second = simulate_together([broken, experiment(design)])
    assert isinstance(first, SimulationError) and "accelerator.v" in first.message
    assert (second[0].outputs["y"] == A + B).all()


def test_words_that_do_not_fit(design):
    with pytest.raises(TypeMismatch, match="no words are given for b"):
        simulate_together([experiment(design), experiment(design, Scenario(INPUTS), Scenario({"a": A}))])
