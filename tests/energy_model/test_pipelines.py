"""Counts and cycles of several stages: the model beside the hardware's own counters, and beside itself."""

from __future__ import annotations

import pytest

from halidehw import BoundaryConditions, Func, ImageParam, UInt, i32
from halidehw.driver.estimate import estimate
from halidehw.energy_model.cycles import cycles
from halidehw.energy_model.processes import system
from halidehw.energy_model.symbolic import symbolic
from halidehw.energy_model.timekeeper import Timekeeper
from halidehw.errors import CostError
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.scheduler import lower_graph
from halidehw.simulate import Memory
from tests.energy_model.invariants import check_invariants
from tests.energy_model.test_against_hardware import MEMORIES, check
from tests.scheduler.pipelines import blur, chain, layers, unsharp, x, xi, xo, y, yi, yo
from tests.scheduler.test_consumers import PLACES

PIPELINES = {
    "root": lambda: blur(lambda blur, h, image: h.compute_root()),
    "tiles": lambda: blur(
        lambda blur, h, image: h.compute_at(blur.tile(x, y, xo, yo, xi, yi, 4, 5), xo).single_buffer()),
    "lines of lines": lambda: blur(lambda blur, h, image: (
        h.store_root().compute_at(blur, y), image.in_().store_root().compute_at(h, y))),
    "lanes": lambda: blur(lambda blur, h, image: (h.compute_at(blur.unroll(x, 3), y).unroll(x, 2))),
    "three stages": lambda: chain(
        lambda c, b, a, image: (b.store_root().compute_at(c, y), a.store_root().compute_at(c, y))),
    "reductions": lambda: layers(
        lambda pool, act, conv: (act.compute_at(pool, x), conv.compute_at(pool, y))),
    "a stage that two read": lambda: unsharp(PLACES["lines"]),
    "parts that two read": lambda: unsharp(PLACES["rows"]),
    "a reader columns ahead of the one that leads": lambda: ahead(),
}  # fmt: skip


def ahead() -> Func:
    """`f` takes the first words of `a` before `b` does, which leads its rows, in those that `e` is ahead."""
    image, a, b, e, f = ImageParam(UInt(8), 2, "image"), Func("a"), Func("b"), Func("e"), Func("f")
    a[x, y] = i32(image[x, y]) + image[x + 1, y]
    b[x, y] = a[x, y] * 3
    e[x, y] = b[x, y + 2] - b[x, y]
    f[x, y] = e[x, y] * a[x + 5, y]
    for stage in (a, b, e):
        stage.store_root().compute_at(f, y)
    return f.set_bounds([(0, 5), (0, 4)])


def stencils(stages: int, width: int, height: int) -> Func:
    """Stages of three by three, one after the other, each behind a line buffer."""
    image, before = ImageParam(UInt(8), 2, "image"), None
    for number in range(stages):
        f, source = Func(f"f{number}"), before or image
        f[x, y] = sum(i32(source[x + i, y + j]) for i in range(3) for j in range(3))
        stored = before.store_root() if before else image.in_().store_root()
        stored.compute_at(f, y)
        before = f
    assert before
    before.set_bounds([(0, width), (0, height)])
    return before


@pytest.mark.soak
def test_all_counters():
    check([(lower_graph(each()), Options()) for each in PIPELINES.values()], MEMORIES)


@pytest.mark.parametrize("name", ["roots", "rows", "lines_along_x", "lines_of_two_stages", "lines_in_the_middle",
                                  "strips", "strips_of_rows", "lines_over_two_loops"])
def test_parts_that_are_leapt_over_take_the_same_time(name: str):
    parts = system(derive(lower_graph(unsharp(PLACES[name]))))
    for memory in (Memory(), Memory(9, 0.7)):
        walked = Timekeeper(parts, memory, lambda process, first, last: None).run()
        assert Timekeeper(parts, memory).run() == walked


@pytest.mark.parametrize("memory", [Memory(), Memory(20, 1)], ids=["ideal", "latency"])
def test_a_chain_works_at_the_pace_of_its_largest_stage(memory: Memory):
    """Twenty stages on a whole frame: 1960 x 1120 words of the first one's input, one a cycle."""
    found = cycles(derive(lower_graph(stencils(20, 1920, 1080))), memory)
    assert found.slowest.name == "f0"
    assert found.slowest.steps == 1960 * 1120
    assert found.total <= 1.03 * 1960 * 1120
    assert [stage.busy for stage in found.stages] == [
        (1920 + 2 * further) * (1080 + 2 * further) for further in range(19, -1, -1)
    ]


def test_a_stage_names_what_it_waits_for():
    found = cycles(derive(lower_graph(PIPELINES["three stages"]())))
    assert [stage.name for stage in found.stages] == ["a", "b", "c"]
    assert {name for stage in found.stages for name, late in stage.stalls.items() if late} == {
        "a_image_stream", "b_a_store", "b_store"
    }
    assert [(culprit.buffer, culprit.level, culprit.cause) for culprit in found.culprits] == [
        ("b_store", "b_store_window", "start"), ("b_store", "b", "stage")
    ]


def test_estimates_of_several_stages_add_up():
    for each in PIPELINES.values():
        check_invariants(estimate(each(), "table3"))


def test_an_input_that_one_of_two_stages_meets_beyond_its_bounds_only():
    """It brings no word for that one, which is less than what the other one needs."""
    image, h, f = ImageParam(UInt(8), 2, "image"), Func("h"), Func("f")
    zeros = BoundaryConditions.constant_exterior(image, 0, [(0, 4), (0, 3)])
    h[x, y] = i32(zeros[x, y]) + 1
    f[x, y] = h[x, y - 9] + i32(zeros[x, y])
    f.set_bounds([(0, 4), (9, 3)])
    h.compute_root()
    found = estimate(f, "table3")
    assert [(port.words, port.least) for port in found.ports if port.tensor == "image"] == [(12, 12), (0, 0)]
    check_invariants(found)


def test_cells_know_one_stage_only():
    with pytest.raises(CostError, match="blur has 2 stages: the cost table 'osu018, calibrated at gate level'") as e:
        estimate(PIPELINES["root"](), "osu018")
    assert e.value.legal == ('estimate(f, "table3")',)


def test_symbols_know_one_stage_only():
    with pytest.raises(CostError, match="blur has 2 stages: a design of several cannot be counted in symbols") as e:
        symbolic(PIPELINES["root"]())
    assert e.value.legal == ("estimate(f)",)
