"""The optimum, generated and simulated: its result is right, and its counters are the prediction."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from halidehw.cli import main
from halidehw.driver import compile
from halidehw.energy_model.traffic import traffic
from halidehw.frontend.text import parse
from halidehw.mapping.architecture import Architecture, Level
from halidehw.mapping.counts import INPUT, OUTPUT, WEIGHT, exact
from halidehw.mapping.evaluate import evaluate
from halidehw.mapping.layer import parse_layer
from halidehw.mapping.mapping import tiling
from halidehw.microarch.options import Options
from halidehw.optimize import Options as Search
from halidehw.optimize import architecture, optimize, optimize_with
from halidehw.optimize.files import NONE
from halidehw.optimize.least import Least
from halidehw.optimize.lowered import by_pieces
from halidehw.optimize.lowered import without_files as streamed
from halidehw.optimize.orders import ORDERS
from halidehw.optimize.pieces import LOSS, pieces
from halidehw.optimize.result import Result
from halidehw.optimize.steady import ported, space_of, steady
from halidehw.optimize.streams import Choice, Streams
from halidehw.optimize.sums import sums_cut
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design
from tests.optimize.test_models import buffers, steps

ARCH = Architecture(
    "small", "none", "none", 16, (2, 2),
    (
        Level("RF", "register_file", 48, 0.12, 2),
        Level("SRAM", "sram", 400, 6.0, 2),
        Level("DRAM", "dram", None, 200.0),
    ),
    hop=0.035, mac=0.075,
)  # fmt: skip
SPILLING = replace(
    ARCH,
    levels=(
        Level("RF", "register_file", 16, 0.12, 2),
        Level("SRAM", "sram", 48, 6.0, 2),
        Level("DRAM", "dram", None, 8.0),
    ),
)


def hardware(schedules, **options):
    """The runs of several optima, in one build."""
    return check_each([Design(parse(text).output, Options(**options)) for text in schedules])


def check_ports(counts, words):
    """The ports' words; partial sums that come back have a port of their own."""
    assert words["input_words"] == counts.reads[-1, INPUT, 0]
    assert words["weight_words"] == counts.reads[-1, WEIGHT, 0]
    assert words["output_words"] == counts.writes[-1, OUTPUT, 0]
    assert words.get("output_partial_words", 0) == counts.reads[-1, OUTPUT, 0]


def test_the_hardwares_counters_are_the_prediction():
    """A convolution, a product, depthwise, ragged tiles, sums that spill, strides and dilation, three dimensions."""
    chosen = [
        ("ox=4 oy=4 c=4 k=8 fx=3 fy=3 b=2", "C | K", ARCH, False),
        ("k=16 c=16 b=8", "C | K", ARCH, False),
        ("ox=8 oy=8 c=4 k=4 groups=4 fx=3 fy=3", "X | Y", ARCH, False),
        ("ox=7 oy=5 c=3 k=7 fx=3 fy=3", "C | K", ARCH, True),
        ("k=16 c=16 b=8", "C | K", SPILLING, False),
        ("ox=6 oy=4 c=2 k=4 fx=3 fy=3 dilation=2 stride_y=3", "C | K", ARCH, False),
        ("ox=3 oy=4 oz=3 c=4 k=2 fx=2 fy=2 fz=2 stride_z=2", "FZ | Z", ARCH, False),
    ]
    optima = [optimize(parse_layer(text), arch, flow, ragged=ragged) for text, flow, arch, ragged in chosen]
    for best, run in zip(optima, hardware(best.schedule for best in optima), strict=True):
        assert run.counters["steps"] == steps(best)
        check_ports(exact(tiling(best.layer, best.mapping), best.arch.pe_levels), run.counters)


def check_sums(text, arch, counts, words):
    """The partial sums of every level, and what the operands' memories move."""
    for name, level in {**buffers(text, arch, "output"), "sums": 0}.items():
        if level or name == "sums":
            assert words[f"{name}_written"] == counts.writes[level, OUTPUT, 0]
            assert words[f"{name}_read"] + words[f"{name}_drained"] == counts.reads[level, OUTPUT, 0]


