"""A stage that several others read: all their memories of it take the same part of it at a time."""

import re
from itertools import pairwise

import pytest

from halidehw import BoundaryConditions, Func, ImageParam, Int, UInt, Var, i16, i32
from halidehw.errors import BoundsError, HardwareError, ScheduleError
from halidehw.ir.bounds import held
from halidehw.scheduler import lower_graph
from tests.refused import refused
from tests.scheduler.pipelines import checked, unsharp, x, xi, xo, y, yi, yo

PLACES = {
    "root": lambda out, v, h, g: (v.compute_root(), g.compute_root()),
    "roots": lambda out, v, h, g: (v.compute_root(), h.compute_root(), g.compute_root()),
    "root_before_lines": lambda out, v, h, g: (v.store_root().compute_at(out, y), g.compute_root()),
    "tiles": lambda out, v, h, g: (
        out.tile(x, y, xo, yo, xi, yi, 4, 5), v.compute_at(out, xo), h.compute_at(out, xo), g.compute_at(out, xo)),
    "rows_in_tiles": lambda out, v, h, g: (
        out.tile(x, y, xo, yo, xi, yi, 4, 5), v.compute_at(out, xo), h.compute_at(v, y), g.compute_at(out, xo)),
    "rows": lambda out, v, h, g: (v.compute_at(out, y), h.compute_at(out, y), g.compute_at(out, y)),
    "lines": lambda out, v, h, g: [each.store_root().compute_at(out, y) for each in (v, h, g)],
    "lines_along_x": lambda out, v, h, g: (
        out.reorder(y, x), h.reorder(y, x), g.reorder(y, x),
        [each.store_root().compute_at(out, x) for each in (h, g)]),
    "lines_of_two_stages": lambda out, v, h, g: [each.store_root().compute_at(out, y) for each in (h, g)],
    "lines_in_the_middle": lambda out, v, h, g: (
        v.store_root().compute_at(out, y), h.store_root().compute_at(v, y), g.store_root().compute_at(out, y)),
    "strips": lambda out, v, h, g: (
        out.split(x, xo, xi, 4).reorder(xi, y, xo), [each.store_at(out, xo).compute_at(out, y) for each in (v, h, g)]),
    "strips_of_rows": lambda out, v, h, g: (
        out.split(y, yo, yi, 4), [each.store_at(out, yo).compute_at(out, yi) for each in (v, h, g)]),
    "lines_over_two_loops": lambda out, v, h, g: (
        out.split(y, yo, yi, 4), [each.store_root().compute_at(out, yi) for each in (v, h, g)]),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACES)
def test_places_of_a_reconvergent_pipeline(name):
    checked(unsharp(PLACES[name]))


def test_a_reader_in_steps_of_two_beside_one_that_needs_every_row():
    """A memory for every second row had an odd one more at its end than the memory for all of them."""
    image, s, g, f = ImageParam(UInt(8), 2, "image"), Func("s"), Func("g"), Func("f")
    s[x, y] = i16(image[x, y]) * 3
    g[x, y] = s[x, y + 1] + s[x + 2, y]
    f[x, y] = s[2 * x, 2 * y] + g[x, y]
    s.compute_root()
    g.compute_root()
    checked(f.bound(x, 0, 5).bound(y, 0, 4))



def test_the_short_path_keeps_what_the_long_one_has_taken_already():
    """Beside the window, a row for each stage of the long path; on that, the rows that `v` asks of `h` at first."""
    graph, words = checked(unsharp(PLACES["lines"]))
    out, h = graph.stage["out"], graph.stage["h"]
    assert held(out, out.levels("g")[0]) == (13, 3 + 3)
    assert held(h, h.levels("g")[0]) == (13, 3)
    assert words == {"g": 13 * 11, "h": 11 * 11, "v": 11 * 9, "out": 11 * 9}


def test_a_single_part_that_is_less_than_other_readers_ask_for():
    def schedule(out, v, h, g):
        for stage in (v, h, g):
            stage.store_root().compute_at(out, y)
        g.single_buffer()

    refused(
        lambda: lower_graph(unsharp(schedule)),
        "g_store: it has room for 1 rows, but the stages that read g ask for 3 before the first of them is left; "
        "remove single_buffer()",
    )


def test_a_chain_of_windows_makes_the_short_path_as_deep_as_all_of_them():
    x, image, f = Var("x"), ImageParam(Int(8), 1, "image"), [Func(f"f{n}") for n in range(4)]
    f[0][x] = i32(image[x])
    for before, after in pairwise(f[:3]):
        after[x] = before[x] + before[x + 4]
    f[3][x] = f[2][x] + f[2][x + 4] - f[0][x]
    f[3].bound(x, 0, 10)
    for stage in f[:3]:
        stage.store_root().compute_at(f[3], x)
    graph, words = checked(f[3])
    assert words == {"f0": 22, "f1": 18, "f2": 14, "f3": 10}
    assert held(graph.stage["f3"], graph.stage["f3"].levels("f0")[0]) == (13 + 3,)


