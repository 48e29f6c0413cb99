"""Sums of mappings without register files, which leave by pieces."""

import random
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from halidehw.frontend.text import parse
from halidehw.mapping.architecture import Architecture, Level
from halidehw.mapping.counts import OUTPUT
from halidehw.mapping.layer import DIMS, RELEVANT, parse_layer
from halidehw.mapping.mapping import Mapping
from halidehw.microarch.options import Options
from halidehw.optimize import architecture, optimize
from halidehw.optimize.files import NONE
from halidehw.optimize.lowered import by_pieces
from halidehw.optimize.orders import ORDERS
from halidehw.optimize.pieces import Cut
from halidehw.optimize.result import Result
from halidehw.optimize.schedule import schedule_text
from halidehw.optimize.sums import leaving, sums_cut, sums_place
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design

ARCH = Architecture(
    "small", "none", "none", 8, (4, 4),
    (
        Level("RF", "register_file", 16, 0.12, 2),
        Level("SRAM", "sram", 512, 6.0, 2),
        Level("DRAM", "dram", None, 200.0),
    ),
    hop=0.035, mac=0.075, shared_port_bits=64,
)  # fmt: skip
LAYER = parse_layer("b=8 k=16 c=32")
LANES = (("B", 4),), (("K", 4),)


def mapping(tile, outside):
    return Mapping(((), tile, outside), LANES)


BY_CHANNELS = mapping((("C", 8), ("B", 2), ("K", 4)), (("C", 4),))


def result(found):
    return Result(LAYER, ARCH, "delay", "exact", 0.0, 0, found, {}, False, 0.0, 0, 0.0, "", files=NONE)


def printed(found):
    text = schedule_text(LAYER, ARCH, found, NONE, sums_cut=sums_cut(LAYER, ARCH, found))
    return [line for line in text.splitlines() if line.startswith("output.in()")]


def test_a_tile_of_sums_leaves_as_the_last_round_of_its_reduction_goes_through_it():
    """Channels outside the tile, or outside some of its loops, come back to sums; those outside that move them are
    where they are kept."""
    assert (sums_cut(LAYER, ARCH, BY_CHANNELS), sums_place(ARCH, BY_CHANNELS, 2)[0]) == (2, None)
    root = "output.in().store_root().compute_at(output, b1);  // SRAM"
    assert printed(BY_CHANNELS) == [root, "output.in().single_buffer();"]
    kept = mapping((("C", 8), ("B", 2)), (("C", 4), ("K", 4)))
    assert printed(kept) == ["output.in().store_at(output, k2).compute_at(output, b1);  // SRAM"]
    inside = mapping((("B", 2), ("C", 32), ("K", 4)), ())
    assert printed(inside) == ["output.in().store_at(output, k1).compute_at(output, b1);  // SRAM"]


def test_sums_that_come_back_or_that_no_reduction_comes_back_to_leave_as_they_did():
    spilled = mapping((("C", 8), ("B", 2)), (("K", 4), ("C", 4)))
    assert sums_cut(LAYER, ARCH, spilled) == 0
    assert printed(spilled) == ["output.in().compute_at(output, k2);  // SRAM"]
    done = mapping((("C", 32), ("B", 2), ("K", 4)), ())
    assert (sums_cut(LAYER, ARCH, done), printed(done)) == (0, [])


def test_tiles_that_leave_in_no_time_leave_as_a_whole():
    assert sums_cut(replace(LAYER, c=1 << 20), ARCH, mapping((("C", 1 << 18), ("B", 2)), (("C", 4), ("K", 4)))) == 0


@pytest.mark.soak
def test_what_runs_shorter_by_pieces_does_so_in_hardware():
    """Several tiles, two rounds and one, the last one of fewer channels."""
    designs, saved = [], []
    for found in (
        BY_CHANNELS,
        mapping((("C", 8), ("B", 2)), (("C", 4), ("K", 4))),
        mapping((("B", 2), ("C", 32), ("K", 4)), ()),
        mapping((("C", 9), ("B", 2), ("K", 4)), (("C", 4),)),
    ):
        made = by_pieces(result(found))
        assert made and made.sums_cut
        saved.append(replace(made, sums_cut=0).run_cycles - made.run_cycles)
        designs.append(Design(parse(made.schedule).output, Options(shared_port_bits=64, counters="all")))
        assert min(saved) >= 0
    assert saved[0] > 20
    check_each(designs)


def test_a_whole_input_is_taken_where_it_runs_shorter_than_one_by_pieces():
    """Weights and sums leave it enough of the port, and it need not come in piece by piece: 11 930 cycles, not
    12 302."""
    layer = parse_layer("b=16 k=384 c=192 ox=7 oy=7 fx=3 fy=3")
    tile = (("X", 7), ("B", 8), ("FX", 3), ("FY", 3), ("C", 3), ("K", 3))
    split = Mapping(((), tile, (("C", 2),)), ((("B", 2), ("K", 128)), (("C", 32), ("Y", 7))))
    found = replace(result(split), layer=layer, arch=replace(architecture("tpu"), shared_port_bits=2048))
    first, best = by_pieces(found), by_pieces(found, 12768)
    assert first and first.cut[0] != Cut() != first.cut[1]
    assert best and best.cut[0] == Cut() and best.run_cycles < first.run_cycles


def drained(order, trips, words):
    """For how long sums leave after the last step, and before it are complete, step by step: one is when all reductions
    are at their last value, and leaves in so many cycles."""
    loops = [(dim, trips[dim]) for dim in reversed(order)]
    ready = []
    for step, place in enumerate(product(*(range(own) for _, own in loops)), 1):
        if all(value == own - 1 for value, (dim, own) in zip(place, loops, strict=True) if not RELEVANT[OUTPUT][dim]):
            ready.append(step)
    gone = 0.0
    for each in ready:
        gone = max(gone, each) + words
    return gone - step, step - ready[0]


def test_how_long_sums_leave_is_that_of_going_through_the_steps():
    rng = random.Random(7)
    for _ in range(200):
        trips = np.ones((len(DIMS), 1), np.int64)
        for dim in rng.sample(range(len(DIMS)), 4):
            trips[dim] = rng.randint(1, 4)
        inner, words = rng.randrange(len(ORDERS)), rng.choice([0.5, 1.0, 1.7, 4.0, 9.0])
        after, before = leaving(inner, trips, np.array([words]), np.array([False]), np.ones(1))
        assert (after[0], before[0]) == pytest.approx(drained(ORDERS[inner], trips[:, 0].tolist(), words))
        after, before = leaving(inner, trips, np.array([words]), np.array([True]), np.ones(1))
        assert (after[0], before[0]) == (words * trips[np.array(RELEVANT[OUTPUT], bool)].prod(), 0)


@pytest.mark.parametrize(
    ("text", "most"), [("b=16 k=128 c=832 ox=7 oy=7", 0.02), ("b=16 k=160 c=512 ox=14 oy=14", 0.01)]
)
def test_layers_whose_last_tile_left_when_all_was_done(text, most):
    """GoogLeNet's 5a_pool_proj and 4b_1x1 on 32x32 PEs had gaps of 0.039 and 0.017."""
    arch = replace(architecture("benchmarks/arch/square32.toml"), shared_port_bits=256)
    best = optimize(parse_layer(text), arch, "any", objective="delay", replicate=True)
    assert best.sums_cut and best.gap < most
    assert replace(best, sums_cut=0).run_cycles > 1.01 * best.run_cycles
