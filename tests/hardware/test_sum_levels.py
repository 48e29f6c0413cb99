"""Partial sums in several levels: in the lanes, in a memory outside, and outside that in the output's memory."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import pytest

from halidehw import Func, ImageParam, Int, RDom, Var, cast, i32, max, min
from halidehw.energy_model.energy import place
from halidehw.energy_model.traffic import traffic
from halidehw.errors import CostError
from halidehw.ir.interpreter import execute
from halidehw.ir.printer import loop_nest
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.microarch.stores import LEAD
from halidehw.microarch.sums import folded
from halidehw.report.describe import describe
from halidehw.report.page import page
from halidehw.simulate import Memory
from tests.fuzz.check import check_each, check_hardware
from tests.fuzz.designs import Design

STALLS = Memory(latency=7, stall_probability=0.4)
COUNTED = Options(counters="all")


def runs(f: Func, options: Options) -> list[Design]:
    return [Design(f, options), Design(f, options, STALLS, starts=2, abort=40)]


def both_ways(make: Callable[[bool], Func]) -> tuple[list[Design], list[Design]]:
    """Broadcast on ports of a word, systolic on wide ones."""
    return runs(make(False), COUNTED), runs(make(True), Options(port_bits=64, counters="all"))


EVERY = pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.soak)])
"""Each case is tried in one of both ways on one of both memories, and in all of them by `make soak`."""


def some(ways: tuple[list[Design], list[Design]], number: int, every: bool) -> list[Design]:
    return [*ways[0], *ways[1]] if every else [ways[number % 2][number // 2 % 2]]


def product(
    order: str, places: str, lanes: dict[str, int] | None = None, systolic: bool = False, final: bool = False
) -> Func:
    """A product of 7 x 9 with a reduction of 8, of which no tile divides any: loops from the innermost, places of its
    sums from the outermost, `!` for a single buffer."""
    names = {name: Var(name) for name in ("x", "y", "xo", "xi", "yo", "yi", "co", "ci")}
    x, y, r = names["x"], names["y"], RDom([(0, 8)])
    a, b, f = ImageParam(Int(16), 2, "a"), ImageParam(Int(16), 2, "b"), Func("f")
    f[x, y] = i32(5)
    f[x, y] += i32(a[r, y]) * i32(b[x, r])
    stage = f.update().split(x, names["xo"], names["xi"], 4).split(y, names["yo"], names["yi"], 2)
    stage.split(r, names["co"], names["ci"], 3).reorder(*(names[name] for name in order.split()))
    for name, count in (lanes or {}).items():
        stage.unroll(names[name], count)
    if systolic:
        stage.systolic(*(names[name] for name in lanes or {}))
    level = f
    for at in places.split():
        level = level.in_().compute_at(f, names[at.rstrip("!")])
        if at.endswith("!"):
            level.single_buffer()
    a.in_().compute_at(f, names[order.split()[-1]])
    b.in_().compute_at(f, names[order.split()[-1]])
    if not final:
        return f.set_bounds([(0, 7), (0, 9)])
    g = Func("g")
    g[x, y] = cast(Int(8), min(f[x, y] >> 4, 100))
    return g.set_bounds([(0, 7), (0, 9)])


SHARED = {
    "no lanes": ("ci xi yi yo xo co", "co xo", None),
    "single": ("ci xi yi yo xo co", "co! yo!", None),
    "lanes that divide": ("ci xi yi yo xo co", "co yo", {"xi": 4}),
    "lanes that do not": ("ci xi yi yo xo co", "co yo", {"xi": 3, "ci": 2}),
    "two axes": ("ci xi yi yo xo co", "co xo", {"xi": 2, "yi": 2}),
    "three": ("ci xi yi yo xo co", "co xo yo", {"xi": 2, "yi": 2}),
    "only collected": ("xi ci yi yo co xo", "xo yi", {"xi": 4}),
    "comes back from memory too": ("ci xi yi yo co xo", "xo yo", {"xi": 2}),
    "comes back from both": ("xi yi ci yo xo co", "yo yi", {"xi": 4}),
    "all lanes of two axes": ("ci xi yi yo xo co", "co yo", {"xi": 4, "yi": 2, "ci": 3}),
}


@pytest.mark.soak
@EVERY
def test_one_memory_outside_the_lanes(every):
    designs = []
    for number, (order, places, lanes) in enumerate(SHARED.values()):
        ways = both_ways(lambda systolic, o=order, p=places, n=lanes: product(o, p, n, systolic and n is not None))
        designs += some(ways, number, every)
    assert not any(outer.inside for design in designs for outer in derive(design.nest).output.sums[1:])
    check_each(designs)


IN_LANES = {
    "two in the lanes": ("ci yi co yo xo xi", "xo yo", {"xi": 4}),
    "inside lanes of the reduction": ("xi yi co yo ci xo", "xo yo yi", {"ci": 3}),
    "inside ragged lanes of the reduction": ("xi yi co yo ci xo", "xo yo yi", {"ci": 2}),
    "three in the lanes": ("ci yi yo co xo xi", "xo yo yi", {"xi": 2, "ci": 2}),
    "one outside, two in the lanes": ("ci yi xo xi yo co", "co xo yi", {"xi": 4}),
    "single": ("ci yi xo xi yo co", "co! xo! yi!", {"xi": 3}),
    "one outside": ("ci yi xi yo co xo", "xo yo yi", {"xi": 4}),
}


@EVERY
def test_a_memory_in_every_lane(every):
    designs = []
    for number, (order, places, lanes) in enumerate(IN_LANES.values()):
        ways = both_ways(lambda systolic, o=order, p=places, n=lanes: product(o, p, n, systolic))
        designs += some(ways, number, every)
    check_each(designs)


def test_final_stage():
    f = product("ci xi yi yo xo co", "co yo", {"xi": 4}, final=True)
    check_each([design for way in both_ways(lambda _: f) for design in way])


def reduced(combine: str) -> Func:
    """What is not added up, from a value that no identity is."""
    x, y, co, ci, r = Var("x"), Var("y"), Var("co"), Var("ci"), RDom([(0, 10)])
    a, f = ImageParam(Int(8), 2, "a"), Func("f")
    f[x, y] = cast(Int(8), 5)
    value = a[x + r, y]
    f[x, y] = {"max": max(f[x, y], value), "min": min(f[x, y], value), "mul": f[x, y] * value}[combine]
    f.set_bounds([(0, 6), (0, 3)]).update().split(r, co, ci, 4).reorder(ci, x, y, co).unroll(x, 3)
    f.in_().compute_at(f, co)
    f.in_().in_().compute_at(f, y)
    return f


def test_other_operators():
    check_each([run for combine in ("max", "min", "mul") for run in runs(reduced(combine), COUNTED)])


def test_counts_of_every_level():
    """What a level hands on is what the next one takes in; it reads that but for first visits, as interpreted too."""
    f = product("ci xi yi yo xo co", "co xo yo", {"xi": 4, "yi": 2})
    design = Design(f, options=COUNTED)
    accelerator = derive(design.nest, COUNTED)
    words = {count.name: count.words for count in traffic(accelerator, design.nest)}
    assert words["sums_drained"] == words["f_in_in_written"] == words["f_in_in_drained"] == words["f_in_written"] == 189
    assert (words["f_in_in_read"], words["f_in_read"], words["f_in_drained"]) == (0, 126, 63)
    assert words["sums_written"] == 8 * words["steps"]
    found = execute(design.nest, design.arrays).written
    assert (found["f_in_in"], found["f_in"]) == (189, 189)
    assert check_hardware(design).counters.items() >= {"f_in_written": 189, "f_in_read": 126}.items()


@pytest.mark.parametrize(("count", "visits"), [(2, (5, 2)), (3, (3, 1))])
def test_counts_inside_lanes_of_the_reduction(count, visits):
    """Lanes that are summed in space hand on one sum between them; of 8 in threes, the last third lane has none."""
    design = Design(product("xi yi co yo ci xo", "xo yo yi", {"ci": count}))
    words = {each.name: each.words for each in traffic(derive(design.nest), design.nest)}
    found = execute(design.nest, design.arrays).written
    assert (found["f_in_in"], found["f_in"]) == (words["f_in_in_written"], words["f_in_written"])
    assert (found["f_in_in"], found["f_in"]) == tuple(63 * times for times in visits)


def test_sizes_of_every_level():
    """Outside the lanes a memory of all sums, inside a register file in each."""
    f = product("ci yi xi yo co xo", "xo yo yi", {"xi": 4})
    accelerator = derive(Design(f).nest)
    outer = accelerator.output.sums[-1]
    assert not outer.inside
    assert place(accelerator, "f_in") == ("sram", outer.halves * outer.words * outer.lanes * 4)
    assert prod((outer.words, outer.lanes)) == 4 * 10
    inside = derive(Design(product("ci yi yo co xo xi", "xo yo", {"xi": 4})).nest)
    assert inside.output.sums[1].inside
    assert place(inside, "f_in") == ("register_file", inside.output.sums[1].halves * inside.output.sums[1].words * 4)


def test_a_fold_takes_as_many_lanes_as_it_needs():
    """The array works 3 cycles on a word of each of 4 lanes, for which two at once are enough; where it works one cycle
    on 8 lanes of two axes, all of them are taken, and where it waits for a single part. The writer takes no more than
    there are side by side."""

    def held(lanes: dict[str, int], bits: int = 0, places: str = "co yo") -> tuple[int, ...]:
        accelerator = derive(Design(product("ci xi yi yo xo co", places, lanes)).nest, Options(port_bits=bits))
        assert dict(accelerator.output.sums[1].held)["xi.lane"] % accelerator.output.write.lanes == 0
        return tuple(count for _, count in accelerator.output.sums[1].held)

    assert held({"xi": 4}) == held({"xi": 4}, 64) == (2,)
    assert held({"xi": 4}, 128) == (4,)
    assert held({"xi": 4, "yi": 2, "ci": 3}) == (2, 4)
    assert held({"xi": 4}, places="co yo!") == (4,)


def test_words_and_control_of_a_fold_wait_for_each_other_and_for_nothing_else():
    """Of a drain shorter than the control's lead, as long, and longer: whichever is later is one register away."""
    for drain in range(2 * LEAD + 2):
        assert sorted((folded(drain) - 1 - drain, folded(drain) - 1 - LEAD))[0] == 0


def test_is_described():
    f = product("ci xi yi yo xo co", "co yo", {"xi": 4})
    nest = Design(f).nest
    facts = describe(derive(nest))
    (level,) = facts["output"]["levels"]
    assert (level["name"], level["in_lanes"], level["banks"]) == ("f_in", False, 2)
    assert [(each["from"], each["to"]) for each in facts["transfers"]][-2:] == [
        ("accumulators", "f_in"),
        ("f_in", "port f"),
    ]
    assert "f_in" in page(derive(nest)).split("partial sums")[1]
    assert "fold f_in_in(...) into f_in(...)" in loop_nest(nest)


def test_what_models_do_not_know():
    import halidehw as hl

    f = product("ci xi yi yo xo co", "co yo", {"xi": 4})
    with pytest.raises(CostError, match="f_in_in: partial sums in several levels cannot be counted in symbols"):
        hl.symbolic(f)
    with pytest.raises(CostError, match="knows partial sums in one level only"):
        hl.estimate(f, "osu018")
