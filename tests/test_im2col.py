"""Convolution by implicit im2col: right on the array, in as many cycles as the reference has."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import halidehw as hl
from halidehw.microarch.options import Options
from halidehw.simulate import Memory
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design

FOLDER = Path(__file__).parents[1] / "examples" / "im2col"


@pytest.fixture(scope="module")
def im2col():
    """The folder's modules."""
    names = [path.stem for path in FOLDER.glob("*.py")]
    others = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.path.insert(0, str(FOLDER))
    yield importlib.import_module
    sys.path.remove(str(FOLDER))
    for name in names:
        sys.modules.pop(name, None)
    sys.modules.update(others)


TABLE = [
    ((2, 4, 5, 4, 3, 4, 1, 1), 172), ((2, 2, 5, 4, 3, 4, 2, 1), 100), ((2, 4, 5, 4, 3, 4, 1, 2), 82),
    ((4, 2, 6, 8, 3, 8, 3, 1), 214),
]  # fmt: skip
"""n, ci, h, co, filter, array, tile, stride -> cycles, of the reference page."""

LAYERS = [
    {"n": 2, "ci": 2, "h": 5, "co": 4, "filter": 3, "array": 4, "tile": 2},
    {"n": 1, "ci": 1, "h": 6, "co": 5, "filter": 3, "array": 4, "tile": 2, "within": True, "stride": 2, "padding": 1},
    {"n": 1, "ci": 5, "h": 4, "co": 6, "filter": 2, "array": 4, "dilation": 2},
    {"n": 1, "ci": 6, "h": 2, "co": 3, "filter": 1, "array": 4},
    {"n": 1, "ci": 1, "h": 4, "co": 2, "filter": 2, "array": 3, "tile": 3},
    {"n": 1, "ci": 1, "h": 7, "co": 5, "filter": 3, "array": 5, "tile": 5, "stride": 2, "dilation": 2, "padding": 2},
    {"n": 1, "ci": 2, "h": 3, "co": 2, "filter": 2, "array": 1},
]
"""Positions that go on in the filter's next row, ragged groups, channels and columns, padding, dilation, short streams,
a single PE."""


ONE_PORT = {"n": 1, "ci": 1, "h": 7, "co": 3, "filter": 3, "array": 3, "tile": 2}
"""A stream of 25 pixels, with accumulators 16 side by side."""

SLOW, SLOW_PORTS = Memory(latency=5, stall_probability=0.2), Options(port_bits=32)


def layer(im2col, numbers):
    *sizes, tile, stride = numbers
    return im2col("implicit").Layer(*sizes, tile=tile, stride=stride)


def every(im2col):
    yield from (layer(im2col, numbers) for numbers, _ in TABLE)
    yield from (im2col("implicit").Layer(**sizes) for sizes in LAYERS)


def test_the_schedule_computes_the_convolution(im2col):
    implicit = im2col("implicit")
    for each in every(im2col):
        image, filters = implicit.operands(each, 1)
        found = hl.reference(implicit.conv(each).output, {"image": image, "weights": implicit.packed(each, filters)})
        assert np.array_equal(found[..., : each.co], implicit.direct(each, image, filters)), each
        assert not found[..., each.co :].any()


@pytest.mark.soak
def test_the_hardware_of_all_ways_is_right(im2col):
    implicit = im2col("implicit")
    designs = [implicit.conv(implicit.Layer(**sizes)).output for sizes in LAYERS]
    designs += [implicit.conv(implicit.Layer(**ONE_PORT), ports=16).output]
    designs += [im2col("unified").unified(implicit.Layer(1, 3, 4, 4, 2, 4, stride=2, padding=1)).output]
    designs += [im2col("explicit").explicit(implicit.Layer(1, 3, 4, 5, 3, 4, stride=2, padding=1)).output]
    check_each([Design(each, SLOW_PORTS, SLOW, starts=2, abort=40) for each in designs])


def test_the_hardware_of_blocks_is_right(im2col):
    dot, rows, (block, *blocks) = im2col("dot"), im2col("dot").Block(6, 12), blocks_of(im2col)
    designs = [im2col("implicit").conv(im2col("implicit").Layer(**LAYERS[0])).output]
    designs += [dot.dot(block, 8, 4, 4), *(dot.dot(each, 4, 2, 4) for each in blocks), dot.dot(rows, 4, 2, 4, "filter")]
    runs = check_each([Design(each, SLOW_PORTS, SLOW, starts=2, abort=40) for each in designs])
    words = [dot.fetched(each, dot.RASTER, each.stride) for each in (block, *blocks)]
    words = [8 * words[0], *(4 * each for each in words[1:]), 4 * dot.fetched(rows, dot.RASTER, 9)]
    assert [run.counters["image_words"] for run in runs[-len(words) :]] == words