def test_the_hardware_sums_level_by_level_as_predicted():
    """Around the PEs; in the third one in them, too."""
    chosen = [
        ("ox=6 oy=6 c=8 k=8 fx=3 fy=3", ARCH, 2),
        ("k=16 c=16 b=8", ARCH, 2),
        ("ox=7 oy=5 c=3 k=7 fx=3 fy=3", architecture("interstellar"), 3),
    ]
    optima = [optimize(parse_layer(text), arch, "C | K") for text, arch, _ in chosen]
    runs = hardware((best.schedule for best in optima), counters="all")
    for (_, arch, levels), best, run in zip(chosen, optima, runs, strict=True):
        assert len(buffers(best.schedule, arch, "output")) == levels
        assert run.cycles == best.run_cycles
        counts = exact(tiling(best.layer, best.mapping), arch.pe_levels)
        check_ports(counts, run.counters)
        check_sums(best.schedule, arch, counts, run.counters)


SHAPES = ["ox=5 oy=4 c=6 k=4 fx=3 fy=2 b=2", "ox=4 oy=5 c=4 k=8 groups=2 fx=1 fy=3 stride=2", "k=12 c=18 b=3"]


@pytest.mark.soak
@pytest.mark.parametrize("text", SHAPES)
def test_every_architectures_optimum_runs_as_it_is_printed(text):
    optima = []
    for name in ("eyeriss", "interstellar", "tpu", "large"):
        rng = random.Random(name + text)
        options = {"replicate": rng.random() < 0.5, "ragged": rng.random() < 0.5}
        optima += [optimize(parse_layer(text), architecture(name), rng.choice([None, "any"]), **options)]
    for best, run in zip(optima, hardware(best.schedule for best in optima), strict=True):
        assert run.counters["steps"] == steps(best) and run.cycles == best.run_cycles
        check_ports(exact(tiling(best.layer, best.mapping), best.arch.pe_levels), run.counters)


@pytest.mark.soak
def test_the_fastest_hardware_runs_as_long_as_promised():
    """Ports of four words, lanes that are neighbours in memory, tiles by pieces."""
    chosen = [
        ("ox=6 oy=5 c=8 k=48 fx=3 fy=3", "interstellar", "delay"),
        ("ox=9 oy=8 c=3 k=8 fx=3 fy=3", "eyeriss", "edp"),
    ]
    options = {"port_bits": 64}
    optima = [optimize(parse_layer(text), architecture(name), objective=aim, **options) for text, name, aim in chosen]
    runs = hardware((best.schedule for best in optima), **options)
    for (_, name, _), best, run in zip(chosen, optima, runs, strict=True):
        assert run.cycles == best.run_cycles
        assert (bool(best.files), best.arch.levels[0].buffers) in ((False, 1), (True, 2))
        alone = optimize(best.layer, architecture(name), **options)
        assert max(best.bound, best.cycles) <= best.run_cycles < alone.run_cycles
    assert any("store_" in best.schedule for best in optima)


def without_files(text, options):
    """Some mappings of a layer, those that are estimated to run shortest among them."""
    layer, arch = parse_layer(text), ported(replace(SPILLING, array=(4, 4)), options)
    streams = Streams(space_of(layer, arch, options))
    for choice in streams.choices()[:7:3]:
        mapping = streams.mapping(choice)
        cost = evaluate(layer, arch, mapping)
        found = layer, arch, "delay", "exact", cost.energy_pj, cost.cycles, mapping, cost.parts
        yield Result(*found, False, 0.0, 0, 0.0, "", files=NONE), Least(streams.space).run


