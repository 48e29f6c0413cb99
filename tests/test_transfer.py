"""Schedules found for one network, given to another one."""

from __future__ import annotations

import json
import runpy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

import halidehw as hl
from halidehw.cli import main
from halidehw.driver.draw import random_inputs
from halidehw.frontend.text import parse
from halidehw.machines import shared
from halidehw.mapping.layer import Layer, load_network
from halidehw.optimize import Options, architecture
from halidehw.scheduler import lower_graph
from halidehw.transfer import Profile, add, evaluations, load_bank, pairs, ranking, score, transfer
from halidehw.transfer.kernels import default, func_of, kind
from halidehw.transfer.transfer import Choice, evaluate, fastest_together, whole
from tests.fuzz.check import check_interpreter
from tests.fuzz.designs import Design

TABLE_6_2 = {
    "ResNet50": "A 4 17, B 1 0, C 1 0, D 1 6, E 16 67, G 4 10",
    "AlexNet": "B 3 0, D 1 6, E 5 14, H 2 80, I 1 0",
    "VGG-16": "B 5 0, D 1 1, E 9 59, H 2 40, I 1 0",
    "MobileNetV2": "A 7 15, C 1 0, D 1 24, J 8 32, K 5 15, L 10 14",
    "B0": "A 14 9, C 11 4, D 1 12, K 5 9, M 8 39, N 12 27, O 7 0",
    "B4": "A 16 11, C 13 3, D 1 10, K 7 14, M 9 39, N 14 23, O 9 0",
    "GoogLeNet": "B 10 1, C 1 0, D 1 4, E 49 95",
    "MnasNet": "A 7 17, D 1 25, E 9 31, K 5 15, P 12 13",
    "BERT": "D 1 0, Q 3 98, R 2 2, S 1 0, T 1 0, U 1 0, V 1 0",
    "MobileBERT": "D 1 0, Q 4 97, R 2 3, S 1 0",
}
"""Networks by classes: kernels, and per cent of the time without tuning."""

CHOICES = {
    "ResNet50": ["GoogLeNet", "MnasNet", "VGG-16"],
    "AlexNet": ["VGG-16", "GoogLeNet", "ResNet50"],
    "VGG-16": ["GoogLeNet", "ResNet50", "MnasNet"],
    "MobileNetV2": ["B4", "B0", "MnasNet"],
    "B0": ["B4", "MobileNetV2", "MnasNet"],
    "B4": ["B0", "MobileNetV2", "MnasNet"],
    "GoogLeNet": ["ResNet50", "VGG-16", "MnasNet"],
    "MnasNet": ["GoogLeNet", "ResNet50", "VGG-16"],
    "BERT": ["MobileBERT"],
    "MobileBERT": ["BERT"],
}
"""Table 6.3."""


def profiles() -> dict[str, Profile]:
    rows = {name: [part.split() for part in text.split(", ")] for name, text in TABLE_6_2.items()}
    return {
        name: Profile(name, {row[0]: int(row[1]) for row in found}, {row[0]: int(row[2]) / 100 for row in found})
        for name, found in rows.items()
    }


@pytest.mark.parametrize("name", TABLE_6_2)
def test_the_choice_of_a_source(name: str):
    every = profiles()
    found = [profile.name for profile in ranking(every[name], every.values())]
    assert found[: len(CHOICES[name])] == CHOICES[name]


def test_how_close_two_sources_are():
    every = profiles()
    close = [round(score(every["GoogLeNet"], every[name]), 4) for name in ("VGG-16", "MnasNet")]
    assert close == [2.7093, 2.7091]


def test_how_many_pairs_are_evaluated():
    every = profiles()
    assert pairs(every["B0"], every["B4"]) == pairs(every["B4"], every["B0"]) == 706
    assert evaluations(every["B0"], every["B4"]) == 764
    assert evaluations(every["B4"], every["B0"]) == 775


ARCH = """
name = "small"
costs = "table3"
dataflow = "C | K"
port_bits = 64
[array]
rows = 4
columns = 4
[[level]]
name = "RF"
kind = "register_file"
size = "64 B"
double = false
[[level]]
name = "SRAM"
kind = "sram"
size = "4 KB"
[[level]]
name = "DRAM"
kind = "dram"
"""

