"""Starts that go on, that are cut, and that are given up; the waveforms of a part of one."""

from __future__ import annotations

import os
import re
import signal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from halidehw.errors import SimulationError
from halidehw.expr.types import Int
from halidehw.simulate import Experiment, Memory, Scenario, Stop, Watch, Waves, simulate_scenarios
from halidehw.simulate.children import child, finished
from halidehw.simulate.words import unwritten_word

A, B = np.arange(20) * 7 - 50, np.arange(20) * -3
FIRST = Scenario({"a": A, "b": B})
PART = Stop(Fraction(1, 2), 10)
SLOW = Memory(words_per_cycle=0.01)


def onward(**options: object) -> Scenario:
    return Scenario(FIRST.inputs, onward=True, name="on a second start", **options)  # type: ignore[arg-type]


def runs(design, *scenarios: Scenario, edit=str, **options):
    found = design(1, 20, edit=edit)
    return simulate_scenarios(Experiment(found.verilog, found.interface, scenarios), **options)


def without(old: str, new: str = ""):
    def edit(verilog: str) -> str:
        assert old in verilog
        return verilog.replace(old, new)

    return edit


def test_a_start_goes_on_from_the_one_before(design):
    first, second = runs(design, FIRST, onward())
    assert (first.outputs["y"] == A + B).all() and (second.outputs["y"] == A + B).all()
    assert (first.cycles, first.starts, second.cycles, second.starts) == (second.cycles, 1, first.cycles, 2)


def test_a_second_start_without_a_reset_finds_what_the_first_one_left(design):
    """A counter that only a reset clears: a reset before each start hides it."""
    forgets = without("(start && !running) || next_pass) asked_a", "next_pass) asked_a")
    fresh = runs(design, FIRST, Scenario(FIRST.inputs), edit=forgets)
    assert all((run.outputs["y"] == A + B).all() for run in fresh)
    message = "on a second start: add is stuck: no word has crossed a port in the last 99 of"
    with pytest.raises(SimulationError, match=message):
        runs(design, FIRST, onward(patience=99), edit=forgets)


def test_a_stopped_start_has_written_some_words_right(design):
    first, second = runs(design, FIRST, onward(stop=PART))
    assert first.whole and not second.whole
    assert second.cycles == first.cycles // 2
    written = second.outputs["y"] != unwritten_word(Int(16), second.starts)
    assert 0 < written.sum() < 20
    assert (second.outputs["y"][written] == (A + B)[written]).all()


def test_short_runs_are_not_stopped(design):
    first, second = runs(design, FIRST, onward(stop=Stop(Fraction(1, 2), 10_000)))
    assert second.whole and second.cycles == first.cycles


def test_a_scenario_after_a_stopped_one_begins_anew(design):
    cut, after = runs(design, FIRST, onward(stop=PART), Scenario(FIRST.inputs, SLOW))[1:]
    assert not cut.whole and after.whole and (after.outputs["y"] == A + B).all()


def test_a_start_that_moves_no_word_is_given_up(design):
    stops = without("assign b_req_valid = running", "assign b_req_valid = 0 && running")
    with pytest.raises(SimulationError) as caught:
        runs(design, Scenario(FIRST.inputs, patience=30), edit=stops)
    assert caught.value.message == (
        "add is stuck: no word has crossed a port in the last 30 of 32 cycles: "
        "a does not take the answer it is offered; b is idle; y is idle"
    )
    assert caught.value.legal == ("timeout_cycles=300",)


def test_a_start_that_moves_a_word_now_and_then_is_not(design):
    (run,) = runs(design, Scenario(FIRST.inputs, SLOW, patience=150))
    assert run.cycles > 1900


def test_each_memory_is_held_back_in_turn(design):
    """The first one until the design has done what it can without it, then the next one: nothing is to be done without
    the other input either, and the output takes none."""
    first, held, output = runs(design, FIRST, onward(hold=1000), onward(hold=1000, held_first=2))
    assert first.cycles == 21 and held.cycles > 21 + 2 * 21 and 21 + 18 < output.cycles < held.cycles
    assert (held.outputs["y"] == A + B).all() and (output.outputs["y"] == A + B).all()


def test_a_start_does_not_inherit_the_debt_of_the_one_before(design):
    slow = Memory(words_per_cycle=Fraction(3, 100))
    first, second = runs(design, Scenario(FIRST.inputs, slow), Scenario(FIRST.inputs, slow, onward=True))
    assert first.cycles == second.cycles


def stamps(path: Path) -> tuple[int, list[int]]:
    """How many time steps a VCD has, and the values that the bench's count of cycles takes in it."""
    text = path.read_text()
    scope = text[: text.index("$enddefinitions")]
    (symbol,) = set(re.findall(r"^ *\$var \w+ +64 (\S+) cycles ", scope, re.M))
    found = [int(value, 2) for value in re.findall(rf"^b([01]+) {re.escape(symbol)}$", text, re.M)]
    return len(re.findall(r"^#", text, re.M)), found