def test_mappings_without_register_files_run_as_long_as_promised():
    """A stride without taps between, groups, lanes that are no power of two, sums that come back, a reduction alone."""
    layers = [
        "ox=5 oy=4 c=6 k=10 stride=2", "ox=6 oy=3 c=12 k=12 groups=12 fx=3 fy=3 stride=2", "k=14 c=30 b=3",
        "ox=7 oy=5 c=3 k=7 fx=3 fy=3",
    ]  # fmt: skip
    options = Search("any", "delay", replicate=True, ragged=True, port_bits=64)
    found = [each for text in layers for each in without_files(text, options)]
    runs = hardware((each.schedule for each, _ in found), port_bits=64)
    for (each, least), run in zip(found, runs, strict=True):
        assert run.cycles == each.run_cycles > max(least, each.cycles)


def row_by_row(text, options, rng):
    """A mapping of a layer whose windows come in row by row, and the least run of all."""
    layer, arch = parse_layer(text), ported(replace(ARCH, array=(4, 4)), options)
    streams = Streams(space_of(layer, arch, options))
    lanes, every = streams.space.unrolled.lanes, np.ones(len(streams.points), bool)
    while True:
        way = rng.randrange(lanes.shape[1])
        tile = int(rng.choice([0, *streams.around(lanes[:, way], every)]))
        mapping = streams.mapping(Choice(0.0, 0.0, way, tile, rng.randrange(len(ORDERS)), rng.randrange(3)))
        if (cut := pieces(layer, arch, mapping))[INPUT].slides:
            cost = evaluate(layer, arch, mapping)
            found = layer, arch, "delay", "exact", cost.energy_pj, cost.cycles, mapping, cost.parts
            sums = sums_cut(layer, arch, mapping)
            return Result(*found, False, 0.0, 0, 0.0, "", files=NONE, cut=cut, sums_cut=sums), Least(streams.space).run


@pytest.mark.soak
@pytest.mark.parametrize("ports", [{"port_bits": 64}, {"shared_port_bits": 64}])
def test_windows_that_come_in_row_by_row_run_as_long_as_promised(ports):
    layers = [
        "ox=6 oy=5 c=4 k=6 fx=3 fy=3 b=2", "ox=5 oy=7 c=6 k=6 groups=6 fx=3 fy=3 stride=2 b=2", "ox=4 oy=7 c=3 fy=2",
    ]  # fmt: skip
    options, rng = Search("any", "delay", replicate=True, ragged=True, **ports), random.Random(14)
    found = [row_by_row(text, options, rng) for text in (*layers, *layers)]
    runs = hardware((each.schedule for each, _ in found), counters="all", **ports)
    for (each, least), run in zip(found, runs, strict=True):
        assert run.cycles == each.run_cycles > max(least, each.cycles) and "store_" in each.schedule
        cuts = pieces(each.layer, each.arch, each.mapping), pieces(each.layer, each.arch, each.mapping, rows=False)
        rows, tiles = (replace(each, cut=cut).run_cycles for cut in cuts)
        assert by_pieces(each).run_cycles == min(rows, tiles)
        assert by_pieces(each, best=rows + 1).run_cycles <= rows


def uneven(text, options, rng):
    """A mapping of a layer of whose pieces a port takes fewer words together than of a tile."""
    layer, arch = parse_layer(text), ported(replace(ARCH, array=(4, 4)), options)
    streams, like = Streams(space_of(layer, arch, options)), steady(layer, arch, Search("any"))
    lanes, every = streams.space.unrolled.lanes, np.ones(len(streams.points), bool)
    while True:
        way = rng.randrange(lanes.shape[1])
        tile = int(rng.choice([0, *streams.around(lanes[:, way], every)]))
        mapping = streams.mapping(Choice(0.0, 0.0, way, tile, rng.randrange(len(ORDERS)), rng.randrange(3)))
        one, other = (pieces(layer, arch, mapping, loss=loss) for loss in (0, LOSS))
        made = by_pieces(streamed(like, arch, mapping), loss=LOSS) if one != other else None
        if made and made.cut == other:
            return made


