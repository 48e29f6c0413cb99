"""Machines in hardware: layers that they were made of and others, in one simulation, bit for bit and cycle by cycle."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import subprocess
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import pytest

import halidehw as hl
from halidehw import Int
from halidehw.driver.build import design_and_graph
from halidehw.driver.draw import random_inputs
from halidehw.energy_model.turns import Turns
from halidehw.machines.cycles import Program, lists_cycles
from halidehw.machines.files import write
from halidehw.machines.grouping import grouped
from halidehw.machines.tasks import Plan
from halidehw.microarch.common import merged
from halidehw.microarch.interface import side_by_side
from halidehw.microarch.options import Options
from halidehw.simulate import Experiment, Scenario, simulate_scenarios, simulate_together
from tests.fuzz.machines import Kind, Layer, func

KIND = Kind(Int(8), (4, 4), "c", ("x", "r", "s", "c", "y", "k"), ("y", "y"), True, "shift", True)
MEMBERS = Layer(6, 5, 8, 8, 3, 1, 1, 3), Layer(4, 4, 5, 6, 1, 1, 0, 1), Layer(3, 4, 8, 8, 5, 2, 0, 7)
OTHERS = Layer(5, 3, 6, 3, 2, 3, 1, 5), Layer(1, 1, 7, 8, 1, 1, 0, 0), Layer(2, 6, 1, 1, 4, 1, 2, 2)


@lru_cache
def layers() -> tuple[list[hl.Func], list[hl.Func]]:
    return [func(KIND, each, f"member{i}") for i, each in enumerate(MEMBERS)], [
        func(KIND, each, f"other{i}") for i, each in enumerate(OTHERS)]  # fmt: skip


@lru_cache
def roomy() -> hl.Machine:
    """With room for other layers."""
    return hl.machine(layers()[0], counters=10)


def digest(machine: hl.Machine) -> str:
    return hashlib.sha256(machine.verilog().encode()).hexdigest()


def test_a_machine_runs_layers_one_after_the_other() -> None:
    """Its own and others, in any order, each bit exact, in the cycles that are predicted."""
    members, others = layers()
    machine = roomy()
    before = digest(machine)
    funcs = [*members, *others, members[0], others[2], members[2]]
    inputs = [random_inputs(design_and_graph(func)[1], seed) for seed, func in enumerate(funcs)]
    runs = list(zip(funcs, inputs, strict=True))
    results = machine.simulate(runs)
    assert [result.match for result in results] == [True] * len(funcs)
    assert [result.cycles for result in results] == [each.total for each in machine.estimate(funcs)]
    assert digest(machine) == before


@pytest.mark.parametrize("memory", [hl.Memory(), hl.Memory(30), hl.Memory(7, 0.5)], ids=str)
def test_a_list_of_programs_runs_with_one_start(memory: hl.Memory) -> None:
    """Each with tensors of its own, in the cycles that are predicted, the first one's descriptor included."""
    members, others = layers()
    machine = roomy()
    funcs = [members[1], members[0], others[0], members[2], members[1]]
    runs = [(func, random_inputs(design_and_graph(func)[1], seed)) for seed, func in enumerate(funcs)]
    results = machine.simulate(runs, memory=memory, listed=True)
    assert [result.match for result in results] == [True] * len(funcs)
    predicted = machine.estimate(funcs, memory=memory, listed=True)
    assert [result.cycles for result in results] == [each.run.total for each in predicted]
    assert results[0].counters["cycles"] == sum(each.total for each in predicted)
    assert [each.before for each in predicted[1:]] == [2] * 4 or memory != hl.Memory()
    passed = {run: [each.name for each in design_and_graph(func)[1].inputs] for run, func in enumerate(funcs)}
    together = machine.estimate(funcs, memory=memory, listed=True, passed=passed)
    assert [one.total < other.total for one, other in zip(predicted, together, strict=True)] == [False] + [True] * 4


