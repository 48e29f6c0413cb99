"""Partial sums that leave the accumulators before they are complete, and come back."""

from __future__ import annotations

import numpy as np

from halidehw import Func, ImageParam, Int, RDom, Var, cast, i32, max
from halidehw.ir.interpreter import execute
from halidehw.ir.printer import lowered
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.simulate import Memory
from tests.fuzz.check import check_each, check_hardware
from tests.fuzz.designs import Design

x, y, k, xo, xi, yo, yi, co, ci = map(Var, ("x", "y", "k", "xo", "xi", "yo", "yi", "co", "ci"))
STALLS = Memory(latency=7, stall_probability=0.4)


def product(order: tuple, n: int = 5, m: int = 7, depth: int = 8) -> Func:
    """Ragged tiles in all three loops, in an order from the innermost to the outermost."""
    r = RDom([(0, depth)])
    a, b, f = ImageParam(Int(16), 2, "a"), ImageParam(Int(16), 2, "b"), Func("f")
    f[x, y] += i32(a[r, y]) * i32(b[x, r])
    f.set_bounds([(0, n), (0, m)]).update().split(r, co, ci, 3).split(y, yo, yi, 2).reorder(*order)
    return f


def test_output_loop_inside_a_reduction():
    f = product((ci, x, yi, yo, co))
    f.in_().compute_at(f, yo)
    stalled, least = Design(f, memory=STALLS, starts=2), Design(f, fill="least", starts=2)
    for run in check_each([Design(f), stalled, least, Design(f, Options(port_bits=128), STALLS, reset=60, abort=60)]):
        assert run.counters["f_words"] == 3 * 35
        assert run.counters["f_partial_words"] == 2 * 35


def test_single_buffer():
    """In as many cycles as the model says: each tile begins when the last word of the one before it has been taken."""
    f = product((x, yi, ci, yo, co))
    f.in_().compute_at(f, yo)
    f.in_().single_buffer()
    assert derive(Design(f).nest).output.sums[0].halves == 1
    check_each([Design(f), Design(f, memory=STALLS, starts=2)])


def lanes(systolic: bool) -> Func:
    f = product((ci, x, yi, yo, co))
    f.update().unroll(x, 4).unroll(ci, 2)
    if systolic:
        f.update().systolic(x, ci)
    f.in_().compute_at(f, yi)
    return f


def test_lanes():
    """Lanes of the output, ragged, beside lanes of the reduction, ragged; one or two words a cycle."""
    still, systolic = lanes(False), lanes(True)
    ways = (still, 0), (still, 64), (systolic, 64)
    runs = check_each([Design(f, Options(port_bits=bits), STALLS, starts=2) for f, bits in ways])
    assert [run.counters["f_partial_words"] for run in runs] == [2 * 35] * 3


def test_two_reductions_outside():
    """A convolution whose channels and rows come back to the same rows of the output."""
    r = RDom([(0, 3), (0, 2), (0, 4)])
    a, w, f = ImageParam(Int(8), 3, "a"), ImageParam(Int(8), 4, "w"), Func("f")
    f[x, y, k] += i32(a[x + r.x, y + r.y, r.z]) * i32(w[r.x, r.y, r.z, k])
    f.set_bounds([(0, 6), (0, 5), (0, 3)]).update().split(r.z, co, ci, 2).reorder(r.x, ci, x, y, r.y, k, co)
    f.update().unroll(x, 3)
    f.in_().compute_at(f, y)
    a.in_().compute_at(f, co)
    run = check_hardware(Design(f, memory=STALLS))
    assert run.counters["f_words"] == 4 * 90


def test_maximum_from_a_constant():
    r = RDom([(0, 10)])
    a, f = ImageParam(Int(8), 2, "a"), Func("f")
    f[x, y] = cast(Int(8), 5)
    f[x, y] = max(f[x, y], a[x + r, y])
    f.set_bounds([(0, 6), (0, 3)]).update().split(r, co, ci, 4).reorder(ci, x, y, co)
    f.in_().compute_at(f, y)
    check_hardware(Design(f, memory=STALLS, starts=2))


def test_sums_that_wrap():
    r = RDom([(0, 9)])
    a, b, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f")
    f[x, y] = cast(Int(9), -3)
    f[x, y] += cast(Int(9), a[x, r]) * cast(Int(9), b[y, r])
    f.set_bounds([(0, 3), (0, 4)]).update().split(r, co, ci, 2).reorder(ci, x, y, co)
    f.in_().compute_at(f, y)
    check_each([Design(f, fill=fill) for fill in ("least", "greatest")])


def test_larger_accumulators_with_a_final_stage():
    """Nothing spills: a whole row of sums is completed before any of it is written back."""
    r = RDom([(0, 5)])
    a, bias, f, g = ImageParam(Int(8), 2, "a"), ImageParam(Int(16), 1, "bias"), Func("f"), Func("g")
    f[x, y] = i32(bias[x])
    f[x, y] += i32(a[x, r]) * i32(r + y)
    g[x, y] = cast(Int(8), max(f[x, y], 0) >> 3)
    g.set_bounds([(0, 6), (0, 3)])
    f.in_().compute_at(f, y)
    bias.in_().compute_at(g, y)
    assert derive(Design(g).nest).output.sums[0].words == 6
    check_hardware(Design(g, memory=STALLS, starts=2))


def test_an_input_named_like_the_port():
    r = RDom([(0, 4)])
    a, f = ImageParam(Int(8), 2, "f_partial"), Func("f")
    f[x] += i32(a[x, r])
    f.set_bounds([(0, 5)]).update().split(r, co, ci, 2).reorder(ci, x, co)
    f.in_().compute_at(f, x)
    run = check_hardware(Design(f))
    assert run.counters["f_partial__words"] == 5


def test_memory_is_read_as_it_was_written():
    """The interpreter counts the same traffic, and prints where it happens."""
    f = product((ci, x, yi, yo, co))
    f.in_().compute_at(f, yo)
    design = Design(f)
    run = execute(design.nest, design.arrays)
    assert (run.stored, run.reread) == (105, 70)
    assert np.array_equal(run.output, check_hardware(design).outputs["f"].reshape(7, 5))
    assert "f_in(x, yi + 2*yo) = 0 while co at the start, then f(x, yi + 2*yo)" in lowered(design.nest)
