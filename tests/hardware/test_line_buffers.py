"""Line buffers on the RTL: against the algorithm, and every counter against the model."""

from __future__ import annotations

import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from halidehw import Func, ImageParam, Int, RDom, UInt, Var, i32, simulate
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.microarch.stores import Memory as Built
from halidehw.simulate import Memory
from tests.fuzz.check import check_each, check_hardware
from tests.fuzz.designs import Design
from tests.hardware.stencils import (
    SCHEDULES,
    Schedule,
    rows_at_root,
    rows_one_after_another,
    rows_side_by_side,
    stencil,
)

ROOT = Path(__file__).parents[2]
EXAMPLE, PAGE = ROOT / "examples" / "line_buffer.py", ROOT / "docs" / "hardware.md"

x, y, xo, xi = map(Var, ("x", "y", "xo", "xi"))
COUNTED = Options(counters="all")
STALLS = Memory(latency=5, stall_probability=0.4)

@pytest.mark.parametrize("others", [False, pytest.param(True, marks=pytest.mark.soak)])
@pytest.mark.parametrize("first", [0, pytest.param(1, marks=pytest.mark.soak)])
def test_words_and_counters(first: int, others: bool):
    """With strides, dilation and padding; on memories that are ideal, late, slow and at random, and after a reset: each
    second schedule in half of these ways, and the rest by `make soak`."""
    designs = []
    for number, schedule in list(enumerate(SCHEDULES))[first::2]:
        designs += each_way(schedule)[(number // 2 + others) % 2 :: 2]
    check_each(designs)


def each_way(schedule: Schedule) -> list[Design]:
    wide = replace(COUNTED, port_bits=32)
    return [
        Design(stencil(schedule, rows=6, step=2), wide, Memory(latency=7)),
        Design(stencil(schedule, dilation=2), COUNTED, Memory(words_per_cycle=0.5)),
        Design(stencil(schedule, boundary="constant_exterior"), wide, Memory(latency=20, words_per_cycle=1)),
        Design(stencil(schedule, boundary="mirror_interior"), memory=STALLS, starts=2, reset=40, abort=40),
    ]  # fmt: skip


def lines(f: Func) -> list[Built]:
    return [memory for memory in derive(Design(f).nest).memories if memory.ring]


def test_rows_for_the_next_tile_hide_their_loading():
    """Of the same words, those of the next tile come while this one is used."""
    double, waiting = stencil(rows_at_root), stencil(rows_one_after_another)
    assert [memory.dims[1].extent for f in (double, waiting) for memory in lines(f)] == [4, 3]
    fast, slow = check_each([Design(double), Design(waiting)])
    assert fast.counters["a_words"] == slow.counters["a_words"] == 9 * 11
    assert fast.cycles < slow.cycles


def test_rows_that_are_read_side_by_side_are_banked_and_fold():
    (memory,) = lines(stencil(rows_side_by_side))
    rows = memory.dims[1]
    assert (rows.factor, rows.rotating, rows.extent) == (4, True, 4)
    assert memory.ring and memory.ring.unit == 1


def test_rows_in_one_bank_are_outermost_in_the_address():
    (memory,) = lines(stencil(rows_at_root))
    rows = memory.dims[1]
    assert (rows.factor, rows.rotating) == (1, False)
    assert rows.stride == max(dim.stride for dim in memory.dims)


def smoothed(columns: int, lanes: int) -> Func:
    """Two stages of three by three."""
    image, g, f = ImageParam(Int(8), 2, "image"), Func("g"), Func("f")
    places = [(x + dx, y + dy) for dy in range(3) for dx in range(3)]
    g[x, y] = sum((i32(image[place]) for place in places), start=i32(0))
    f[x, y] = sum((g[place] * (number - 4) for number, place in enumerate(places)), start=i32(0))
    f.bound(x, 0, columns).bound(y, 0, 4).vectorize(x, lanes)
    g.store_root().compute_at(f, y).vectorize(x, lanes)
    image.in_().store_root().compute_at(g, y)
    return f


def test_words_that_are_taken_as_they_come_need_the_least_memory():
    """Two rows of the columns, and a queue; also where the last step of a row has lanes that are not at work, so that
    no word comes for it."""
    ways = ((9, 1, Memory()), (14, 4, Memory(latency=9)), (14, 4, STALLS))
    designs = [Design(smoothed(size, lanes), COUNTED, memory, starts=2, abort=40) for size, lanes, memory in ways]
    alone, beside = (derive(design.graph).memories[-1] for design in designs[:2])
    assert [(each.kept, each.behind and each.behind.columns) for each in (alone, beside)] == [(2, 11), (8, 4)]
    assert [(each.size - each.halves * len(each.lanes)) for each in (alone, beside)] == [2 * 11, 2 * 16]
    assert [window.idle for window, _ in derive(designs[1].graph).output.compute.windows.values()] == [1]
    check_each(designs)


def in_strips(columns: int) -> Func:
    """Rows of four words, the last ones shorter."""
    image, g, f = ImageParam(UInt(8), 2, "image"), Func("g"), Func("f")
    g[x, y] = i32(image[x, y]) * 3
    f[x, y] = g[x, y] + g[x, y + 1] * 5 + g[x, y + 2] * 7
    f.set_bounds([(0, columns), (0, 6)]).split(x, xo, xi, 4).reorder(xi, y, xo)
    g.store_at(f, xo).compute_at(f, y)
    return f


def test_rows_too_short_for_the_way_through_their_memory_are_no_queue():
    """Regression: of a last strip one column wide, a word was read again before it was written."""
    designs = [Design(in_strips(columns), COUNTED) for columns in (9, 11)]
    assert [bool(derive(design.graph).memories[-1].ring) for design in designs] == [True, False]
    check_each(designs)


def halved(lanes: int) -> Func:
    """Two stages, the first of which reads rows at half its pace and goes round the banks of what it makes, the last
    time not to the end."""
    a, g, f = ImageParam(Int(8), 2, "a"), Func("g"), Func("f")
    g[x, y] = i32(a[x, (y - 1) / 2]) + i32(a[x, y / 2 + 1]) * 3 + i32(a[x, (y + 1) / 2]) * 5
    f[x, y] = g[x, y] + g[x, y + 1] * 3 + g[x, y + 2] * 5
    f.bound(x, 0, 5).bound(y, 0, 4).vectorize(x, lanes)
    g.compute_root()
    a.in_().store_root().compute_at(g, y)
    return f


def test_no_row_is_brought_that_no_tile_takes():
    """Where reads of one tile lie apart by other loops too: a further start would find a row too many."""
    designs = [Design(halved(lanes), COUNTED, starts=3) for lanes in (1, 4)]
    for memory in derive(designs[0].graph).memories:
        assert not memory.ring or memory.ring.ends == (5 * memory.ring.unit,)
    for run in check_each(designs):
        assert run.counters["a_words"] == 5 * 5


def test_a_line_buffer_of_the_final_stage():
    a, b, f, g = ImageParam(Int(8), 2, "a"), ImageParam(Int(16), 2, "b"), Func("f"), Func("g")
    r = RDom([(0, 3)], "r")
    f[x, y] += i32(a[x + r, y])
    g[x, y] = f[x, y] + b[x, y] + b[x, y + 1] * 2
    b.in_().store_root().compute_at(g.set_bounds([(0, 6), (0, 8)]), y)
    found = check_hardware(Design(g, COUNTED, Memory(latency=3)))
    assert found.counters["b_words"] == 6 * 9


def test_example():
    """Each row of the image comes in once, instead of three times; what the page of the hardware says."""
    example = runpy.run_path(str(EXAMPLE))
    nothing = {"image": np.zeros((50, 66), int), "w": np.zeros((3, 3), int)}
    kept, again = (simulate(example["blur"](keep), nothing) for keep in (True, False))
    assert (kept.counters["image_words"], again.counters["image_words"]) == (50 * 66, 48 * 3 * 66)
    said = f"{50 * 66} words of the image come in instead of {48 * 3 * 66}, and the run takes {kept.cycles} cycles"
    assert f"{said} instead of {again.cycles}" in PAGE.read_text().replace("\n", " ")