def test_layers_that_end_ragged_where_no_member_does_fit() -> None:
    """Numbers that are 0 in all members, the strides of limits that none of them has, are there for others."""
    machine = hl.machine([func(KIND, MEMBERS[place], f"even{place}") for place in (0, 2)], counters=10)
    before = digest(machine)
    for place, each in enumerate((MEMBERS[1], *OTHERS[:2])):
        assert machine.program(func(KIND, each, f"ragged{place}")).words.size
    assert digest(machine) == before


def test_a_machine_of_layers_of_one_pixel_takes_convolutions() -> None:
    """Loops that run once in all members, edges that none of them passes, and dimensions that are one in all: others
    have room for more, bit for bit and cycle by cycle."""
    kind = Kind(Int(8), (2, 2), "c", KIND.order, ("y", "y"), False, "", False)
    members = [func(kind, Layer(1, 1, c, k, 1, 1, 0, 0), f"dense{c}") for c, k in ((8, 4), (6, 5))]
    machine = hl.machine(members, counters=10, words=128, port_bits=32)
    before = digest(machine)
    others = [func(kind, Layer(4, 3, 3, 3, 3, 2, 0, 0), "wide"), func(kind, Layer(3, 2, 1, 1, 2, 3, 0, 0), "odd")]
    runs = [(each, random_inputs(design_and_graph(each)[1], seed)) for seed, each in enumerate((*others, members[1]))]
    results = machine.simulate(runs)
    assert [result.match for result in results] == [True] * 3
    assert [result.cycles for result in results] == [each.total for each in machine.estimate([*others, members[1]])]
    assert digest(machine) == before


def test_values_of_loops_are_numbers_of_each_program() -> None:
    """Which loop a value is of is structure, though all other numbers have room to differ."""

    def weighted(name: str, width: int, filter_: int) -> hl.Func:
        a, w = hl.ImageParam(Int(8), 1, "a"), hl.ImageParam(Int(8), 1, "w")
        x, r, f = hl.Var("x"), hl.RDom([(0, filter_)], "r"), hl.Func(name)
        f[x] += hl.i32(a[x + r]) * w[r] * (2 - 3 * r)
        f.bound(x, 0, width).update().unroll(r)
        return f

    funcs = [weighted("one", 5, 2), weighted("two", 4, 2), weighted("other", 7, 2)]
    results = hl.machine(funcs[:2], counters=8).simulate(
        [(func, random_inputs(design_and_graph(func)[1], seed)) for seed, func in enumerate(funcs)])  # fmt: skip
    assert [result.match for result in results] == [True] * 3


def test_the_numbers_of_a_machine_that_has_room_for_no_other_are_few() -> None:
    members, _ = layers()
    narrow, wide = hl.machine(members), roomy()
    assert len(narrow.descriptors[0].words) < len(wide.descriptors[0].words) / 3


def _proposed(machine: hl.Machine, design: hl.Func) -> str:
    """What is proposed where a machine refuses a design; nothing where it takes it."""
    try:
        machine.program(design)
    except hl.HalideHWError as error:
        (proposed,) = error.legal
        return proposed
    return ""


def test_what_a_refusal_proposes_leads_to_a_machine_that_takes_the_design() -> None:
    """Room for words and for tensors outside, as much as is said; where no number helps, the machine made of it too."""
    kind = Kind(Int(8), (2, 2), "c", KIND.order, ("y", "y"), False, "", False)
    sizes = Layer(3, 2, 5, 5, 2, 1, 0, 0), Layer(2, 3, 4, 4, 1, 2, 0, 0), Layer(9, 7, 9, 9, 3, 2, 0, 0)
    *small, large = (func(kind, each, f"layer{n}") for n, each in enumerate(sizes))
    room, said = dict[str, int](), set[str]()
    while proposed := _proposed(hl.machine(small, **room), large):
        assert proposed not in said
        said.add(proposed)
        room |= {name: int(value) for name, value in re.findall(r"(counters|words)=(\d+)", proposed)}
    assert {re.sub(r"\d+", "N", each) for each in said} == {"machine([...], words=N)", "machine([...], counters=N)"}
    across = replace(kind, across="x", stride=1)
    sizes = Layer(4, 2, 3, 3, 1, 1, 0, 0), Layer(2, 3, 2, 4, 1, 1, 0, 0), Layer(5, 2, 3, 3, 3, 1, 0, 0)
    *small, large = (func(across, each, f"row{n}") for n, each in enumerate(sizes))
    assert _proposed(hl.machine(small), large) == "machine([..., row2])"
    assert hl.machine([*small, large]).program(large)


