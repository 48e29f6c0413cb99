"""From a design to files, to simulated hardware, and back with results."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import halidehw as hl
from halidehw.driver import document, output
from halidehw.driver.counters import differing
from halidehw.driver.draw import random_inputs
from halidehw.driver.extra import Extra, further, hidden, judged
from halidehw.driver.limits import expected, limits
from halidehw.driver.observer import Observer
from halidehw.driver.work import iterations
from halidehw.energy_model.counters import predicted
from halidehw.errors import AlgorithmError, HardwareError, TypeMismatch
from halidehw.ir.printer import loop_nest
from halidehw.microarch.stores import RAM_LATENCY
from halidehw.report.page import page
from halidehw.report.picture import picture
from halidehw.simulate import Memory, Run, Scenario
from halidehw.simulate.words import unwritten_word

EXAMPLES = Path(__file__).parents[1] / "examples"
MACS = 64 * 16 * 16 * 75


@pytest.fixture(scope="module")
def conv() -> hl.Compiled:
    return hl.compile(hl.load(EXAMPLES / "conv.hh"))


def product(columns: int = 6, rows: int = 5, depth: int = 7) -> hl.Func:
    """A matrix product with tiles that do not divide it."""
    n, m, no, ni = map(hl.Var, ("n", "m", "no", "ni"))
    c = hl.RDom([(0, depth)], "c")
    a, b = hl.ImageParam(hl.Int(8), 2, "a"), hl.ImageParam(hl.UInt(5), 2, "b")
    f = hl.Func("f")
    f[n, m] += hl.i32(a[c, m]) * hl.i32(b[n, c])
    f.set_bounds([(0, columns), (0, rows)])
    f.update().split(n, no, ni, 4).unroll(ni, 4)
    a.in_().compute_at(f, no)
    return f.accelerate([a, b])


def arrays(columns: int = 6, rows: int = 5, depth: int = 7) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    return {"a": rng.integers(-128, 127, (rows, depth)), "b": rng.integers(0, 31, (depth, columns))}


def test_snapshots(conv, golden):
    golden("conv_loop_nest.txt", loop_nest(conv.nest))
    golden("conv_microarchitecture.txt", page(conv.accelerator))
    golden("conv.v", conv.verilog)


def test_the_python_and_the_text_of_the_example_give_one_design(conv):
    twin = hl.compile(hl.load(EXAMPLES / "conv.py"))
    assert output.files(twin) == output.files(conv)


def test_two_builds_in_two_processes_are_byte_identical(conv):
    script = f"import sys, halidehw as hl; sys.stdout.write(hl.compile(hl.load({str(EXAMPLES / 'conv.hh')!r})).verilog)"
    environment = {**os.environ, "PYTHONHASHSEED": "1"}  # this process has any other
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == conv.verilog


def test_the_worked_example_is_exact_and_nearly_ideal(conv):
    result = hl.simulate(conv, random_inputs(conv.nest, 0))
    assert result.match
    assert (result.macs, result.pes) == (MACS, 4)
    assert result.cycles <= 1.02 * MACS / 4
    assert result.utilization == MACS / 4 / result.cycles
    assert result.counters["output_words"] == result.outputs.size == 16 * 16 * 64
    assert result.counters["w_words"] == 64 * 75


def test_stalls_change_the_cycles_and_nothing_else():
    compiled = hl.compile(product())
    ideal = hl.simulate(compiled, arrays())
    stalled = hl.simulate(compiled, arrays(), memory=hl.Memory(latency=7, stall_probability=0.4, stall_seed=3))
    assert ideal.match and stalled.match
    assert stalled.cycles > ideal.cycles
    assert {**stalled.counters, "cycles": 0} == {**ideal.counters, "cycles": 0}


def test_a_plain_matrix_product():
    given = arrays()
    result = hl.simulate(product(), given)
    assert np.array_equal(result.outputs, given["a"] @ given["b"])
    assert result.outputs.dtype == np.int32


def test_the_inputs_that_are_set_need_not_be_given():
    f, given = product(), arrays()
    for image in f.sources:
        if image.name in given:
            image.set(given[image.name].astype(image.type.dtype))
    assert hl.simulate(f).match


def test_indices_that_do_not_start_at_zero():
    x, f, a = hl.Var("x"), hl.Func("f"), hl.ImageParam(hl.Int(8), 1, "a")
    f[x] = hl.i32(a[x - 3])
    compiled = hl.compile(f.bound(x, -2, 9).accelerate([a]))
    values = np.arange(9, dtype=np.int8)
    assert np.array_equal(hl.simulate(compiled, {"a": values}).outputs, values)
    placed = hl.Buffer(values)
    placed.set_min([-5])
    assert hl.simulate(compiled, {"a": placed}).match


def test_iterations_of_ragged_splits():
    assert iterations(hl.compile(product()).nest) == 6 * 5 * 7


def test_wide_ports():
    compiled = hl.compile(product(), port_bits=64)
    assert {port.name: port.lanes for port in compiled.interface.ports}["a"] > 1
    assert hl.simulate(compiled, arrays()).match


def test_negative_port_width():
    with pytest.raises(HardwareError, match="a port of -1 bits has no width"):
        hl.compile(product(), port_bits=-1)


@pytest.mark.parametrize("option", ["port_bits", "shared_port_bits"])
@pytest.mark.parametrize("bits", [65537, 10**30])
def test_a_port_wider_than_verilog_promises(option, bits):
    """A port of 2^30 bits was proposed for one of 10^9."""
    with pytest.raises(HardwareError, match=f"^{option}={bits}: a port has 65536 bits at most") as caught:
        hl.compile(product(), **{option: bits})
    assert caught.value.legal == (f"{option}=65536",)
    hl.estimate(product(), **{option: 65536})


def test_no_latency_at_all():
    with pytest.raises(HardwareError, match="no memory answers within 0 cycles") as caught:
        hl.compile(product(), hide_latency=0)
    assert caught.value.legal == ("hide_latency=1",)


@pytest.mark.parametrize(("name", "plain"), [("a.b", "a_b"), ("_a", "a"), ("größe", "gr__e")])
def test_a_name_that_no_signal_can_have(name, plain):
    x, f, a = hl.Var("x"), hl.Func("f"), hl.ImageParam(hl.Int(8), 1, name)
    f[x] = a[x]
    with pytest.raises(AlgorithmError, match="names a memory port") as caught:
        hl.compile(f.bound(x, 0, 4).accelerate([a]))
    assert caught.value.legal == (f'"{plain}"',)


def test_what_is_no_design():
    with pytest.raises(TypeMismatch, match="a design is a Func, a Pipeline or a Design, not str"):
        hl.compile("conv.hh")  # type: ignore[arg-type]


def test_written_files(tmp_path):
    compiled = hl.compile(product())
    paths = hl.write(compiled, tmp_path / "new" / "folder")
    names = ["f.v", "loop_nest.txt", "microarchitecture.txt", "microarchitecture.svg", "design.json"]
    assert [path.name for path in paths] == names
    assert paths[0].read_text() == compiled.verilog
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["folder"]
    assert hl.write(compiled, tmp_path / "new" / "folder") == paths


def test_latencies_are_described():
    """Those of the PEs once were not, and a register file was said to take one cycle, which it does not."""
    whole = hl.compile(hl.load(EXAMPLES / "dataflows" / "ws16.py"))
    facts = document(whole)
    assert facts["microarchitecture"]["register_files"]
    assert facts["latencies"] == {"pe": 1, "landed": 13, "drain": 4, "writer": 5}
    assert all(file["latency"] == RAM_LATENCY for file in facts["microarchitecture"]["register_files"])


def test_nothing_is_left_of_a_write_that_fails(tmp_path, monkeypatch):
    compiled, whole = hl.compile(product()), Path.write_text

    def full_disk(path: Path, text: str, **options: str) -> int:
        if path.name == "design.json":
            raise OSError("no space left")
        return whole(path, text, **options)

    monkeypatch.setattr(Path, "write_text", full_disk)
    with pytest.raises(OSError, match="no space left"):
        hl.write(compiled, tmp_path / "folder")
    assert list(tmp_path.iterdir()) == []


def test_a_file_where_the_folder_should_be(tmp_path):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(OSError, match="taken"):
        hl.write(hl.compile(product()), tmp_path / "taken")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_the_document_names_loops_buffers_and_parts(conv):
    facts = document(conv)
    assert [loop["name"] for loop in facts["loops"]] == ["k", "yo", "xo", "yi", "xi", "r.z", "r.y", "r.x"]
    assert {buffer["name"]: buffer["extents"] for buffer in facts["buffers"]} == {
        "input_in": [12, 12, 3],
        "w_in": [5, 5, 3, 1],
    }
    travel = {operand["tensor"]: operand["travel"] for operand in facts["microarchitecture"]["operands"]}
    assert travel == {"input": {"xi": "shifted"}, "w": {"xi": "forwarded"}}


def test_the_ways_of_an_array():
    facts = document(hl.compile(hl.load(EXAMPLES / "gemm.hh")))["microarchitecture"]
    assert facts["output"]["travel"] == {"n": "stationary", "c.x": "chain"}
    ways = document(hl.compile(product()))["microarchitecture"]
    assert {operand["tensor"]: operand["travel"]["ni"] for operand in ways["operands"]}["a"] == "broadcast"


def test_a_drawing_of_many_pes():
    x, f, a = hl.Var("x"), hl.Func("f"), hl.ImageParam(hl.Int(8), 1, "a")
    f[x] = hl.i32(a[x])
    f.bound(x, 0, 64).unroll(x, 32)
    drawing = picture(hl.compile(f.accelerate([a])).accelerator)
    assert "32 PEs" in drawing and ">...<" in drawing and ">31<" in drawing


def long_product() -> hl.Compiled:
    """12 million cycles of one PE, the sums of which leave it once in 200 000."""
    c = hl.RDom([(0, 200_000)], "c")
    x, a, f = hl.Var("x"), hl.ImageParam(hl.Int(8), 1, "a"), hl.Func("f")
    f[x] += hl.i32(a[c.x]) * hl.i32(x)
    f.set_bounds([(0, 60)])
    a.in_().compute_root()
    return hl.compile(f.accelerate([a]))


@pytest.mark.parametrize(
    "memory", [hl.Memory(), hl.Memory(latency=1000, words_per_cycle=0.001), hl.Memory(stall_probability=0.99)]
)
def test_the_limits_of_a_run_follow_from_its_length(memory):
    accelerator = long_product().accelerator
    found = limits(accelerator, memory)
    assert found.timeout > 1.5 * expected(accelerator, memory) > 12_000_000
    assert found.patience > 4 * 200_000


def test_a_run_that_is_silent_for_long_and_slow_is_not_stopped():
    """Were the patience that of the memory alone, or the limit ten million cycles for all, these would be."""
    for memory in (hl.Memory(words_per_cycle=0.01), hl.Memory(latency=200, stall_probability=0.9)):
        assert hl.simulate(product(), arrays(), memory=memory, once=True).match


def test_a_further_run_takes_nothing_over_from_one_that_may_have_been_stopped():
    """A start while a run goes on is ignored: those after further starts begin with a reset or an abort."""
    found = further(Scenario({}), hl.compile(product()).accelerator)
    later = [each for each in found if "further start" not in each.name]
    assert len(later) == 3 and all(not each.onward or each.cut_at for each in later)


def test_further_runs_are_judged():
    compiled = hl.compile(product())
    want = np.arange(30).reshape(5, 6)
    wrong = want.reshape(-1).copy()
    wrong[[3, 7]] += 1
    first, run = Scenario({}), Run({"f": want.reshape(-1)}, {}, 9)

    def found(run: Run) -> Extra:
        (extra,) = judged([(first, run), (first, run)], [(compiled.nest, want.reshape(-1))], compiled.accelerator)
        return extra

    assert found(run).match
    whole = found(replace(run, outputs={"f": wrong}))
    assert (whole.words, whole.mismatches, whole.cycles) == (30, 2, 9)
    wrong[7:] = unwritten_word(hl.Int(32), 3)
    cut = found(Run({"f": wrong}, {}, 9, whole=False, starts=3))
    assert (cut.words, cut.mismatches) == (7, 1)
    both = whole + replace(cut, counters=("steps",))
    assert (both.words, both.mismatches, both.cycles, both.counters) == (7, 3, 9, ("steps",))


def test_counters_of_further_runs_are_judged():
    compiled = hl.compile(product(), counters="all")
    nest, accelerator = compiled.nest, compiled.accelerator
    counts = predicted(nest, accelerator)
    first = Scenario({}), Run({}, counts, counts["cycles"])
    late = {"cycles": counts["cycles"] + 5, "drain_cycles": counts["drain_cycles"] + 5}

    def found(taken: int, latency: int = 9, hold: int = 5, **wrong: int) -> tuple[str, ...]:
        run = replace(first[1], cycles=taken, counters=counts | wrong)
        return differing(Scenario({}, Memory(latency), hold=hold), run, first, accelerator)

    assert found(counts["cycles"], latency=1, hold=0) == found(late["cycles"], **late) == ()
    assert found(late["cycles"], latency=1, hold=0, **late) == ("cycles", "drain_cycles")
    assert found(late["cycles"], latency=1, **late) == ()
    slow = predicted(nest, accelerator, Memory(9))
    assert found(slow["cycles"], hold=0, **slow) == ()
    assert found(late["cycles"], hold=0, **late)[0] == "cycles"
    assert found(late["cycles"], **late, macs=1) == ("macs",)
    assert found(counts["cycles"] + 4, **late) == ("cycles", "fill_cycles", "drain_cycles", *stalls(counts))
    assert found(late["cycles"], cycles=late["cycles"]) == ("fill_cycles", "drain_cycles", *stalls(counts))


def stalls(counts: dict[str, int]) -> list[str]:
    return [name for name in counts if name.startswith("stalls_")]


def test_counters_that_are_full_are_compared_as_far_as_they_go():
    result = hl.simulate(hl.compile(product(), counters="all", counter_bits=9), arrays())
    assert result.match and result.cycles < 512 < max(extra.cycles for extra in result.extras)


def test_parts_of_stores_that_are_not_given_back_are_missed():
    """All parts are used twice: a stream's 53 take as many starts as a run has tiles for, though at least eight."""
    assert len(further(Scenario({}), hl.compile(product()).accelerator)) == 8 + 3
    small = hl.compile(product(1, 1, 1)).accelerator
    assert len(further(Scenario({}), small)) == max(store.halves for store in small.stores) + 3
    assert [each.name for each in further(Scenario({}), long_product().accelerator)][:2] == [
        "on a second start", "under random stalls, after an abort",
    ]  # fmt: skip