def test_a_place_that_is_not_in_the_loops_of_all_consumers():
    refused(
        lambda: lower_graph(unsharp(lambda out, v, h, g: (
            out.split(y, yo, yi, 4), v.compute_at(out, yo), g.compute_at(out, yi)))),
        "g.compute_at(out, yi): yi of out is not a loop of the nest of v, whose loops, outer to inner, are yo, y, x",
        "g.compute_root()       # outside all loops", "g.compute_at(out, yo)  # for yo", kind=ScheduleError,
    )  # fmt: skip


def test_rows_in_one_reader_and_not_in_another():
    image, f, g, out = ImageParam(Int(8), 2, "image"), Func("f"), Func("g"), Func("out")
    f[x, y] = i32(image[x, y])
    g[x, y] = f[y, x] + f[y, x + 1]
    out[x, y] = g[x, y] + f[x, y] + f[x, y + 1]
    out.set_bounds([(0, 5), (0, 5)])
    g.store_root().compute_at(out, y)
    f.store_root().compute_at(out, y)
    refused(
        lambda: lower_graph(out),
        "f.compute_at(out, y): out and g read f, but it passes by rows in one of them and as a whole, or by other "
        "rows, in another",
        "f.compute_root()",
    )


def test_rows_at_different_paces():
    image, f, g, out = ImageParam(Int(8), 1, "image"), Func("f"), Func("g"), Func("out")
    f[x] = i32(image[x])
    g[x] = f[x] + f[x + 1]
    out[x] = g[2 * x] + g[2 * x + 1] + g[2 * x + 2] + f[x] + f[x + 1]
    out.bound(x, 0, 5)
    g.store_root().compute_at(out, x)
    f.store_root().compute_at(out, x)
    with pytest.raises(HardwareError, match="but they take its rows at different paces"):
        lower_graph(out)


def pyramid(schedule, width=4, height=8):
    """Three levels, each of a quarter of the pixels, and their sum at the paces of all of them."""
    image, (fine, middle, coarse, out) = ImageParam(UInt(8), 2, "image"), map(Func, ("fine", "middle", "coarse", "out"))
    fine[x, y] = i16(image[x, y])
    middle[x, y] = fine[2 * x, 2 * y - 1] + fine[2 * x + 1, 2 * y] * 2 + fine[2 * x, 2 * y + 1]
    coarse[x, y] = middle[2 * x, 2 * y - 1] + middle[2 * x + 1, 2 * y] * 2 + middle[2 * x, 2 * y + 1]
    out[x, y] = fine[x, y] + middle[x / 2, y / 2] * 3 + coarse[x / 4, y / 4]
    out.set_bounds([(0, width), (0, height)])
    schedule(out, coarse, middle, fine)
    return out


def test_rows_of_a_pyramid_meet_again_at_two_paces():
    """A step of `out` is four rows of `fine`, two of `middle`, of which each moves on by two of `fine`."""
    graph, words = checked(pyramid(lambda out, *levels: [each.store_root().compute_at(out, y) for each in levels]))
    assert graph.stage["out"].loops[0].name == "yo" and graph.stage["out"].loops[0].extent == 2
    assert words == {"fine": 4 * 11, "middle": 2 * 5, "coarse": 1 * 2, "out": 4 * 8}
    assert held(graph.stage["middle"], graph.stage["middle"].levels("fine")[0])[1] < 11


def test_parts_that_move_apart():
    image, f, g, out = ImageParam(Int(8), 1, "image"), Func("f"), Func("g"), Func("out")
    f[x] = i32(image[x])
    g[x] = f[2 * x] + 1
    out[x] = g[x] + f[x]
    out.bound(x, 0, 5)
    g.compute_at(out, x)
    f.compute_at(out, x)
    with pytest.raises(HardwareError, match="but in dimension 0 their parts move apart"):
        lower_graph(out)


def test_an_input_that_another_stage_reads_beyond_its_border():
    """The constant outside lay where that stage wants the input's own words."""
    a, f, g = ImageParam(UInt(8), 2, "a"), Func("f"), Func("g")
    f[x, y] = BoundaryConditions.constant_exterior(a, 3, [(0, 4), (0, 4)])[x - 1, y]
    g[x, y] = f[x, y] + a[x + 1, y]
    f.compute_root()
    message = "a is read at [(0, 4), (0, 3)], but has [(0, 3), (0, 3)] (first and last of each dimension) where f reads"
    with pytest.raises(BoundsError, match=re.escape(message)) as error:
        lower_graph(g.bound(x, 0, 4).bound(y, 0, 4))
    assert error.value.legal == ("padded = BoundaryConditions.constant_exterior(a, 3, [(0, 4), (0, 4)])",)


def test_rows_of_a_stage_that_has_no_other_loops():
    """All of its loops are put in the order that is proposed."""
    a, g, f = ImageParam(UInt(8), 1, "a"), Func("g"), Func("f")
    g[y] = a[y] * 3
    f[y] = g[y] + g[y + 1]
    g.split(y, yo, yi, 2).reorder(yo, yi)
    g.store_root().compute_at(f, y)
    with pytest.raises(HardwareError, match=r"along y inside other loops: outer to inner, g\.yi, g\.yo") as error:
        lower_graph(f.bound(y, 0, 6))
    assert error.value.legal == ("g.reorder(yi, yo)", "g.compute_root()")