def test_a_layer_that_needs_more_room_than_there_is_is_refused_with_the_room() -> None:
    members, _ = layers()
    machine = hl.machine(members)
    with pytest.raises(hl.HalideHWError, match="long: sums words is 6, and 7 is needed"):
        machine.program(func(KIND, Layer(7, 5, 8, 8, 3, 1, 1, 3), "long"))


def test_layers_on_arrays_of_different_operators_are_refused() -> None:
    members, _ = layers()
    other = func(Kind(hl.UInt(8), (4, 4), "c", KIND.order, KIND.buffers, True, "shift", True), MEMBERS[1], "unsigned")
    with pytest.raises(hl.HalideHWError, match="one piece of hardware cannot be all of these"):
        hl.machine([members[0], other])


def product(name: str, tile: str = "x", lanes: int = 2, buffers: str = "ab") -> hl.Func:
    """Of matrices, whose loops and inputs have the product's name in theirs."""
    x, y, xo, xi, r = hl.Var("x"), hl.Var("y"), hl.Var(f"{name}o"), hl.Var(f"{name}i"), hl.RDom([(0, 6)], "r")
    inputs = [hl.ImageParam(Int(8), 2, f"{name}_{each}") for each in "ab"]
    f = hl.Func(name)
    f[x, y] += hl.i32(inputs[0][r, y]) * inputs[1][x, r]
    f.set_bounds([(0, 8), (0, 5)])
    f.update().split(tile, xo, xi, lanes).reorder(xi, r.x, xo, "y" if tile == "x" else "x").unroll(xi)
    for each, tensor in zip("ab", inputs, strict=True):
        tensor.in_().compute_at(f, xo) if each in buffers else None
    return f


@pytest.mark.parametrize(("other", "said", "works"), [
    (product("q", buffers="a"), "p has p_b.in_().compute_at(p, po), and q has no such line",
     "q_b.in_().compute_at(q, qo)"),
    (product("q", tile="y"), "p has p.update().split(x, po, pi, 2), where q has q.update().split(y, qo, qi, 2)",
     "q.update().split(x, qo, qi, 2)"),
])  # fmt: skip
def test_the_lines_in_which_schedules_differ_are_said(other: hl.Func, said: str, works: str) -> None:
    with pytest.raises(hl.HalideHWError) as caught:
        hl.machine([product("p"), other])
    assert caught.value.message.endswith(said)
    assert caught.value.legal == (works,)
    assert caught.value.source and "test_machines" in str(caught.value.source)


def test_a_program_of_more_lanes_is_told_the_line() -> None:
    with pytest.raises(hl.HalideHWError, match=r"where q has q.update\(\).split\(x, qo, qi, 8\)") as caught:
        hl.machine([product("p"), product("s")], counters=8).program(product("q", lanes=8))
    assert caught.value.legal == ("q.update().split(x, qo, qi, 2)",)


def test_a_number_that_needs_more_bits_than_there_are_is_named() -> None:
    machine = hl.machine(layers()[0], words=64)
    with pytest.raises(hl.HalideHWError, match=r"tall: .* needs [0-9]+ bits, and has [0-9]+|in all other programs"):
        machine.program(func(KIND, Layer(3, 7, 4, 4, 1, 1, 0, 3), "tall"))


