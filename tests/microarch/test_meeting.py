"""Stages that take the words of one as they come, each from a queue of its own, and meet again."""

from pathlib import Path
from runpy import run_path

import pytest

from halidehw import Func, ImageParam, UInt, i32
from halidehw.energy_model.cycles import cycles
from halidehw.microarch.derive import derive
from halidehw.notation import counted
from halidehw.report.page import page
from halidehw.scheduler import lower_graph
from tests.scheduler.pipelines import unsharp, x, xi, xo, y

EXAMPLES = Path(__file__).parents[2] / "examples" / "pipelines"


def example(name, **sizes):
    return derive(lower_graph(run_path(str(EXAMPLES / f"{name}.py"))[name](**sizes)))


def rows(network):
    """Of each memory between stages the words of its rows behind, and None for one that is no queue."""
    inside = (network.store[sink.memory] for stage in network.stages for sink in stage.write.inside)
    return {each.name: each.size - each.halves * each.words if each.words == 1 else None for each in inside}


def test_each_reader_has_the_rows_from_the_first_that_it_reads():
    """(rows - 1) x width: of the image in the mask the row before the last one, which the blur is at."""
    assert rows(example("unsharp")) == {
        "h_image_in_store": 0, "v_h_store": 2 * 20, "image_in_store": 22, "v_store": 0,
    }  # fmt: skip
    assert rows(example("sobel")) == {
        "gx_image_in_store": 2 * 22, "gy_image_in_store": 2 * 22, "gx_store": 0, "gy_store": 0,
    }  # fmt: skip


@pytest.mark.parametrize(("name", "taken"), [
    ("harris", {"gx_image_in_store": (1,), "gy_image_in_store": (0, 2)}),
    ("sobel", {"gx_image_in_store": (0, 1, 2), "gy_image_in_store": (0, 2)}),
    ("median", {f"{stage}_image_in_store": (0, 1, 2) for stage in ("low", "mid", "high")}),
])  # fmt: skip
def test_readers_of_one_window_keep_its_rows_once(name, taken):
    """(rows - 1) x width, where that is more than the columns that wait in the queues are wider than words."""
    network = example(name, width=200, height=20)
    found = [memory for memory in network.memories if memory.tensor == "image_in"]
    assert {memory.name: memory.beside for memory in found} == taken
    queues = sum(memory.halves * len(memory.beside) for memory in found)
    columns = 204 if name == "harris" else 202
    assert sum(memory.size for memory in found) == queues + 2 * columns
    first, *others = found[0].before.memories
    rows = f"2 rows of {columns} words before it, for {' and '.join(others)} too"
    assert f"{counted(len(taken[first]), 'word')} of a column, {rows}" in page(network)


def test_rows_that_are_shorter_than_queues_of_columns_are_kept_again():
    said = "2 rows of 22 words behind it, which others keep too: queues of columns would hold more"
    assert page(example("sobel")).count(said) == 2


def test_what_waits_for_a_longer_way_is_what_comes_meanwhile():
    network = example("unsharp", width=200, height=40)
    halves = {memory.name: memory.halves for memory in network.memories}
    assert halves["image_in_store"] > halves["v_store"] + 20
    assert cycles(network).total < 202 * 42 + 100


def by_rows(out, v, h, g):
    for each in (v, h, g):
        each.store_root().compute_at(out, y)


def by_strips(out, v, h, g):
    for each in (v, h, g):
        each.store_at(out, xo).compute_at(out, y)


def test_rows_are_as_long_as_those_of_their_strip():
    assert rows(derive(lower_graph(unsharp(by_rows)))) == {"h_g_store": 0, "g_store": 13, "v_h_store": 22, "v_store": 0}
    strips = lower_graph(unsharp(lambda out, *stages: (in_strips(out), by_strips(out, *stages))))
    assert rows(derive(strips)) == {"h_g_store": 0, "g_store": 6, "v_h_store": 8, "v_store": 0}


def in_strips(out):
    out.split(x, xo, xi, 4).reorder(xi, y, xo)


@pytest.mark.parametrize("more", [
    lambda out, v, h, g: h.fold_storage(y, 4),
    lambda out, v, h, g: v.single_buffer(),
], ids=["rows", "one part"])  # fmt: skip
def test_where_a_way_has_larger_parts_rows_pass(more):
    """A queue would fill before its reader sees the first word of the other way."""
    network = derive(lower_graph(unsharp(lambda *stages: (by_rows(*stages), more(*stages)))))
    assert {name: rows(network)[name] for name in ("h_g_store", "g_store")} == {"h_g_store": None, "g_store": None}


def test_columns_from_a_ring_are_no_words_as_they_come():
    """Regression: a window of columns that begins anew in each row was taken for a queue that is behind by none."""
    image, g, f = ImageParam(UInt(8), 2, "image"), Func("g"), Func("f")
    g[x, y] = i32(image[x, y]) + image[x + 1, y + 1]
    f[x, y] = g[x, y] + g[x + 1, y] * image[x, y]
    f.set_bounds([(0, 13), (0, 7)])
    for each in (g, image.in_()):
        each.store_at(f, y).compute_at(f, x)
    network = derive(lower_graph(f))
    assert all(memory.halves == 1 for memory in network.memories if memory.ring)
    assert any(memory.ring for memory in network.memories)


def test_what_comes_after_the_ways_have_met_may_take_larger_parts():
    last = Func("last")

    def schedule(out, v, h, g):
        by_rows(out, v, h, g)
        last[x, y] = out[x, y] + out[x, y + 1]
        last.set_bounds([(0, 11), (0, 8)])
        out.store_root().compute_at(last, y).fold_storage(y, 4)

    unsharp(schedule)
    assert rows(derive(lower_graph(last))) == {
        "h_g_store": 0, "out_g_store": 13, "v_h_store": 22, "out_v_store": 0, "out_store": None,
    }  # fmt: skip