@pytest.mark.soak
@pytest.mark.parametrize("ports", [{"port_bits": 128}, {"shared_port_bits": 128}])
def test_pieces_of_fewer_words_run_as_long_as_promised(ports):
    layers = ["k=20 c=12 b=6", "ox=6 c=10 k=12 fx=3 b=4", "ox=7 oy=3 c=10 k=5 b=2", "k=9 c=25 b=10"]
    options, rng = Search("any", "delay", replicate=True, ragged=True, **ports), random.Random(14)
    found = [uneven(text, options, rng) for text in layers]
    runs = hardware((each.schedule for each in found), counters="all", **ports)
    assert [run.cycles for run in runs] == [each.run_cycles for each in found]


def test_a_shared_port_takes_the_words_of_all_tensors():
    """In the bound, the steady state and the answer: 3 x 3 depthwise, whose words are many. Ragged tiles make the
    answer no worse."""
    layer, apart = parse_layer("ox=6 oy=3 c=12 k=12 groups=12 fx=3 fy=3"), Search("any", "delay", port_bits=64)
    words = layer.words[0] + layer.words[1] + 2 * layer.words[2]
    together, arch = replace(apart, port_bits=None, shared_port_bits=64), replace(ARCH, array=(8, 8))
    own, shared = (optimize_with(layer, arch, each) for each in (apart, together))
    assert shared.bound == -(-words // 4) > own.bound and shared.run_cycles >= shared.cycles >= shared.bound
    assert shared.run_cycles > own.run_cycles and shared.gap < 0.5
    ragged = optimize_with(layer, arch, replace(together, ragged=True))
    assert ragged.run_cycles <= 1.01 * shared.run_cycles


LAYERS = [
    "ox=4 oy=4 c=4 k=8 fx=3 fy=3 b=2",
    "k=16 c=16 b=8",
    "k=10 c=100",
    "ox=6 oy=6 c=8 k=8 groups=2 fx=3 fy=3",
    "ox=8 oy=8 c=4 k=4 groups=4 fx=3 fy=3 stride=2",
    "ox=8 oy=8 c=2 k=4 fx=5 fy=5 stride=2",
    "ox=7 oy=5 c=6 k=7 fx=3 fy=3",
]


@pytest.mark.parametrize("text", LAYERS)
@pytest.mark.parametrize("ragged", [False, True])
@pytest.mark.parametrize("arch", [ARCH, SPILLING], ids=["roomy", "spilling"])
def test_the_models_of_layer_and_hardware_agree(text, ragged, arch):
    """Level by level; what is left out differs by name in docs/optimizer.md."""
    layer = parse_layer(text)
    best = optimize(layer, arch, "C | K", ragged=ragged)
    counts = exact(tiling(layer, best.mapping), arch.pe_levels)
    compiled = compile(parse(best.schedule))
    words = {count.name: count.words for count in traffic(compiled.accelerator, compiled.nest)}
    check_ports(counts, words)
    assert words["steps"] == steps(best) and words["macs"] == layer.macs
    for tensor, name in ((INPUT, "input"), (WEIGHT, "weight")):
        even = layer.macs == words["pe_slots"] and (tensor == WEIGHT or layer.steps("X") == layer.steps("Y") == (1, 1))
        for buffer, level in buffers(best.schedule, arch, name).items():
            if level or even:
                assert words[f"{buffer}_written"] == counts.writes[level, tensor, 0]
            if even:
                assert words[f"{buffer}_read"] == counts.reads[level, tensor, 0]
    if layer.macs == words["pe_slots"]:
        check_sums(best.schedule, arch, counts, words)


def test_the_command_prints_what_simulate_takes(tmp_path):
    file = tmp_path / "best.hh"
    arguments = ["--layer", "ox=5 oy=5 c=4 k=4 fx=3 fy=3 stride=2", "--dataflow", "C | K", "--ragged"]
    printed = CliRunner().invoke(main, ["optimize", *arguments, "--schedule-only"])
    assert printed.exit_code == 0
    file.write_text(printed.stdout)
    run = CliRunner().invoke(main, ["simulate", str(file), "--json"])
    assert run.exit_code == 0 and json.loads(run.stdout)["match"]
    again = tmp_path / "again.hh"
    assert CliRunner().invoke(main, ["optimize", *arguments, "-o", str(again)]).exit_code == 0
    assert again.read_text() == printed.stdout