def test_layers_without_each_others_loops_fit_one_machine() -> None:
    """One of them has no loop over y that runs twice, and the other none over channels: where that would lie is known
    from the order of the loops; a part of the input is as long as in the design alone. And lanes that are two words
    apart, of which one layer reads those between them too, which the other would leave out of its memory."""
    flat = Kind(hl.Int(5), (2, 3), "c", ("x", "r", "s", "c", "y", "k"), ("y", ""), True, "shift", True)
    apart = Kind(hl.Int(8), (1, 3), "x", ("x", "r", "s", "c", "y", "k"), ("y", "y"), False, "", False, 2)
    families = [
        [func(flat, Layer(6, 1, 5, 2, 2, 3, 1, 0), "flat"), func(flat, Layer(2, 4, 2, 6, 2, 3, 0, 9), "thin")],
        [func(apart, Layer(6, 2, 3, 3, 1, 2, 0, 0), "point"), func(apart, Layer(5, 2, 2, 2, 3, 2, 0, 0), "wide")],
    ]
    machines = [hl.machine(members, counters=12, words=256) for members in families]
    prepared = [machine.prepared([(each, random_inputs(design_and_graph(each)[1], 0)) for each in members])
                for machine, members in zip(machines, families, strict=True)]  # fmt: skip
    ran = simulate_together([each.experiment for each in prepared])
    for machine, members, runs, found in zip(machines, families, prepared, ran, strict=True):
        assert not isinstance(found, Exception)
        results = runs.results(found)
        assert [result.match for result in results] == [True, True]
        assert [result.cycles for result in results] == [each.total for each in machine.estimate(members)]


def test_a_memory_is_read_anew_as_often_as_each_program_needs() -> None:
    """What a program of one group of filters reads once, another one reads for each of its groups."""

    def member(name: str, filters: int) -> hl.Func:
        k, x, y, ko, ki = hl.vars("k x y ko ki")
        image, bias = hl.ImageParam(Int(8), 3, "image"), hl.ImageParam(Int(8), 1, "bias")
        r, total, f = hl.RDom([(0, 2)], "r"), hl.Func(f"{name}_sum"), hl.Func(name)
        total[k, x, y] += image[k, x + r.x, y]
        f[k, x, y] = total[k, x, y] + bias[k]
        f.set_bounds([(0, filters), (0, 3), (0, 2)])
        total.update().split(k, ko, ki, 2).reorder(ki, r.x, x, ko, y).unroll(ki)
        bias.in_().compute_root()
        return f

    members = [member("groups", 4), member("group", 2)]
    runs = [(each, random_inputs(design_and_graph(each)[1], 0)) for each in members]
    assert [result.match for result in hl.machine(members, port_bits=16).simulate(runs)] == [True, True]


def test_the_order_of_axes_does_not_depend_on_that_of_programs() -> None:
    orders = [("ko", "r.z"), ("ko", "co"), ("y", "co"), ("ko", "y")]
    found = {merged((), list(each)) for each in itertools.permutations(orders)}
    assert len(found) == 1


def test_a_program_is_made_anew_where_its_schedule_has_changed() -> None:
    x, made = hl.Var("x"), []
    for number in range(3):
        f, a, r = hl.Func(f"f{number}"), hl.ImageParam(Int(8), 1, f"a{number}"), hl.RDom([(0, 3 + number)], "r")
        f[x] += hl.i32(a[x + r.x])
        made.append(f.set_bounds([(0, 4 + number)]))
    machine, last = hl.machine(made[:2], counters=8), made[2]
    assert machine.program(last) is machine.program(last)
    last.update().split(x, hl.Var("xo"), hl.Var("xi"), 2).unroll(hl.Var("xi"))
    with pytest.raises(hl.HalideHWError, match="lanes"):
        machine.program(last)


def test_a_machine_of_one_design_is_that_design() -> None:
    """Without a descriptor, and without a port for it."""
    member = layers()[0][1]
    machine, inputs = hl.machine([member]), random_inputs(design_and_graph(member)[1], 0)
    results = machine.simulate([(member, inputs)] * 2)
    assert [port.name for port in machine.network.interface.ports] == ["a_member1", "w_member1", "member1"]
    assert [result.match for result in results] == [True, True]
    assert {result.cycles for result in results} == {machine.estimate([member])[0].total}


