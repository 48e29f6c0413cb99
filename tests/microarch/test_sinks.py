"""How a stage fills the memories of the stages that read it: which loops go round the banks."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from halidehw import Func, ImageParam, UInt, i16
from halidehw.microarch.derive import derive
from halidehw.microarch.spacetime import spacetime
from halidehw.scheduler import lower_graph
from tests.refused import refused
from tests.scheduler.pipelines import blur, x, y

EXAMPLES = Path(__file__).parents[2] / "examples" / "pipelines"


@pytest.mark.parametrize("lanes", [4, 8])
@pytest.mark.parametrize("width", [9, 17, 20])
@pytest.mark.parametrize("name", ["unsharp", "sobel", "harris"])
def test_a_stage_without_lanes_fills_memories_of_several_bank_factors(name: str, width: int, lanes: int) -> None:
    """Random pipelines have found it: two readers with 4 and 8 banks need a loop that is three axes."""
    func = runpy.run_path(str(EXAMPLES / f"{name}.py"))[name](width, 9, lanes)
    derive(lower_graph(func))


def test_lanes_that_only_one_way_of_reading_has() -> None:
    """Each memory has room for what the other one is read for, beside its own lanes."""
    a, h, f = ImageParam(UInt(8), 2, "a"), Func("h"), Func("f")
    h[x, y] = i16(a[x, y])
    f[x, y] = h[x / 2, y] + h[(x + 1) / 2, y + 1]
    f.set_bounds([(0, 8), (0, 5)]).vectorize(x, 4)
    h.vectorize(x, 2).store_root().compute_at(f, y)
    memories = [memory for memory in derive(lower_graph(f)).memories if memory.tensor == "h"]
    assert [memory.dims[0].extent for memory in memories] == [5, 5]


def test_rows_by_two_loops() -> None:
    def build(place: Callable[[Func, Func], object]) -> object:
        return derive(lower_graph(blur(lambda blur, h, image: place(blur, h.split(y, "a", "b", 4)))))

    refused(
        lambda: build(lambda blur, h: h.store_root().compute_at(blur, y)),
        "h is made in an order in which its reader's memory cannot take it: h_store takes whole rows, one after the "
        "other, so one loop over them must be the outermost, and here they are made by h.a, h.b",
        "h.compute_root()",
    )
    build(lambda blur, h: h.compute_root())


def test_lanes_that_do_not_go_round_the_banks() -> None:
    def build(lanes: int) -> object:
        return derive(lower_graph(blur(lambda blur, h, image: h.compute_at(blur.unroll(x, 2), y).unroll(x, lanes))))

    refused(
        lambda: build(3),
        "h is made in an order in which its reader's memory cannot take it: h_store has 2 banks along dimension 0, "
        "which the steps of h.x do not go round; one loop that is not split, without lanes or with 2 of them, would",
    )
    build(1), build(2)


def test_a_loop_that_goes_round_is_an_axis_more_for_each_factor() -> None:
    nest = lower_graph(blur(lambda blur, h, image: h.store_root().compute_at(blur, y))).stages[0]
    assert nest.loop["h.x"].steps == 11
    st = spacetime(nest, {"h.x": (2, 4)})
    assert [(axis.name, axis.extent) for axis in st.times] == [
        ("h.y", 11), ("h.x", 3), ("h.x.bank1", 2), ("h.x.bank", 2),
    ]  # fmt: skip
    assert dict(st.values["h.x"].terms) == {"h.x": 4, "h.x.bank1": 2, "h.x.bank": 1}
    assert [dict(limit.terms) for limit in st.limits] == [{"h.x": -4, "h.x.bank1": -2, "h.x.bank": -1}]
    assert spacetime(nest, {"h.x": (11, 16)}).times == spacetime(nest).times
