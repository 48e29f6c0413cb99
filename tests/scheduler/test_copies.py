"""Inputs that several stages read: a stage that is a copy of one, or a port for each reader."""

import pytest

from halidehw import BoundaryConditions, Func, ImageParam, UInt, i32
from halidehw.errors import HardwareError, ScheduleError
from halidehw.ir.bounds import held
from halidehw.scheduler import lower_graph
from tests.refused import refused
from tests.scheduler.pipelines import checked, x, xi, xo, y, yi, yo


def sharpened(schedule, boundary=None):
    """11 x 9 of an image, less its mean of 3 x 3 in two stages; the image is read by `h` and by `out`."""
    image, h, v, out = ImageParam(UInt(8), 2, "image"), Func("h"), Func("v"), Func("out")
    around = image
    if boundary:
        image.dim(0).set_bounds(0, 11)
        image.dim(1).set_bounds(0, 9)
        around = getattr(BoundaryConditions, boundary)(image)
    h[x, y] = i32(around[x - 1, y]) + around[x, y] + around[x + 1, y]
    v[x, y] = h[x, y - 1] + h[x, y] + h[x, y + 1]
    out[x, y] = i32(image[x, y]) * 9 - v[x, y]
    out.set_bounds([(0, 11), (0, 9)])
    schedule(out, v, h, image)
    return out


def lines(out, v, h, image):
    v.store_root().compute_at(out, y)
    h.store_root().compute_at(out, y)


def test_where_nothing_is_said_an_input_passes_once_by_rows():
    graph, words = checked(sharpened(lines))
    assert words == {"image_in": 13 * 11, "h": 11 * 11, "v": 11 * 9, "out": 11 * 9}
    assert held(graph.stage["out"], graph.stage["out"].levels("image_in")[0]) == (13, 3 + 3)
    assert graph.stage["out"].levels("image_in")[0].at == "y"
    assert [tensor.name for tensor in graph.inputs] == ["image"]


def test_a_copy_has_the_lanes_of_its_widest_reader():
    """It is lowered again with them, after it was without."""
    graph = lower_graph(sharpened(lambda out, v, h, image: (lines(out, v, h, image), out.unroll(x, 4), h.unroll(x, 2))))
    lanes = {nest.name: [loop.lanes for loop in nest.loops if loop.lanes > 1] for nest in graph.stages}
    assert lanes == {"image_in": [4], "h": [2], "v": [], "out": [4]}


def test_of_tiles_those_rows_pass_that_do_not_come_again():
    graph, words = checked(sharpened(lambda out, v, h, image: h.compute_at(out.tile(x, y, xo, yo, xi, yi, 4, 5), xo)))
    assert words["image_in"] == 13 * 11
    assert held(graph.stage["h"], graph.stage["h"].levels("image_in")[0]) == (13, 7 + 5)


def test_where_no_rows_pass_each_stage_has_a_port():
    graph, _ = checked(sharpened(lambda out, v, h, image: h.compute_root()))
    assert [[tensor.name for tensor in nest.inputs] for nest in graph.stages] == [["image"], ["image", "h"]]
    assert {nest.tensor["image"] for nest in graph.stages} == {graph.inputs[0]}
    assert graph.inputs[0].extents == (13, 11)


@pytest.mark.parametrize("place", ["tiles", "lines", "root", "copies"])
def test_the_wrapper_of_an_input_says_where_its_copy_lies(place):
    def schedule(out, v, h, image):
        match place:
            case "tiles":
                out.tile(x, y, xo, yo, xi, yi, 4, 5)
                h.compute_at(out, xo)
                image.in_().compute_at(out, xo)
            case "lines":
                lines(out, v, h, image)
                image.in_().store_root().compute_at(out, y)
            case "root":
                h.compute_root()
                image.in_().compute_root()
            case "copies":
                out.tile(x, y, xo, yo, xi, yi, 4, 5)
                h.compute_at(out, xo)
                image.in_().compute_at(out, yo)
                image.in_().in_().compute_at(out, xo)

    graph, words = checked(sharpened(schedule))
    assert words["image_in"] == {"tiles": 221, "lines": 143, "root": 143, "copies": 13 * (7 + 6)}[place]
    assert len(graph.stage["out"].levels("image_in")) == (2 if place == "copies" else 1)


@pytest.mark.parametrize("boundary", ["repeat_edge", "mirror_interior"])
def test_a_copy_reads_through_the_boundary_condition(boundary):
    graph, words = checked(sharpened(lines, boundary))
    assert words["image_in"] == 13 * 11
    assert graph.inputs[0].extents == (11, 9)


def test_a_place_of_the_wrapper_that_not_all_readers_have():
    def schedule(out, v, h, image):
        h.compute_root()
        image.in_().compute_at(out, y)

    refused(
        lambda: lower_graph(sharpened(schedule)),
        "image.in_().compute_at(out, y): y of out is not a loop of the nest of h, whose loops, outer to inner, are y, "
        "x",
        "image.in_().compute_root()  # outside all loops", kind=ScheduleError,
    )  # fmt: skip


def test_a_name_that_is_taken():
    image, f, g = ImageParam(UInt(8), 1, "image"), Func("image_in"), Func("g")
    f[x] = i32(image[x]) + image[x + 1]
    g[x] = f[x] + image[x]
    f.store_root().compute_at(g.bound(x, 0, 9), x)
    image.in_().store_root().compute_at(g, x)
    graph, _ = checked(g)
    assert [nest.name for nest in graph.stages] == ["image_in_", "image_in", "g"]


def test_what_is_wrong_is_said_as_without_a_copy():
    def schedule(out, v, h, image):
        h.reorder(y, x).store_root().compute_at(out, y)

    with pytest.raises(HardwareError, match=r"h\.compute_at\(out, y\): its rows pass through a line buffer"):
        lower_graph(sharpened(schedule))
