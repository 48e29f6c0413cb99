"""Every bug that random designs have found, as small as it was found to be."""

from __future__ import annotations

import pytest

from halidehw import BoundaryConditions, Func, ImageParam, Int, Pipeline, RDom, UInt, Var, i32, max, min, select
from halidehw.microarch.options import Options
from tests.fuzz.check import check_each, check_hardware
from tests.fuzz.designs import Design

x, y, z = Var("x"), Var("y"), Var("z")


def test_second_level_read_backwards():
    """An index that falls as a loop steps: the address in a larger buffer wrapped below zero."""
    r = RDom([(0, 1)])
    a, f = ImageParam(Int(8), 1, "a"), Func("f")
    f[x] += i32(a[4 - x + r.x])
    f.bound(x, 0, 4).update().reorder(x, r.x)
    a.in_().compute_at(f, r.x)
    a.in_().in_().compute_at(f, x)
    check_hardware(Design(f))


def test_register_file_read_backwards():
    """The same in a buffer inside the PEs."""
    r = RDom([(0, 3)])
    a, f = ImageParam(Int(8), 2, "a"), Func("f")
    f[x, y] += i32(a[5 - x - r.x, y])
    f.bound(x, 0, 4).bound(y, 0, 4).update().unroll(y, 2)
    a.in_().compute_at(f, y)
    check_hardware(Design(f))


def test_words_outside_come_faster_than_places_for_them():
    """Every word is a boundary's: the loader took more tiles than it had been granted, and stopped for good."""
    r = RDom([(0, 5), (0, 5)])
    a, w, f = ImageParam(Int(8), 1, "a"), ImageParam(Int(8), 1, "w"), Func("f")
    outside = BoundaryConditions.constant_exterior(a, 1, [(-1, 3)])
    f[x, y] += i32(outside[x + 2]) * i32(w[x + r.x])
    f.bound(x, 0, 4).bound(y, 0, 16).update().reorder(y, x, r.y, r.x)
    check_hardware(Design(f))


def test_words_of_partial_sums_that_come_back():
    """The model counted partial sums of a first visit, which are never asked for."""
    r = RDom([(0, 4)])
    a, f = ImageParam(Int(8), 2, "a"), Func("f")
    f[x] += i32(a[x, r.x])
    f.bound(x, 0, 7).update().split(r.x, "outer", "inner", 2).split(x, "xo", "xi", 3).reorder(
        "inner", "xi", "xo", "outer"
    )
    f.in_().compute_at(f, "xo").single_buffer()
    check_hardware(Design(f, Options(counters="all")))


@pytest.mark.parametrize("bits", [0, 64])
def test_loop_values_in_the_final_stage(bits: int):
    """The writer had no values of loops: a start or final stage that computes with its own indices was not built."""
    r = RDom([(0, 5)])
    a, f, g = ImageParam(Int(8), 2, "a"), Func("f"), Func("g")
    f[x, y] = i32(x - 2 * y)
    f[x, y] += i32(a[x, r.x])
    g[x, y] = select((x & 1) == 0, f[x, y] - x, f[x, y] * y)
    g.bound(x, -3, 7).bound(y, 1, 6)
    f.update().split(x, "xo", "xi", 4).reorder(r.x, "xi", y, "xo").unroll("xi", 2).unroll(y, 3)
    check_hardware(Design(g, Options(port_bits=bits), starts=2))


def test_the_value_of_a_loop_as_numbers_of_several_types():
    """The place of the greatest value is three bits of `r.x`; the condition took those as a signed number."""
    a, r, f = ImageParam(Int(8), 1, "a"), RDom([(0, 6)], "r"), Func("f")
    r.where(r.x + x > 1)
    key = i32(a[x + r.x])
    f[x] = (i32(-500), i32(-1))
    f[x] = (max(f[x][0], key), select(key > f[x][0], r.x, f[x][1]))
    check_each([Design(f.bound(x, 0, 5), seed=seed, fill="extremes") for seed in (1, 2)])


def test_a_shift_to_the_right_by_less_than_nothing():
    """It went to the left by no more than the bits of what is shifted: of a bit, by one."""
    a, w, f = ImageParam(UInt(1), 1, "a"), ImageParam(Int(4), 1, "w"), Func("f")
    f[x] = i32(a[x]) >> i32(w[x])
    check_hardware(Design(f.bound(x, 0, 16), fill="extremes"))


def test_a_matrix_by_itself_of_which_one_read_stays_in_the_pes():
    """Where words of one way of reading a stage stayed in the PEs, its memory had no room for those of the other."""
    a, r, f, b = ImageParam(Int(4), 2, "a"), RDom([(0, 5)]), Func("f"), Var("b")
    f[x, y, b] += i32(a[r.x, y]) * i32(a[x, r.x])
    f.bound(x, 0, 1).bound(y, 0, 2).bound(b, 0, 3).update().reorder(y, x, b, r.x).unroll(y, 2)
    f.in_().compute_at(f, r.x)
    check_hardware(Design(f))


def test_a_memory_inside_that_of_an_output():
    """Its window was as large as the output, whose memory has all of it, and went on by rows that never came."""

    def design(level: int) -> Design:
        a, r, f, g = ImageParam(Int(8), 2, "a"), RDom([(0, 3), (0, 2)]), Func("f"), Func("g")
        f[x, y] = a[x, y] + 1
        g[x, y] += i32(f[x + r.x, y + r.y])
        f.set_bounds([(0, 7), (0, 5)]).compute_root()
        g.set_bounds([(0, 5), (0, 4)])
        if level == 1:
            f.in_().store_root().compute_at(g, y)
        else:
            f.in_().compute_at(g, y)
            f.in_().in_().store_at(g, y).compute_at(g, x)
        return Design(Pipeline([f, g]), starts=2)

    check_each([design(1), design(2), Design(memory_of_a_stage_with_updates()), Design(ragged_lanes_that_are_skewed())])


def memory_of_a_stage_with_updates() -> Func:
    """It was taken for one of the stage's own partial sums."""
    a, f, g = ImageParam(Int(8), 2, "a"), Func("f"), Func("g")
    f[x, y] = i32(a[x, y])
    f[x, y] = f[x, y] * 3 - (f[x, y] >> 2)
    f[x, 0] = x * 2
    g[x, y] = f[x, y] - f[x + 2, y]
    f.compute_root().in_().store_at(g, y).compute_at(g, x)
    return g.set_bounds([(0, 5), (0, 4)])


def ragged_lanes_that_are_skewed() -> Func:
    """A step more is read than there are tiles, for the last lane; the memory had no words for the other ones there."""
    a, b, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(16), 1, "b"), Func("f")
    f[x, y] = min(i32(a[x, y]), i32(a[x + 1, y])) * b[y]
    f.set_bounds([(0, 7), (0, 5)]).unroll(x, 2).unroll(y, 3).systolic(y).systolic(x)
    a.in_().compute_root()
    return f