SOURCE = {"layers": [
    {"name": "c1", "ox": 6, "oy": 6, "c": 8, "k": 8, "fx": 3, "fy": 3},
    {"name": "p1", "ox": 6, "oy": 6, "c": 8, "k": 16}, {"name": "fc", "c": 32, "k": 16, "b": 8},
]}  # fmt: skip
TARGET = {"layers": [
    {"name": "c2", "ox": 5, "oy": 4, "c": 6, "k": 12, "fx": 3, "fy": 3, "stride": 2},
    {"name": "c3", "ox": 5, "oy": 4, "c": 12, "k": 12, "fx": 5, "fy": 1},
    {"name": "p2", "ox": 5, "oy": 4, "c": 12, "k": 8, "repeat": 2}, {"name": "fc2", "c": 48, "k": 20, "b": 8},
    {"name": "dw", "ox": 5, "oy": 4, "c": 8, "k": 8, "groups": 8, "fx": 3, "fy": 3},
]}  # fmt: skip


@pytest.fixture(scope="module")
def banked(tmp_path_factory):
    """A folder with an architecture, networks, and a bank of the first of these."""
    folder = tmp_path_factory.mktemp("transfer")
    (folder / "small.toml").write_text(ARCH)
    (folder / "nets.json").write_text(json.dumps({"networks": {"source": SOURCE, "target": TARGET}}))
    arch = architecture(folder / "small.toml")
    list(add(load_network(f"{folder / 'nets.json'}:source"), arch, Options(objective="delay"), folder / "bank"))
    return folder, arch


def test_a_network_gets_the_schedules_of_its_classes(banked):
    folder, arch = banked
    bank = load_bank(folder / "bank", arch)
    assert [(entry.name, entry.kind) for entry in bank.entries] == [
        ("source/c1", "convolution"), ("source/fc", "product"), ("source/p1", "pointwise"),
    ]  # fmt: skip
    found = transfer(load_network(f"{folder / 'nets.json'}:target"), bank, arch)
    assert [[choice.source for choice in row] for row in found.rows] == [
        ["default", "source/c1"], ["default", "source/c1"], ["default", "source/p1"],
        ["default", "source/fc"], ["default"],
    ]  # fmt: skip
    assert found.pairs == 9
    assert found.together_cycles <= found.alone_cycles
    assert found.together_cycles < found.default_cycles


def test_a_schedule_from_another_layer_computes_the_layer(banked):
    folder, arch = banked
    bank = load_bank(folder / "bank", arch)
    valid = 0
    for layer in load_network(f"{folder / 'nets.json'}:target").layers:
        check_interpreter(Design(parse(default(layer, arch)[1]).output))
        for entry in bank.entries:
            if entry.kind == kind(layer):
                func = entry.schedule.parametric(guarded=True).apply(func_of(layer, arch, entry.arranged))
                check_interpreter(Design(func))
                if found := evaluate(entry, layer, arch).cycles:
                    assert found == hl.estimate(func, port_bits=64).cycles.total
                    valid += 1
    assert valid == 3


WHOLE = {
    "source": [{"name": "c1", "ox": 4, "oy": 4, "c": 8, "k": 16, "fx": 3, "fy": 3},
               {"name": "p1", "ox": 3, "oy": 3, "c": 16, "k": 32}],
    "target": [{"name": "c2", "ox": 4, "oy": 5, "c": 7, "k": 10, "fx": 3, "fy": 3},
               {"name": "c3", "ox": 2, "oy": 3, "c": 10, "k": 14, "fx": 3, "fy": 3, "stride": 2},
               {"name": "p2", "ox": 2, "oy": 3, "c": 14, "k": 30},
               {"name": "d", "ox": 2, "oy": 3, "c": 6, "k": 6, "groups": 6, "fx": 3, "fy": 3}],
}  # fmt: skip


def test_a_network_on_one_machine(tmp_path: Path):
    """The form that most layers take, which is not that of each one's fastest schedule; what cannot have it, apart. In
    one simulation every bit is right, in the cycles of the estimate."""
    text = ARCH.replace("64 B", "512 B").replace("4 KB", "16 KB").replace("port_bits = 64", "port_bits = 32")
    (tmp_path / "roomy.toml").write_text(text)
    tables = {name: {"batch": 3, "layers": layers} for name, layers in WHOLE.items()}
    (tmp_path / "nets.json").write_text(json.dumps({"networks": tables}))
    arch = architecture(tmp_path / "roomy.toml")
    source, network = (load_network(f"{tmp_path / 'nets.json'}:{name}") for name in WHOLE)
    list(add(source, arch, Options(objective="delay"), tmp_path / "bank"))
    bank = load_bank(tmp_path / "bank", arch)
    found, alone = shared(network, bank, arch), transfer(network, bank, arch).alone
    assert [each.source for each in alone] == ["source/c1", "source/c1", "source/p1", "default"]
    assert [each.source for each in found.choices] == ["source/c1"] * 3 + ["default/every"]
    assert [(each.layer.name, each.reason) for each in found.apart] == [("d", "it has no loop over G")]
    assert found.cycles == whole(found.choices)
    part = found.parts[0]
    runs = [(func, random_inputs(lower_graph(func), n)) for n, func in enumerate(part.funcs.values())]
    for result, cycles in zip(part.machine.simulate(runs), part.cycles.values(), strict=True):
        assert (result.match, result.cycles) == (True, cycles)
    given = ["--bank", str(tmp_path / "bank"), "--arch", str(tmp_path / "roomy.toml"), "--machine"]
    said = run("--network", f"{tmp_path / 'nets.json'}:target", *given).stdout
    assert f"on one machine: {found.cycles} cycles, 3 kernels by source/c1" in said
    assert "  beside it, by default: d: it has no loop over G" in said


