"""Grouped convolutions by spatial packing: right in hardware, and as fast as their lanes allow."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import halidehw as hl
from halidehw.mapping.layer import Layer
from halidehw.microarch.options import Options
from halidehw.simulate import Memory
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design

FILE = Path(__file__).parents[1] / "examples" / "grouped" / "layer.py"
grouped = SimpleNamespace(**runpy.run_path(str(FILE)))

PATHOLOGY = {
    (1, "channels"): 147_456, (1, "groups"): 147_456, (2, "channels"): 73_728, (2, "groups"): 73_728,
    (8, "channels"): 18_432, (8, "groups"): 18_432, (16, "channels"): 36_864, (16, "groups"): 9_216,
    (64, "channels"): 147_456, (64, "groups"): 2_304,
}  # fmt: skip
"""Groups, and what is unrolled -> cycles of 64 to 64 channels, 3x3, 16x16 outputs, on 8x8 PEs."""

SHAPES = [
    ({"c": 4, "k": 6, "groups": 2, "fx": 3, "fy": 3}, (3, 2, 2), (3, 2, 1)),
    ({"c": 4, "k": 6, "groups": 2, "fx": 3, "fy": 2, "stride": 2}, (3, 2, 2), (3, 2, 2)),
    ({"c": 5, "k": 5, "groups": 5, "fx": 3, "fy": 3}, (1, 1, 4), (1, 1, 4)),
    ({"c": 6, "k": 6, "groups": 2}, (2, 2, 1), (2, 2, 1)),
    ({"c": 10, "k": 6, "groups": 2, "fx": 2}, (2, 2, 2), (2, 2, 2)),
    ({"c": 6, "k": 10, "groups": 2, "fy": 2, "b": 2}, (4, 3, 2), (4, 2, 1)),
    ({"c": 7, "k": 3, "fx": 3, "fy": 3, "stride": 2}, (2, 4, 1), (2, 3, 1)),
    ({"c": 6, "k": 3, "groups": 3, "fx": 2, "fy": 2}, (1, 2, 2), (1, 2, 2)),
    ({"c": 4, "k": 8, "groups": 4, "fx": 3}, (2, 1, 4), (2, 1, 4)),
]
"""A layer, its tiles, its lanes: of output channels, input channels, groups. Strides, depthwise, other numbers of tiles
in than out, channels and groups that do not divide, more groups side by side than channels."""


def layers():
    for sizes, tiles, lanes in SHAPES:
        yield Layer(oy=2, ox=3, **sizes), grouped.Tiles(*tiles), grouped.Lanes(*lanes)


def test_packing_computes_the_convolution():
    for layer, tiles, _ in layers():
        packed = grouped.gspc(layer, tiles)
        given = grouped.operands(packed, 1)
        packed.filters.set(hl.Buffer(given["filters"], "filters"))
        arrays = {"image": given["image"], "w": packed.weights.realize().array}
        found = hl.reference(packed.output, arrays)
        assert np.array_equal(found, grouped.direct(layer, given["image"], given["filters"])), (layer, tiles)


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.soak)])
def test_the_hardware_is_right(step):
    """Of every third shape; of all in `make soak`."""
    memory, options = Memory(latency=5, stall_probability=0.2), Options(port_bits=32)
    designs = [grouped.schedule(grouped.gspc(layer, tiles), lanes) for layer, tiles, lanes in list(layers())[::step]]
    check_each([Design(each, options, memory, starts=2, abort=40) for each in designs])
    dividers = [stage for each in designs for stage in hl.compile(each).accelerator.stages if "divider" in repr(stage)]
    assert not dividers


@pytest.mark.parametrize(("groups", "unroll"), PATHOLOGY)
def test_lanes_that_a_group_does_not_fill_cost_what_they_would_have_done(groups: int, unroll: str):
    layer, lanes, tiles = asked(groups, unroll)
    found = hl.estimate(grouped.schedule(grouped.gspc(layer, tiles), lanes), port_bits=grouped.PORT_BITS)
    conv = {stage.name: stage for stage in found.cycles.stages}["conv"]
    assert conv.busy + sum(conv.stalls.values()) == PATHOLOGY[groups, unroll]
    assert tiles == asked(groups, "groups")[2], "only the schedule differs"
    why = grouped.cause(layer, 8, lanes, tiles, conv)
    assert why.startswith("none" if PATHOLOGY[groups, unroll] * groups == 147_456 else "idle lanes: ")


def asked(groups: int, unroll: str):
    layer = Layer(c=64, k=64, fx=3, fy=3, ox=16, oy=16, groups=groups)
    lanes = (grouped.over_groups if unroll == "groups" else grouped.over_channels)(layer, 8)
    return layer, lanes, grouped.tiles_for(layer, 8, lanes)


def test_sums_that_a_writer_cannot_take_as_fast_are_named():
    layer = Layer(b=2, c=3, k=12, groups=3, ox=14, oy=14)
    lanes = grouped.over_groups(layer, 8)
    found = hl.estimate(grouped.schedule(grouped.gspc(layer, lanes.tiles), lanes), port_bits=grouped.PORT_BITS)
    assert "waits for sums" in grouped.cause(layer, 8, lanes, lanes.tiles, found.cycles.stages[1])


def test_the_program_says_what_its_hardware_takes(monkeypatch, capsys):
    sizes = ["--channels", "8", "--out", "3", "--groups", "4", "--array", "4", "--unroll", "groups"]
    monkeypatch.setattr(sys, "argv", [str(FILE), *sizes, "--json"])
    with pytest.raises(SystemExit) as ended:
        grouped.main()
    found = json.loads(capsys.readouterr().out)
    assert ended.value.code == 0
    assert (found["ideal"], found["predicted"], found["cycles"], found["match"]) == (81, 81, 81, True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--groups", "5"], "groups=5 does not divide k=64\n    --groups 1"),
        (["--out", "0"], "--out 0: it must be at least 1\n    --out 8"),
        (["--groups", "8", "--t-o", "9"], "--t-o 9: a group has 8\n    --t-o 8"),
        (["--out", "4000"], "9216000000 cycles are more than are simulated, 16777216\n    --out 170"),
        (["--array", "0"], "--array 0: it must be at least 1\n    --array 8"),
    ],
)
def test_what_no_layer_has_is_refused(given: list[str], said: str, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(FILE), *given])
    with pytest.raises(SystemExit) as ended:
        grouped.main()
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


variants = SimpleNamespace(**runpy.run_path(str(FILE.parent / "variants.py")))

PRINTED = {
    "wrn_40_2": [(328.30e6, 2242.26e3), (198.15e6, 1357.68e3), (118.52e6, 813.36e3), (78.71e6, 541.20e3),
                 (58.80e6, 405.12e3), (44.83e6, 292.22e3)],
    "resnet34": [(3.67e9, 21.79e6), (2.25e9, 13.22e6), (1.39e9, 8.14e6), (0.97e9, 5.60e6), (0.75e9, 4.34e6),
                 (0.56e9, 3.13e6)],
    "mobilenet_v2": [(5.56e9, 44.05e6), (2.92e9, 23.75e6), (1.60e9, 13.59e6), (0.95e9, 8.52e6), (0.62e9, 5.98e6),
                     (0.31e9, 3.50e6)],
}  # fmt: skip
"""Gibson's thesis: multiply-accumulates, with element-wise work, and parameters, of WRN-40-2 without its classifier."""


