"""Machines of designs with stages, and with banks that turn, in hardware."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import pytest

import halidehw as hl
from halidehw import Int
from halidehw.driver.build import design_and_graph
from halidehw.driver.draw import random_inputs
from halidehw.machines.machine import Prepared
from halidehw.microarch.banking import places
from halidehw.simulate import Experiment, simulate_together
from tests.fuzz.machines import Kind, Layer, func


def member(name: str, filters: int, rows: int, passes: int, tall: int) -> hl.Func:
    """Sums of a stage before. `passes`: over the rows of the output, each with as many of the filters, whose weights
    stay that long; `tall`: rows of a tile."""
    k, x, y, g, kp, kt, ko, ki, yo, yi = hl.vars("k x y g kp kt ko ki yo yi")
    image, weight = hl.ImageParam(hl.Int(8), 3, "image"), hl.ImageParam(hl.Int(8), 2, "weight")
    q, r = hl.RDom([(0, 3)], "q"), hl.RDom([(0, 4)], "r")
    before, total = hl.Func(f"{name}_before"), hl.Func(name)
    before[g, x, y] += hl.i32(image[g, x, y + q.x])
    total[k, x, y] += before[r.x, x, y] * weight[r.x, k]
    total.set_bounds([(0, filters), (0, 3), (0, rows)])
    sums = total.update().split(k, kt, ki, 2).split(kt, kp, ko, -(-filters // (2 * passes))).split(y, yo, yi, tall)
    sums.reorder(ki, r.x, x, yi, ko, yo, kp).unroll(ki)
    weight.in_().compute_at(total, kp).ring_buffer(3)
    before.compute_at(total, yo)
    image.in_().compute_at(before, g)
    before.update().reorder(q.x, x, y, g)
    return total


def window(name: str, width: int, height: int) -> hl.Func:
    """Sums of 3 x 3 words a cycle, of banks that turn along both dimensions."""
    x, y, r = *hl.vars("x y"), hl.RDom([(0, 3), (0, 3)], "r")
    image, weight, f = hl.ImageParam(hl.Int(8), 2, "image"), hl.ImageParam(hl.Int(8), 2, "weight"), hl.Func(name)
    f[x, y] += hl.i32(image[x + r.x, y + r.y]) * weight[r.x, r.y]
    f.set_bounds([(0, width), (0, height)]).update().reorder(r.x, r.y, x, y).unroll(r.x).unroll(r.y)
    image.in_().compute_root()
    return f


def pipeline(name: str, width: int) -> hl.Func:
    """Two readers of one window of rows, whose rows are kept once."""
    x, y = hl.vars("x y")
    image, rows = hl.ImageParam(hl.UInt(8), 2, f"{name}_image"), hl.Func(f"{name}_rows")
    down, across, f = hl.Func(f"{name}_down"), hl.Func(f"{name}_across"), hl.Func(name)
    rows[x, y] = hl.i32(image[x, y]) + 1
    down[x, y] = rows[x, y] + rows[x, y + 1] + rows[x, y + 2]
    across[x, y] = rows[x, y] - rows[x, y + 2]
    f[x, y] = down[x, y] * 2 + across[x, y]
    f.set_bounds([(0, width), (0, 5)])
    rows.compute_at(f, y).store_root()
    down.compute_at(f, y)
    across.compute_at(f, y)
    return f


def lines(name: str, width: int, height: int) -> hl.Func:
    """A line buffer of an image."""
    x, y = hl.vars("x y")
    image, f = hl.ImageParam(hl.UInt(8), 2, f"{name}_image"), hl.Func(name)
    f[x, y] = hl.i32(image[x, y]) + image[x, y + 1] + image[x, y + 2]
    image.in_().store_root().compute_at(f, y)
    return f.set_bounds([(0, width), (0, height)])


@lru_cache
def stages() -> tuple[hl.Machine, list[hl.Func]]:
    """One program passes its rows once, tile by tile; the second goes over one tile twice, which alone it would have
    made once; the third one does both. In a machine of these the stage before makes the second's tile twice."""
    members = [member("rows", 4, 6, 1, 2), member("filters", 8, 3, 2, 3), member("both", 7, 5, 2, 3)]
    return hl.machine(members, port_bits=32), [members[each] for each in (0, 1, 2, 1, 0, 2)]


@lru_cache
def turning() -> tuple[list[hl.Func], hl.Machine, hl.Machine, hl.Func]:
    members = [window("wide", 37, 2), window("tall", 2, 37)]
    machine, free = hl.machine(members, port_bits=32, name="turns"), hl.machine(members, counters=16, name="free")
    return members, machine, free, window("both", 18, 17)


