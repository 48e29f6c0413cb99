"""Tables: reads at an index that is data."""

import numpy as np
import pytest

import halidehw as hl
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse
from halidehw.frontend.text.writer import write
from halidehw.microarch.options import Options
from halidehw.simulate import Memory
from tests.fuzz.check import check_each, check_interpreter
from tests.fuzz.designs import Design

WIDTH, HEIGHT = 7, 3
x, y = hl.vars("x y")


def bounded(f: hl.Func) -> hl.Func:
    return f.bound(x, 0, WIDTH).bound(y, 0, HEIGHT)


def image(kind: hl.Type | None = None) -> hl.ImageParam:
    return hl.ImageParam(kind or hl.UInt(4), 2, "image")


def curve() -> hl.Func:
    """An input that pixels choose from."""
    f, pixels, table = hl.Func("f"), image(hl.UInt(8)), hl.ImageParam(hl.UInt(16), 1, "curve")
    f[x, y] = table[hl.i32(pixels[x, y])]
    return bounded(f)


def clamped() -> hl.Func:
    """Two look-ups a step in each of two lanes, of two dimensions, one of which is a loop or a constant."""
    f, pixels, table = hl.Func("f"), image(hl.Int(16)), hl.ImageParam(hl.Int(9), 2, "curve")
    low = table[hl.clamp(hl.i32(pixels[x, y]) / 8, -3, 20), y]
    f[x, y] = hl.i32(low) + table[hl.clamp(hl.i32(pixels[x + 1, y]), 0, 5), 2]
    return bounded(f).vectorize(x, 2)


def summed() -> hl.Func:
    """In a reduction, in lanes one after another, behind a window."""
    f, pixels, table, r = hl.Func("f"), image(), hl.ImageParam(hl.UInt(8), 1, "curve"), hl.RDom([(0, 3), (0, 2)], "r")
    f[x, y] += hl.i32(table[hl.i32(pixels[x + r.x, y + r.y])]) * (r.x + 1)
    f.update().unroll(x, 2).systolic(x)
    return bounded(f)


def made() -> hl.Func:
    """A table that a stage makes, looked up at neighbours."""
    f, pixels, a, table = hl.Func("f"), image(), hl.ImageParam(hl.UInt(8), 1, "a"), hl.Func("table")
    r = hl.RDom([(0, 3)], "r")
    table[x] += hl.i32(a[x + r.x])
    f[x, y] = table[hl.i32(pixels[x, y])] - table[hl.i32(pixels[x, y + 1])]
    table.compute_root()
    return bounded(f)


def after() -> hl.Func:
    """Looked up at a sum, which then is a stage of its own."""
    f, pixels, table = hl.Func("f"), image(), hl.ImageParam(hl.UInt(7), 1, "table")
    s, w, r = hl.Func("s"), hl.ImageParam(hl.UInt(8), 1, "w"), hl.RDom([(0, 3)], "r")
    s[x, y] += hl.i32(pixels[x + r.x, y]) * w[r.x]
    f[x, y] = table[hl.i32(hl.u8(s[x, y] >> 3))]
    return bounded(f)


def read_elsewhere() -> hl.Func:
    """A table of which another stage reads more, from before its first element on."""
    f, s, g, a = hl.Func("f"), hl.Func("s"), hl.Func("g"), hl.ImageParam(hl.UInt(8), 1, "a")
    s[x] = a[x] * hl.u8(3)
    g[x] = s[x - 2] + hl.u8(1)
    f[x, y] = s[hl.i32(g[x]) % 4] + hl.u8(y)
    s.compute_root()
    g.compute_root()
    return bounded(f)


MADE = (curve, clamped, summed, made, after, read_elsewhere)


def test_tables_in_hardware():
    designs = [Design(make(), options=Options(counters="all")) for make in MADE]
    for each in designs:
        check_interpreter(each)
    stalling = Memory(5, stall_probability=0.2)
    check_each([*designs, *(Design(make(), memory=stalling, starts=2, abort=30) for make in MADE[1:4])])


@pytest.mark.parametrize("make", MADE)
def test_tables_as_text(make):
    text = write(design_of(make()))
    assert write(parse(text)) == text


def test_a_table_is_held_whole_and_read_once():
    found = hl.estimate(curve())
    assert (found.count("curve_words"), found.count("curve_table_read")) == (256, WIDTH * HEIGHT)
    assert [(use.words, use.least) for use in found.ports if use.tensor == "curve"] == [(256, 256)]


def test_what_halide_gives():
    halide = pytest.importorskip("halide")
    found = []
    for module in (hl, halide):
        pixels = module.Buffer(np.arange(40, dtype=np.uint8).reshape(5, 8) * 6)
        table = module.Buffer(np.arange(256, dtype=np.int16)[::-1] ** 2)
        i, j, f = module.Var("x"), module.Var("y"), module.Func("f")
        f[i, j] = table[module.i32(pixels[i, j])]
        found.append(np.asarray(f.realize([8, 5])))
    assert np.array_equal(*found)