def test_waveforms_of_a_window(design, tmp_path):
    runs(design, FIRST, onward(), waves=Waves(tmp_path / "run.vcd", 5, 9))
    assert stamps(tmp_path / "run.vcd") == (8, [5, 6, 7, 8])


def test_waveforms_that_begin_after_the_end(design, tmp_path):
    path = tmp_path / "run.vcd"
    message = "the waveforms begin at cycle 900, but the start is done after 21 cycles"
    with pytest.raises(SimulationError, match=message) as caught:
        runs(design, FIRST, waves=Waves(path, 900))
    assert caught.value.legal == (f'Waves("{path}", 0, 21)',)
    assert not path.exists()


def test_waveforms_are_of_the_first_run(design, tmp_path):
    first, _ = runs(design, FIRST, onward(), waves=Waves(tmp_path / "run.vcd"))
    assert stamps(tmp_path / "run.vcd")[1] == list(range(first.cycles + 1))


NESTED = (
    "module add (",
    "module inner (input clk, output reg [3:0] count); always @(posedge clk) count <= count + 1; endmodule\n"
    "module add (",
)
INSTANCE = ("reg running;", "reg running; wire [3:0] seen;\n  inner counter_0 (.clk(clk), .count(seen));")


def nested(verilog: str) -> str:
    return verilog.replace(*NESTED).replace(*INSTANCE)


def test_waveforms_of_a_scope(design, tmp_path):
    runs(design, FIRST, edit=nested, waves=Waves(tmp_path / "run.vcd", scope="counter_0"))
    scope = (tmp_path / "run.vcd").read_text().partition("$enddefinitions")[0]
    assert set(re.findall(r"\$var \w+ +\d+ \S+ (\w+)", scope)) == {"clk", "count"}


def test_a_scope_that_is_not_there(design, tmp_path):
    with pytest.raises(SimulationError) as caught:
        runs(design, FIRST, edit=nested, waves=Waves(tmp_path / "run.vcd", scope="counter_1"))
    assert caught.value.message == "add has no instance counter_1"
    assert caught.value.legal == ('scope="counter_0"',)
    assert not (tmp_path / "run.vcd").exists()


def test_the_size_of_waveforms_is_foretold(design, tmp_path):
    path, told, seen = tmp_path / "run.vcd", [], []
    memory = Memory(words_per_cycle=0.0015)
    (run,) = runs(design, Scenario(FIRST.inputs, memory))
    watch = Watch(run.cycles, seen.append, lambda size, cycles: told.append((size, cycles, path.exists())))
    runs(design, Scenario(FIRST.inputs, memory), waves=path, watch=watch)
    ((size, cycles, written),) = told
    assert cycles == run.cycles > 10_000 and not written
    assert abs(size - path.stat().st_size) < 0.2 * path.stat().st_size


def test_progress_is_told(design):
    seen: list[int] = []
    runs(design, Scenario(FIRST.inputs, Memory(words_per_cycle=0.001), starts=60), watch=Watch(0, seen.append, print))
    assert seen and seen == sorted(seen) and all(cycles % 4096 == 0 for cycles in seen)


@pytest.mark.parametrize("name", ["/proc/run.vcd", "nowhere/run.vcd"])
def test_waveforms_that_cannot_be_written(name):
    with pytest.raises(SimulationError, match=f"the waveforms cannot be written to {name}: No such file") as caught:
        Waves(Path(name))
    assert Waves(Path(caught.value.legal[0].split('"')[1])).format == "vcd"


def test_a_window_without_a_cycle(tmp_path):
    path = tmp_path / "run.vcd"
    with pytest.raises(SimulationError, match="no cycle lies from 9 up to 9") as caught:
        Waves(path, 9, 9)
    assert caught.value.legal == (f'Waves("{path}", 0, 1000)',)


def test_a_child_ends_with_the_block_and_all_that_it_started(tmp_path):
    script = "sleep 1000 & echo $! > inner; wait"
    with pytest.raises(KeyboardInterrupt), child(["sh", "-c", script], cwd=tmp_path) as process:
        while not (tmp_path / "inner").exists() or not (tmp_path / "inner").read_text().strip():
            pass
        raise KeyboardInterrupt
    assert process.returncode == -signal.SIGKILL
    inner = int((tmp_path / "inner").read_text())
    state = Path(f"/proc/{inner}/stat")
    while state.exists() and state.read_text().split()[2] != "Z":  # until the kernel has ended it
        pass
    assert not state.exists() or os.getsid(inner) == process.pid


def test_programs_side_by_side(tmp_path):
    commands = [["sh", "-c", f"echo {i}; echo no {i} >&2; exit {i}"] for i in range(5)]
    assert finished(commands, tmp_path) == [(i, f"{i}\n", f"no {i}\n") for i in range(5)]
