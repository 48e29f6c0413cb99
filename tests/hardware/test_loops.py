"""Instances side by side as loops over arrays: the same words and counters, in a text that hardly grows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import halidehw as hl
from halidehw.backend_hdl import verilog
from halidehw.backend_hdl.rtl.declare import spans, storage
from halidehw.backend_hdl.rtl.ir import Assign, Const, For, Instance, Lane, Number, Place, Ref, Signal, Statement
from halidehw.backend_hdl.rtl.lanes import common
from halidehw.backend_hdl.rtl.primitives import DELAYS, FEW, body
from halidehw.backend_hdl.rtl.roll import rolled
from halidehw.driver import run
from tests.fuzz import designs
from tests.fuzz.check import check_each
from tests.fuzz.choices import seeded
from tests.fuzz.designs import design

SEEDS = (42, 901, 903, 905, 5006)
"""Parts of a word chosen by a lane inside another one; a bus cut lane by lane that is no signal of its own; trees;
chains; several lanes drained; words cut in pieces of a grid of two by two, where no lane has anything in common with
the other."""


def test_loops_do_what_the_algorithm_says(monkeypatch):
    """With tensors outside that lie as they always did."""
    monkeypatch.setattr(designs, "laid_out", lambda choices, drawn: drawn)
    check_each([replace(design(seeded(seed)), loops=True) for seed in SEEDS])


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


def test_the_numbers_of_loops_have_no_sign(product):
    """With signed numbers g++ does not see where Verilator's loops end, and makes no vector instructions of them."""
    text = verilog(hl.compile(product).accelerator, loops=True)
    assert "int unsigned i0, i1;" in text
    assert "integer" not in text


def test_sums_hops_and_skew_of_a_grid_are_arrays(product):
    text = verilog(hl.compile(product).accelerator, loops=True)
    text = " ".join(text.split())
    assert "lane_product_sum_next[i0][i1] = (lane_product_sum[i0][i1 - 1]) + lane_product_lane_product[i0][i1];" in text
    assert "read_skew_delay_stages_next[i0][i1] = read_skew_delay_stages[i0][i1 - 1];" in text
    assert "lane_read0[i0][i1] = hop_delay_read_skew_late_q[15*i0 + i1 - 16];" in text


def executed(body: Sequence[Statement], lanes: dict[int, int]) -> dict[tuple[int, ...], int]:
    """The places that loops over assignments of one array to another fill, each with the place that it takes."""

    def at(place: Place) -> int:
        return place.offset + sum(lanes[lane.depth] * by for lane, by in place.terms)

    found: dict[tuple[int, ...], int] = {}
    for statement in body:
        if isinstance(statement, For):
            for number in range(statement.first, statement.lane.count):
                found |= executed(statement.body, lanes | {statement.lane.depth: number})
        elif isinstance(statement, Assign) and isinstance(statement.value, Ref):
            into = tuple(map(at, statement.index))
            assert into not in found
            found[into] = at(*statement.value.index)
    return found


@pytest.mark.parametrize(
    ("places", "loops"),
    [
        ([0, 1, 2, 3], 1),
        ([7, 0, 1, 2], 2),
        ([3, 2, 1, 5, 5, 5], 2),
        ([4, 1], 2),
        ([[0, 1, 2], [3, 4, 5], [6, 7, 8]], 1),
        ([[0, 5], [2, 5], [4, 5]], 1),
        ([[9, 0, 1, 2], [7, 2, 3, 4], [5, 4, 5, 6]], 1),
        ([[9, 0, 1, 2], [7, 2, 3, 4], [7, 4, 5, 6], [7, 6, 7, 8]], 3),
        ([[4, 1, 7, 0, 9], [0, 1, 2, 3, 4]], 6),
    ],
)
def test_assignments_side_by_side_are_loops_over_the_longest_runs(places, loops):
    """Several runs at one place of the first dimension were one."""
    def values(each: object) -> Any:
        return [values(one) for one in each] if isinstance(each, list) else Ref("a", 8, index=(Place((), each),))

    found = rolled("f", 8, values(places))
    rows = [each if isinstance(each, list) else [each] for each in places]
    nested = isinstance(places[0], list)
    filled = {(i, j) if nested else (i,): at for i, row in enumerate(rows) for j, at in enumerate(row)}
    assert executed(found, {}) == filled
    assert len(found) == loops


def test_numbers_that_count_lanes_have_no_sign():
    lane, numbers = Lane(0, 3), [Const(0, 1), Const(1, 1), Const(2, 2)]
    assert common(numbers, lane, 0) == Number(lane, 2)
    assert common([numbers[0], Const(1, 2, True), numbers[2]], lane, 0) is None


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


def test_what_a_register_of_a_loop_holds_is_a_choice(product):
    """g++ makes vector instructions of a choice; of a condition only where a processor stores parts of vectors."""
    text = " ".join(verilog(hl.compile(product).accelerator, loops=True).split())
    word = "lane_product_lane_b_register_word_2_next[i0][i1]"
    assert f"{word} = lane_product_lane_read1_read[i0][i1] ? " in text
    assert "lane_product_lane_b_register_words0_next[i0][i1] = (lane_product_lane_b_register_valid[i0][i1] & " in text


@pytest.mark.parametrize("numbers", [(0, 15), (0, 16), (1, 64), (1, 65), (2, 128), (0, 17), (5, 53), (127, 16129)])
def test_a_loop_leaves_nothing_over_from_vectors(numbers):
    first, end = numbers
    found = spans(first, end)
    assert {each for span in found for each in range(*span)} == set(range(first, end))
    assert end - first < 16 or all((stop - start) % 16 == 0 for start, stop in found)


def test_a_simulator_stores_whole_words():
    assert [storage(Signal("", bits)) for bits in (1, 8, 9, 16, 17, 32, 33)] == [8, 8, 16, 16, 32, 32, 64]


def test_arrays_of_one_storage_are_declared_together(product):
    """Or g++ takes a product of bytes to overwrite them where it lies between them, and multiplies one by one."""
    text = verilog(hl.compile(product).accelerator, loops=True)
    (module,) = (each for each in text.split("endmodule") if "lane_product_sum;" in each or "lane_product_sum " in each)
    found = re.findall(r"^  reg (?:signed )?(?:\[(\d+):0\] )?(?!drain)\w+ \[0:15\]\[0:15\];", module, re.M)
    stored = [storage(Signal("", int(high or 0) + 1)) for high in found]
    assert stored == sorted(stored)
    assert {8, 16, 32} <= set(stored)


@pytest.mark.parametrize("depth", [FEW, FEW + 1])
def test_only_a_delay_with_a_reset_is_reset(depth: int):
    for name in DELAYS:
        made = body(Instance("late", name, {}, {}, {"WIDTH": 3, "DEPTH": depth}))
        kept = [signal for signal in made.signals.values() if signal.name.startswith("stage")]
        assert kept and all(signal.reset == (name == "delay_reset") for signal in kept)


def test_what_a_lane_takes_of_a_bus_is_no_array_of_its_own():
    a, b = hl.ImageParam(hl.Int(8), 2, "a"), hl.ImageParam(hl.Int(8), 2, "b")
    n, m, f, r = hl.Var("n"), hl.Var("m"), hl.Func("f"), hl.RDom([(0, 5)], "r")
    f[n, m] += hl.i32(a[r.x, m]) * hl.i32(b[n, r.x])
    f.set_bounds([(0, 4), (0, 4)])
    f.update().unroll(n, 2).unroll(m, 2)
    text = verilog(hl.compile(f).accelerator, loops=True)
    assert "for (i1 = 0;" in text and "lane_read" not in text