@lru_cache
def engines() -> tuple[hl.Machine, list[tuple[hl.Func, dict]]]:
    """Two engines of different structure, and runs on both."""
    members, _ = layers()
    kind = Kind(hl.UInt(8), (2, 4), "c", KIND.order, ("y", ""), False, "bias", False)
    others = [func(kind, Layer(4, 3, 3, 2, 2, 1, 0, 2), "wide0"), func(kind, Layer(5, 2, 2, 3, 3, 2, 0, 1), "wide1")]
    funcs = [members[0], others[0], members[1], others[1], members[2]]
    runs = [(each, random_inputs(design_and_graph(each)[1], seed)) for seed, each in enumerate(funcs)]
    return hl.machine({"conv": members, "wide": others}, name="both"), runs


@pytest.mark.parametrize("after", [{}, {1: [0], 2: [1], 3: [0, 2], 4: [1, 3]}], ids=["free", "chained"])
@pytest.mark.parametrize("memory", [pytest.param(hl.Memory(), marks=pytest.mark.soak), hl.Memory(9, 0.5)], ids=str)
def test_engines_run_side_by_side_and_wait_for_each_other(after: dict[int, list[int]], memory: hl.Memory) -> None:
    machine, runs = engines()
    results = machine.simulate(runs, memory=memory, after=after)
    predicted = machine.estimate([each for each, _ in runs], memory=memory, after=after)
    assert [result.match for result in results] == [True] * len(runs)
    assert [result.cycles for result in results] == [each.run.total for each in predicted]
    for name, of in (("conv", (0, 2, 4)), ("wide", (1, 3))):
        assert results[of[0]].counters[f"{name}_cycles"] == sum(predicted[i].total for i in of)


