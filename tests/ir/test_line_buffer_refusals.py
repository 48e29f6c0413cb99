"""Line buffers that cannot be, or that keep nothing: what is said, and what is proposed."""

from __future__ import annotations

import re

import pytest

from halidehw import Func, ImageParam, Int, RDom, Var, i32
from halidehw.errors import HardwareError, ScheduleError
from halidehw.scheduler import lower
from tests.ir.test_line_buffers import stencil

x, y, k, xo, xi, yo, yi, ym = map(Var, ("x", "y", "k", "xo", "xi", "yo", "yi", "ym"))


def refused(kind: type[Exception], f: Func, message: str, *legal: str) -> None:
    with pytest.raises(kind, match="^" + re.escape(message)) as caught:
        lower(f)
    assert caught.value.source is not None
    assert caught.value.legal == legal


def noted(f: Func, message: str) -> None:
    """The tile is legal, and keeps nothing."""
    nest = lower(f)
    assert [note.message.startswith(message) and note.source is not None for note in nest.notes] == [True]
    assert not any(buffer.slide for buffer in nest.buffers)


def test_where_it_is_filled_must_be_stated():
    f, a = stencil()
    a.in_().store_at(f, k)
    refused(
        ScheduleError, f, "a.in_().store_at(f, k): there is no compute_at, so a.in_() is filled at no loop",
        "a.in_().store_at(f, k).compute_at(f, r.x)", "a.in_().compute_root()",
    )  # fmt: skip


def test_where_it_is_filled_must_be_stated_of_a_root_too():
    f, a = stencil()
    a.in_().store_root()
    refused(
        ScheduleError, f, "a.in_().store_root(): there is no compute_at", "a.in_().store_root().compute_at(f, r.x)",
        "a.in_().compute_root()",
    )  # fmt: skip


def test_it_is_kept_outside_where_it_is_filled():
    f, a = stencil()
    a.in_().compute_at(f, y).store_at(f, x)
    refused(
        ScheduleError, f, "a.in_().store_at(f, x): it must lie outside loop y, where a.in_() is filled",
        "a.in_().store_root().compute_at(f, y)", "a.in_().store_at(f, k).compute_at(f, y)", "a.in_().compute_at(f, y)",
    )  # fmt: skip


def test_nothing_moves_it():
    f, a = stencil()
    f.update().reorder(k, y)
    a.in_().compute_at(f, k).store_at(f, y)
    noted(f, "a.in_().store_at(f, y): no loop between it and k moves a.in_(), so there is nothing to keep")


def test_tiles_have_nothing_in_common():
    f, a = stencil(step=3)
    a.in_().compute_at(f, y).store_at(f, k)
    noted(
        f,
        "a.in_().store_at(f, k): y moves a.in_() by 3 in dimension 1, where it is 3 long, so its tiles have nothing in "
        "common to keep",
    )


def test_tiles_that_meet_again_are_too_far_apart():
    f, a = stencil(rows=3, dilation=3)
    a.in_().compute_at(f, y).store_at(f, k)
    noted(f, "a.in_().store_at(f, k): y moves a.in_() by 1 in dimension 1, where it is 7 long")


def test_it_moves_backwards():
    f, a = Func("f"), ImageParam(Int(8), 1, "a")
    r = RDom([(0, 3)], "r")
    f[x] += i32(a[r - x + 9])
    a.in_().store_root().compute_at(f.bound(x, 0, 8), x)
    refused(
        HardwareError, f,
        "a.in_().store_root(): a.in_() has no window that slides: x moves it backwards, from greater indices to "
        "smaller ones",
        "a.in_().compute_at(f, x)",
    )  # fmt: skip


def test_it_moves_in_two_dimensions():
    f, a = Func("f"), ImageParam(Int(8), 2, "a")
    r = RDom([(0, 3)], "r")
    f[x] += i32(a[x + r, x])
    a.in_().store_root().compute_at(f.bound(x, 0, 8), x)
    refused(
        HardwareError, f, "a.in_().store_root(): a.in_() has no window that slides: x moves it in 2 dimensions at once",
        "a.in_().compute_at(f, x)",
    )  # fmt: skip


def test_its_end_is_cut_off_between_rows_that_no_tile_has():
    """Regression: where a finer digit of the rows lies outside, the last tile does not end where the tensor does."""
    f, a = stencil(10)
    f.update().split(y, yo, yi, 4).reorder(yo, yi)
    a.in_().store_at(f, k).compute_at(f, yo)
    refused(
        HardwareError, f,
        "a.in_().store_at(f, k): a.in_() has no window that slides: the end of yo is cut off together with that of "
        "a loop that is not part of the slide",
        "a.in_().compute_at(f, yo)",
    )  # fmt: skip


def test_inside_the_array():
    f, a = stencil()
    f.update().reorder(y, x).unroll(x, 4)
    a.in_().store_at(f, x).compute_at(f, y)
    refused(
        HardwareError, f,
        "a.in_().store_at(f, x): a.in_() is filled inside the lanes of x; one that keeps the overlap of its tiles must "
        "be filled outside the array",
        "a.in_().compute_at(f, k)",
    )  # fmt: skip


def test_outside_the_level_it_is_filled_from():
    f, a = stencil()
    f.update().split(y, yo, yi, 4)
    a.in_().compute_at(f, yo)
    a.in_().in_().store_at(f, k).compute_at(f, yi)
    refused(
        ScheduleError, f,
        "a.in_().in_().store_at(f, k): it is filled from a.in_(), which lies at loop yo, so its words must be kept at "
        "that loop or one inside",
        "a.in_().in_().store_at(f, yo).compute_at(f, yi)",
    )  # fmt: skip


def test_partial_sums():
    f, _ = stencil()
    f.in_().compute_at(f, y).store_at(f, k)
    noted(f, "f.in_().store_at(f, k): consecutive tiles of partial sums of f have nothing in common to keep")


def test_kept_in_two_places():
    f, a = stencil()
    with pytest.raises(ScheduleError, match=r"store_at\(f, k\): it has its place already, by a.in_\(\).store_root"):
        a.in_().store_root().store_at(f, k)
    a.in_().store_root()
    a.in_().compute_at(f, y)
    a.in_().store_root()
    with pytest.raises(ScheduleError, match=r"store_at\(f, k\): it has its place already, by a.in_\(\).store_root"):
        a.in_().store_at(f, k)


def test_capacity_is_that_of_all_rows():
    f, a = stencil()
    a.in_().store_at(f, k).compute_at(f, y).capacity(39)
    refused(
        HardwareError, f, "a.in_().capacity(39): a_in needs 40 words (10 x 4), has 39",
        "a.in_().single_buffer()", "a.in_().capacity(40)",
    )  # fmt: skip


def test_a_stage_of_its_own_is_still_to_come():
    f, a = Func("f"), ImageParam(Int(8), 1, "a")
    g = Func("g")
    g[x] = i32(a[x]) + 1
    f[x] = g[x] + g[x + 1]
    g.store_root().compute_at(f.bound(x, 0, 8), x)
    with pytest.raises(HardwareError, match="g would be a stage of its own"):
        lower(f)
