"""Hardware whose indices have quotients and remainders: digits of loops, with no divider in an address."""

from __future__ import annotations

from halidehw import Func, ImageParam, Int, RDom, UInt, Var, i16, i32
from halidehw.simulate import Memory
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design

x, y, xo, xi, yo, yi = map(Var, ("x", "y", "xo", "xi", "yo", "yi"))


def enlarged() -> Func:
    """7 x 6, each column and row but the first twice."""
    a, f = ImageParam(UInt(8), 2, "a"), Func("f")
    f[x, y] = i16(a[(x + 1) / 2, (y + 1) / 2]) * 3 - x % 2
    f.set_bounds([(0, 7), (0, 6)]).split(x, xo, xi, 2).split(y, yo, yi, 2)
    a.in_().store_root().compute_at(f, yo)
    return f


def alternating() -> Func:
    """A filter of two phases, two places side by side."""
    a, w, r, f = ImageParam(Int(8), 1, "a"), ImageParam(Int(8), 2, "w"), RDom([(0, 3)], "r"), Func("f")
    f[x] += i32(a[x / 2 + r]) * w[r, x % 2]
    f.bound(x, 0, 9).update().split(x, xo, xi, 2).reorder(xi, r, xo).unroll(xi)
    return f


def twice() -> Func:
    """A stage's columns, but the last, twice: 9 x 5 of rows that pass through a line buffer."""
    a, h, f = ImageParam(UInt(8), 2, "a"), Func("h"), Func("f")
    h[x, y] = i16(a[x, y]) - a[x + 1, y]
    f[x, y] = h[x / 2, y] + i16(x % 2)
    f.set_bounds([(0, 9), (0, 5)]).vectorize(x, 4)
    h.store_root().compute_at(f, y)
    return f


def between() -> Func:
    """A stage of half the rows, each row between two of them; loops that the compiler takes apart."""
    a, h, f = ImageParam(UInt(8), 2, "a"), Func("h"), Func("f")
    h[x, y] = i16(a[x, 2 * y]) - a[x, 2 * y + 1]
    f[x, y] = h[x, y / 2] + h[x, (y + 1) / 2] * 3 - i16(y % 2)
    f.set_bounds([(0, 5), (0, 8)])
    h.store_root().compute_at(f, y)
    return f


def test_quotients_and_remainders() -> None:
    funcs = [make() for make in (enlarged, alternating, twice, between)]
    check_each([Design(func, memory=Memory(stall_probability=0.2)) for func in funcs])
