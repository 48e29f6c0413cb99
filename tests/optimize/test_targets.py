"""What the optimizer must show: the paper's optima, speed, repeatability, options that only improve."""

import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from halidehw.energy_model.architecture import Architecture, Level
from halidehw.energy_model.costs import load_costs
from halidehw.energy_model.evaluate import evaluate, fits
from halidehw.energy_model.layer import Layer, Network
from halidehw.energy_model.mapping import tiling
from halidehw.errors import CostError
from halidehw.scheduler.optimize import Options, architecture, optimize
from halidehw.scheduler.optimize.pareto import pareto
from halidehw.scheduler.optimize.resources import Budget, candidates, network_tasks
from tests.optimize.test_conventions import CONV3, REFERENCE, random_mapping

SMALL = replace(REFERENCE, levels=(replace(REFERENCE.levels[0], words=32, energy=0.12), *REFERENCE.levels[1:]))
GOOGLENET_5B = Layer(b=16, k=384, c=832, oy=7, ox=7)


@pytest.mark.parametrize(
    ("layer", "arch", "energy"),
    [
        (CONV3, REFERENCE, 13_177_744_588.8),
        (CONV3, SMALL, 4_626_098_012.16),
        (GOOGLENET_5B, REFERENCE, 1_743_411_118.08),
    ],
)
def test_the_papers_optima_are_met_with_a_full_array_and_beaten_without(layer, arch, energy):
    options = {"dataflow": "C | K", "convention": "paper", "half_full": True}
    full = optimize(layer, arch, full_array=True, **options)
    assert full.optimal and full.energy_pj == energy
    start = time.process_time()
    free = optimize(layer, arch, **options)
    assert time.process_time() - start < 0.3
    assert free.optimal and free.energy_pj <= energy


def test_every_run_gives_the_same():
    first, second = (replace(optimize(CONV3, SMALL, "any"), seconds=0) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("layer", [CONV3, GOOGLENET_5B, Layer(b=16, k=64, c=64, groups=64, oy=56, ox=56, fy=3, fx=3)])
def test_never_worse_than_random_mappings(layer):
    rng = np.random.default_rng(7)
    best = optimize(layer, SMALL, "any").energy_pj
    legal = 0
    for _ in range(3000):
        mapping = random_mapping(layer, SMALL, rng)
        if fits(tiling(layer, mapping), SMALL)[0]:
            legal += 1
            assert evaluate(layer, SMALL, mapping).energy_pj >= best * (1 - 1e-9)
    assert legal > 20


@pytest.mark.parametrize("layer", [Layer(k=1000, c=500), Layer(k=13, c=7, oy=13, ox=11, fy=3, fx=3), CONV3])
def test_ragged_tiles_and_replication_only_improve(layer):
    plain = optimize(layer, SMALL, "C | K")
    for option in ("ragged", "replicate"):
        more = optimize(layer, SMALL, "C | K", **{option: True})
        assert more.optimal and more.energy_pj <= plain.energy_pj
        assert evaluate(layer, SMALL, more.mapping).energy_pj == more.energy_pj


def test_a_time_limit_gives_a_gap_that_holds():
    layer = Layer(b=16, k=64, c=64, oy=112, ox=112, fy=3, fx=3)
    best = optimize(layer, architecture("large"))
    soon = optimize(layer, architecture("large"), time_limit=1e-6)
    assert best.optimal and best.gap == 0
    assert soon.energy_pj * (1 - soon.gap) <= best.energy_pj * (1 + 1e-9)
    assert soon.energy_pj >= best.energy_pj
    assert soon.optimal == (soon.gap == 0)


def test_the_front_rises_in_energy_and_falls_in_cycles():
    front = pareto(CONV3, REFERENCE, Options("C | K"))
    assert len(front) > 1
    for before, after in pairwise(front):
        assert before.energy_pj < after.energy_pj and before.cycles > after.cycles


def test_resources_within_a_budget():
    base, table = architecture("eyeriss"), load_costs("table3")
    sizes = [(64, 512), (32 * 1024, 128 * 1024)]
    found = candidates(base, table, sizes, [(8, 8), (16, 16)], Budget(pes=100, on_chip=80 * 1024))
    assert [arch.name for arch in found] == ["eyeriss 8x8, 64 B + 32 KB", "eyeriss 8x8, 512 B + 32 KB"]
    assert found[0].levels[0].energy == 0.12
    near = candidates(base, table, sizes, [(16, 16)], Budget(), ratio=(4, 16))
    assert [arch.name for arch in near] == ["eyeriss 16x16, 64 B + 128 KB"]
    twice = Network("net", (CONV3, replace(CONV3)))
    assert len(network_tasks(twice, found, Options())) == 2


def test_an_infeasible_budget_names_the_smallest():
    base, table = architecture("eyeriss"), load_costs("table3")
    with pytest.raises(CostError, match="the smallest has 256 PEs and 49152 bytes on chip"):
        candidates(base, table, [(64,), (32 * 1024,)], [(16, 16)], Budget(on_chip=1000))
    with pytest.raises(CostError, match="sizes for 1 levels, eyeriss has 2 on chip"):
        candidates(base, table, [(64,)], [(16, 16)], Budget())


def test_two_levels_in_the_pe_and_two_above_take_no_longer_than_two_seconds():
    layer = Layer(b=16, k=256, c=128, oy=56, ox=56, fy=3, fx=3)
    for name in ("interstellar", "large"):
        start = time.process_time()
        assert optimize(layer, architecture(name)).optimal
        assert time.process_time() - start < 2


def test_a_one_dimensional_array():
    levels = (Level("RF", "register_file", 32, 0.12), Level("DRAM", "dram", None, 200.0))
    arch = Architecture("row", "none", "none", 16, (8,), levels, hop=0.035, mac=0.075)
    assert optimize(Layer(k=8, c=8), arch).cycles >= 8