def test_the_slower_memory_is_as_slow_as_the_hardware_has_parts_for(conv):
    """The latency that was to be hidden, or no less where steps of several cycles leave some to spare."""
    for latency in (20, 50, 70):
        wide = hl.compile(product(), port_bits=32, hide_latency=latency).accelerator
        assert hidden(wide) == latency == further(Scenario({}), wide)[-1].memory.latency
        assert latency <= hidden(hl.compile(product(), hide_latency=latency).accelerator) < latency + 5
    assert hidden(conv.accelerator) == 50
    assert all(each.memory.latency == 1 for each in further(Scenario({}), wide, slow=False))


def test_a_result_matches_only_if_its_further_runs_do():
    result = hl.simulate(product(), arrays())
    assert result.match and [extra.words for extra in result.extras] == [30, 30, 30, 30]
    for failed in (replace(result.extras[0], mismatches=1), replace(result.extras[0], counters=("steps",))):
        assert not replace(result, extras=(failed,)).match
    assert repr(replace(result, extras=(failed,))).startswith("<Result: counters WRONG, ")
    assert replace(result, extras=()).match


def test_large_waveforms_are_a_warning():
    with pytest.warns(UserWarning, match="the waveforms of 307659 cycles will take about 1800 MB"):
        Observer().foretold(1_800_000_000, 307_659)
