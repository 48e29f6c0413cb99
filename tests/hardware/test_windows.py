"""Windows: stencils written out, against the algorithm, and every counter against the model."""

from __future__ import annotations

import runpy
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from halidehw import (
    BoundaryConditions,
    Func,
    ImageParam,
    Int,
    RDom,
    UInt,
    Var,
    compile,
    estimate,
    i16,
    i32,
    max,
    select,
    u8,
)
from halidehw.errors import HardwareError, ScheduleError
from halidehw.microarch.derive import derive
from halidehw.microarch.network import Network
from halidehw.microarch.operators import operators
from halidehw.microarch.options import Options
from halidehw.microarch.taps import Window
from halidehw.report.describe import describe
from halidehw.simulate import Memory
from tests.fuzz.check import check_each, derived
from tests.fuzz.choices import seeded
from tests.fuzz.designs import Design
from tests.fuzz.windows import stencil as random_stencil

ROOT = Path(__file__).parents[2]

x, y, xo, xi = map(Var, ("x", "y", "xo", "xi"))
COUNTED = Options(counters="all")
SLOW, STALLS = Memory(latency=7, words_per_cycle=0.5), Memory(latency=5, stall_probability=0.4)

Place = Callable[[ImageParam, Func], object]


def at_root(image: ImageParam, f: Func) -> None:
    image.in_().compute_root()


def at_rows(image: ImageParam, f: Func) -> None:
    image.in_().compute_at(f, y)


def kept(image: ImageParam, f: Func) -> None:
    image.in_().store_root().compute_at(f, y)


def unbuffered(image: ImageParam, f: Func) -> None:
    pass


PLACES = (at_root, at_rows, kept, unbuffered)


def stencil(size: int, place: Place, lanes: int = 1, columns: int = 13, rows: int = 4) -> Func:
    """The sum of `size` x `size` pixels, written out."""
    image, f = ImageParam(UInt(8), 2, "image"), Func("f")
    f[x, y] = sum((i32(image[x + i, y + j]) * (i + 1) for j in range(size) for i in range(size)), start=i32(0))
    f.set_bounds([(0, columns), (0, rows)])
    if lanes > 1:
        f.unroll(x, lanes)
    place(image, f)
    return f


def windows(f: Func, options: Options | None = None) -> dict[str, Window]:
    """The windows of a Func's hardware by their memories."""
    return {name: window for name, (window, _) in accelerator(f, options).output.compute.windows.items()}


def accelerator(f: Func, options: Options | None = None) -> Network:
    return derive(Design(f).nest, options)


def test_words_and_counters():
    """At all places, in one lane and in four, ragged; on memories that are ideal, slow and at random, after a reset,
    again."""
    designs = []
    for place in PLACES:
        one, four = stencil(3, place), stencil(3, place, lanes=4)
        assert len(windows(one)) == len(windows(four)) == 1
        designs += [Design(one, COUNTED), Design(one, COUNTED, SLOW), Design(four, COUNTED, Memory(latency=20))]
        designs += [Design(four, COUNTED, STALLS, starts=2, reset=40)]
    check_each(designs)


def test_words_of_large_windows():
    designs = [(5, kept, 4), (7, at_rows, 1), (9, unbuffered, 1), (11, kept, 1)]
    funcs = [stencil(size, place, lanes, rows=2) for size, place, lanes in designs]
    assert all(windows(f) for f in funcs)
    check_each([Design(f, COUNTED, STALLS if number % 2 else Memory()) for number, f in enumerate(funcs)])


def chain(stages: int, size: int, columns: int = 11, rows: int = 3) -> Func:
    """Weighted sums of sums, written out where they are used: one window of stages * (size - 1) + 1 columns."""
    image = ImageParam(UInt(8), 2, "image")
    last: Func | ImageParam = image
    for stage in range(stages):
        f = Func(f"f{stage}")
        places = [(i, j) for j in range(size) for i in range(size)]
        f[x, y] = sum((i32(last[x + i, y + j]) * (i + 2 * j + 1) for i, j in places), start=i32(0)) >> 2
        last = f
    image.in_().store_root().compute_at(f.set_bounds([(0, columns), (0, rows)]), y)
    return f


def test_stages_written_out_are_shared():
    """A Func at a place is computed once, not once for each use: sums by stage and place."""
    f = chain(stages=3, size=3)
    counts = Counter[str]()
    for operator, number in operators(Design(f).nest.value).items():
        counts[operator.op] += number
    assert counts["add"] == 9 * (1 + 9 + 25)
    assert counts["mul"] < 9 * (1 + 9 + 25)
    check_each([Design(f, COUNTED), Design(chain(stages=2, size=5, rows=2), COUNTED, STALLS)])


