"""Buffers inside some of the lanes their tensor depends on and outside others: a copy for each lane outside."""

from __future__ import annotations

from itertools import cycle

from halidehw import BoundaryConditions, Func, ImageParam, Int, RDom, Var, i32
from halidehw.ir.printer import lowered
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.microarch.stores import Memory as Shared
from halidehw.simulate import Memory
from tests.fuzz.check import check_each, check_hardware
from tests.fuzz.designs import Design

x, y, k, xo, xi, yo, yi, ko, ki = map(Var, ("x", "y", "k", "xo", "xi", "yo", "yi", "ko", "ki"))
STALLS = Memory(latency=7, stall_probability=0.3)


def convolution(systolic: tuple[str, ...] = ()) -> Func:
    """3 x 2 taps on an 11 x 7 image with one pixel of padding; 4 lanes over rows around 2 over columns, all ragged."""
    r = RDom([(-1, 3), (0, 2)], "r")
    a, w, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 3, "w"), Func("f")
    padded = BoundaryConditions.constant_exterior(a, -5, [(0, 11), (0, 7)])
    f[x, y, k] += i32(padded[x + r.x, y + r.y]) * i32(w[r.x + 1, r.y, k])
    stage = f.set_bounds([(0, 11), (0, 7), (0, 3)]).update()
    stage.split(x, xo, xi, 3).split(y, yo, yi, 4).reorder(r.x, r.y, xi, xo, k, yi, yo).unroll(yi).unroll(xi, 2)
    if systolic:
        stage.systolic(*systolic)
    return f


def test_the_loop_nest_says_what_there_is_one_for():
    printed = {}
    for place in (yi, xi):
        f = convolution()
        f.sources[0].sources[0].in_().compute_at(f, place)
        printed[place] = lowered(Design(f).nest)
    assert "allocate a_in[13][2] (double, one per lane of yi)" in printed[yi]
    assert "(double, one per PE)" in printed[xi]


def memory_of(f: Func, name: str) -> Shared:
    return derive(Design(f).nest).output.memory(name)


RUNS = ({}, {"memory": STALLS, "starts": 2, "fill": "least"}, {"abort": 40})


def test_between_two_unrolled_loops():
    """Inside the lanes of the rows, outside those of the columns: one tile for each of the four rows."""
    funcs = [convolution(systolic) for systolic in ((), ("yi",), ("yi", "xi"))]
    for f in funcs:
        f.sources[0].sources[0].in_().compute_at(f, yi)
        held = memory_of(f, "a_in")
        assert held.copies == ("yi.lane",)
        assert [dim.extent for dim in held.dims] == [13, 2, 4]
        assert held.dims[-1].factor == 4
    widths = (0, 32, 0)
    check_each([Design(f, Options(bits), **run) for f, bits in zip(funcs, widths, strict=True) for run in RUNS])


def test_the_words_of_each_copy_are_loaded_for_it():
    """Words in two copies come twice, as from the buffers of two PEs; a shared tile has them once."""
    funcs = [convolution() for _ in range(2)]
    for f, place in zip(funcs, (yo, yi), strict=True):
        f.sources[0].sources[0].in_().compute_at(f, place)
    shared, copied = check_each([Design(f, Options(counters="all")) for f in funcs])
    assert shared.counters["a_in_written"] == (5 + 4) * 13
    assert copied.counters["a_in_written"] == 7 * 2 * 13


def on_both_memories(*funcs: Func) -> list[Design]:
    """Each on ports of a word or on wide ones, in turn."""
    ways = zip(funcs, cycle((64, 0)), strict=False)
    return [Design(f, Options(bits, counters="all"), memory) for f, bits in ways for memory in (Memory(), STALLS)]


def behind_another_level(inner: Var) -> Func:
    f = convolution(("yi",))
    a = f.sources[0].sources[0]
    a.in_().compute_at(f, yo)
    a.in_().in_().compute_at(f, yi)
    a.in_().in_().in_().compute_at(f, inner)
    return f


def test_behind_another_level():
    """Copies filled from a shared buffer, and copies or PEs from copies."""
    check_each(on_both_memories(*(behind_another_level(inner) for inner in (k, xo, xi))))


def stationary(reuse: int) -> Func:
    r = RDom([(0, 6)])
    a, w, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "w"), Func("f")
    f[x, y] += i32(a[r, y]) * i32(w[x, r])
    stage = f.set_bounds([(0, 6), (0, 8)]).update()
    stage.split(y, yo, yi, reuse).split(x, xo, xi, 3).split(r, ko, ki, 4)
    stage.reorder(yi, ki, ko, xi, xo, yo).unroll(xi).unroll(ki, 2)
    w.in_().compute_at(f, xi)
    return f


def test_stationary_words_from_copies():
    """A register in each PE that is filled from the copy of its lane: along the bus, or lane by lane."""
    check_each(on_both_memories(stationary(2), stationary(4)))


def test_three_unrolled_loops_and_two_levels_of_copies():
    f = convolution()
    f.update().split(k, ko, ki, 2).reorder("r.x", "r.y", xi, ki, xo, ko, yi, yo).unroll(ki)
    w = f.sources[1]
    w.in_().compute_at(f, ki)
    a = f.sources[0].sources[0]
    a.in_().compute_at(f, yi)
    a.in_().in_().compute_at(f, ki)
    check_hardware(Design(f, memory=STALLS, starts=2))



def with_bias(systolic: bool) -> Func:
    r = RDom([(0, 3)], "r")
    a, bias, f, g = ImageParam(Int(8), 2, "a"), ImageParam(Int(16), 1, "bias"), Func("f"), Func("g")
    f[x, y] += i32(a[x + r, y])
    g[x, y] = f[x, y] + bias[x]
    g.bound(x, 0, 8).bound(y, 0, 5)
    stage = f.update().reorder("r.x", y, x).unroll(x, 4)
    if systolic:
        stage.systolic(x)
    bias.in_().compute_at(g, y)
    return g


def test_of_the_final_stage():
    """The writer goes round the lanes for every row; a copy is filled again only when its words change."""
    funcs, options = [with_bias(False), with_bias(True)], [Options(port_bits, counters="all") for port_bits in (0, 64)]
    ways = {"memory": Memory()}, {"memory": STALLS, "starts": 2}
    runs = check_each([Design(f, each, **way) for way in ways for f in funcs for each in options])
    assert [run.counters["bias_words"] for run in runs[:4]] == [8] * 4
