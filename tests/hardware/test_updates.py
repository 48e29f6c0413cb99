"""Funcs with several updates, and Funcs with updates and no place."""

from collections.abc import Callable

import pytest

import halidehw as hl
from halidehw.microarch.options import Options
from halidehw.simulate import Memory
from tests.fuzz.check import check_each, check_interpreter
from tests.fuzz.designs import Design

WIDTH, HEIGHT = 7, 3
x, y = hl.vars("x y")


def images() -> tuple[hl.Func, hl.ImageParam, hl.ImageParam, hl.RDom]:
    return hl.Func("f"), hl.ImageParam(hl.UInt(8), 2, "a"), hl.ImageParam(hl.UInt(8), 2, "b"), hl.RDom([(0, 3)], "r")


def bounded(f: hl.Func) -> hl.Func:
    return f.bound(x, 0, WIDTH).bound(y, 0, HEIGHT)


def two_sums() -> hl.Func:
    """Over two domains, from what is no constant; the second with an operator of its own."""
    f, a, b, r = images()
    q = hl.RDom([(0, 4)], "q")
    f[x, y] = hl.i32(x + y)
    f[x, y] += hl.i32(a[x + r.x, y])
    f[x, y] = hl.max(f[x, y], hl.i32(b[x, y + q.x]) * 3)
    return bounded(f)


def side_by_side() -> hl.Func:
    """The same with lanes, so that what the first one makes passes a row at a time."""
    f = two_sums()
    f.update(0).unroll(x, 2)
    f.update(1).unroll(x, 2)
    return f


def finished() -> hl.Func:
    """An update without a domain is computed as the sums are written back."""
    f, a, _, r = images()
    f[x, y] += hl.i32(a[x + r.x, y])
    f[x, y] = f[x, y] * 3 - f[x, y] / 7
    return bounded(f)


def in_part() -> hl.Func:
    """Updates of one row and of one column."""
    f, a, _, _ = images()
    f[x, y] = hl.i32(a[x, y])
    f[x, 2] = x * 2
    f[4, y] = f[4, y] * 2 + y
    return bounded(f)


def three_sums() -> hl.Func:
    """Each of the first two has to be placed for the next one."""
    f, a, b, r = images()
    f[x, y] = hl.i32(5)
    f[x, y] += hl.i32(a[x + r.x, y])
    f[x, y] = hl.max(f[x, y], hl.i32(b[x, y + r.x]))
    f[x, y] += hl.i32(a[x, y + r.x])
    return bounded(f)


def unplaced() -> hl.Func:
    """A reduction that its reader needs at two places."""
    f, a, _, r = images()
    g = hl.Func("g")
    f[x, y] += hl.i32(a[x + r.x, y])
    g[x, y] = f[x, y] + f[x, y + 1] * 2
    return bounded(g)


def each_once() -> hl.Func:
    """Over a domain of which each point is another element: no reduction, so no operator has to be associative."""
    f, a, _, _ = images()
    r = hl.RDom([(2, 4), (0, 3)], "r")
    r.where(r.x + r.y < 7)
    f[x, y] = hl.i32(a[x, y])
    f[r.x, r.y] = f[r.x, r.y] * f[r.x, r.y] - r.x * 7
    return bounded(f)


def ahead() -> hl.Func:
    """Regression: iterations each of which reads an element that a later one writes do not follow one another; the
    loops of such an update, which are those of its domain, were not found."""
    f, a, _, r = images()
    f[x, y] = hl.i32(a[x, y]) - x
    f[x, r.x] = f[x, r.x + 1] * 3 + r.x
    f.update().unroll(x, 2)
    return bounded(f)


def without_dimensions() -> hl.Func:
    """Regression: stages of one word, of which one has no loops at all, ended in internal errors."""
    f, a, _, _ = images()
    most, offset, r = hl.Func("most"), hl.Func("offset"), hl.RDom([(0, WIDTH), (0, HEIGHT)], "r")
    most[()] = hl.maximum(r, hl.i32(a[r.x, r.y]))
    offset[()] = hl.i32(7)
    f[x, y] = hl.i32(a[x, y]) * 6 - most[()] + offset[()]
    most.compute_root()
    offset.compute_root()
    return bounded(f)


MADE: dict[Callable[[], hl.Func], list[str]] = {
    two_sums: ["f_1", "f"], side_by_side: ["f_1", "f"], finished: ["f"], in_part: ["f"], unplaced: ["f", "g"],
    three_sums: ["f_1", "f_2", "f"],
    each_once: ["f"], ahead: ["f"], without_dimensions: ["most", "offset", "f"],
}  # fmt: skip


@pytest.mark.parametrize("make", MADE)
def test_the_stages_of_updates(make):
    design = Design(make())
    check_interpreter(design)
    assert [nest.name for nest in design.graph.stages] == MADE[make]


def test_updates_in_hardware():
    designs = [Design(make(), options=Options(counters="all")) for make in MADE]
    check_each([*designs, Design(two_sums(), memory=Memory(5, stall_probability=0.2), starts=2, abort=30)])


def follows_itself() -> hl.Func:
    f, _, _, r = images()
    f[x, y] = 1
    f[x, y] += 2 * r.x
    f[x, r.x] = f[x, r.x - 1] + 1
    return f.bound(x, 0, WIDTH)


def test_updates_one_of_which_follows_itself():
    with pytest.raises(hl.HalideHWError, match="f reads it at -1 in y, but it is computed for 0") as error:
        hl.compile(follows_itself().bound(y, 0, HEIGHT))
    (line,) = error.value.legal
    check_interpreter(Design(eval(line, {"f": follows_itself(), "y": y})))
