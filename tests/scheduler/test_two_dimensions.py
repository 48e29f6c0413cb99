"""Windows that more than one loop slides: what is kept from the root is made once, wherever it is filled."""

import pytest

from halidehw import Func, ImageParam, UInt, i32
from halidehw.ir.nest import Slide
from halidehw.microarch.derive import derive
from halidehw.scheduler import lower, lower_graph
from tests.scheduler.pipelines import checked, x, xi, xo, y, yi, yo


def window(schedule, width=12, height=9):
    """Of `f`, 3 x 3 of `g`."""
    image, g, f = ImageParam(UInt(8), 2, "image"), Func("g"), Func("f")
    g[x, y] = i32(image[x, y]) * 3
    f[x, y] = sum(g[x + dx, y + dy] * (dx - dy) for dx in range(3) for dy in range(3))
    f.set_bounds([(0, width), (0, height)])
    schedule(f, g, image)
    return f


KEPT = {
    "pixel by pixel": lambda f, g, image: g.store_root().compute_at(f, x),
    "tile by tile": lambda f, g, image: g.store_root().compute_at(f.tile(x, y, xo, yo, xi, yi, 4, 3), xo),
    "strip by strip": lambda f, g, image: g.store_root().compute_at(f.split(x, xo, xi, 4).reorder(xi, y, xo), y),
    "inside lanes": lambda f, g, image: g.store_root().compute_at(f.unroll(x, 4), x),
    "inside lanes of a split": lambda f, g, image: g.store_root().compute_at(f.split(x, xo, xi, 4).unroll(xi), xi),
    "rows in lanes": lambda f, g, image: (
        g.store_root().compute_at(f.split(y, yo, yi, 3).unroll(yi).reorder(yi, x, yo), yi)),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_each_word_is_made_once(name):
    graph, words = checked(window(KEPT[name]))
    assert words["g"] == 14 * 11
    assert not graph.notes


def test_pixel_by_pixel_is_row_by_row_word_by_word():
    """(rows - 1) x width behind a queue, as at the loop over rows."""
    first, second = (derive(lower_graph(window(lambda f, g, image, at=at: g.store_root().compute_at(f, at))))
                     for at in (x, y))  # fmt: skip
    assert [memory.size for memory in first.memories] == [memory.size for memory in second.memories]


def test_what_is_kept_in_a_row_begins_anew_in_each():
    _, words = checked(window(lambda f, g, image: g.store_at(f, y).compute_at(f, x)))
    assert words["g"] == 14 * 3 * 9


def test_an_input_crosses_its_port_once():
    def copied(place):
        a, f = ImageParam(UInt(8), 2, "a"), Func("f")
        f[x, y] = i32(a[x, y]) + a[x + 2, y + 2]
        f.set_bounds([(0, 5), (0, 4)])
        place(a.in_(), f)
        return lower(f).buffers[0].slide

    assert copied(lambda a, f: a.store_root().compute_at(f, x)) == Slide(None, ("y",), 1, 1)
    assert copied(lambda a, f: a.store_at(f, y).compute_at(f, x)) == Slide("y", ("x",), 0, 1)


def test_a_chain_pixel_by_pixel():
    """A place at a loop inside of which its reader is no longer filled: the reader's own one along that dimension."""
    image, g, h, f = ImageParam(UInt(8), 2, "image"), Func("g"), Func("h"), Func("f")
    g[x, y] = i32(image[x, y])
    h[x, y] = g[x, y] - g[x + 1, y + 1]
    f[x, y] = h[x, y] + h[x + 1, y + 2]
    h.store_root().compute_at(f, x)
    g.store_root().compute_at(f, x)
    _, words = checked(f.set_bounds([(0, 7), (0, 5)]))
    assert (words["h"], words["g"]) == (8 * 7, 9 * 8)


def test_where_stages_would_not_meet_windows_begin_anew():
    """`f` reads `g` in the row that it is in, so `g` may not be kept from another one."""
    image, g, h, f = ImageParam(UInt(8), 2, "image"), Func("g"), Func("h"), Func("f")
    g[x, y] = i32(image[x, y]) - image[x + 1, y + 1]
    h[x, y] = g[x - 1, y] + g[x, y + 1] * 3
    f[x, y] = h[x, y] ^ h[x + 1, y + 1] + g[x, y]
    h.store_root().compute_at(f, x)
    g.compute_at(f, y)
    graph, words = checked(f.set_bounds([(0, 7), (0, 5)]))
    assert words["h"] == 5 * 8 * 2
    (note,) = graph.notes
    assert str(note).startswith("windows begin anew as loops outside the one that slides them step: g.compute_at(f, y)")
