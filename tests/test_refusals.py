"""Schedules that ask for the impossible are refused before there is any hardware, with the arithmetic."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from halidehw import Func, ImageParam, Int, RDom, Var, i32
from halidehw.errors import HardwareError, ScheduleError
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse, write
from halidehw.ir.printer import buffers_json, loop_nest
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.scheduler import lower
from tests.refused import refused

x, y, k, xo, yo, xi, yi = map(Var, ("x", "y", "k", "xo", "yo", "xi", "yi"))

Change = Callable[[Func, ImageParam], object]


def block(change: Change, xfactor: int = 8, yfactor: int = 8) -> Func:
    """5x5x12 filters over tiles of 8x8 outputs: 12x12x12 input words each."""
    r = RDom([(0, 5), (0, 5), (0, 12)])
    image, w = ImageParam(Int(16), 3, "input"), ImageParam(Int(16), 4, "w")
    output = Func("output")
    output[x, y, k] += i32(image[x + r.x, y + r.y, r.z]) * i32(w[r.x, r.y, r.z, k])
    output.set_bounds([(0, 16), (0, 16), (0, 4)])
    output.update().split(x, xo, xi, xfactor).split(y, yo, yi, yfactor).reorder(xi, yi, xo, yo)
    change(output, image)
    return output.accelerate([image, w])


# --- capacities


def test_a_footprint_larger_than_the_capacity():
    refused(
        lambda: lower(block(lambda f, a: a.in_().compute_at(f, xo).capacity(1024))),
        "input.in_().capacity(1024): input_in needs 1 728 words (12 x 12 x 12), has 1 024",
        "output.update().split(x, xo, xi, 2)", "output.update().split(y, yo, yi, 2)",
        "input.in_().compute_at(output, yi)", "input.in_().compute_at(output, xi)",
        "input.in_().compute_at(output, r.z)", "input.in_().compute_at(output, r.y)",
        "input.in_().compute_at(output, r.x)", "input.in_().capacity(1728)",
    )  # fmt: skip


def test_a_place_inside_fused_loops_is_inside_all_of_them():
    """Of two pairs of fused loops each is a place once."""
    x, y, z, w, one, other = map(Var, ("x", "y", "z", "w", "one", "other"))
    a, f = ImageParam(Int(8), 4, "a"), Func("f")
    f[x, y, z, w] = a[x, y, z, w]
    f.set_bounds([(0, 4), (0, 3), (0, 5), (0, 2)]).fuse(x, y, one).fuse(z, w, other)
    a.in_().compute_root().capacity(12)
    refused(
        lambda: lower(f), "a.in_().capacity(12): a_in needs 120 words (4 x 3 x 5 x 2), has 12",
        "a.in_().compute_at(f, other)", "a.in_().compute_at(f, one)", "a.in_().capacity(120)", kind=HardwareError,
    )  # fmt: skip


def test_the_error_stands_at_the_line_of_the_capacity():
    with pytest.raises(HardwareError) as caught:
        lower(block(lambda f, a: a.in_().compute_at(f, xo).capacity(8)))
    assert caught.value.source is not None
    assert caught.value.source.text.endswith(".capacity(8)))")


def test_what_is_proposed_fits():
    lower(block(lambda f, a: a.in_().compute_at(f, xo).capacity(1728)))
    lower(block(lambda f, a: a.in_().compute_at(f, xo).capacity(1024), xfactor=2))
    lower(block(lambda f, a: a.in_().compute_at(f, xo).capacity(1024), yfactor=2))
    for loop in (yi, xi, "r.z", "r.y", "r.x"):
        lower(block(lambda f, a, loop=loop: a.in_().compute_at(f, loop).capacity(1024)))


def test_a_capacity_in_each_pe():
    def change(f: Func, a: ImageParam) -> None:
        f.update().reorder(yi, xi).unroll(xi, 4)
        a.in_().compute_at(f, xi).capacity(100)

    refused(
        lambda: lower(block(change)),
        "input.in_().capacity(100): input_in needs 720 words in each PE (5 x 12 x 12), has 100",
        "input.in_().compute_at(output, r.z)", "input.in_().compute_at(output, r.y)",
        "input.in_().compute_at(output, r.x)", "input.in_().capacity(720)",
    )  # fmt: skip


def test_a_tile_that_halves_in_both_directions():
    a, f = ImageParam(Int(8), 2, "a"), Func("f")
    f[x, y] = a[x, y]
    f.set_bounds([(0, 64), (0, 64)]).tile(x, y, xo, yo, xi, yi, 16, 16)
    a.in_().compute_at(f, xo).capacity(64)
    with pytest.raises(HardwareError, match=r"a_in needs 256 words \(16 x 16\), has 64") as caught:
        lower(f)
    assert caught.value.legal[0] == "f.tile(x, y, xo, yo, xi, yi, 8, 8)"


def test_words_that_a_stride_skips_are_not_held():
    a, f = ImageParam(Int(8), 1, "a"), Func("f")
    f[x] = a[4 * x]
    f.bound(x, 0, 32).split(x, xo, xi, 8)
    a.in_().compute_at(f, xo).capacity(8)
    capacity = lower(f).buffers[0].capacity
    assert capacity and capacity.words == 8


def test_a_capacity_of_each_level():
    def change(f: Func, a: ImageParam) -> None:
        a.in_().compute_at(f, yo).capacity(4000)
        a.in_().in_().compute_at(f, xo).capacity(1000)

    with pytest.raises(HardwareError, match=r"input.in_\(\).in_\(\).capacity\(1000\): input_in_in needs 1 728 words"):
        lower(block(change))


def test_a_capacity_that_is_enough_is_shown():
    nest = lower(block(lambda f, a: a.in_().compute_at(f, xo).capacity(2048)))
    assert "allocate input_in[12][12][12] (double, capacity 2048)" in loop_nest(nest)
    assert buffers_json(nest)[0]["capacity"] == 2048
    assert "input.in_().capacity(2048)" in nest.schedule


def test_a_capacity_that_banks_exceed():
    """A memory was once made of more words than it was declared to have room for, and its energy was theirs."""

    def made(words: int) -> int:
        a, f, r = ImageParam(Int(8), 2, "a"), Func("f"), RDom([(0, 3)], "r")
        f[x, y] += i32(a[x + r, y])
        f.set_bounds([(0, 18), (0, 5)]).update().split(x, xo, xi, 9).reorder(r.x, xi, y, xo).unroll(r.x)
        a.in_().compute_at(f, xo).capacity(words)
        (memory,) = derive(lower(f), Options(port_bits=32)).memories
        return memory.banks * memory.depth

    took = "a.in_().capacity(55): a_in takes 60 words (4 banks of 15), has 55"
    refused(lambda: made(55), took, "a.in_().capacity(60)")
    assert made(60) == 60


def test_a_capacity_of_ragged_sums_and_files():
    def derived(change: Callable[[Func, ImageParam], None]) -> None:
        a, f, r = ImageParam(Int(8), 1, "a"), Func("f"), RDom([(0, 3)], "r")
        f[x] += i32(a[x + r])
        f.bound(x, 0, 11).update().split(x, xo, xi, 4).reorder(xi, xo, r.x)
        change(f, a)
        derive(lower(f))

    refused(
        lambda: derived(lambda f, a: f.in_().compute_root().capacity(11)),
        "f.in_().capacity(11): f_in takes 12 words (12 in 1 lane), has 11", "f.in_().capacity(12)",
    )  # fmt: skip


def test_a_capacity_in_both_notations():
    design = design_of(block(lambda f, a: a.in_().compute_at(f, xo).single_buffer().capacity(2048)))
    text = write(design)
    assert "input.in().compute_at(output, xo).single_buffer().capacity(2048);" in text
    assert parse(text).output.schedule == design.output.schedule


def test_a_capacity_of_nothing():
    message = "input.in_().capacity(0): 0 is not a positive number of words"
    build = lambda: block(lambda f, a: a.in_().compute_at(f, xo).capacity(0))  # noqa: E731
    refused(build, message, "input.in_().capacity(1024)", kind=ScheduleError)


def test_a_capacity_without_a_place():
    message = "input.in_().capacity(64): input.in_() is no buffer yet"
    legal = "input.in_().compute_at(f, x).capacity(64)"
    refused(lambda: block(lambda f, a: a.in_().capacity(64)), message, legal, kind=ScheduleError)


def test_a_second_capacity():
    already = "it has its capacity already, by input.in_().capacity(32); remove one of the lines"
    message = f"input.in_().capacity(64): {already}"
    build = lambda: block(lambda f, a: a.in_().compute_at(f, xo).capacity(32).capacity(64))  # noqa: E731
    refused(build, message, kind=ScheduleError)


# --- rows of a line buffer


def test_rows_that_end_between_two_of_them():
    """The last of three taps, two at a time: the rows end at the third where `near` is 0, before it where it is 1."""
    far, near, r = Var("far"), Var("near"), RDom([(0, 3)], "r")
    a, w, f = ImageParam(Int(8), 1, "a"), ImageParam(Int(8), 1, "w"), Func("f")
    f[x] += i32(a[2 * x + r.x]) * i32(w[r.x])
    f.bound(x, 0, 4).update().split(r.x, far, near, 2).reorder(x, far, near)
    a.in_().store_at(f, near).compute_at(f, far)
    refused(
        lambda: lower(f.accelerate([a, w])),
        "a.in_().store_at(f, near): a.in_() has no window that slides: "
        "its rows are 2 apart, and where they end moves by less as near steps",
        "a.in_().compute_at(f, far)",
    )


# --- words that are copied together


def rows(change: Callable[[Func, ImageParam], object]) -> Func:
    """4 columns and 2 rows of PEs; each keeps its word of `b`, 4 x 6 words of which are in the memory."""
    c, ro, ri = RDom([(0, 6)], "c"), Var("ro"), Var("ri")
    a, b, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f")
    f[k, x] += i32(a[x, c]) * i32(b[k, c])
    f.set_bounds([(0, 4), (0, 5)]).update().split(c, ro, ri, 2).reorder(ri, k, x, ro).unroll(ri).unroll(k).systolic(k)
    b.in_().compute_root()
    change(f, b)
    return f.accelerate([a, b])


def test_words_that_are_copied_together():
    network = derive(lower(rows(lambda f, b: b.in_().in_().compute_at(f, Var("ri")).vectorize(4))))
    assert network.output.fills[0].sink.bus == ("k.lane",)
    network = derive(lower(rows(lambda f, b: b.in_().in_().compute_at(f, Var("ro")).vectorize(2))))
    assert {memory.name: memory.vector for memory in network.memories}["b_in_in"] == 2
    design = design_of(rows(lambda f, b: b.in_().in_().compute_at(f, Var("ri")).vectorize(4)))
    assert "b.in().in().compute_at(f, ri).vectorize(4);" in write(design)
    assert parse(write(design)).output.schedule == design.output.schedule
    assert ", 4 words at a time)" in loop_nest(lower(design.output))


@pytest.mark.parametrize(
    ("change", "message", "legal"),
    [
        (lambda f, b: b.in_().in_().compute_at(f, Var("ri")).vectorize(3),
         "b.in_().in_().vectorize(3): the array has 1 or 4 lanes along dimension 0",
         ["b.in_().in_().vectorize(1)", "b.in_().in_().vectorize(4)"]),
        (lambda f, b: b.in_().in_().compute_at(f, Var("ro")).vectorize(3),
         "b.in_().in_().vectorize(3): 4 words of b along dimension 0 are 1 x 3 + 1",
         ["b.in_().in_().vectorize(2)", "b.in_().in_().vectorize(1)"]),
        (lambda f, b: b.in_().vectorize(4), "b.in_().vectorize(4): words of b come from its port, 1 at a time",
         ["b.in_().vectorize(1)"]),
        (lambda f, b: (b.in_().in_().compute_at(f, Var("k")),
                       b.in_().in_().in_().compute_at(f, Var("ri")).vectorize(2)),
         "b.in_().in_().in_().vectorize(2): the array has 1 or 4 lanes along dimension 0",
         ["b.in_().in_().in_().vectorize(1)", "b.in_().in_().in_().vectorize(4)"]),
    ],
)  # fmt: skip
def test_words_that_do_not_come_together(change, message, legal):
    refused(lambda: derive(lower(rows(change))), message, *legal)


def test_a_width_of_nothing():
    message = "b.in_().vectorize(0): 0 is not a positive number of words"
    refused(lambda: rows(lambda f, b: b.in_().vectorize(0)), message, "b.in_().vectorize(8)", kind=ScheduleError)


def test_a_second_width():
    message = "b.in_().vectorize(2): it has its width already, by b.in_().vectorize(1); remove one of the lines"
    refused(lambda: rows(lambda f, b: b.in_().vectorize(1).vectorize(2)), message, kind=ScheduleError)


def test_a_width_of_partial_sums():
    message = "f.in_().vectorize(2): the partial sums of f move on as many at a time as keep up with the array"
    build = lambda: lower(rows(lambda f, b: f.in_().compute_at(f, x).vectorize(2)))  # noqa: E731
    refused(build, message, kind=ScheduleError)


# --- arrays


def product(change: Callable[[Func], object]) -> Func:
    c = RDom([(0, 4)], "c")
    a, b, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f")
    f[x, k] += i32(a[x, c]) * i32(b[c, k])
    f.set_bounds([(0, 20), (0, 32)])
    change(f)
    return f.accelerate([a, b])


def test_an_unroll_that_exceeds_a_row():
    refused(
        lambda: lower(product(lambda f: f.update().dataflow("C | X", rows=4, cols=16).unroll(k, 2))),
        "unroll(k, 2): x 16 x k 2 = 32 PEs in a row of 16",
        'dataflow("C | X", rows=4, cols=32)',
        kind=ScheduleError,
    )


def test_an_unroll_that_fits_in_part():
    legal = "unroll(k, 3)", 'dataflow("C | X", rows=4, cols=160)'
    change = lambda f: f.update().dataflow("C | X", rows=4, cols=64).unroll(k, 8)  # noqa: E731
    message = "unroll(k, 8): x 20 x k 8 = 160 PEs in a row of 64"
    refused(lambda: lower(product(change)), message, *legal, kind=ScheduleError)
    lower(product(lambda f: f.update().dataflow("C | X", rows=4, cols=64).unroll(k, 3)))
    lower(product(lambda f: f.update().dataflow("C | X", rows=4, cols=160).unroll(k, 8)))


def test_two_dataflows_that_exceed_a_column():
    refused(
        lambda: lower(product(lambda f: f.update().dataflow("X", rows=16).dataflow("K", rows=4))),
        'dataflow("X", rows=16): x 16 x k 4 = 64 PEs in a column of 16',
        'dataflow("X", rows=64)',
        kind=ScheduleError,
    )
