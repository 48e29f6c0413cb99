"""Indices with a quotient or a remainder: they are affine in the loops of a split."""

import pytest

from halidehw import Func, ImageParam, Int, RDom, UInt, i32
from halidehw.errors import HardwareError
from halidehw.ir.affine import Affine
from halidehw.scheduler import lower, lower_graph
from tests.refused import refused
from tests.scheduler.pipelines import checked, x, xi, xo, y, yi, yo


def index(define, extent=8, split=2):
    """The index of the one read of a Func, as its loops make it."""
    a, f = ImageParam(Int(8), 1, "a"), Func("f")
    f[x] = a[define(x)]
    f.bound(x, 0, extent).split(x, xo, xi, split)
    checked(f)
    return lower(f).reads[0].indices[0]


XO, XI = Affine.variable("xo"), Affine.variable("xi")


@pytest.mark.parametrize("extent", [8, 7, 5])
def test_quotients_and_remainders_are_digits(extent):
    assert index(lambda x: x / 2, extent) == XO
    assert index(lambda x: x % 2, extent) == XI
    assert index(lambda x: (x + 1) / 2, extent) == XO + XI
    assert index(lambda x: (x + 1) % 2, extent) == -XI + 1
    assert index(lambda x: (x - 1) / 2 + 1, extent) == XO + XI
    assert index(lambda x: x / 4, extent, 4) == XO
    assert index(lambda x: (3 * x + 6) / 3, extent) == 2 * XO + XI + 2
    assert index(lambda x: x >> 1, extent) == XO
    assert index(lambda x: x / 2 * 2 + x % 2, extent) == 2 * XO + XI


@pytest.mark.parametrize(("more", "steps"), [(0, 0), (1, 1)])
def test_a_quotient_of_loops_that_do_not_begin_at_0(more, steps):
    """Of which one is multiplied by the divisor, and the other one is not."""
    a, r, f = ImageParam(Int(8), 1, "a"), RDom([(0, 2)], "r"), Func("f")
    f[x] += i32(a[(2 * x + r + more) / 2])
    checked(f.bound(x, 3, 5))
    assert lower(f).reads[0].indices[0] == Affine.of([("x", 1), *([("r.x", 1)] if steps else [])])


def test_a_quotient_in_a_reduction():
    a, w, r, f = ImageParam(Int(8), 1, "a"), ImageParam(Int(8), 1, "w"), RDom([(0, 6)], "r"), Func("f")
    f[x] += i32(a[x + r / 2]) * w[r]
    f.bound(x, 0, 5).update().split(r, "ro", "ri", 2)
    checked(f)


def enlarged(schedule, between, width=7, height=5):
    """An image of half the size, and again of the whole size: `half` to `whole`."""
    image, half, whole = ImageParam(UInt(8), 2, "image"), Func("half"), Func("whole")
    half[x, y] = i32(image[2 * x, 2 * y]) + image[2 * x + 1, 2 * y + 1]
    near = half[x / 2, y / 2]
    whole[x, y] = near + half[(x + 1) / 2, (y + 1) / 2] if between else near * 2 - x % 2
    whole.set_bounds([(0, width), (0, height)])
    schedule(whole, half)
    return whole


def tiled(whole, half):
    whole.split(x, xo, xi, 4).split(xi, "a", "b", 2).split(y, yo, yi, 2).reorder("b", "a", yi, xo, yo)
    half.compute_at(whole, xo)


PLACES = {
    "root": lambda whole, half: (whole.split(x, xo, xi, 2).split(y, yo, yi, 2), half.compute_root()),
    "lines": lambda whole, half: (
        whole.split(x, xo, xi, 2).split(y, yo, yi, 2), half.store_root().compute_at(whole, yo)),
    "tiles": tiled,
    "lines_without_a_split": lambda whole, half: half.store_root().compute_at(whole, y),
    "lanes_without_a_split": lambda whole, half: (whole.vectorize(x, 4), half.compute_at(whole, y)),
    "columns_without_a_split": lambda whole, half: (whole.split(x, xo, xi, 4), half.compute_root()),
}  # fmt: skip


@pytest.mark.parametrize("size", [(7, 5), (8, 6)])
@pytest.mark.parametrize("between", [False, True])
@pytest.mark.parametrize("place", PLACES)
def test_an_image_enlarged(place, between, size):
    if place.startswith("lines") and between and size[1] % 2:
        with pytest.raises(HardwareError, match="half has no window that slides: the end of yo is cut off together"):
            lower_graph(enlarged(PLACES[place], between, *size))
        return
    checked(enlarged(PLACES[place], between, *size))


def test_loops_are_taken_apart_where_an_index_asks_for_it():
    a, f = ImageParam(Int(8), 1, "a"), Func("f")
    f[x] = a[x / 2 / 3] + a[x % 6 / 2 + 4] * i32(a[3 * x / 2])
    nest = lower(f.bound(x, 0, 22))
    assert [(loop.name, loop.extent, loop.fused) for loop in nest.loops] == [
        ("xo", 4, "x"), ("xio", 3, "x"), ("xii", 2, "x"),
    ]  # fmt: skip
    checked(f)


def test_a_remainder_of_what_is_not_split_by_as_much():
    a, f = ImageParam(Int(8), 1, "a"), Func("f")
    f[x] = a[x % 3]
    refused(
        lambda: lower(f.bound(x, 0, 8).split(x, xo, xi, 2)),
        "the index (x % 3) of a is not affine in the loops: an address must be a sum of loops, each multiplied by a "
        "constant",
        'r = RDom([(0, 3)], "r")', "f[x] += select((x % 3) == r.x, a(r.x), 0)",
    )
