"""Pipelines: the graph of nests that places of Funcs give, and that it computes what the algorithm does."""

import pytest

from halidehw import BoundaryConditions, Func, ImageParam, Int, RDom, UInt, i32, maximum, sum
from halidehw.errors import BoundsError, HardwareError, ScheduleError
from halidehw.ir.bounds import held
from halidehw.ir.nest import Constraint
from halidehw.ir.printer import lowered
from halidehw.scheduler import lower, lower_graph
from tests.refused import refused
from tests.scheduler.pipelines import blur, chain, checked, k, layers, x, xi, xo, y, yi, yo

WIDTH, HEIGHT = 11, 9


def kept(graph, consumer, tensor):
    """Words of the outermost memory of a stage in its consumer."""
    return held(graph.stage[consumer], graph.stage[consumer].levels(tensor)[0])


def test_a_design_of_one_nest_is_a_graph_of_one():
    f = blur(lambda blur, h, image: image.in_().compute_at(blur, y))
    graph = lower_graph(f)
    assert (len(graph.stages), graph.made) == (1, frozenset())
    assert lowered(graph) == lowered(lower(f))


def test_a_stage_at_the_root_is_computed_once_and_kept_whole():
    graph, words = checked(blur(lambda blur, h, image: h.compute_root()))
    assert [nest.name for nest in graph.stages] == ["h", "blur"]
    assert [loop.name for loop in graph.stage["h"].loops] == ["h.y", "h.x"]
    assert (graph.stage["h"].place, words["h"]) == (0, WIDTH * (HEIGHT + 2))
    assert kept(graph, "blur", "h") == (WIDTH, HEIGHT + 2)
    assert graph.made == {"h"}
    assert [tensor.name for tensor in graph.inputs] == ["image"]


def test_a_stage_at_a_loop_is_computed_again_where_tiles_overlap():
    graph, words = checked(blur(lambda blur, h, image: h.compute_at(blur, y)))
    assert [loop.name for loop in graph.stage["h"].loops] == ["y", "h.y", "h.x"]
    assert graph.stage["h"].loops[0] == graph.stage["blur"].loops[0]
    assert (graph.stage["h"].place, words["h"]) == (1, WIDTH * 3 * HEIGHT)
    assert kept(graph, "blur", "h") == (WIDTH, 3)


def test_rows_of_a_line_buffer_are_computed_once():
    graph, words = checked(blur(lambda blur, h, image: h.store_root().compute_at(blur, y)))
    assert [loop.name for loop in graph.stage["h"].loops] == ["h.y", "h.x"]
    assert (graph.stage["h"].place, words["h"]) == (0, WIDTH * (HEIGHT + 2))
    assert kept(graph, "blur", "h") == (WIDTH, 4)


def test_rows_are_computed_once_in_each_iteration_of_what_they_are_stored_at():
    def schedule(blur, h, image):
        h.store_at(blur.split(x, xo, xi, 4).reorder(xi, y, xo), xo).compute_at(blur, y)

    graph, words = checked(blur(schedule))
    assert [loop.name for loop in graph.stage["h"].loops] == ["xo", "h.y", "h.x"]
    assert words["h"] == WIDTH * (HEIGHT + 2)


def test_tiles_that_divide_nothing_are_cut_off_at_the_end_of_what_is_needed():
    graph, words = checked(blur(lambda blur, h, image: h.compute_at(blur.tile(x, y, xo, yo, xi, yi, 4, 5), xo)))
    assert graph.stage["h"].domain == (
        Constraint((("h.x", 1), ("xo", 4)), 10), Constraint((("h.y", 1), ("yo", 5)), 10)
    )  # fmt: skip
    assert words["h"] == WIDTH * (7 + 6)


@pytest.mark.parametrize("factor", [2, 3, 4, 7])
def test_splits_of_splits_are_cut_off_in_the_middle(factor):
    def schedule(blur, h, image):
        blur.split(y, yo, yi, factor).split(yi, "ym", "yn", 3)
        h.compute_at(blur, "ym")

    checked(blur(schedule))