def test_rows_of_banks_that_turn_take_no_room_for_what_no_design_has() -> None:
    """A wide image and a tall one lie in as many words as either; where all designs as large are to fit, in more."""
    _, machine, free, both = turning()
    depths = [next(each.depth for each in made.network.memories if each.name == "image_in") for made in (machine, free)]
    assert depths == [10, 145]
    with pytest.raises(hl.HalideHWError, match=r"\[5, 5\] rows, whose numbers do not fit(.|\n)*counters=16"):
        machine.program(both)


def test_lists_are_right_on_other_memories_and_after_lists_that_were_aborted() -> None:
    """Stages that make again what another program reads once more; banks that turn along two dimensions; readers that
    keep rows of several lengths once; a line buffer, whose ring stays as long as it is where memories have more room
    (regression: it had as many rows as there was room for, and wrong words). In the cycles that are predicted."""
    members, machine, free, both = turning()
    widths = [pipeline("short", 35), pipeline("long", 41)]
    kept = hl.machine(widths, name="kept")
    assert any(memory.before for memory in kept.network.memories)
    ring = [lines("narrow", 12, 9), lines("broad", 17, 7)]
    roomy = hl.machine(ring, counters=10, words=64, port_bits=32, name="roomy")
    cases = [stages(), (roomy, ring), (machine, [*members, window("further", 2, 29), *members]),
             (free, [both, *members, both]), (kept, [*widths, pipeline("between", 38), *reversed(widths)])]  # fmt: skip
    slow, late, found = hl.Memory(7, 0.5), hl.Memory(30), list[Prepared]()
    for made, funcs in cases:
        runs = [(each, random_inputs(design_and_graph(each)[1], seed)) for seed, each in enumerate(funcs)]
        found.append(made.prepared(runs, memory=slow, listed=True))
    ran = simulate_together([_cut_off(each.experiment, late) for each in found])
    for (made, funcs), prepared, both_runs in zip(cases, found, ran, strict=True):
        assert not isinstance(both_runs, Exception), both_runs
        for memory, run in zip((slow, late), both_runs, strict=True):
            results = [result(run) for result, _ in prepared.read]
            assert [result.match for result in results] == [True] * len(funcs)
            predicted = made.estimate(funcs, memory=memory, listed=True)
            assert [result.cycles for result in results] == [each.run.total for each in predicted]


def _cut_off(experiment: Experiment, late: hl.Memory) -> Experiment:
    """A list, and again on another memory after it was aborted twice."""
    (whole,) = experiment.scenarios
    cut = replace(whole, memory=late, abort_at=Fraction(1, 3), starts=2, cuts=2, onward=True, timeout_cycles=None)
    return replace(experiment, scenarios=(whole, cut))


def test_numbers_of_rows_never_share_a_bit_of_an_address() -> None:
    """Of any three layouts of three dimensions: two rows have one address in none of them."""
    counts = [(1, 1, 1), (2, 3, 1), (3, 1, 4), (1, 5, 2), (2, 2, 2), (9, 1, 1)]
    for rows in itertools.combinations_with_replacement(counts, 3):
        for order in itertools.permutations(range(3)):
            at = places(rows, order)
            for sizes in rows:
                words = [sum(row << bit for row, bit in zip(each, at, strict=True))
                         for each in itertools.product(*map(range, sizes))]  # fmt: skip
                assert len(set(words)) == len(words), (rows, order)


def test_a_box_whose_rows_share_bits_is_left_for_one_whose_do_not() -> None:
    """Regression: an image of which the limits leave a row out fits without it, and the whole box was refused first."""
    kind = Kind(Int(8), (2, 2), "rs", ("x", "c", "y", "k"), ("y", ""), True, "narrow", True)
    sizes = Layer(5, 2, 4, 3, 2, 1, 1, 3), Layer(2, 1, 3, 6, 2, 3, 0, 5), Layer(2, 1, 6, 7, 1, 1, 0, 8)
    made = [func(kind, each, f"step{n}") for n, each in enumerate(sizes)]
    assert len(hl.machine(made, port_bits=32).descriptors) == 3


@pytest.mark.parametrize("bus", ["", "axi4"])
def test_a_machine_of_one_design_has_no_list_to_estimate(bus: str) -> None:
    """Behind a bus the model asked for the words of a descriptor that has none."""
    design = member("rows", 4, 6, 1, 2)
    machine = hl.machine([design])
    with pytest.raises(hl.HalideHWError, match=r"a machine of one design has no list(.|\n)*counters=16"):
        machine.estimate([design] * 2, bus=bus or None, listed=True)
    assert machine.estimate([design], bus=bus or None, listed=True)[0].before == 0
