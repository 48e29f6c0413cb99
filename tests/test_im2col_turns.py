"""Turns at the one port of the reference's memory: what is decided equals what counters of reads and writes do, cycle
by cycle."""

import importlib.util
import sys
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from amaranth.hdl import Cat, Elaboratable, Module, Mux, Signal
from amaranth.sim import Simulator

from halidehw.errors import HardwareError

PATH = Path(__file__).parents[1] / "examples" / "im2col" / "turns.py"
spec = importlib.util.spec_from_file_location("im2col_turns", PATH)
assert spec and spec.loader
sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
Turns = module.Turns


def counted(turns: Any) -> int:
    """Cycles in which a serializer and a deserializer both want the port, by going through all of them."""
    wanted: Counter[int] = Counter()
    for each in range(turns.passes):
        for element in range(turns.steps):
            read = each * turns.period + element
            if element % turns.word == 0:
                wanted[read] += 1
            if element % turns.word == turns.word - 1:
                wanted[read + turns.distance] += 1
    return sum(many > 1 for many in wanted.values())


def test_the_decision_is_that_of_counters_for_arrays_and_words_up_to_64():
    """Reads and writes meet where (S - 1 + L) mod w = 0, in a stream that is longer than its way through the array."""
    for size, word in product(range(1, 65), range(1, 65)):
        for latency in (0, 6):
            steps = word * (2 + (word + size + latency) // word)
            turns = Turns(word, size + latency, steps)
            assert turns.meetings == counted(turns)
            assert (turns.meetings > 0) == ((size - 1 + latency) % word == 0)


class Port(Elaboratable):
    """The one port of a memory before an array: a serializer that asks for a word every `word` cycles, the way through
    the array, and a deserializer that writes a word when it has collected one; without any quotient."""

    def __init__(self, turns: Any) -> None:
        self.turns, self.met = turns, Signal(16)

    def elaborate(self, platform: object) -> Module:
        m, turns = Module(), self.turns
        left, phase, filled = Signal(16, init=turns.steps), Signal(8), Signal(8)
        way, reads, writes = Signal(turns.distance), Signal(), Signal()
        m.d.comb += [reads.eq((left != 0) & (phase == 0)), writes.eq(way[-1] & (filled == turns.word - 1))]
        m.d.sync += [way.eq(Cat(left != 0, way)), self.met.eq(self.met + (reads & writes))]
        with m.If(left != 0):
            m.d.sync += [left.eq(left - 1), phase.eq(Mux(phase == turns.word - 1, 0, phase + 1))]
        with m.If(way[-1]):
            m.d.sync += filled.eq(Mux(filled == turns.word - 1, 0, filled + 1))
        return m


def test_the_decision_is_that_of_hardware():
    """A serializer and a deserializer at a port, clocked until the last sum is written."""
    for size, word in product((1, 2, 4, 5), (1, 2, 3, 4, 8)):
        turns = Turns(word, size + 4, 5 * word)
        port = Port(turns)

        async def clocked(bench: Any, turns: Any = turns, port: Port = port) -> None:
            await bench.tick().repeat(turns.steps + turns.distance + 1)
            assert bench.get(port.met) == turns.meetings

        simulator = Simulator(port)
        simulator.add_clock(1e-6)
        simulator.add_testbench(clocked)
        simulator.run()


@pytest.mark.parametrize("passes, steps, period", [(9, 18, 18), (5, 4, 10), (3, 8, 13), (4, 6, 7), (7, 2, 2)])
def test_passes_meet_each_other(passes, steps, period):
    for word, distance in product((1, 2), range(1, 30)):
        turns = Turns(word, distance, steps, passes, period)
        assert turns.meetings == counted(turns)


def test_the_conflicts_of_the_reference_page():
    """Four memories, 162 steps, words of one element: 632 without latency, 4 (162 - S - L) with."""
    assert 4 * Turns(1, 4, 18, 9, 18).meetings == 632
    assert 4 * Turns(1, 4 + 6, 18, 9, 18).meetings == 4 * (162 - 4 - 6)
    assert Turns(2, 4, 18, 9, 18).meetings == 0


def test_a_conflict_is_refused_with_its_number():
    with pytest.raises(HardwareError) as caught:
        Turns(2, 5, 18, 9, 18).check("rows", 6)
    assert caught.value.message.startswith(
        "rows has one port, which 78 of its reads and writes want in the same cycle: "
        "words of 2 are read at phase 0 and written at phase (5 - 1) mod 2 = 0"
    )
    assert caught.value.legal == ("--word 3", "--word 6")
    Turns(3, 5, 18, 9, 18).check("rows", 6)
    with pytest.raises(HardwareError) as caught:
        Turns(1, 5, 9, 9, 9).check("rows", 1)
    assert caught.value.legal == ("--n 3 --word 3",)
    Turns(3, 5, 27, 9, 27).check("rows", 3)


def test_words_that_do_not_divide_the_stream():
    with pytest.raises(HardwareError, match="words of 4 do not divide a stream of 18 elements, which is"):
        Turns(4, 5, 18)
    with pytest.raises(HardwareError, match="passes of 18 steps cannot begin 12 cycles apart"):
        Turns(2, 5, 18, 2, 12)