@pytest.mark.parametrize("at", ["y", "xo"])
@pytest.mark.parametrize("places", ["unroll", "vectorize"])
def test_a_stage_has_a_schedule_of_its_own(at, places):
    def schedule(blur, h, image):
        h.compute_at(blur.split(x, xo, xi, 4), at)
        getattr(h, places)(x, 2)
        image.in_().compute_at(h, y)

    graph, _ = checked(blur(schedule))
    assert any(loop.lanes == 2 for loop in graph.stage["h"].loops)
    assert graph.stage["h"].buffers[0].at == "h.y"


def test_a_copy_of_a_stage_is_filled_from_its_memory():
    graph, _ = checked(blur(lambda blur, h, image: (h.compute_root(), h.in_().compute_at(blur, y))))
    assert [(buffer.name, buffer.at) for buffer in graph.stage["blur"].buffers] == [("h_store", None), ("h_in", "y")]


LAYERS = {
    "root": lambda pool, act, conv: act.compute_root(),
    "rows": lambda pool, act, conv: act.compute_at(pool, y),
    "lines": lambda pool, act, conv: (
        pool.update().reorder("p.x", "p.y", x, k, y), act.store_root().compute_at(pool, y)),
    "channels": lambda pool, act, conv: act.compute_at(pool, k),
    "deep": lambda pool, act, conv: act.compute_at(pool, x),
    "in_a_reduction": lambda pool, act, conv: act.compute_at(pool, "p.y"),
    "tiles": lambda pool, act, conv: (pool.update().tile(x, y, xo, yo, xi, yi, 2, 2), act.compute_at(pool, xo)),
    "all_three": lambda pool, act, conv: (act.compute_at(pool, k), conv.compute_root()),
    "three_in_tiles": lambda pool, act, conv: (act.compute_at(pool, y), conv.compute_at(pool, y)),
    "sums_of_the_stage": lambda pool, act, conv: (
        act.compute_at(pool, k), conv.update().reorder(x, "r.x", "r.y", "r.z", y), conv.in_().compute_at(conv, y)),
    "array": lambda pool, act, conv: (act.compute_at(pool, k), conv.update().dataflow("r.x | x", rows=3, cols=3)),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_a_reduction_before_another_one(name):
    checked(layers(LAYERS[name]))


CHAIN = {
    "root": lambda c, b, a, image: (b.compute_root(), a.compute_root()),
    "lines": lambda c, b, a, image: (b.store_root().compute_at(c, y), a.store_root().compute_at(b, y)),
    "lines_of_the_output": lambda c, b, a, image: (b.store_root().compute_at(c, y), a.store_root().compute_at(c, y)),
    "tiles": lambda c, b, a, image: (c.tile(x, y, xo, yo, xi, yi, 4, 3), b.compute_at(c, xo), a.compute_at(c, xo)),
    "tile_in_a_tile": lambda c, b, a, image: (b.compute_at(c.split(y, yo, yi, 3), yo), a.compute_at(b, y)),
    "lines_in_a_tile": lambda c, b, a, image: (
        b.compute_at(c.tile(x, y, xo, yo, xi, yi, 4, 3), xo), a.store_at(c, xo).compute_at(b, y)),
    "copies": lambda c, b, a, image: (
        b.compute_at(c.split(y, yo, yi, 3), yo), image.in_().compute_at(c, yo), a.compute_at(b, y)),
}


@pytest.mark.parametrize("name", CHAIN)
def test_a_chain(name):
    checked(chain(CHAIN[name]))


def test_a_place_in_the_output_is_one_in_the_rows_of_what_slides_with_it():
    graph, words = checked(chain(CHAIN["lines_of_the_output"]))
    assert graph.stage["b"].levels("a")[0].at == "b.y"
    assert (words["a"], words["b"]) == (12 * 10, 11 * 9)


def test_a_stage_whose_elements_are_not_all_needed():
    image, f, g = ImageParam(Int(8), 1, "image"), Func("f"), Func("g")
    f[x] = i32(image[x]) * 3
    g[x] = f[3 * x] + 1
    f.compute_root()
    graph, words = checked(g.bound(x, 0, 5))
    assert (graph.stage["f"].output.extents, words["f"]) == ((13,), 5)


@pytest.mark.parametrize("place", ["root", "tile", "rows"])
def test_a_stage_that_is_read_backwards(place):
    image, f, g = ImageParam(Int(8), 1, "image"), Func("f"), Func("g")
    f[x] = i32(image[x]) * 3
    g[x] = f[11 - x] + f[12 - x]
    g.bound(x, 0, 12).split(x, xo, xi, 4)
    f.compute_root() if place == "root" else f.compute_at(g, xo if place == "tile" else xi)
    checked(g)


# --- what is refused


def test_a_tile_that_is_cut_off_at_its_lower_end():
    image, f, g = ImageParam(Int(8), 1, "image"), Func("f"), Func("g")
    f[x] = i32(image[x]) * 3
    g[x] = f[11 - x] + 1
    f.compute_at(g.bound(x, 0, 11).split(x, xo, xi, 4), xo)
    refused(
        lambda: lower_graph(g),
        "f.compute_at(g, xo): the part of f that is needed there is cut off at its lower end as the loops outside "
        "step; only its upper end can be",
        "f.compute_root()",
    )


def test_a_place_inside_the_lanes_of_its_consumer():
    refused(
        lambda: lower_graph(blur(lambda blur, h, image: h.compute_at(blur.reorder(y, x).unroll(x, 2), x))),
        "h.compute_at(blur, x): h would be computed inside the lanes of x, in each of them; it is computed outside the "
        "array",
        "h.compute_root()", kind=ScheduleError,
    )  # fmt: skip


def test_a_place_that_is_no_loop_of_the_consumer():
    refused(
        lambda: lower_graph(chain(lambda c, b, a, image: (b.compute_root(), a.compute_at(c, y)))),
        "a.compute_at(c, y): y of c is not a loop of the nest of b, whose loops, outer to inner, are y, x",
        "a.compute_root()    # outside all loops", "a.compute_at(b, y)  # for b.y", "a.compute_at(b, x)  #   for b.x",
        kind=ScheduleError,
    )  # fmt: skip


def test_a_footprint_that_moves_apart():
    image, f, g = ImageParam(Int(8), 1, "image"), Func("f"), Func("g")
    f[x] = i32(image[x])
    g[x] = f[x] + f[2 * x]
    f.compute_at(g.bound(x, 0, 5), x)
    refused(
        lambda: lower_graph(g),
        "f.compute_at(g, x): the reads of f at x and 2*x in dimension 0 move apart as the loops outside step, so no "
        "tile of constant size holds them",
        "f.compute_root()",
    )


def test_an_index_that_is_data():
    image, f, g = ImageParam(UInt(8), 1, "image"), Func("f"), Func("g")
    f[x] = i32(x) * x
    g[x] = f[i32(image[x])]
    f.compute_root()
    graph, words = checked(g.bound(x, 0, 5))
    assert words["f"] == 256 and graph.output.tables == {"f": (256,)}


def test_bounds_that_are_too_small_for_what_is_needed():
    refused(
        lambda: lower_graph(blur(lambda blur, h, image: h.compute_root().bound(y, 0, HEIGHT))),
        "h is needed for y in [0, 10], but is bound to [0, 8]", "h.bound(y, 0, 11)", kind=BoundsError,
    )  # fmt: skip


def test_rows_come_first_where_no_directive_orders_the_loops_of_a_stage():
    image, f, g = ImageParam(Int(8), 3, "image"), Func("f"), Func("g")
    f[x, y, k] = i32(image[x, y, k]) * 3
    g[x, y, k] = f[x, y, k] + f[x, y + 1, k]
    g.set_bounds([(0, 5), (0, 4), (0, 3)]).reorder(x, k, y)
    f.split(x, xo, xi, 2).store_root().compute_at(g, y)
    graph, words = checked(g)
    assert [loop.name for loop in graph.stage["f"].loops] == ["f.y", "f.k", "f.xo", "f.xi"]
    assert words["f"] == 5 * 5 * 3


def test_rows_that_are_not_computed_one_after_the_other():
    refused(
        lambda: lower_graph(blur(lambda blur, h, image: h.reorder(y, x).store_root().compute_at(blur, y))),
        "h.compute_at(blur, y): its rows pass through a line buffer one after the other, but h is computed along y "
        "inside other loops: outer to inner, h.x, h.y",
        "h.reorder(x, y)", "h.compute_root()",
    )  # fmt: skip
    checked(blur(lambda blur, h, image: h.reorder(y, x).reorder(x, y).store_root().compute_at(blur, y)))


def test_rows_side_by_side_in_a_line_buffer():
    with pytest.raises(HardwareError, match=r"but h is computed at 2 places of y side by side, by the lanes of h\.y"):
        lower_graph(blur(lambda blur, h, image: h.unroll(y, 2).store_root().compute_at(blur, y)))


def test_sums_that_come_back_to_the_memory_of_a_stage():
    refused(
        lambda: lower_graph(layers(lambda pool, act, conv: (
            conv.compute_root(), act.compute_root(), conv.update().reorder("r.x", "r.y", x, y, k, "r.z"),
            conv.in_().compute_at(conv, y)))),
        "conv.update(): a step of conv.r.z comes back to partial sums of conv, whose memory takes complete elements "
        "only",
        "conv.update().reorder(r.x, r.y, r.z, x, y, k)",
    )  # fmt: skip


def test_a_copy_of_what_no_stage_reads():
    with pytest.raises(ScheduleError, match="no stage reads a from a memory; remove the line"):
        lower_graph(chain(lambda c, b, a, image: (b.compute_root(), a.in_().compute_at(c, y))))


def test_a_boundary_condition_has_no_loops():
    image, f = ImageParam(Int(8), 1, "image"), Func("f")
    image.dim(0).set_bounds(0, 5)
    padded = BoundaryConditions.repeat_edge(image)
    f[x] = padded[x - 1] + padded[x + 1]
    padded.compute_root()
    refused(
        lambda: lower_graph(f.bound(x, 0, 5)),
        "repeat_edge_image.compute_root(): repeat_edge_image is a boundary condition, which has no loops; a stage that "
        "is a copy of it has",
        "padded[x] = repeat_edge_image[x]", "padded.compute_root()",
    )  # fmt: skip


def test_an_inline_reduction_of_a_stage_has_no_loop_in_its_reader():
    def build(value):
        image, a, f = ImageParam(UInt(8), 2, "image"), Func("a"), Func("f")
        r = RDom([(0, 3)], "r")
        a[x, y] = maximum(r, image[x + r.x, y])
        f[x, y] = value(a)
        a.compute_root()
        return f.set_bounds([(0, 5), (0, 3)])

    graph, _ = checked(build(lambda a: a[x, y] + a[x + 1, y]))
    assert [loop.name for loop in graph.stage["f"].loops] == ["y", "x"]
    assert [loop.name for loop in graph.stage["a"].loops] == ["a.y", "a.x", "a.r.x"]
    q = RDom([(0, 2)], "q")
    f = build(lambda a: a[x, y] + sum(q, a[x + q.x + 1, y]))
    assert f.stages[0].loops.names == ("y", "x", "q.x")
    graph, _ = checked(f)
    assert [loop.name for loop in graph.stage["f"].loops] == ["y", "x", "q.x"]


def test_a_reduction_without_a_place_is_computed_in_the_innermost_loop_of_its_reader():
    graph, _ = checked(layers(lambda pool, act, conv: None))
    assert [nest.name for nest in graph.stages] == ["conv", "pool"]
    conv = graph.stage["conv"]
    assert [loop.name for loop in conv.loops[: conv.place]] == ["k", "y", "x", "p.y", "p.x"]


def test_a_reduction_that_cannot_be_computed_there():
    image, f, g, r = ImageParam(Int(8), 1, "image"), Func("f"), Func("g"), RDom([(0, 3)], "r")
    f[x] += i32(image[x + r.x])
    g[x] = f[x] + f[2 * x]
    with pytest.raises(HardwareError, match=r"innermost loop, which does not do: f.compute_at\(g, x\)") as caught:
        lower_graph(g.bound(x, 0, 5))
    assert caught.value.legal == ("f.compute_root()",)


def test_what_is_wrong_elsewhere_is_said_though_a_func_has_no_place():
    image, f, g, h, r = ImageParam(Int(8), 1, "image"), Func("f"), Func("g"), Func("h"), RDom([(0, 3)], "r")
    f[x] += i32(image[x + r.x])
    g[x] = f[x] + f[x + 1]
    h[x] = g[x * x]
    g.compute_root()
    with pytest.raises(HardwareError, match=r"the index \(x \* x\) of g is not affine"):
        lower_graph(h.bound(x, 0, 5))


def test_a_graph_of_several_stages_is_no_nest():
    with pytest.raises(HardwareError, match="h would be a stage of its own"):
        lower(blur(lambda blur, h, image: h.compute_root()))


def test_what_nobody_wrote_is_not_noted() -> None:
    """The rows of a stage come first by themselves: no reorder to the order there is."""
    graph = lower_graph(blur(lambda blur, h, image: h.store_root().compute_at(blur, y)))
    assert not graph.notes


SCHEDULES = [
    lambda c, b, a, image: (b.compute_root(), a.compute_root()),
    lambda c, b, a, image: (b.compute_root(), a.compute_at(b, y)),
    lambda c, b, a, image: (b.compute_root(), a.store_root().compute_at(b, y)),
    lambda c, b, a, image: (b.compute_root(), a.store_root().compute_at(b, y).fold_storage(y, 4)),
    lambda c, b, a, image: (b.compute_root().unroll(x, 2), a.compute_root()),
    lambda c, b, a, image: (b.compute_root().unroll(x, 2).systolic(x), a.compute_root().split(y, yo, yi, 2)),
    lambda c, b, a, image: (b.compute_at(c, y), a.compute_at(b, y)),
    lambda c, b, a, image: (b.compute_at(c, y), a.compute_at(b, x)),
    lambda c, b, a, image: (b.compute_root(), a.compute_root(), image.in_().compute_at(a, y)),
    lambda c, b, a, image: (b.compute_root(), a.compute_root(), image.in_().compute_at(a, y).single_buffer()),
    lambda c, b, a, image: (b.compute_root(),),
    lambda c, b, a, image: (a.compute_root(),),
    lambda c, b, a, image: (b.compute_root().reorder(y, x), a.compute_root()),
]  # fmt: skip


def test_nests_that_other_schedules_left_change_nothing():
    """Whatever an algorithm was lowered with before: what differs is made anew, the rest is the same object."""
    nests = {}
    for schedule in [*SCHEDULES, *reversed(SCHEDULES)]:
        assert lowered(lower_graph(chain(schedule), nests=nests)) == lowered(lower_graph(chain(schedule)))
    before = len(nests)
    assert before < len([nest for schedule in SCHEDULES for nest in lower_graph(chain(schedule)).stages])
    lower_graph(chain(SCHEDULES[1]), nests=nests)
    assert len(nests) == before
