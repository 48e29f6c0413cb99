"""The least run of a layer against all that its mappings run."""

import random
from contextlib import suppress
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from halidehw.errors import HalideHWError
from halidehw.mapping.architecture import Architecture, Level, doubled
from halidehw.mapping.counts import INPUT
from halidehw.mapping.evaluate import evaluate
from halidehw.mapping.layer import DIMS, parse_layer
from halidehw.optimize import Options
from halidehw.optimize.files import ALL, NONE
from halidehw.optimize.layout import rates
from halidehw.optimize.least import Least
from halidehw.optimize.pieces import WHOLE, pieces
from halidehw.optimize.result import Result
from halidehw.optimize.solve import optimize_with
from halidehw.optimize.steady import ported, space_of
from halidehw.optimize.streams import Choice, Streams
from halidehw.optimize.sums import sums_cut
from tests.optimize.test_targets import fitting

RF, SRAM, DRAM = (
    Level("RF", "register_file", 16, 0.12),
    Level("SRAM", "sram", 4096, 6.0),
    Level("DRAM", "dram", None, 9.0),
)
ARCH = Architecture("small", "none", "none", 16, (2, 2), (RF, SRAM, DRAM), hop=0.035, mac=0.075)


def run(layer, arch, mapping, files):
    """Cycles of a mapping's hardware, with whole tiles or by pieces; of the steady state, where there is none."""
    cost = evaluate(layer, arch, mapping)
    each = Result(layer, arch, "delay", "exact", cost.energy_pj, cost.cycles, mapping, {}, False, 0.0, 0, 0.0, "",
                  files=ALL if files else NONE)  # fmt: skip
    found = [np.inf]
    sums = {0} if files else {0, sums_cut(layer, arch, mapping)}
    for cut, loops in product({WHOLE, pieces(layer, arch, mapping)}, sums):
        with suppress(HalideHWError):
            found.append(replace(each, cut=cut, sums_cut=loops).run_cycles)
    return min(found)


def streamed(space, below):
    """Every mapping without register files whose steady state is shorter than `below`; orders that are alike once."""
    streams, found = Streams(space), set()
    every = np.ones(len(streams.points), bool)
    for way in range(space.unrolled.lanes.shape[1]):
        tiles = streams.around(space.unrolled.lanes[:, way], every)
        for tile, inner, outside in product(tiles.tolist(), streams.orders, range(3)):
            found.add(streams.mapping(Choice(0.0, 0.0, way, tile, inner, outside)))
    return [mapping for mapping in found if evaluate(space.layer, space.arch, mapping).cycles < below]


LAYERS = ("k=3 c=8", 96), ("k=2 c=3 ox=2 fx=2", 24)
WIDE = ("k=3 c=2 ox=2 b=2", 64), ("k=3 c=10", 48), ("k=2 c=3 ox=3 fx=2 stride=2", 48)


@pytest.mark.parametrize(
    ("ports", "layers"),
    [
        ({"port_bits": 32}, LAYERS[1:]),
        pytest.param({"port_bits": 32}, LAYERS[:1], marks=pytest.mark.soak),
        ({"shared_port_bits": 32}, LAYERS),
        pytest.param({"port_bits": 128}, WIDE, marks=pytest.mark.soak),
        pytest.param({"shared_port_bits": 128}, WIDE, marks=pytest.mark.soak),
    ],
)
def test_no_mapping_runs_shorter(ports, layers):
    """All without register files, and some with them, of one half and two; large tiles fit, or hardly any. Each tensor
    has a port, or all have one, and rows fill it or do not."""
    options, rng = Options("any", "delay", replicate=True, **ports), random.Random(14)
    for text, words in layers:
        layer, arch = parse_layer(text), replace(ARCH, levels=(RF, replace(SRAM, words=words), DRAM))
        space = space_of(layer, ported(arch, options), options)
        least = Least(space).run
        runs = [run(layer, space.arch, mapping, False) for mapping in streamed(space, least)]
        runs += [run(layer, each, fitting(layer, each, rng), True) for each in (space.arch, *doubled(space.arch)) * 2]
        assert least <= min(runs) and len(runs) > 15


@pytest.mark.parametrize(
    "ports", [pytest.param({}, marks=pytest.mark.soak), {"port_bits": 128}, {"shared_port_bits": 64}]
)
def test_no_mapping_runs_shorter_where_no_memory_is_shared(ports):
    """The files of all PEs hold a tile together: the bound had one file's, and was twice what a mapping ran."""
    options, rng = Options("any", "delay", replicate=True, ragged=True, **ports), random.Random(3)
    for text, words in (("k=7 oy=3 ox=4 fx=5 stride=3 b=7", [8]), ("k=8 oy=5 fx=2 b=5", [8, 32])):
        files = (replace(RF, name=f"RF{many}", words=many) for many in words)
        layer, arch = parse_layer(text), replace(ARCH, array=(4, 4), levels=(*files, DRAM), sum_bits=16)
        space = space_of(layer, ported(arch, options), options)
        least, drawn = Least(space).run, [fitting(layer, space.arch, rng) for _ in range(20)]
        near = [each for each in drawn if evaluate(layer, space.arch, each).cycles < least]
        assert all(least <= run(layer, space.arch, each, True) for each in near)
        assert 0 <= optimize_with(layer, arch, options).gap < 1


def test_a_port_moves_what_suits_it_best():
    """Of 9 columns and 8 channels the channels: 8 words in a cycle. The bound counted 9 in two, and was none."""
    layer = parse_layer("k=2 c=16 ox=18")
    tile = np.ones((len(DIMS), 1), np.int64)
    tile[[DIMS.index("X"), DIMS.index("C")]] = [[9], [8]]
    assert rates(layer, tile, INPUT, 8).tolist() == [8]


def test_the_first_words_and_the_last_sums_are_what_a_run_takes_beyond_its_steps():
    """Of a product whose operands and sums take the port as long as its steps take."""
    options, arch = Options("any", "delay", replicate=True, shared_port_bits=256), replace(ARCH, array=(8, 8))
    layer = parse_layer("k=64 c=96 b=32")
    space, best = space_of(layer, ported(arch, options), options), optimize_with(layer, arch, options)
    least = Least(space).run
    assert Least(space).steps < least <= best.run_cycles < 1.1 * least
    assert best.gap == 1 - least / best.run_cycles
