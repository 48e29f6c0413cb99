"""Bounds on the fillings of the PEs against random mappings with those fillings."""

from dataclasses import replace

import numpy as np
import pytest

from halidehw.mapping.counts import exists
from halidehw.mapping.evaluate import batch
from halidehw.mapping.layer import DIMS, Layer
from halidehw.optimize import Options, architecture
from halidehw.optimize.candidates import Candidates
from halidehw.optimize.objective import objective
from halidehw.optimize.options import flows
from halidehw.optimize.rules import least_spreads, rules
from halidehw.optimize.sample import nests
from halidehw.optimize.space import build_space
from halidehw.optimize.steady import steady
from halidehw.optimize.unrolling import unrollings

LAYERS = [
    Layer(b=4, k=24, c=12, oy=6, ox=6, fy=3, fx=3),
    Layer(b=2, k=24, c=12, oy=8, ox=8, fy=3, fx=3, stride=2),
    Layer(b=16, k=60, c=120),
]


WIDEST = Options("any", replicate=True, ragged=True)


def fillings(layer, arch, rule):
    """All fillings of a layer in the widest space."""
    unrolled = unrollings(layer, arch.array, flows(layer, arch, WIDEST), True, 0.0)
    return Candidates(build_space(layer, arch, rule, unrolled, False, True), objective("energy"), float("inf"))


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize(("name", "convention"), [
    ("eyeriss", "exact"), ("interstellar", "paper"), ("large", "exact"),
    *(pytest.param(*each, marks=pytest.mark.soak)
      for each in (("eyeriss", "paper"), ("interstellar", "exact"), ("large", "paper"))),
])  # fmt: skip
def test_no_mapping_costs_less_than_the_bounds_of_its_filling(layer, name, convention):
    """One without loops at a level is bounded in the space without it."""
    arch, rule = architecture(name), rules(convention)
    candidates = fillings(layer, arch, rule)
    space = candidates.space
    group, _ = candidates.alike
    lanes = space.unrolled.lanes
    ways = {tuple(own): way for way, own in enumerate(lanes.T.tolist())}
    for nest in nests(layer, arch, flows(layer, arch, WIDEST), 400, np.random.default_rng(3), convention, together=20):
        built = exists(nest, arch.pe_levels).all(axis=0) | (convention == "paper")
        energy = np.where(built, batch(nest, arch, convention)[0], np.inf)
        tile = space.grid.index(nest.tiles[arch.pe_levels - 1])
        point = space.grid.index(nest.tiles[arch.pe_levels - 1] * nest.lanes)
        way = np.array([ways[tuple(own)] for own in nest.lanes.T.tolist()], int)
        _, second = candidates.bounded(tile, point, way, lanes, least_spreads(rule, lanes))
        assert (second <= energy * (1 + 1e-9)).all()
        first = candidates.matrix[group[way], np.searchsorted(candidates.tiles, tile)]
        assert (first <= energy * (1 + 1e-6)).all()


@pytest.mark.parametrize(
    ("layer", "name"),
    [
        pytest.param(
            Layer(b=16, k=64, c=3, oy=112, ox=112, fy=7, fx=7, stride=2), "interstellar", marks=pytest.mark.soak
        ),
        (Layer(b=16, k=64, c=64, groups=64, oy=56, ox=56, fy=3, fx=3), "eyeriss"),
    ],
)
def test_tiles_and_lanes_that_do_not_fit_together_are_no_bound(layer, name):
    arch = architecture(name)
    best = steady(layer, arch, WIDEST).energy_pj
    assert 0.9 * best < fillings(layer, arch, rules("exact")).least <= best


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("name", ["eyeriss", "interstellar"])
@pytest.mark.parametrize("convention", ["exact", pytest.param("paper", marks=pytest.mark.soak)])
def test_a_limit_leaves_out_no_filling_that_is_below_it(layer, name, convention):
    every = fillings(layer, architecture(name), rules(convention))
    limit = every.least * 1.05
    limited = replace(every, limit=limit)
    known, found = every.below(limit), limited.below(limit)
    assert len(limited.tiles) < len(every.tiles) and len(known.score) <= every.at_most(limit)
    for of in ("tile", "way", "score"):
        assert (getattr(known, of) == getattr(found, of)).all()


def test_what_lanes_that_are_counted_alike_hold_is_not_that_of_the_first():
    """As many lanes of Y as of X copy the same words, and hold other tiles; one choice alone is known better."""
    layer, arch, rule = LAYERS[1], architecture("eyeriss"), rules("exact")
    whole = fillings(layer, arch, rule).space
    rows, columns = (np.flatnonzero((whole.unrolled.lanes[dim] == 2) & (whole.unrolled.lanes.prod(axis=0) == 2))
                     for dim in (DIMS.index("Y"), DIMS.index("X")))  # fmt: skip
    for which in (np.append(rows, columns), rows, columns):
        unrolled = replace(whole.unrolled, lanes=whole.unrolled.lanes[:, which], loops=whole.unrolled.loops[which])
        found = Candidates(replace(whole, unrolled=unrolled), objective("energy"), float("inf"))
        assert len(found.alike[1]) == 1
        for way, lanes in enumerate(unrolled.lanes.T):
            held = whole.grid.points[:, found.tiles] * lanes[:, None]
            at = np.flatnonzero((held <= np.array(layer.extents)[:, None]).all(axis=0))
            hops = least_spreads(rule, unrolled.lanes)
            point, way = whole.grid.index(held[:, at]), np.full(len(at), way)
            least = found.bounded(found.tiles[at], point, way, unrolled.lanes, hops)[1]
            assert (found.matrix[0, at] <= least * (1 + 1e-6)).all()
