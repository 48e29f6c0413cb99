"""Histograms: updates at an index that is data."""

from dataclasses import replace

import numpy as np
import pytest

import halidehw as hl
from halidehw.errors import CostError
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse
from halidehw.frontend.text.writer import write
from halidehw.microarch.options import Options
from halidehw.simulate import Memory
from tests.fuzz.check import check_each, check_interpreter
from tests.fuzz.designs import Design

WIDTH, HEIGHT = 7, 5
x, y, c = hl.vars("x y c")


def pixels(bits: int) -> tuple[hl.ImageParam, hl.RDom]:
    return hl.ImageParam(hl.UInt(bits), 2, "image"), hl.RDom([(0, WIDTH), (0, HEIGHT)], "r")


def histogram() -> hl.Func:
    h, (image, r) = hl.Func("h"), pixels(4)
    h[x] = 0
    h[hl.i32(image[r.x, r.y])] += 1
    return h.bound(x, 0, 16)


def greatest() -> hl.Func:
    """Of each of some bins, one of which none may be; from what is no constant, in lanes of channels."""
    h, (image, r), w = hl.Func("h"), pixels(3), hl.ImageParam(hl.Int(8), 2, "w")
    bin = hl.clamp(hl.i32(image[r.x, r.y]), 1, 5)
    h[x, c] = hl.i16(-3) + x
    h[bin, c] = hl.max(h[bin, c], hl.i16(w[r.x, c]))
    h.update().unroll(c, 2)
    return h.bound(x, 0, 6).bound(c, 0, 3)


def two_dimensional() -> hl.Func:
    """Of pairs, in split loops, where some points are left out."""
    h, r = hl.Func("h"), hl.RDom([(0, 19)], "r")
    a, b = hl.ImageParam(hl.UInt(2), 1, "a"), hl.ImageParam(hl.UInt(3), 1, "b")
    r.where((r.x & 3) != 1)
    h[x, y] = hl.u8(0)
    h[hl.i32(a[r]), hl.i32(b[r])] += hl.u8(r.x + 1)
    h.update().split(r.x, "ro", "ri", 4)
    return h.bound(x, 0, 4).bound(y, 0, 8)


def equalised() -> hl.Func:
    """A histogram, its running sum, and a table that pixels choose from."""
    (image, r), b = pixels(4), hl.RDom([(0, 16)], "b")
    h, running, f = hl.Func("h"), hl.Func("running"), hl.Func("f")
    h[x] = 0
    h[hl.i32(image[r.x, r.y])] += 1
    running[x] += hl.select(b.x <= x, h[b.x], 0)
    f[x, y] = hl.u8(running[hl.i32(image[x, y])] * 15 / (WIDTH * HEIGHT))
    h.compute_root()
    running.compute_root()
    return f.bound(x, 0, WIDTH).bound(y, 0, HEIGHT)


def in_part() -> hl.Func:
    """Of each row, of which two elements are read: all others are computed, too."""
    h, f, (image, _), r = hl.Func("h"), hl.Func("f"), pixels(4), hl.RDom([(0, WIDTH)], "r")
    h[x, y] = hl.u8(x)
    h[hl.i32(image[r.x, y]) % 5, y] += hl.u8(1)
    f[x, y] = h[2 * x, y]
    h.compute_at(f, y)
    return f.bound(x, 0, 2).bound(y, 0, 3)


def of_one() -> hl.Func:
    """One element is counted, so the array takes a single step."""
    h, f, image, r = hl.Func("h"), hl.Func("f"), hl.ImageParam(hl.UInt(2), 1, "image"), hl.RDom([(0, 1)], "r")
    h[x] = hl.u8(x)
    h[hl.i32(image[r.x])] += hl.u8(7)
    f[x, y] = h[x] + hl.u8(y)
    h.compute_root()
    return f.bound(x, 0, 4).bound(y, 0, 2)


MADE = (histogram, greatest, two_dimensional, equalised, in_part, of_one)


def test_histograms_in_hardware():
    designs = [Design(make(), options=Options(counters="all")) for make in MADE]
    for each in designs:
        check_interpreter(each)
    stalls = Memory(5, stall_probability=0.2)
    check_each([*designs, *(replace(each, memory=stalls, starts=2, abort=30) for each in designs)])


def test_a_histogram_where_a_part_of_it_is_read():
    h, f, (image, r) = hl.Func("h"), hl.Func("f"), pixels(3)
    h[x] = 0
    h[hl.i32(image[r.x, r.y])] += 1
    f[x] = h[x + 1]
    h.compute_at(f, x)
    with pytest.raises(hl.HalideHWError, match="so all of it is computed at a time; f reads a part of it") as error:
        hl.compile(f.bound(x, 0, 4))
    assert error.value.legal == ("h.compute_root()",)


def test_one_bin_is_taken_by_every_pixel():
    """Each step updates what the steps before it have on their way."""
    for value in (0, 15):
        result = hl.simulate(histogram(), {"image": np.full((HEIGHT, WIDTH), value)}, once=True)
        assert result.match and result.outputs[value] == WIDTH * HEIGHT


@pytest.mark.parametrize("make", MADE)
def test_histograms_as_text(make):
    text = write(design_of(make()))
    assert write(parse(text)) == text


def test_a_histogram_is_not_counted_in_symbols():
    with pytest.raises(CostError, match="h: indices that are data cannot be counted in symbols"):
        hl.symbolic(histogram())


def test_what_halide_gives():
    halide = pytest.importorskip("halide")
    found = []
    for module in (hl, halide):
        image = module.Buffer(np.arange(40, dtype=np.uint8).reshape(5, 8) * 37)
        i, h, r = module.Var("x"), module.Func("h"), module.RDom([(0, 8), (0, 5)])
        h[i] = module.i32(0)
        h[module.i32(image[r.x, r.y])] += 1
        found.append(np.asarray(h.realize([256])))
    assert np.array_equal(*found)
