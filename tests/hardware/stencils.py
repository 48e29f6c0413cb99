"""3x3 filters whose image has a line buffer."""

from __future__ import annotations

from collections.abc import Callable

from halidehw import BoundaryConditions, Func, ImageParam, Int, RDom, Var, i32

x, y, k, xo, xi, yo, yi = map(Var, ("x", "y", "k", "xo", "xi", "yo", "yi"))

Schedule = Callable[[Func, ImageParam], object]


def stencil(schedule: Schedule, rows: int = 9, step: int = 1, dilation: int = 1, boundary: str = "none") -> Func:
    """A 3x3 filter over 7 columns and `rows` rows, two filters; with a boundary, one pixel of padding."""
    a, w, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 3, "w"), Func("f")
    low = 0 if boundary == "none" else -1
    r = RDom([(low, 3), (low, 3)], "r")
    read = a
    if boundary != "none":
        ranges = [(0, 7), (0, step * (rows - 1) + 1)]
        outside = () if boundary != "constant_exterior" else (-7,)
        read = getattr(BoundaryConditions, boundary)(a, *outside, ranges)
    f[x, y, k] += i32(read[x + r.x, step * y + dilation * r.y]) * i32(w[r.x - low, r.y - low, k])
    f.set_bounds([(0, 7), (0, rows), (0, 2)])
    schedule(f, a)
    return f


def rows_at_root(f: Func, a: ImageParam) -> None:
    f.update().reorder(x, k, y).unroll(x, 2)
    a.in_().store_root().compute_at(f, y)


def rows_one_after_another(f: Func, a: ImageParam) -> None:
    rows_at_root(f, a)
    a.in_().single_buffer()


def ragged_tiles(f: Func, a: ImageParam) -> None:
    f.update().split(y, yo, yi, 4).reorder(x, k, yi, yo).unroll(x, 3).systolic(x)
    a.in_().store_root().compute_at(f, yo)


def split_rows(f: Func, a: ImageParam) -> None:
    f.update().split(y, yo, yi, 4).unroll(x, 4)
    a.in_().store_at(f, k).compute_at(f, yi)


def columns(f: Func, a: ImageParam) -> None:
    f.update().reorder(y, x, k)
    a.in_().store_at(f, k).compute_at(f, x).single_buffer()


def rows_side_by_side(f: Func, a: ImageParam) -> None:
    f.update().reorder("r.y", "r.x", x).unroll("r.y", 3)
    a.in_().store_at(f, k).compute_at(f, y)


def rows_and_columns_side_by_side(f: Func, a: ImageParam) -> None:
    f.update().split(x, xo, xi, 3).split(y, yo, yi, 2).reorder("r.y", "r.x", xi, yi, xo, yo).unroll(xi).unroll(yi)
    a.in_().store_at(f, k).compute_at(f, yo)


def two_levels(f: Func, a: ImageParam) -> None:
    f.update().split(y, yo, yi, 4).reorder(x, k, yi, yo)
    a.in_().store_root().compute_at(f, yo)
    a.in_().in_().store_at(f, yo).compute_at(f, yi)


def behind_registers(f: Func, a: ImageParam) -> None:
    f.update().reorder(k, x, y).unroll(x, 4)
    a.in_().store_root().compute_at(f, y)


SCHEDULES = [
    rows_at_root, ragged_tiles, split_rows, columns, rows_side_by_side, rows_and_columns_side_by_side, two_levels,
    behind_registers,
]  # fmt: skip
