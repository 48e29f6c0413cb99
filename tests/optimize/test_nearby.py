"""Mappings near what a search has found, each memory at the price of its own size."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product
from math import inf
from pathlib import Path

import numpy as np
import pytest

import halidehw as hl
from halidehw.frontend.text import parse
from halidehw.mapping.counts import INPUT, OUTPUT, WEIGHT, exists
from halidehw.mapping.evaluate import counted, evaluate
from halidehw.mapping.layer import Layer
from halidehw.mapping.mapping import tiling
from halidehw.optimize import architecture, nearby, optimize, optimize_with
from halidehw.optimize.built import built_pj, held_tiles, prices
from halidehw.optimize.files import outside
from halidehw.optimize.layout import held_words
from halidehw.optimize.lowered import built, without_files
from halidehw.optimize.nearby import Nearby, Pieced, Place
from halidehw.optimize.options import Options
from halidehw.optimize.pieces import WHOLE as WHOLE_TILES
from halidehw.optimize.pieces import pieces
from halidehw.optimize.space import Space
from halidehw.optimize.steady import best_of, space_of, steady

ARCH = Path(__file__).parents[2] / "benchmarks" / "arch"
ARCHITECTURES = ["eyeriss", "interstellar", "tpu", "large", ARCH / "square16.toml"]

CONV = Layer(b=4, k=96, c=48, oy=27, ox=27, fy=5, fx=5)
SMALL = Layer(b=2, k=6, c=4, oy=6, ox=6, fy=3, fx=3)
WHOLE = Layer(b=16, k=192, c=832, oy=7, ox=7)
DEPTHWISE = Layer(b=4, k=96, c=96, groups=96, oy=28, ox=28, fy=3, fx=3, stride=2)
SQUARE = Layer(b=16, k=128, c=128, oy=28, ox=28)
VGG = Layer(b=16, k=256, c=256, oy=56, ox=56, fy=3, fx=3)


def place(space: Space, mapping) -> Place:
    return Nearby(space).place(mapping)


def mapping_of(space: Space, own: Place):
    return space.mapping(own.held, own.lanes, own.axes, own.orders)


@pytest.mark.parametrize("name", ARCHITECTURES)
@pytest.mark.parametrize("layer", [CONV, DEPTHWISE, WHOLE, VGG], ids=["conv", "depthwise", "whole", "vgg"])
@pytest.mark.parametrize("ragged", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_what_many_mappings_cost_at_once_is_what_is_counted_of_each(layer, name, ragged):
    """In the orders that take the least; the memory outside was not read where it had no loops (`whole` on tpu)."""
    space = space_of(layer, architecture(name), Options("any", ragged=ragged))
    best = best_of(space, Options("any", ragged=ragged)).mapping
    for mapping in [best, *Nearby(space).reached(best)[0]]:
        own = place(space, mapping)
        assert own.pj == pytest.approx(built_pj(layer, space.arch, mapping_of(space, own)), rel=1e-9)
        assert own.pj <= built_pj(layer, space.arch, mapping) * (1 + 1e-9)


@pytest.mark.parametrize("name", ["eyeriss", "interstellar", ARCH / "square16.toml"])
def test_no_other_tiles_of_a_level_take_less_in_any_order(name):
    space = space_of(SMALL, architecture(name), Options("any"))
    near = Nearby(space)
    for mapping in near.reached(best_of(space, Options("any")).mapping)[0][-1:]:
        own = place(space, mapping)
        for level in range(len(own.held)):
            lanes = own.lanes if level == space.arch.pe_levels - 1 else np.ones_like(own.lanes)
            for point in near._points(own, level, lanes):
                held = (*own.held[:level], space.grid.points[:, point], *own.held[level + 1 :])
                for orders in product(range(3), repeat=len(own.held)):
                    other = space.mapping(held, own.lanes, own.axes, (0, *orders))
                    assert built_pj(SMALL, space.arch, other) >= own.pj * (1 - 1e-6)


@pytest.mark.parametrize("layer", [Layer(b=16, k=512, c=512), Layer(k=128, c=32, oy=28, ox=28, fy=5, fx=5)], ids=str)
def test_an_operand_that_comes_in_by_pieces_costs_what_two_of_them_do(layer):
    """A memory was priced by whole tiles, so that the answer for `k=4096 c=4096 b=16` took 10 % more on `tpu`."""
    space = space_of(layer, architecture("tpu"), Options("any"))
    near, start = Nearby(space, alone=True, pieced=Pieced(WEIGHT, (WEIGHT,))), best_of(space, Options("any")).mapping
    mapping = near.reached(outside(space.arch, start))[0][-1]
    nest = tiling(layer, mapping)
    held = tuple(tiles[:, 0] for tiles in held_tiles(space.arch, nest))
    own, piece = near._place(held, nest.lanes[:, 0], nest.axes), (WEIGHT, 2 * held_words(layer, nest.lanes)[WEIGHT])
    each = [level[:, 0].tolist() for level in prices(space.arch, layer, held_tiles(space.arch, nest), piece)]
    every = [space.mapping(own.held, own.lanes, own.axes, (0, WEIGHT, outer)) for outer in (INPUT, OUTPUT)]
    costs = [counted(layer, space.arch, other).cost(space.arch, each) for other in every]
    assert own.pj == pytest.approx(min(cost.energy_pj for cost in costs), rel=1e-9)
    whole = without_files(replace(best_of(space, Options("any")), mapping=mapping), space.arch, mapping)
    cut = pieces(layer, space.arch, mapping, roomy=False, loss=inf, waits=True)
    assert cut[WEIGHT].loops and cut[WEIGHT].room == 2
    assert (made := built(whole, (WHOLE_TILES[0], cut[WEIGHT]), 0)) and made.pj < whole.pj


@pytest.mark.parametrize(
    "layer",
    [replace(DEPTHWISE, b=16, oy=56, ox=56), Layer(k=64, c=64, oy=28, ox=28, fy=3, fx=3)],
    ids=["depthwise", "conv"],
)
def test_windows_that_come_in_by_rows_have_room_for_the_rows_that_count(layer):
    """Hardware has no fewer, and, as its banks are of equal rows, up to twice as many words."""
    arch, options = architecture("tpu"), Options("any")
    space, way = space_of(layer, arch, options), Pieced(INPUT, (INPUT, OUTPUT), rows=True)
    best = best_of(space, options)
    mapping = Nearby(space, alone=True, pieced=way).reached(outside(arch, best.mapping))[0][-1]
    nest = tiling(layer, mapping)
    words = way.words(layer, nest.lanes, held_tiles(arch, nest)[-1])[0]
    whole = without_files(replace(best, mapping=mapping), arch, mapping)
    cut = pieces(layer, arch, mapping, roomy=False, loss=inf, waits=True)
    made = built(whole, (cut[INPUT], WHOLE_TILES[WEIGHT]), 0)
    assert made and made.cut[INPUT].slides
    (size,) = (each.size for each in made.hardware[1].memories if each.name == "input_in")
    assert words <= size <= 2 * words and made.pj < whole.pj


@pytest.mark.parametrize(
    ("layer", "name"),
    [(WHOLE, "tpu"), (WHOLE, ARCH / "square16.toml"), (SQUARE, ARCH / "square16.toml")],
    ids=["tpu", "square16", "square"],
)
def test_sums_without_register_files_cost_what_their_accumulators_do(layer, name):
    """They were priced as if they lay in the shared memory besides, so that other mappings were best."""
    arch, options = architecture(name), Options("any")
    space = space_of(layer, arch, options)
    near, best = Nearby(space, alone=True, stored=False), best_of(space, options)
    mapping = near.reached(outside(arch, best.mapping))[0][-1]
    made = without_files(best, arch, mapping)
    (sums,) = made.hardware[1].stages[0].sums
    own = [each for each in made.priced if each[0].level == "accumulator" and each[0].event in ("read", "write")]
    place = near.place(mapping)
    chains = near._chains(place.held, 0, place.held[0][:, None], place.lanes[:, None], np.zeros((3, 1)))
    per_word = chains._accumulator_pj()[place.orders[arch.pe_levels], 0]
    assert sums.halves == 2
    assert [pj for _, pj in own] == pytest.approx([count.words * per_word for count, _ in own])
    assert place.pj == pytest.approx(made.pj, rel=0.05)


@pytest.mark.parametrize(
    ("layer", "bits", "most"),
    [
        (Layer(b=16, k=512, c=512, oy=7, ox=7, fy=3, fx=3, stride=2), 2048, 0.76 * 2_547_930_729),
        (Layer(b=16, k=1280, c=320, oy=7, ox=7), 64, 0.96 * 740_282_437),
    ],
    ids=["conv15", "conv2"],
)
def test_an_answer_whose_sums_lie_in_accumulators_takes_less(layer, bits, most):
    """Than what was answered when they were priced as if they lay in the shared memory besides."""
    assert optimize(layer, "tpu", "any", replicate=True, shared_port_bits=bits).pj < most


@pytest.mark.parametrize("name", ["eyeriss", "tpu"])
@pytest.mark.parametrize("layer", [SMALL, DEPTHWISE, SQUARE], ids=["small", "depthwise", "square"])
def test_what_is_far_by_its_counts_is_no_answer(monkeypatch, layer, name):
    answer = optimize(layer, name, "any")
    monkeypatch.setattr(nearby, "FARTHEST", inf)
    monkeypatch.setattr(nearby, "PIECED", inf)
    every = optimize(layer, name, "any")
    assert every.pj == answer.pj and every.evaluated >= answer.evaluated


def test_an_answer_by_pieces_takes_less():
    """Than what was answered when mappings were looked for at the price of whole tiles."""
    assert optimize("k=4096 c=4096 b=16", "tpu").pj < 0.92 * 3_985_246_605
    assert optimize("k=32 c=16 oy=28 ox=28 fy=5 fx=5 b=16", "tpu", "any").pj < 0.98 * 295_387_412


@pytest.mark.parametrize(
    "options",
    [Options("any"), Options("C | K"), Options("any", utilization=0.9), Options("any", full_array=True),
     Options("any", ragged=True), Options("X | Y", replicate=True), Options("any", all_levels=True)],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("name", ["eyeriss", "large"])
def test_what_is_reached_is_what_was_asked_for(options, name):
    arch = architecture(name)
    space = space_of(CONV, arch, options)
    for mapping in Nearby(space).reached(best_of(space, options).mapping)[0]:
        assert space.has(mapping)
        evaluate(CONV, arch, mapping)
        built = exists(tiling(CONV, mapping), arch.pe_levels)[:, 0]
        assert all(built[level] for level in space.required)


def test_what_is_reached_takes_no_more_cycles_than_were_asked_for():
    arch = architecture("eyeriss")
    most = steady(VGG, arch, Options("any", objective="delay")).cycles
    assert optimize_with(VGG, arch, Options("any", max_cycles=most)).cycles <= most


@pytest.mark.parametrize(
    "name, layer, most",
    [
        (ARCH / "square16.toml", VGG, 0.91),
        pytest.param(
            "interstellar", Layer(b=16, k=256, c=128, oy=14, ox=14, fy=3, fx=3), 0.98, marks=pytest.mark.soak
        ),
        pytest.param(
            ARCH / "square32.toml", Layer(b=16, k=512, c=512, oy=7, ox=7, fy=3, fx=3), 0.95, marks=pytest.mark.soak
        ),
    ],
    ids=["vgg16 conv3_2", "googlenet 4c_3x3", "resnet50 conv15"],
)
def test_with_one_price_for_a_level_the_hardware_took_up_to_a_tenth_more(name, layer, most):
    """An answer for `edp` took less energy than that for `energy`: tiles of one tensor are dear, of another cheap."""
    arch = architecture(name)
    found = optimize(layer, arch, "any")
    assert "each memory at the price of its own size" in found.space
    assert found.hardware_pj <= optimize(layer, arch, "any", objective="edp").hardware_pj
    assert found.hardware_pj < most * steady(layer, arch, Options("any")).hardware_pj


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
def test_the_energy_of_what_is_reached_is_the_estimate_of_its_schedule(seed):
    chance = random.Random(seed)
    sizes = {dim: chance.choice([3, 7, 12, 16, 30]) for dim in ("b", "k", "c", "oy", "ox")}
    for name in ARCHITECTURES:
        arch = architecture(name)
        found = optimize(Layer(**sizes, fy=3, fx=3), arch, "any", replicate=True)
        parsed = parse(found.schedule)
        assert found.pj == hl.estimate(parsed.output, arch.table, **hardware_options(arch)).energy_pj


def hardware_options(arch):
    return {"shared_port_bits": arch.shared_port_bits} if arch.shared_port_bits else {}


def test_of_one_pe_alone_only_operands_that_change_are_read():
    """All were counted as read in each step, so that its orders were not the best."""
    arch = replace(architecture("eyeriss"), array=(1, 1))
    space = space_of(SMALL, arch, Options("any"))
    best = best_of(space, Options("any")).mapping
    for mapping in [best, *Nearby(space).reached(best)[0]]:
        own = place(space, mapping)
        assert own.pj == pytest.approx(built_pj(SMALL, arch, mapping_of(space, own)), rel=1e-9)
        assert own.pj <= built_pj(SMALL, arch, mapping) * (1 + 1e-9)