def test_an_output_is_written_between_reads_of_the_input(im2col):
    """By words, where they never meet; else it is refused with their number."""
    unified, layer = im2col("unified").unified, im2col("implicit").Layer(8, 2, 3, 4, 1, 2)
    home = next(each for each in hl.compile(unified(layer, 8).output).accelerator.memories if each.together)
    assert (home.word, home.one_port) == (8, True)
    with pytest.raises(hl.HalideHWError, match=": 28 words of output would be written in cycles in which one of rows"):
        hl.compile(unified(layer, 4).output)


def blocks_of(im2col):
    """Whole blocks in a row of pixels; the words at the port are those of the model, with two sub-tiles at stride 2."""
    return im2col("dot").Block(4, 4), im2col("dot").Block(8, 4, 2), im2col("dot").Block(4, 2, n=2)


def test_any_number_of_positions_takes_the_cycles_of_the_formula(im2col):
    """Also of one image, where a word is read anew in each step: at most two for a row of the array."""
    for filter, tile in [*((3, t) for t in range(1, 10)), (2, 3), (4, 3), (5, 3), (5, 7)]:
        each = im2col("implicit").Layer(1, 1, 8, 9, filter, 9, tile, padding=1)
        built = im2col("implicit").conv(each)
        found = hl.estimate(built.output, port_bits=built.port_bits)
        assert 3 * 9 - 2 + found.cycles.busy + sum(found.cycles.stalls.values()) == im2col("layer").expected(each)
        read = [memory.fetched for memory in found.accelerator.output.memories if memory.tensor in ("rows", "others")]
        assert each.passes == -(-filter**2 // tile) and sum(read) == 9 * (1 + each.wraps)
        assert tile == 1 or found.count("image_words") == each.h**2, "each pixel comes once"


def test_words_that_neighbouring_positions_have_in_common(im2col):
    """The page's parts, for blocks of 128 pixels, and those at stride 2, where one sub-tile is worth nothing."""
    dot = im2col("dot")
    assert [round(100 * dot.saved(dot.Block(h, 128, 1, 8), dot.SNAKE)) for h in (56, 28, 14)] == [78, 82, 83]
    assert round(100 * dot.saved(dot.Block(224, 128), dot.SNAKE)) == 66
    assert [dot.saved(dot.Block(h, 128, 2, 8), dot.RASTER) for h in (28, 14)] == [0, 0]
    assert [round(100 * dot.saved(dot.Block(h, 128, 2, 8), dot.RASTER, 2), 1) for h in (28, 14)] == [31.5, 29.7]
    assert round(100 * dot.common(49, 2, (0, 0), (0, 2)), 2) == 97.96
    assert round(100 * dot.common(49, 2, (0, 0), (2, 2)), 2) == 95.96
    for block in blocks_of(im2col):
        for keep, kept in (("position", 0), ("row", block.stride)):
            words = hl.estimate(dot.dot(block, 4, 4, 4, keep)).count("image_words")
            assert words == 4 * dot.fetched(block, dot.RASTER, kept)
    for block in dot.BLOCKS:
        words = hl.estimate(dot.dot(block, 4, 4, 4, "filter")).count("image_words")
        assert words == 4 * dot.fetched(block, dot.RASTER, 9)


def test_explicit_im2col_is_the_same_convolution(im2col):
    implicit, explicit = im2col("implicit"), im2col("explicit")
    layer = implicit.Layer(2, 3, 6, 5, 3, 4, stride=2, dilation=2, padding=1)
    image, filters = implicit.operands(layer, 1)
    arrays = {"image": image, "weights": explicit.columns(layer, filters)}
    built = explicit.explicit(layer)
    assert np.array_equal(hl.reference(built.output, arrays)[..., : layer.co], implicit.direct(layer, image, filters))
    found = explicit.costs(built)
    assert found.words > 2 * layer.m * layer.ci * 9 and found.room == layer.m * layer.ci * 9 // 4 * 4 + layer.m


def test_a_product_of_the_same_size_takes_as_long(im2col):
    overhead, model = im2col("overhead"), im2col("model")
    for layer, product in overhead.pairs(16):
        assert model.run(layer).cycles == model.run(product).cycles


def test_the_model_has_the_cycles_of_the_formula(im2col):
    for each in every(im2col):
        cycles = hl.estimate(im2col("implicit").conv(each).output, port_bits=512).cycles
        taken = 3 * each.array - 2 + cycles.busy + sum(cycles.stalls.values())
        assert taken == im2col("layer").expected(each), each
    assert [im2col("layer").expected(layer(im2col, numbers)) for numbers, _ in TABLE] == [cycles for _, cycles in TABLE]


PROBE = """
  reg seen_read = 0, seen_write = 0;
  always @(posedge clk) begin
    seen_read <= rows_store.bank_0.read_enable;
    seen_write <= array.lane0.sums.valid4;
    if (rows_store.bank_0.read_enable && !seen_read) $fwrite(event_file, "read %0d\\n", event_cycle);
    if (array.lane0.sums.valid4 && !seen_write) $fwrite(event_file, "write %0d\\n", event_cycle);
  end
"""
"""When the first element is read for the array, and when the first sum is written."""


def test_the_program_counts_in_rtl(im2col, monkeypatch, capsys):
    program, seen = im2col("layer"), list[str]()
    within, times = program.Probe.within, program.times

    def probed(self: object, text: str, module: str) -> str:
        text = within(self, text, module)
        end = text.index("endmodule", text.index(f"module {module} ("))
        return text[:end] + PROBE + text[end:]

    monkeypatch.setattr(program.Probe, "within", probed)
    monkeypatch.setattr(program, "times", lambda events: seen.append(events) or times(events))
    sizes = "--n 2 --ci 4 --h 5 --co 4 --filter 3 --array 4 --tile 1 --word 1 --stride 2 --json"
    monkeypatch.setattr(sys, "argv", ["layer.py", *sizes.split()])
    with pytest.raises(SystemExit) as ended:
        program.main()
    first = {kind: int(cycle) for kind, cycle in map(str.split, reversed(seen[0].splitlines()))}
    found = json.loads(capsys.readouterr().out)
    assert ended.value.code == 0
    assert (found["match"], found["cycles"], found["startup"]) == (True, 82, 3)
    assert first["write"] - first["read"] == 4 + found["latency"]
    assert found["conflicts"] == found["conflicts_decided"] == 4 * (72 - 4 - found["latency"]) > 0
    assert found["conflicts_without_latency"] == 4 * (72 - 4)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("--n 6 --word 4", "--word 4: 6 elements of the batch are 1 x 4 + 2\n    --word 3"),
        ("--ci 3 --tile 2", "--tile 2: 2 positions x 3 channels = 6 rows of 4\n    --tile 1\n    --array 6"),
        ("--ci 1 --tile 4 --within", "--tile 4: a row of the filter has 3 positions\n    --tile 3"),
        ("--h 2", "--filter 3 --dilation 1 reaches over 3 pixels of 2 + 2 x 0\n    --h 3\n    --padding 1"),
        ("--array 0", "--array 0: it must be at least 1\n    --array 1"),
        ("--word 0", "--word 0: it must be at least 1\n    --word 1"),
        ("--seed -1", "--seed -1: it must be at least 0\n    --seed 0"),
        ("--padding -1", "--padding -1: it must be at least 0\n    --padding 0"),
        ("--word 1 --single-port", "which 154 of its reads and writes want in the same cycle"),
    ],
)
def test_what_no_array_has_is_refused(given, said, im2col, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["layer.py", *given.split()])
    with pytest.raises(SystemExit) as ended:
        im2col("layer").main()
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_the_tables_of_the_reference_page(im2col):
    """Cycles, utilization and lowered sizes, each from the model of the hardware."""
    model, lowered = im2col("model"), im2col("lowered")
    found = model.run(model.gemm(512, 512, 512, 128))
    assert (found.cycles, round(found.outside)) == (8574, 2097)
    assert model.unhidden(model.gemm(512, 512, 512, 128)) == 10494
    waiting = model.run(model.gemm(512, 512, 512, 128), hidden=False)
    assert waiting.cycles == 10494 + 5 * 15, "five cycles of latency for each pass but the first"
    assert [model.run(model.positions(128, t)).cycles for t in (1, 3, 9)] == [1180030, 393598, 131454]
    assert [round(100 * model.utilization(model.vgg16(size)), 1) for size in (64, 512)] == [96.7, 13.0]
    layer = im2col("implicit").Layer
    strided = [model.run(layer(8, 8, 128, 128, 3, 128, stride=step, padding=1)) for step in (1, 2, 4)]
    per = [each.cycles / each.layer.m for each in strided]
    assert max(per) / min(per) < 1.01
    sizes = {name: (round(each.input, 3), round(each.lowered, 3)) for name, each in lowered.reproduced().items()}
    assert sizes == {"VGG16": (34.645, 311.801), "ResNet-50": (34.549, 81.108), "AlexNet": (1.388, 14.573)}
    ratios = {name: each.ratio for name, each in lowered.variants().items()}
    assert max(ratio for name, ratio in ratios.items() if name.startswith("Dense")) < 5641.70 / 1196.48
    assert min(ratio for name, ratio in ratios.items() if name.startswith("YOLO")) > 869.50 / 530.56
