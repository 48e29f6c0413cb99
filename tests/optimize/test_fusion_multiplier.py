"""Depthwise layers that make several channels of each one they read: planned and built as those that make one."""

from __future__ import annotations

import json

import numpy as np
import pytest

from halidehw.errors import CostError
from halidehw.frontend.text import parse
from halidehw.mapping.layer import Network
from halidehw.optimize.fusion.bounds import least_cycles, least_energy
from halidehw.optimize.fusion.chain import Chain, lanes
from halidehw.optimize.fusion.measure import Meter
from halidehw.optimize.fusion.network import nodes_of
from halidehw.optimize.fusion.plan import plan
from halidehw.optimize.fusion.program import Program
from halidehw.optimize.fusion.targets import Target
from halidehw.optimize.fusion.ways import NEVER
from halidehw.simulate import Memory
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design
from tests.optimize.test_fusion import chain, cycles_of, energy_of, groups, layer, planned, run, ways, written

PW, DM, DW = ("pw", 1), ("dm", 1), ("dw", 1)
BETWEEN = chain([PW, DM, PW], [3, 3, 6, 4], 5, 4)
LAST = chain([PW, ("dm", 2), DW], [2, 3, 9, 9], 6, 5)
TWICE = chain([PW, DM, DM], [2, 2, 4, 12], 4, 4)


@pytest.mark.parametrize(("each", "sizes"), [
    (BETWEEN, (2, 2, 4)), (LAST, (3, 2, 3)), (LAST, (9, 3, 3)), (TWICE, (6, 4, 2)), (TWICE, (12, 3, 4)),
])  # fmt: skip
def test_planned_words_and_memory_are_those_of_the_hardware(each, sizes):
    """Of slices with all results of their channels; and no bound of cycles or energy is above what it takes."""
    assert len([*planned(each, sizes, 0)]) == 3


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("each", "sizes"), [(BETWEEN, (3, 2, 3)), (LAST, (6, 3, 2)), (TWICE, (12, 4, 3))])
def test_no_bound_is_above_what_ragged_slices_and_lanes_take(each, sizes, seed):
    """They read some that no result needs: the plan has these as they are measured."""
    target = Target("own", 0, pes=[0, 9, 40][seed], port_bits=32)
    for way in ways(each, sizes):
        group = way.group((0, 0, 0), 1)
        found, pes = Meter(target).run(group), target.pes
        assert group.words <= found.words and group.capacity <= found.capacity
        assert least_cycles(way, pes, 4).item() <= found.cycles
        assert least_energy(way, pes, 8, target.costs).item() <= found.energy_pj * (1 + 1e-9)


def test_they_run_in_hardware():
    """Bit by bit, with stalls, a second start and an abort; as many lanes as results of a channel, fewer, and more."""
    alone = chain([PW, DM], [2, 4, 12], 5, 4, first=1)
    found = [(groups(BETWEEN, (2, 2, 4))[0], (1, 2, 2)), (groups(BETWEEN, (4, 5, 2))[2], (2, 4, 1)),
             (groups(LAST, (6, 3, 3))[1], (1, 3, 1)), (groups(alone, (6, 5, 4))[0], (6,))]  # fmt: skip
    stalls = Memory(latency=5, stall_probability=0.2)
    texts = [Program(group, 8, side).text() for group, side in found]
    assert all("(c / 2, " in text or "(c / 3, " in text for text in texts)
    check_each([Design(parse(text).output, memory=stalls, starts=2, abort=30) for text in texts])


def test_their_lanes_share_a_channel_or_have_whole_ones():
    """Other numbers of lanes have no bank of their own for what they read."""
    three, six, two = (chain([PW, DM], [1, 2, 2 * many], 4, 4, first=1) for many in (3, 6, 2))
    assert [lanes(three, 6, pes)[0] for pes in (1, 2, 3, 6, 50)] == [1, 1, 3, 6, 6]
    assert [lanes(six, 12, pes)[0] for pes in (1, 2, 6, 12)] == [1, 2, 6, 12]
    assert [lanes(two, 4, pes)[0] for pes in (1, 2, 4)] == [1, 2, 4]


def test_slices_have_all_results_of_their_channels():
    assert (BETWEEN.unit, LAST.unit, TWICE.unit) == (1, 3, 6)
    own, gpu = (Target("some", 0, gpu=gpu) for gpu in (False, True))
    assert (own.sizes(LAST)[0], own.sizes(TWICE)[0]) == ([3, 6, 9], [6, 12])
    assert gpu.sizes(chain([PW, DM], [1, 5, 10], 4, 4))[0] == [2, 4, 8, 10]
    assert own.best(Chain(LAST.nodes[:1]))[1] < own.best(LAST)[1]


@pytest.mark.parametrize(("objective", "get"), [("energy", energy_of), ("delay", cycles_of)])
def test_no_other_plan_takes_less(objective, get):
    """Of three layers, among all tilings of all their chains, every one measured."""
    layers = [layer("a", "pw", 3, 2, 2), layer("b", "dm", 2, 4, 2), layer("c", "pw", 4, 2, 2)]
    nodes = nodes_of(Network("net", tuple(layers)))
    own = Target("own", 120, pes=4, objective=objective)
    meter, cost = Meter(own), {}
    for each in (Chain(tuple(nodes.values())[a:b]) for a in range(3) for b in range(a + 1, 4)):
        found = [way.group(tuple(place), 1) for way in own.ways(each) for place in np.argwhere(way.held <= 120)]
        runs = [taken for group in found if (taken := meter.run(group)).capacity <= own.capacity]
        cost[each.names] = min(map(get, runs), default=NEVER)
    cuts = [["abc"], ["ab", "c"], ["a", "bc"], ["a", "b", "c"]]
    least = min(sum(cost[tuple(names)] for names in cut) for cut in cuts)
    best = plan(nodes, own, meter=Meter(own, dict(meter.known)))
    assert (best.gap, sum(get(meter.run(group)) for group in best.groups)) == (0, pytest.approx(least))


def test_the_command_fuses_them(tmp_path):
    """They had no schedule, and left cycles and energy of a plan without a value."""
    twice = {"k": 8, "groups": 4, "fx": 3, "fy": 3}
    network = written(tmp_path, ("a", {}), ("b", twice), ("c", {"c": 8}))
    found = run("--network", network, "--capacity", "8KB", "--json")
    (group,) = json.loads(found.stdout)["groups"]
    assert group["layers"] == ["a", "b", "c"] and group["cycles"] and group["energy_pj"] and not found.stderr
    gpu = json.loads(run("--network", network, "--target", "gpu:orin", "--min-tiles", "1", "--json").stdout)
    assert [each["layers"] for each in gpu["groups"]] == [["a", "b", "c"]]


def test_channels_that_are_proposed_have_as_many_results_each(tmp_path):
    network = written(tmp_path, ("a", {}), ("b", {"from": "a", "c": 2, "k": 6, "groups": 2}))
    with pytest.raises(CostError, match="it reads 2 channels, a makes 4") as caught:
        run("--network", network, "--capacity", "8KB")
    legal = caught.value.legal[0]
    sizes = {"from": "a", **json.loads(f"{{{legal}}}")}
    assert sizes == {"from": "a", "c": 4, "k": 12, "groups": 4}
    assert run("--network", written(tmp_path, ("a", {}), ("b", sizes)), "--capacity", "8KB").exit_code == 0