def test_what_is_invalid_says_why(banked):
    folder, arch = banked
    bank = load_bank(folder / "bank", arch)
    small, _, point = bank.entries
    assert evaluate(point, Layer(ox=40, oy=40, c=64, k=8), arch).reason.startswith("shared memories of ")
    long = Layer(ox=6, oy=6, c=8, k=8, fx=9, fy=3)
    assert evaluate(small, long, arch).reason == "register files of 144 bytes where there are 64"
    assert evaluate(small, Layer(ox=4, oy=4, c=16, k=16, groups=2, fx=3, fy=3), arch).reason == "it has no loop over G"
    odd = evaluate(small, Layer(ox=5, oy=5, c=7, k=9, fx=3, fy=3), arch, guarded=False).reason
    assert odd.startswith("the schedule does not fit output: ")
    assert " % " in odd


def test_the_fastest_alone_need_not_be_fastest_together():
    """Words that lie in another order than they are read in are put in order, a word a cycle."""
    layer = Layer(ox=4, oy=4, c=8, k=8)
    rows = [
        [Choice(layer, "a", 100, "", "X", "X"), Choice(layer, "b", 110, "", "X", "K")],
        [Choice(layer, "c", 50, "", "K", "K")],
    ]
    assert (whole([rows[0][0], rows[1][0]]), whole([rows[0][1], rows[1][0]])) == (100 + 50 + 128, 110 + 50)
    assert [choice.source for choice in fastest_together(rows)] == ["b", "c"]
    assert whole([Choice(replace(layer, repeat=3), "a", 100, "", "X", "K")]) == 300 + 2 * 128


def test_the_command(banked):
    folder, _ = banked
    for name, text in {"torn": '{"version": 1,', "older": '{"version": 0}'}.items():
        (folder / "bank" / f"{name}.json").write_text(text)
    given = ["--bank", str(folder / "bank"), "--arch", str(folder / "small.toml")]
    found = run("--network", f"{folder / 'nets.json'}:target", *given, "--compare", "--json")
    report = json.loads(found.stdout)
    assert [line.split(":")[0] for line in report["skipped"]] == ["older.json", "torn.json"]
    assert "of version 0, not 1" in report["skipped"][0]
    assert report["pairs"] == 9
    assert report["searched_cycles"] < report["default_cycles"]
    assert report["share_of_gain"] > 0.5
    assert "skipped: torn.json" in found.stderr
    for name in ("torn", "older"):
        (folder / "bank" / f"{name}.json").unlink()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--network", "{}/nets.json:target", "--bank", "{}/none"], "none is no bank of schedules"),
        (["--network", "{}/nets.json:source", "--bank", "{}/bank"], "has a class in the bank: nothing"),
        (["--bank", "{}/bank"], "transfer takes either a network to schedule or one to add"),
    ],
)
def test_what_cannot_be_transferred_is_refused(given: list[str], said: str, banked):
    folder, _ = banked
    found = run(*(each.format(folder) for each in given), "--arch", str(folder / "small.toml"))
    assert found.exit_code == 2
    assert said in found.stderr


def run(*arguments: str):
    return CliRunner().invoke(main, ["transfer", *arguments])


def test_every_row_of_the_vector_mac_design():
    """Tiles of depth / 4 cycles: the published ones have 7 more, which here lie under the next tile's sums."""
    file = Path(__file__).parents[1] / "examples" / "transfer" / "vector_mac.py"
    found = SimpleNamespace(**runpy.run_path(str(file)))
    rows = [layer for layers in found.networks().values() for layer in layers]
    assert len(rows) == 15 + 35
    for layer in rows:
        assert found.cycles(layer) == layer.tiles * layer.depth // 4 == layer.published - 7 * layer.tiles
    for layer, stages in ((rows[14], (10, 1, 4)), (rows[2], (10, 4, 6))):
        assert tuple(found.waits(layer).values()) == stages
        assert found.cycles(layer, halves=1) == found.cycles(layer) + sum(stages) * (layer.tiles - 1)