def test_tasks_go_on_one_at_a_time_as_if_all_did_at_once() -> None:
    """What one raises ends all, and so does a circle of those that wait for each other."""
    seen, times = list[tuple[int, str]](), itertools.count(1)
    clock = {"now": 0}
    turns = Turns(lambda: clock.update(now=next(times)))

    def task(name: str, *until: int) -> None:
        for time in until:
            turns.wait(lambda time=time: clock["now"] >= time)
            seen.append((clock["now"], name))

    turns.run([partial(task, "a", 3, 4), partial(task, "b", 1, 3, 9)])
    assert seen == [(1, "b"), (3, "a"), (3, "b"), (4, "a"), (9, "b")]
    with pytest.raises(hl.HalideHWError, match="2 tasks wait for each other"):
        turns.run([lambda: turns.wait(lambda: False, timed=False)] * 2 + [partial(task, "d", 12)])
    with pytest.raises(ZeroDivisionError):
        turns.run([partial(task, "c", 20), lambda: print(1 // 0)])


MAIN = """
#include <stdio.h>
#include "both.h"
#include "both_conv_programs.h"
#include "both_wide_programs.h"
int main(void) {
    uint64_t bases[BOTH_CONV_BASES + BOTH_WIDE_BASES];
    uint32_t conv[BOTH_CONV_WORDS], wide[BOTH_WIDE_WORDS], after[1] = {2}, early[9] = {-1, 0, -1, -1};
    for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++) bases[i] = (i + 1) * 0x100000040ull;
    both_conv_describe(conv, BOTH_CONV_PROGRAM_member1, bases, after, early);
    both_wide_describe(wide, BOTH_WIDE_PROGRAM_wide0, bases, after, early);
    bases[BOTH_WIDE_BASE_wide0] += 2;
    if (both_wide_describe(wide, 0, bases, after, early) != BOTH_WIDE_BASE_wide0 + 1) return 9;
    for (unsigned i = 0; i < BOTH_CONV_WORDS; i++) printf("%u ", conv[i]);
    for (unsigned i = 0; i < BOTH_WIDE_WORDS; i++) printf("%u ", wide[i]);
    return BOTH_ARG_conv_programs == BOTH_ARG_wide_programs || BOTH_CONV_EARLY < 2 || BOTH_WIDE_EARLY_a_wide0;
}
"""


def test_files_of_engines_say_the_descriptors_of_each(tmp_path: Path) -> None:
    """In C99 without warnings, beside the drivers of all: with addresses, and what a program waits for."""
    machine, _ = engines()
    write(machine, tmp_path, bus=hl.AXI(64))
    (tmp_path / "main.c").write_text(MAIN)
    flags = ["-Wall", "-Wextra", "-Werror", "-std=c99", "both.c", "main.c", "-o", "main"]
    subprocess.run(["cc", *flags], cwd=tmp_path, check=True)
    said = subprocess.run(["./main"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    right = list[int]()
    for name, place in (("conv", 1), ("wide", 0)):
        told = machine.engines[name].descriptors[place]
        bases = {port: (i + 1) * 0x100000040 for i, port in enumerate(told.bases)}
        right += told.at(bases, (2,), told.early[1:2]).tolist()
    assert list(map(int, said.split())) == right
    programs = json.loads((tmp_path / "machine.json").read_text())["programs"]
    assert [each["engine"] for each in programs] == ["conv"] * 3 + ["wide"] * 2


def test_programs_that_wait_for_each_other_end_the_lists() -> None:
    """Descriptors of which none can begin: the first of each engine waits for the other's."""
    machine, runs = engines()
    plans, words = {}, dict[str, np.ndarray]()
    for name, of in (("conv", 0), ("wide", 1)):
        engine = machine.engines[name]
        task = engine.task(machine.program(runs[of][0]), runs[of][1], (1,))
        plans[name] = Plan(f"{name}_", engine.network.interface, [task])
        words |= plans[name].words([task])
    scenario = Scenario(words, hl.Memory(), programs={"conv_": 1, "wide_": 1}, timeout_cycles=5000)
    interface = side_by_side("both", {name: plan.interface for name, plan in plans.items()})
    (run,) = simulate_scenarios(Experiment(machine.verilog(), interface, (scenario,)))
    assert run.cycles < 200 and run.counters["conv_steps"] == run.counters["wide_steps"] == 0


def test_a_run_waits_for_earlier_ones_only() -> None:
    machine, runs = engines()
    with pytest.raises(hl.HalideHWError, match="run 1 waits for run 2, which is not before it"):
        machine.estimate([each for each, _ in runs], after={1: [2]})
    with pytest.raises(hl.HalideHWError, match="after says what run 7 waits for, and there are 5 runs"):
        machine.estimate([each for each, _ in runs], after={7: [2]})
    first = {name: machine.engines[name].descriptors[0] for name in ("conv", "wide")}
    lists = {name: [Program(name, each.network, len(each.words), {other: 1})]
             for (name, each), other in zip(first.items(), ("wide", "conv"), strict=True)}  # fmt: skip
    for bus in (None, hl.AXI(64)):
        with pytest.raises(hl.HalideHWError, match="wait for each other"):
            lists_cycles(lists, hl.Memory(30), bus)


def test_a_design_that_no_engine_runs_is_refused_with_the_reason_of_each() -> None:
    machine, _ = engines()
    with pytest.raises(hl.HalideHWError, match=r"no engine runs it: conv: .*; wide: "):
        machine.program(func(Kind(hl.Int(5), (4, 4), "c", KIND.order, ("", ""), False, "", False), MEMBERS[1], "odd"))


def test_designs_that_can_share_an_engine_are_found() -> None:
    members, _ = layers()
    kind = Kind(hl.UInt(8), (2, 4), "c", KIND.order, ("y", ""), False, "bias", False)
    other = [func(kind, Layer(4, 3, 3, 2, 2, 1, 0, 2), "wide0"), func(kind, Layer(5, 2, 2, 3, 3, 2, 0, 1), "wide1")]
    assert grouped([members[0], other[0], *members[1:], other[1]], Options()) == [[0, 2, 3], [1, 4]]
