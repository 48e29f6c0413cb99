"""A design that breaks the protocol fails with a message that names the port."""

import numpy as np
import pytest

from halidehw.errors import SimulationError
from halidehw.simulate import Memory, simulate_verilog
from halidehw.simulate.words import unwritten_at


def broken(design, old, new, match, *, lanes=1, memory=None, **options):
    d = design(lanes, 20, edit=lambda verilog: verilog.replace(old, new))
    assert new in d.verilog
    with pytest.raises(SimulationError, match=match) as error:
        simulate_verilog(d.verilog, d.interface, {"a": np.arange(20), "b": np.arange(20)}, memory=memory, **options)
    return error.value


def test_read_outside(design):
    broken(
        design,
        "a_req_addr = asked_a;",
        "a_req_addr = asked_a + 3;",
        r"port a reads address 20 of a, which has 20 words \(0 \.\. 19\)",
    )


def test_write_outside(design):
    broken(
        design,
        "y_addr = written;",
        "y_addr = written + 3;",
        r"cycle \d+: port y writes address 20 of y, which has 20 words \(0 \.\. 19\)",
    )


def test_lane_outside(design):
    broken(
        design,
        "assign a_req_mask = {(asked_a + 2 < WORDS)",
        "assign a_req_mask = {(asked_a + 1 < WORDS)",
        "port a reads address 20",
        lanes=3,
    )


def test_masked_lanes_may_lie_outside(design):
    d = design(3, 20)
    run = simulate_verilog(d.verilog, d.interface, {"a": np.arange(20), "b": np.arange(20)})
    assert (run.outputs["y"] == 2 * np.arange(20)).all()


def test_request_that_changes(design):
    broken(
        design,
        "a_req_addr = asked_a;",
        "a_req_addr = cycles;",
        r"port a changes or withdraws what it offers before it is accepted \(address \d+\)",
        memory=Memory(stall_probability=0.5),
    )


def test_write_that_is_withdrawn(design):
    broken(
        design,
        "assign y_valid = a_resp_valid",
        "assign y_valid = cycles[0] && a_resp_valid",
        "port y changes or withdraws what it offers",
        memory=Memory(stall_probability=0.5),
    )


def test_second_start_that_differs(design):
    d = design(
        1,
        20,
        edit=lambda verilog: verilog.replace("= a_resp_data[0", "= taken + a_resp_data[0").replace(
            "reg running;", "reg running; reg [15:0] taken = 0; always @(posedge clk) if (start) taken <= taken + 1;"
        ),
    )
    with pytest.raises(SimulationError, match="start 2 of 2 gives 2 for word 0 of y, the first start gives 1"):
        simulate_verilog(d.verilog, d.interface, {"a": np.arange(20), "b": np.arange(20)}, starts=2)


def test_unwritten_words_differ_from_start_to_start(design):
    """They are what memory holds before each start, which no expected word is in both."""
    d = design(1, 20, edit=lambda verilog: verilog.replace("y_addr = written;", "y_addr = written < 19 ? written : 0;"))
    port, inputs = next(port for port in d.interface.ports if port.kind == "write"), dict.fromkeys("ab", np.arange(20))
    last = [simulate_verilog(d.verilog, d.interface, inputs, starts=starts).outputs["y"][19] for starts in (1, 2)]
    assert last == [unwritten_at(port, 1), unwritten_at(port, 2)] and last[0] != last[1]


def test_never_done(design):
    error = broken(
        design,
        "done <= 1;",
        "done <= 0;",
        "add is not done after 500 cycles: a is idle; b is idle; y is idle",
        timeout_cycles=500,
    )
    assert error.legal == ("timeout_cycles=5000",)


def test_deadlock_names_what_each_port_waits_for(design):
    broken(
        design,
        "assign b_req_valid = running",
        "assign b_req_valid = 0 && running",
        "a does not take the answer it is offered; b is idle; y is idle",
        timeout_cycles=50,
    )


def test_reset_after_the_end(design):
    d = design(1, 20)
    with pytest.raises(SimulationError, match="reset_at=90: add is done after 21 cycles, before the reset") as error:
        simulate_verilog(d.verilog, d.interface, {"a": np.arange(20), "b": np.arange(20)}, reset_at=90)
    assert error.value.legal == ("reset_at=10",)


def test_abort_that_leaves_answers_behind(design):
    """An abort that is only a reset: idle at once, with a request accepted whose answer comes later."""
    d = design(1, 20, edit=lambda verilog: verilog.replace("if (rst) begin", "if (rst || abort && running) begin"))
    with pytest.raises(SimulationError, match="add is idle 2 cycles after an abort, but a memory still waits for it: "):
        inputs = {"a": np.arange(20), "b": np.arange(20)}
        simulate_verilog(d.verilog, d.interface, inputs, memory=Memory(latency=9), abort_at=5)


def test_abort_that_does_nothing(design):
    d = design(1, 20)
    with pytest.raises(SimulationError, match="add goes on for 16 cycles after an abort, and is done"):
        simulate_verilog(d.verilog, d.interface, {"a": np.arange(20), "b": np.arange(20)}, abort_at=5)


def test_abort_after_the_end(design):
    d = design(1, 20)
    with pytest.raises(SimulationError, match="abort_at=90: add is done after 21 cycles, before the abort"):
        simulate_verilog(d.verilog, d.interface, {"a": np.arange(20), "b": np.arange(20)}, abort_at=90)


def test_abort_that_never_ends(design):
    broken(
        design,
        "written + 1 >= WORDS",
        "0",
        "add is not idle 32 cycles after an abort, though no memory waits for it any more",
        abort_at=5,
    )
