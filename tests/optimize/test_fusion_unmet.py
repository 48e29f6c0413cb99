"""`halidehw fuse --target`: what an architecture says and no plan has is said, and what a plan has is so."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import halidehw as hl
from halidehw.energy_model.costs.table import load_costs
from halidehw.errors import CostError
from halidehw.frontend.text import parse
from halidehw.mapping.layer import load_network
from halidehw.optimize.fusion.network import nodes_of
from halidehw.optimize.fusion.plan import plan
from halidehw.optimize.fusion.targets import KB, Target
from tests.optimize.test_fusion import run, written
from tests.optimize.test_fusion_refused import CHAIN

MEMORIES = """name = "mine"
costs = "table3"
port_bits = 32
{fields}
[array]
rows = 4

[[level]]
name = "RF"
kind = "register_file"
size = "64 B"

[[level]]
name = "SRAM"
kind = "sram"
size = "8 KB"

[[level]]
name = "DRAM"
kind = "dram"
"""
SHARED = "shared_port_bits = 128"
FAST = 'bandwidth = "4 word/cycle"'
FILES = "weights are read from a shared memory in every step, and PEs hold sums alone"


def test_a_level_with_a_price_of_its_own_is_warned_of(tmp_path):
    """It was ignored: a plan's memories cost what the table says of their sizes."""
    file = tmp_path / "arch.toml"
    file.write_text(MEMORIES.format(fields="").replace('"8 KB"', '"8 KB"\nenergy = "20 pJ"'))
    given = ["--network", written(tmp_path, *CHAIN), "--target", str(file)]
    said, why = "energy = 20 pJ of SRAM", "memories cost what Interstellar, Table 3 says of their sizes; words and"
    assert f"    {said} ({file}:17): {why}" in run(*given).stderr
    with pytest.raises(CostError, match=f"^--objective energy: {said} of mine: in a plan {why}") as caught:
        run(*given, "--objective", "energy")
    assert caught.value.source.text == 'energy = "20 pJ"'
    assert all(run(*given, *legal.split()).exit_code == 0 for legal in caught.value.legal)


@pytest.mark.parametrize(("old", "text", "said", "why", "legal"), [
    ("port_bits = 32", SHARED, SHARED, "each tensor has a port of its own; words are the same, cycles are not those of "
     "one port for all", "shared_port_bits = 0"),
    ('kind = "dram"', FAST, "bandwidth = 4 word/cycle of DRAM", "memories are as fast as ports and lanes; words are "
     "the same, cycles may be fewer than behind it", ""),
    ("port_bits = 32", "sum_bits = 32", "sum_bits = 32", "sums have 64 bits, 4 words of 16, and stay in the PEs; "
     "energy is that of such sums", "sum_bits = 64"),
    ("rows = 4", "links = false", "links = false", "a word for several lanes is read once, and passed on",
     "links = true"),
    ("port_bits = 32", 'dataflow = "C"', 'dataflow = "C"', "lanes are channels of each layer's result, on any of the 4 "
     "PEs", ""),
    ("rows = 4", "columns = 1", "sides of 4 x 1", "lanes are channels of each layer's result, on any of the 4 PEs", ""),
    ('size = "8 KB"', "double = false", "double = false of SRAM", "a tile that moves has two halves, which count",
     "double = true"),
])  # fmt: skip
def test_what_an_architecture_says_and_no_plan_has_is_warned_of(tmp_path, old, text, said, why, legal):
    """It was ignored; where it makes the plan of least delay another one, that is refused."""
    file = tmp_path / "arch.toml"
    file.write_text(plain := MEMORIES.format(fields=""))
    given = ["--network", written(tmp_path, *CHAIN), "--target", str(file)]
    without = run(*given)
    files = f"    register file RF ({file}:10): {FILES}\n"
    assert without.stderr == f"warning: a plan does not have all that mine says\n{files}"
    file.write_text(plain.replace(old, f"{old}\n{text}"))
    line = 1 + file.read_text().splitlines().index(text)
    found = run(*given)
    has = f"; it has {legal}" if legal else ""
    assert found.exit_code == 0 and f"    {said} ({file}:{line}): {why}{has}\n" in found.stderr
    assert found.stdout == without.stdout and len(found.stderr.splitlines()) == 3
    if text in (SHARED, FAST):
        message = f"^--objective delay: {said} of mine: in a plan {why}"
        with pytest.raises(CostError, match=message) as caught:
            run(*given, "--objective", "delay")
        assert caught.value.source.text == text
        assert [run(*given, *each.split()).exit_code for each in caught.value.legal] == [0, 0]
    if legal:
        file.write_text(plain.replace(old, f"{old}\n{legal}"))
        assert len(run(*given, "--objective", "delay").stderr.splitlines()) == 2


