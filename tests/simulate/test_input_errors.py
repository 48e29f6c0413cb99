"""What a caller can get wrong, one test for each message."""

import numpy as np
import pytest

from halidehw.errors import SimulationError, TypeMismatch
from halidehw.simulate import Memory, simulate_verilog

WORDS = np.arange(8)
GOOD = {"a": WORDS, "b": WORDS}


def fails(design, error, match, inputs=GOOD, **options):
    d = design(1, 8)
    with pytest.raises(error, match=match) as raised:
        simulate_verilog(d.verilog, d.interface, inputs, **options)
    return raised.value


def test_missing_input(design):
    error = fails(design, TypeMismatch, "no words are given for b", {"a": WORDS})
    assert error.legal == ('inputs={"a": ..., "b": ...}',)
    assert error.source and error.source.file == __file__


def test_unknown_input(design):
    fails(design, TypeMismatch, "w: add has no such input", {**GOOD, "w": WORDS})


def test_shape(design):
    fails(design, TypeMismatch, r"a has shape \(9,\), but its memory is 8 words, flat", {"a": np.arange(9), "b": WORDS})


def test_float(design):
    fails(design, TypeMismatch, "a holds float64, but hardware words are integers", {"a": WORDS / 2, "b": WORDS})


def test_range(design):
    inputs = {"a": WORDS * 5000, "b": WORDS}
    fails(design, TypeMismatch, r"a holds 35000 at 7, outside -32768 \.\. 32767", inputs)


def test_starts(design):
    fails(design, SimulationError, "starts=0: a simulation starts at least once", starts=0)


def test_reset_at(design):
    fails(design, SimulationError, "reset_at=0: cycles count from 1", reset_at=0)
    fails(design, SimulationError, "abort_at=0: cycles count from 1", abort_at=0)
    fails(design, SimulationError, "reset_at=2, abort_at=3: a start is cut off in one way", reset_at=2, abort_at=3)
    fails(design, SimulationError, "cuts=3: each is followed by one of 2 starts", reset_at=1, cuts=3, starts=2)
    fails(design, SimulationError, "cuts=0: each is followed by one of 1 starts", reset_at=1, cuts=0)


def test_timeout(design):
    fails(design, SimulationError, "timeout_cycles=0: no run is that short", timeout_cycles=0)


def test_waves_format(design):
    fails(design, SimulationError, "waves='run.txt': the ending of the name says the format", waves="run.txt")


def test_simulator(design):
    fails(design, SimulationError, "no simulator is called 'vcs'", simulator="vcs")


def test_icarus_waves(design):
    fails(design, SimulationError, "waveforms are written by Verilator only", simulator="icarus", waves="run.vcd")


@pytest.mark.parametrize("latency", [0, 1001])
def test_latency(latency):
    with pytest.raises(SimulationError, match=rf"a memory latency of {latency} cycles: it must be 1 to 1000"):
        Memory(latency=latency)


@pytest.mark.parametrize("rate", [0, -1, float("inf"), float("nan")])
def test_rate(rate):
    with pytest.raises(SimulationError, match=f"a memory that moves {rate} words a cycle: it must be a number"):
        Memory(words_per_cycle=rate)


@pytest.mark.parametrize("probability", [-0.1, 1])
def test_stall_probability(probability):
    with pytest.raises(SimulationError, match=rf"a stall probability of {probability}: it must be at least 0"):
        Memory(stall_probability=probability)