def test_verilog_of_chains_grows_with_the_rows_of_each_stage():
    sizes = [len(compile(chain(stages, size=5)).verilog) for stages in (1, 2, 3)]
    assert sizes[1] < 1.7 * sizes[0] and sizes[2] < 2.7 * sizes[0]


def test_a_stage_is_computed_once_a_row():
    """Along the axis what a stage was is shifted; 3 x 3 of the last stage reads it at three rows."""
    found = windows(chain(stages=2, size=3))["image_in"]
    assert len(found.values) == 3 and found.lanes == 5 and found.warm == 4
    assert sorted(found.taps) == [(source, ago) for source in (5, 6, 7) for ago in (0, 1, 2)]
    assert "image_in_window" in {each["place"] for each in describe(accelerator(chain(2, 3)))["operators"]}


def test_values_in_windows():
    """Lanes, strides, types, divisions, another tensor and the loop beside them; stalled, started again."""
    a, b = ImageParam(UInt(8), 2, "a"), ImageParam(Int(8), 1, "b")
    edge, curve, tree, f, g = Func("edge"), Func("curve"), Func("tree"), Func("f"), Func("g")
    edge[x, y] = i32(a[x, y]) * a[x + 1, y] - i32(a[x, y + 1]) * 7
    f[x, y] = edge[x, y] * b[x] + (edge[x + 1, y] >> 1) + x - edge[x + 3, y] * edge[x, y + 1]
    f.set_bounds([(0, 11), (0, 3)]).unroll(x, 3)
    a.in_().store_root().compute_at(f, y)
    curve[x, y] = u8(select(a[x, y] > 99, 255 - i32(a[x, y]), (i32(a[x, y]) * a[x, y]) / 31 % 200))
    tree[x, y] = i16(curve[x, y]) + curve[x + 1, y] * i16(curve[x + 2, y + 1])
    g[x, y] = max(i32(tree[2 * x, y]), tree[2 * x + 2, y]) * i32(curve[2 * x + 3, y]) + tree[2 * x + 1, y]
    g.set_bounds([(0, 9), (0, 3)])
    funcs = [f, g]
    assert all(window.values for each in funcs for window in windows(each).values() if window.memory != "b_stream")
    memories = (Memory(latency=3), SLOW, STALLS)
    check_each([Design(each, COUNTED, memory, starts=2) for each in funcs for memory in memories])


def test_odd_windows():
    """Crosses, strides that leave columns out, images read from right to left, two images, borders, tiles of a row."""
    a, b, edge, f, g, h = (*(ImageParam(Int(8), 2, name) for name in ("a", "b", "c")), Func("f"), Func("g"), Func("h"))
    f[x, y] = i32(a[2 * x + 1, y]) + a[2 * x, y + 1] + a[2 * x + 4, y + 1] - a[2 * x + 1, y + 2] * 3
    f.set_bounds([(0, 17), (0, 4)])
    a.in_().compute_at(f, y)
    g[x, y] = i32(a[14 - x, y]) - a[15 - x, y] + b[x, y] * i32(b[x + 1, y + 1]) + b[x + 2, y]
    g.set_bounds([(0, 14), (0, 3)])
    b.in_().store_root().compute_at(g, y)
    zeros = BoundaryConditions.constant_exterior(edge, 3, [(0, 11), (0, 4)])
    h[x, y] = i32(zeros[x - 1, y]) + zeros[x, y] * 2 + zeros[x + 1, y] + zeros[x, y - 1] + zeros[x, y + 1]
    h.set_bounds([(0, 11), (0, 4)]).split(x, xo, xi, 4).unroll(xi, 2)
    assert [sorted(windows(each)) for each in (f, g, h)] == [["a_in"], ["a_stream", "b_in"], ["c_stream"]]
    check_each([Design(each, COUNTED, memory) for each in (f, g, h) for memory in (Memory(latency=3), SLOW, STALLS)])


@pytest.mark.parametrize("first", [0, *(pytest.param(place, marks=pytest.mark.soak) for place in (4, 8, 12))])
def test_random_windows(first: int):
    """On ports and memories of all kinds, after resets and again: the first designs from this seed on that have one,
    at least a third."""
    found: list[Design] = []
    for seed in range(1000, 1000 + 3 * (first + 4)):
        with suppress(ScheduleError, HardwareError):
            each = random_stencil(seeded(seed))
            found += [each] if derived(each).output.compute.windows else []
    assert len(found) >= first + 4
    check_each(found[first : first + 4])


def test_a_column_is_fetched_in_a_step():
    """Of the 25 words of a step five, and no bank turns; of a line buffer one, as four come from the rows behind it."""
    for place, factors, fetched in ((at_rows, [1, 5], 5), (kept, [1, 1], 1), (unbuffered, [1, 5], 5)):
        (memory,), (window,) = accelerator(stencil(5, place)).memories, windows(stencil(5, place)).values()
        assert (memory.given, len(window.taps), window.warm, window.shifted) == (5, 25, 4, 20)
        assert [dim.factor for dim in memory.dims] == factors
        assert (len(memory.lanes), memory.rotating) == (fetched, False)


