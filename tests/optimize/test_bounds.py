"""Bounds on the fillings of the PEs against random mappings with those fillings."""

import numpy as np
import pytest

from halidehw.energy_model.evaluate import batch
from halidehw.energy_model.layer import Layer
from halidehw.scheduler.optimize import Options, architecture
from halidehw.scheduler.optimize.candidates import Candidates
from halidehw.scheduler.optimize.objective import objective
from halidehw.scheduler.optimize.rules import least_spreads, rules
from halidehw.scheduler.optimize.sample import nests
from halidehw.scheduler.optimize.solve import flows
from halidehw.scheduler.optimize.space import build_space
from halidehw.scheduler.optimize.unrolling import unrollings

LAYERS = [
    Layer(b=4, k=24, c=12, oy=6, ox=6, fy=3, fx=3),
    Layer(b=2, k=24, c=12, oy=8, ox=8, fy=3, fx=3, stride=2),
    Layer(b=16, k=60, c=120),
]


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("name", ["eyeriss", "interstellar", "large"])
@pytest.mark.parametrize("convention", ["exact", "paper"])
def test_no_mapping_costs_less_than_the_bounds_of_its_filling(layer, name, convention):
    arch, rule = architecture(name), rules(convention)
    tried = flows(layer, arch, Options("any", replicate=True))
    space = build_space(layer, arch, rule, unrollings(layer, arch.array, tried, True, False), False, True)
    candidates = Candidates(space, objective("energy"), float("inf"))
    group, _ = candidates.alike
    lanes = space.unrolled.lanes
    ways = {tuple(own): way for way, own in enumerate(lanes.T.tolist())}
    for nest in nests(layer, arch, tried, 400, np.random.default_rng(3), convention, together=20):
        energy, _ = batch(nest, arch, convention)
        tile = space.grid.index(nest.tiles[arch.pe_levels - 1])
        point = space.grid.index(nest.tiles[arch.pe_levels - 1] * nest.lanes)
        way = np.array([ways[tuple(own)] for own in nest.lanes.T.tolist()], int)
        _, second = candidates.bounded(tile, point, way, lanes, least_spreads(rule, lanes))
        assert (second <= energy * (1 + 1e-9)).all()
        first = candidates.matrix[group[way], np.searchsorted(candidates.tiles, tile)]
        assert (first <= second * (1 + 1e-6)).all()
