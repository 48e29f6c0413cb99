"""Buffers inside the PEs, one behind the other."""

from __future__ import annotations

from halidehw import BoundaryConditions, Func, ImageParam, Int, RDom, UInt, Var, cast, clamp, i32
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.microarch.stores import LEAD, RegisterFile
from halidehw.simulate import Memory
from tests.fuzz.check import check_each, check_hardware
from tests.fuzz.designs import Design

x, y, k, xo, xi, yo, yi, co, ci = map(Var, ("x", "y", "k", "xo", "xi", "yo", "yi", "co", "ci"))
STALLS = Memory(latency=7, stall_probability=0.4)


def product(lanes: int = 4, systolic: bool = False) -> Func:
    """Columns in lanes, outside all temporal loops: everything in time happens inside the PEs. All sizes ragged."""
    r = RDom([(0, 10)])
    a, b, f = ImageParam(Int(16), 2, "a"), ImageParam(Int(16), 2, "b"), Func("f")
    f[x, y] += i32(a[r, y]) * i32(b[x, r])
    stage = f.set_bounds([(0, 7), (0, 5)]).update()
    stage.split(x, xo, xi, lanes).split(r, co, ci, 4).split(y, yo, yi, 2).reorder(ci, yi, co, yo, xi, xo).unroll(xi)
    if systolic:
        stage.systolic(xi)
    return f


def test_two_levels():
    designs = []
    for systolic in (False, True):
        f = product(systolic=systolic)
        _, b = f.sources
        b.in_().compute_at(f, xi)
        b.in_().in_().compute_at(f, co)
        accelerator = derive(Design(f).nest)
        assert [(copy.tap.file, copy.sink.file) for copy in accelerator.output.copies] == [("b_in", "b_in_in")]
        assert [file.words for file in accelerator.output.files if file.tensor == "b"] == [4, 12]
        wide = Options(port_bits=64 * systolic)
        stalled = Design(f, wide, STALLS, starts=2, fill="least")
        designs += [Design(f, wide), stalled, Design(f, wide, reset=40, abort=40)]
    assert [run.counters["b_words"] for run in check_each(designs)] == [70] * 6


def test_three_levels_behind_a_shared_one():
    f = product()
    a, b = f.sources
    b.in_().compute_at(f, xo)
    b.in_().in_().compute_at(f, xi)
    b.in_().in_().in_().compute_at(f, co)
    b.in_().in_().in_().in_().compute_at(f, ci)
    a.in_().compute_at(f, xi)
    a.in_().in_().compute_at(f, yo)
    assert len(derive(Design(f).nest).output.copies) == 3
    check_hardware(Design(f, memory=STALLS, starts=2))


def single_buffer(level: int) -> Func:
    f = product(systolic=True)
    _, b = f.sources
    b.in_().compute_at(f, xi)
    b.in_().in_().compute_at(f, co)
    wrapper = b.in_() if level == 1 else b.in_().in_()
    wrapper.single_buffer()
    return f


def test_single_buffers():
    check_each([Design(single_buffer(level), memory=STALLS, starts=2) for level in (1, 2)])


def test_window_with_padding_in_two_levels():
    """A convolution whose rows overlap in both levels, ragged, on a grid of two dimensions."""
    r = RDom([(-1, 3), (0, 2), (0, 3)])
    a, w, f = ImageParam(Int(8), 3, "a"), ImageParam(Int(8), 4, "w"), Func("f")
    padded = BoundaryConditions.constant_exterior(a, -5, [(0, 9), (0, 6), (0, 3)])
    f[x, y, k] += i32(padded[x + r.x, y + r.y, r.z]) * i32(w[r.x + 1, r.y, r.z, k])
    stage = f.set_bounds([(0, 9), (0, 5), (0, 5)]).update()
    stage.split(x, xo, xi, 4).split(y, yo, yi, 2).reorder(r.x, r.y, xi, r.z, yi, xo, yo, k).unroll(k, 3).unroll(yi)
    stage.systolic(k)
    a.in_().compute_at(f, yi)
    a.in_().in_().compute_at(f, r.z)
    w.in_().compute_at(f, k)
    w.in_().in_().compute_at(f, r.z)
    check_hardware(Design(f, memory=STALLS, options=Options(port_bits=32)))


def two_reads(systolic: bool) -> Func:
    r = RDom([(0, 6)])
    a, f = ImageParam(Int(8), 2, "a"), Func("f")
    f[x, y] += i32(a[x + 2 * r, y]) * i32(a[x + 2 * r + 1, y])
    stage = f.set_bounds([(0, 9), (0, 7)]).update()
    stage.split(y, yo, yi, 3).split(x, xo, xi, 4).unroll(yi)
    if systolic:
        stage.systolic(yi)
    a.in_().compute_at(f, yi)
    a.in_().in_().compute_at(f, xo)
    return f


def test_two_reads_in_one_step():
    """A word and its neighbour, from a file behind another one: the file that is read twice is there twice."""
    funcs, options = [two_reads(False), two_reads(True)], Options(counters="all")
    for f in funcs:
        assert {file.name: file.reads for file in derive(Design(f).nest).output.files} == {"a_in_in": 2, "a_in": 1}
    ideal, stalled = [Design(f, options) for f in funcs], [Design(f, options, STALLS, starts=2) for f in funcs]
    for run in check_each([*ideal, *stalled])[:2]:
        assert run.counters["a_in_in_read"] == 2 * run.counters["pe_slots"]
        assert run.counters["a_in_in_written"] == 2 * run.counters["a_in_read"]


def test_three_reads_in_one_step_of_a_filled_file():
    a, f = ImageParam(Int(8), 1, "a"), Func("f")
    f[x] = i32(a[x]) + i32(a[x + 1]) * i32(a[x + 3])
    f.bound(x, 0, 21).split(x, xo, xi, 5).unroll(xo, 3)
    a.in_().compute_at(f, xo)
    options = Options(counters="all")
    check_each([Design(f, options), Design(f, options, STALLS, reset=50, abort=50)])


def awaited(single: bool) -> Func:
    """A word of `a` a step, in the PEs; what it is multiplied by comes late, as a window computes it for all."""
    r = RDom([(0, 7)])
    a, b, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(4), 2, "b"), Func("f")
    f[x, y] += i32(a[r, y]) * i32(cast(UInt(6), clamp(i32(b[r, x]) * 3 - 5, 0, 63)))
    f.set_bounds([(0, 4), (0, 3)]).update().split(r, co, ci, 6).reorder(ci, y, x, co).unroll(co)
    for level in (a.in_().compute_at(f, x), a.in_().in_().compute_at(f, ci)):
        if single:
            level.single_buffer()
    return f


def test_a_part_is_filled_anew_once_late_steps_have_read_it():
    """The step that reads a word in a PE does so when its other operands are there, long after it was taken."""
    funcs = [awaited(single) for single in (True, False)]
    designs = [Design(f, memory=memory, starts=2) for f in funcs for memory in (Memory(), STALLS)]
    compute, file = designs[0].accelerator.output.compute, designs[0].accelerator.output.file("a_in_in")
    assert compute.arrival > LEAD + RegisterFile.latency and file.kept == compute.arrival - LEAD - RegisterFile.latency
    check_each(designs)