def test_reads_of_one_row_need_one_bank():
    """Sixty-four taps of a filter: a memory of one word, and a row of registers."""
    samples, f = ImageParam(Int(16), 1, "samples"), Func("f")
    f[x] = sum((i32(samples[x + tap]) * (tap - 7) for tap in range(64)), start=i32(0))
    f.bound(x, 0, 500)
    samples.in_().compute_root()
    (memory,) = accelerator(f).memories
    assert (memory.banks, len(memory.lanes)) == (1, 1)


def test_short_runs_fetch_all_words_at_once():
    """Where a window would be filled for longer than it is used."""
    assert not windows(stencil(3, at_root, columns=2))
    a, f = ImageParam(Int(8), 1, "a"), Func("f")
    f[x] = i32(a[x]) - a[x + 24]
    f.bound(x, 0, 4)
    a.in_().compute_root()
    assert not windows(f)


@pytest.mark.parametrize(("size", "most"), [(3, 50_000), (5, 55_000), (7, 65_000), (9, 76_000), (11, 90_000)])
def test_verilog_grows_with_the_words_of_a_window(size: int, most: int):
    """Bytes: less than half of it is the datapath of so many words."""
    assert len(compile(stencil(size, kept, columns=20, rows=20)).verilog) < most


@pytest.mark.parametrize("size", [3, 5, 11])
def test_the_image_crosses_the_port_once_at_one_output_a_cycle(size: int):
    columns, rows = 1280 - size + 1, 720 - size + 1
    found = estimate(stencil(size, kept, columns=columns, rows=rows))
    assert found.count("image_words") == 1280 * 720
    assert found.cycles.total < 1.001 * 1280 * 720 + 3000
    resident = estimate(stencil(size, at_root, columns=columns, rows=rows)).cycles
    assert resident.busy + resident.stalls["image_in"] == rows * (columns + size - 1) - (size - 1)
    late = [culprit for culprit in resident.culprits if culprit.buffer == "image_in"]
    assert [(each.level, each.cause) for each in late] == [("image_in_window", "start")]


def test_example():
    """What the page of the hardware says of it."""
    example = runpy.run_path(str(ROOT / "examples" / "stencil.py"))
    pixels = (example["WIDTH"] + 4) * (example["HEIGHT"] + 4)
    found = estimate(example["design"])
    assert found.count("image_words") == pixels
    said = f"the run takes {found.cycles.total} cycles for an image of {pixels} pixels"
    assert said in (ROOT / "docs" / "hardware.md").read_text().replace("\n", " ")


def unrolled(size: int, place: Callable[[ImageParam, Func], object], lanes: int = 1) -> Func:
    """A filter whose taps are lanes of the reduction."""
    image, w, f, r = ImageParam(UInt(8), 2, "image"), ImageParam(Int(8), 2, "w"), Func("f"), RDom([(0, size)] * 2, "r")
    f[x, y] += i32(image[x + r.x, y + r.y]) * i32(w[r.x, r.y])
    stage = f.set_bounds([(0, 37), (0, 3)]).update().reorder(r.x, r.y, x, y)
    stage.unroll(r.x).unroll(r.y)
    if lanes > 1:
        stage.unroll(x, lanes)
    place(image, f)
    return f


def test_taps_that_are_lanes():
    """Of K x K lanes of an unrolled reduction a column is fetched, in as many banks; also in a chain of PEs."""
    funcs = [unrolled(3, place) for place in PLACES] + [unrolled(5, kept), unrolled(3, kept, lanes=2)]
    chained = unrolled(3, unbuffered)
    chained.update().systolic("r.x")
    found = {len(window.chains) for f in funcs for window in windows(f).values()}
    assert all(windows(f) for f in (*funcs, chained)) and found == {3, 5, 6}
    check_each([Design(f, COUNTED, memory) for f in (*funcs, chained) for memory in (Memory(latency=3), STALLS)])


def test_taps_of_a_filter_that_are_lanes_need_one_bank():
    a, w, f, r = ImageParam(Int(16), 1, "a"), ImageParam(Int(16), 1, "w"), Func("f"), RDom([(0, 11)], "r")
    f[x] += i32(a[x + r]) * i32(w[r])
    f.set_bounds([(0, 30)]).update().split(r, "ro", "ri", 4).reorder("ri", x, "ro").unroll("ri")
    a.in_().compute_root()
    (banks,) = [each.banks for each in accelerator(f).output.memories if each.name == "a_in"]
    assert banks == 1 and windows(f)["a_in"].warm == 3
    check_each([Design(f, COUNTED, STALLS)])
