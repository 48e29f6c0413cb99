"""Which counters hardware has, how wide, and whether they are wide enough."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import halidehw as hl
from halidehw.energy_model.counters import predicted
from halidehw.errors import HardwareError
from halidehw.microarch.counters import most
from halidehw.simulate import Experiment, Scenario, simulate_together
from tests.fuzz.check import accepted
from tests.hardware.test_prefix import EXPECTED, INPUTS, product
from tests.refused import refused
from tests.test_cli import design, refusal, stdout  # noqa: F401


def test_counters_as_wide_as_needed_and_none_at_all():
    full = hl.compile(product(2), counters="all", prefix="counted")
    counts = predicted(full.nest, full.accelerator)
    needed = max(counts.values()).bit_length()
    narrow = hl.compile(product(2), counters="all", counter_bits=needed, prefix="counted")
    bare = hl.compile(product(2), counters="none", prefix="bare")
    experiments = [Experiment(each.verilog, each.interface, (Scenario(INPUTS),)) for each in (narrow, bare)]
    (counted,), (uncounted,) = simulate_together(experiments)
    assert counted.counters == {name: counts[name] for name in counted.counters} and len(counted.counters) == 20
    assert all((run.outputs["f"] == EXPECTED).all() for run in (counted, uncounted))
    assert (uncounted.counters, uncounted.cycles) == ({}, counted.cycles)
    assert {counter.bits for counter in narrow.interface.counters} == {needed}
    assert not any(word in bare.verilog for word in ("Counters", "[47:0]", "f_words"))


def test_counters_have_the_bits_of_a_run_and_that_of_cycles_all():
    full = hl.compile(product(2))
    counts, reached = predicted(full.nest, full.accelerator), most(full.accelerator)
    assert reached == {name: counts[name] for name in ("steps", "a_words", "b_words", "f_words")}
    counting = dict(re.findall(r"^ +(\w+)\[(\d+):0\] <= \1\[\2:0\] \+", full.verilog, re.M))
    assert counting == {name: str(count.bit_length() - 1) for name, count in reached.items()}
    assert "cycles <= cycles + {47'd0, control_running};" in full.verilog
    listed = replace(full.accelerator, interface=replace(full.accelerator.interface, lists=("",)))
    assert most(listed) == {}


def test_random_designs_count_no_further():
    for drawn in accepted(range(12)):
        counts = predicted(drawn.graph, drawn.accelerator)
        assert all(counts[name] <= count for name, count in most(drawn.accelerator).items())


def test_a_counter_too_narrow_is_refused_with_the_bits_it_needs():
    found = hl.compile(product(2))
    cycles = predicted(found.nest, found.accelerator)["cycles"]
    bits = cycles.bit_length()
    message = f"`cycles` of f counts {cycles}, for which {bits - 1} bits are too few"
    legal = (f"counter_bits={bits}", 'counters="none"')
    refused(lambda: hl.compile(product(2), counter_bits=bits - 1), message, *legal)
    assert hl.compile(product(2), counter_bits=bits).interface.counters[0].bits == bits
    assert hl.compile(product(2), counter_bits=bits - 1, counters="none").interface.counters == ()


def test_a_slower_memory_needs_wider_counters():
    found = hl.compile(product(2))
    ideal = predicted(found.nest, found.accelerator)["cycles"].bit_length()
    compiled = hl.compile(product(2), counter_bits=ideal)
    slow = hl.Memory(latency=500)
    needed = predicted(found.nest, found.accelerator, slow)["cycles"]
    inputs = {"a": INPUTS["a"].reshape(3, 4), "b": INPUTS["b"].reshape(4, 4)}
    refused(lambda: hl.simulate(compiled, inputs, memory=slow),
            f"`cycles` of f counts {needed}, for which {ideal} bits are too few",
            f"counter_bits={needed.bit_length()}", 'counters="none"')  # fmt: skip
    with pytest.raises(HardwareError, match=r"^`cycles` of f counts up to \d{5}, for which"):
        hl.simulate(compiled, inputs, memory=replace(slow, stall_probability=0.5))


def test_counters_that_are_none():
    refused(lambda: hl.compile(product(2), counters=True), "counters=True says nothing of counters",
            'counters="none"', 'counters="basic"', 'counters="all"')  # fmt: skip
    for bits in (0, 65, 4.5, True):
        message = f"counter_bits={bits} is no width of 1 to 64 bits"
        refused(lambda bits=bits: hl.compile(product(2), counter_bits=bits), message, "counter_bits=48")


def test_at_the_command_line(design, tmp_path):  # noqa: F811
    lines = refusal("compile", design, "-o", tmp_path / "out", "--counters", "all", "--counter-bits", 6).splitlines()
    assert lines[0].startswith("halidehw: `") and lines[0].endswith(", for which 6 bits are too few")
    assert lines[2:] == ["    --counter-bits 8", "    --counters none"]
    assert not (tmp_path / "out").exists()
    narrow = ("--counters", "all", "--counter-bits", 6)
    for line in lines[2:]:
        assert stdout("compile", design, "-o", tmp_path / "out", *narrow, *line.split())
    assert "Counters" not in (tmp_path / "out" / "f.v").read_text()


def test_words_of_a_port_of_512_lanes_are_counted():
    """A sum of as many bits was deeper than Python recurses."""
    x, f, a = hl.Var("x"), hl.Func("f"), hl.ImageParam(hl.UInt(1), 1, "a")
    f[x] = a[x] ^ 1
    assert "a_words" in hl.compile(f.bound(x, 0, 1024).vectorize(x, 512), port_bits=512, counters="all").verilog
