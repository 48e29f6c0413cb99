"""`fold_storage`: how many rows a line buffer between stages has."""

import pytest

from halidehw.errors import HardwareError, ScheduleError
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse, write
from halidehw.ir.bounds import held
from halidehw.microarch.derive import derive
from halidehw.scheduler import lower_graph
from tests.refused import refused
from tests.scheduler.pipelines import blur, checked, unsharp, x, y, yi, yo


def lines(rows, var=y):
    return blur(lambda blur, h, image: h.store_root().compute_at(blur, y).fold_storage(var, rows))


@pytest.mark.parametrize("rows", [3, 4, 7])
def test_there_are_as_many_rows_as_are_stated(rows):
    graph, _ = checked(lines(rows))
    (memory,) = [memory for memory in derive(graph).memories if memory.ring]
    assert memory.dims[1].extent == rows
    text = write(design_of(lines(rows)))
    assert f"fold_storage(y, {rows});" in text and write(parse(text)) == text


@pytest.mark.parametrize("rows", [12, 2**40])
def test_there_are_no_more_rows_than_are_read(rows):
    """Halide allocates as many as are stated; here they would be memory that nothing writes."""
    graph, _ = checked(lines(rows))
    assert held(graph.output, graph.output.buffers[0])[1] == 11
    (note,) = graph.output.notes
    assert note.message == f"h.fold_storage(y, {rows}): blur reads 11 rows of h in all, so h_store has 11"
    assert note.source is not None


def test_there_are_no_more_rows_than_are_read_until_they_begin_anew():
    def blocks(blur, h, image):
        blur.split(y, yo, yi, 3).reorder(yi, x, yo)
        h.store_at(blur, x).compute_at(blur, yi).fold_storage(y, 100)

    graph, _ = checked(blur(blocks))
    (note,) = graph.output.notes
    assert note.message == "h.fold_storage(y, 100): blur reads 5 rows of h in all, so h_store has 5"


def schedule(out, v, h, g, rows):
    for stage in (v, h, g):
        stage.store_root().compute_at(out, y)
    g.fold_storage(y, rows)


REFUSED = {
    "less than a tile reads": (
        HardwareError, lambda: lines(2), "h.fold_storage(y, 2): a tile of blur reads 3 rows of h; it moves on by 1",
        ("h.fold_storage(y, 3)",)),
    "less than another stage takes before": (
        HardwareError, lambda: unsharp(lambda *stages: schedule(*stages, 2)),
        "g.fold_storage(y, 2): a tile of h reads 1 row of g, and 2 that other stages take before it; it moves on by 1",
        ("g.fold_storage(y, 3)",)),
    "another variable": (
        ScheduleError, lambda: lines(4, x),
        "h.fold_storage(x, 4): h_store of blur has no rows along x that pass one by one", ("h.fold_storage(y, 4)",)),
    "no line buffer": (
        ScheduleError, lambda: blur(lambda blur, h, image: h.compute_at(blur, y).fold_storage(y, 4)),
        "h.fold_storage(y, 4): h_store of blur has no rows that pass one by one; remove the line", ()),
    "no rows": (
        HardwareError, lambda: lines(0), "h.fold_storage(y, 0): a tile of blur reads 3 rows of h; it moves on by 1",
        ("h.fold_storage(y, 3)",)),
    "no number of rows of no variable": (
        ScheduleError, lambda: lines("all", "z"), "h.fold_storage(z, all): h_store of blur has no rows along z that "
        "pass one by one", ("h.fold_storage(y, 3)",)),
    "stated twice": (
        ScheduleError, lambda: lines(4).sources[0].fold_storage(y, 5),
        "h.fold_storage(y, 5): it has its rows already, by h.fold_storage(y, 4); remove one of the lines", ()),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    kind, make, message, legal = REFUSED[name]
    refused(lambda: lower_graph(make()), message, *legal, kind=kind)