def test_costs_of_cells_say_no_energy_of_a_plan(tmp_path):
    """The plan ended in a refusal that proposed an option which `fuse` does not have; by energy each of thousands of
    designs was elaborated before."""
    file, cells = tmp_path / "arch.toml", 'costs = "osu018"'
    text = MEMORIES.format(fields=f"sum_bits = 64\n{cells}")
    file.write_text(text.replace('costs = "table3"\n', ""))
    given = ["--network", written(tmp_path, *CHAIN), "--target", str(file)]
    said, why = "the costs of osu018, calibrated at gate level", "they charge what happens in cells, and know designs"
    found = run(*given)
    assert found.exit_code == 0 and f"    {said} ({file}:4): {why}" in found.stderr
    assert " pJ " not in found.stdout and "uJ" not in found.stdout
    told = json.loads(run(*given, "--json").stdout)
    assert told["energy_pj"] is told["energy_pj_unfused"] is told["groups"][0]["energy_pj"] is None and told["cycles"]
    with pytest.raises(CostError, match=f"^--objective energy: {said} of mine: in a plan {why}") as caught:
        run(*given, "--objective", "energy")
    assert caught.value.source.text == cells
    assert [run(*given, *each.split()).exit_code for each in caught.value.legal] == [0, 0]
    file.write_text(file.read_text().replace(cells, 'costs = "table3"'))
    priced = run(*given)
    assert "pJ on mine" in priced.stdout and "the costs of" not in priced.stderr


def test_a_plan_from_python_by_costs_of_cells_has_no_least_energy(tmp_path):
    nodes = nodes_of(load_network(written(tmp_path, *CHAIN)))
    target = Target("mine", 8 * KB, 2, 1, pes=4, objective="energy", costs=load_costs("osu018"))
    why = "^energy: the cost table 'osu018, calibrated at gate level' knows designs of one stage only"
    with pytest.raises(CostError, match=why) as caught:
        plan(nodes, target)
    other = [each.removeprefix("--objective ") for each in caught.value.legal]
    assert other == ["words", "delay"]
    assert all(plan(nodes, replace(target, objective=each)).groups for each in other)


@pytest.mark.parametrize(("name", "items"), [
    ("eyeriss", ['sides of 16 x 16, dataflow = "FY | Y": lanes are', "register file RF: weights",
                 "sum_bits = 32: sums"]),
    ("interstellar", ['sides of 16 x 16, dataflow = "C | K": lanes', "register file RF1, register file RF2: weights",
                      "sum_bits = 32: sums have 64 bits, 4 words of 16"]),
    ("large", ['sides of 128 x 128, dataflow = "C | K": lanes are', "register file RF: weights", "memory SRAM: tiles "
               "lie in memories of their own, together no larger than L2", "sum_bits = 32: sums have 64 bits"]),
])  # fmt: skip
def test_what_a_shipped_architecture_has_and_no_plan_is_one_short_warning(tmp_path, name, items):
    """All but the sums were ignored; of words of a byte these are those of a plan."""
    given = ["--network", written(tmp_path, *CHAIN), "--target", name]
    for options, expected in (([], items), (["--bytes", "1"], items[:-1])):
        first, *rest = run(*given, *options).stderr.splitlines()
        assert first == f"warning: a plan does not have all that {name} says" and len(rest) == len(expected)
        assert all(map(str.startswith, rest, (f"    {each}" for each in expected))) and max(map(len, rest)) < 140


def test_the_prices_of_an_architecture_are_those_of_a_plan(tmp_path):
    """Of multiply-accumulates, hops and words outside the chip: of these there is nothing to be warned of."""
    file, network = tmp_path / "arch.toml", written(tmp_path, *CHAIN)
    plain, found = MEMORIES.format(fields=""), []
    for old, new in (("", ""), ("rows = 4", 'rows = 4\nmac = "9 pJ"'), ("rows = 4", 'rows = 4\nhop = "9 pJ"'),
                     ('kind = "dram"', 'kind = "dram"\nenergy = "999 pJ"')):  # fmt: skip
        file.write_text(plain.replace(old, new))
        told = run("--network", network, "--target", str(file), "--json")
        assert len(told.stderr.splitlines()) == 2
        found.append(json.loads(told.stdout)["energy_pj"])
    assert all(each > found[0] for each in found[1:])


def test_the_hardware_of_a_plan_has_a_port_for_each_tensor_and_sums_of_four_words(tmp_path):
    """Whatever the architecture says: this is what the warnings are about."""
    file = tmp_path / "arch.toml"
    file.write_text(MEMORIES.format(fields=f"sum_bits = 32\n{SHARED}"))
    found = json.loads(run("--network", written(tmp_path, *CHAIN[:2]), "--target", str(file), "--json").stdout)
    (group,) = found["groups"]
    design = parse(group["design"]).output
    built = hl.compile(design, port_bits=found["port_bits"])
    assert {(port.tensor, port.lanes * port.bits) for port in built.interface.ports if port.kind == "read"} == {
        ("input", 32), ("w_a", 32), ("w_b", 32)
    }  # fmt: skip
    assert "[63:0] accumulated" in built.verilog
    assert hl.estimate(design, port_bits=found["port_bits"]).cycles.total == group["cycles"]