@pytest.mark.parametrize("name", PRINTED)
def test_work_and_size_of_the_variants(name: str):
    found = variants.variants(getattr(variants, name)())
    assert list(found) == ["S", "G2", "G4", "G8", "G16", "GN"]
    for parts, (macs, parameters) in zip(found.values(), PRINTED[name], strict=True):
        assert sum(part.macs for part in parts) == pytest.approx(macs, rel=0.03)
        assert sum(part.parameters for part in parts) == pytest.approx(parameters, abs=0.01e6)


def test_a_variant_should_take_its_part_of_the_work():
    found = variants.variants(variants.wrn_40_2())
    expected = variants.expected(100.0, found["S"], found["G2"])
    assert expected == pytest.approx(100 * 197_444_864 / 327_599_360)


def test_groups_that_do_not_divide_a_layer_are_refused():
    with pytest.raises(hl.HalideHWError, match="layer conv0_0a: groups=3 does not divide"):
        list(variants.grouped(variants.wrn_40_2(), 3))


def test_the_sweep_says_what_each_way_loses(tmp_path: Path, monkeypatch, capsys):
    """A depthwise layer: the default leaves an array idle, lanes over groups do not, and packing pays in reshaping."""
    sizes = ["--channels", "16", "--out", "6", "--groups", "16", "--arrays", "4", "--workers", "1"]
    journal, source = tmp_path / "cells.journal", tmp_path / "source.json"
    source.write_text('{"networks": {"source": {"layers": [{"name": "fc", "c": 8, "k": 4}]}}}')
    command = [str(FILE.parent / "sweep.py"), *sizes, "--source", f"{source}:source"]
    command += ["--journal", str(journal), "--json"]
    monkeypatch.setattr(sys, "argv", command)
    runpy.run_path(command[0], run_name="__main__")
    first = capsys.readouterr().out
    found = {(each["algorithm"], each["bits"], each["schedule"]): each for each in json.loads(first)}
    assert len(found) == 27
    for (algorithm, _, schedule), each in found.items():
        assert each["cycles"] - each["ideal"] == pytest.approx(sum(each["lost"].values()))
        assert min(each["lost"].values()) >= 0
        wanted = {"direct": "no depthwise convolution in source.json:source",
                  "im2col": "no grouped product in source.json:source"}.get(algorithm)  # fmt: skip
        assert each.get("note") == (wanted if schedule == "transferred" else None)
    lost = {name: each["lost"] for name, each in found.items()}
    assert lost["direct", 8, "default"]["idle lanes"] > 5 * found["direct", 8, "optimal"]["cycles"]
    best = lost["pack", 8, "optimal"]
    assert (best["idle lanes"], best["reshaping"]) == (0, 8 * 8 * 16 // 8 + 6 * 6 * 16 // 6)
    assert not lost["direct", 8, "optimal"]["reshaping"]
    lines = journal.read_text()
    runpy.run_path(command[0], run_name="__main__")
    assert (capsys.readouterr().out, journal.read_text()) == (first, lines)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--arrays", "8,x"], "--arrays 8,x: PEs on each side, with commas\n    --arrays 8,16"),
        (["--network", "none.json:net"], "cannot read the network file none.json"),
        (["--stride", "0"], "--stride 0: it must be at least 1"),
        (["--journal", "README.md"], "README.md is no journal of searches"),
    ],
)
def test_what_cannot_be_swept_is_refused(given: list[str], said: str, monkeypatch, capsys):
    monkeypatch.chdir(FILE.parents[2])
    monkeypatch.setattr(sys, "argv", [str(FILE.parent / "sweep.py"), *given])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(sys.argv[0], run_name="__main__")
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
