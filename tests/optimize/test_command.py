"""The command line of the optimizer."""

import json
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from halidehw.cli import main
from halidehw.commands.optimize import optimize_command
from halidehw.driver.estimate import estimate
from halidehw.energy_model.costs.table import load_costs
from halidehw.errors import CostError
from halidehw.frontend.load import load
from halidehw.frontend.text import parse
from halidehw.scheduler import lower

LAYER = "ox=4 oy=4 c=8 k=8 fx=3 fy=3 b=2"
CONV = Path(__file__).parents[2] / "examples" / "conv.hh"
NETWORKS = Path(__file__).parents[2] / "examples" / "networks.json"


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HALIDEHW_CACHE", str(tmp_path / "cache"))


def run(*arguments):
    return CliRunner().invoke(optimize_command, arguments, catch_exceptions=False)


def test_one_layer_as_json_has_the_stated_keys(tmp_path):
    file = tmp_path / "best.hh"
    result = run("--layer", LAYER, "--arch", "eyeriss", "--dataflow", "C | K", "--json", "-o", str(file))
    answer = json.loads(result.output)
    keys = {"energy_pj", "hardware_pj", "cycles", "mapping", "schedule", "optimal", "gap", "space", "bound"}
    assert keys <= set(answer) and answer["optimal"] and answer["gap"] == 0
    assert file.read_text() == answer["schedule"]


def test_one_layer_in_words():
    result = run("--layer", LAYER, "--arch", "eyeriss")
    assert "proven optimal" in result.output and "costs: Interstellar, Table 3; counted the exact way" in result.output
    assert "output.accelerate({input, weight});" in result.output
    assert "  as generated, with each memory as large as it need be: " in result.output
    assert " cycles, at least 576 with these PEs and ports" in result.output


def test_prices_that_an_architecture_states_are_in_the_energy(tmp_path):
    """That of a level on the chip was counted, and then left out of `energy_pj`."""
    asked, answers = ("--layer", "k=64 c=64 b=16", "--dataflow", "C | K"), []
    for energy, array in (("", ""), ('energy = "20 pJ"\n', 'mac = "0.2 pJ"\nhop = "0.5 pJ"\n')):
        shared = f'[[level]]\nname = "SRAM"\nkind = "sram"\nsize = "8 KB"\n{energy}'
        files = '[[level]]\nname = "RF"\nkind = "register_file"\nsize = "64 B"\ndouble = false\n'
        head = f'name = "mine"\ncosts = "table3"\n[array]\nrows = 8\ncolumns = 8\n{array}'
        (tmp_path / "mine.toml").write_text(f'{head}{files}{shared}[[level]]\nname = "DRAM"\nkind = "dram"\n')
        asked_of = (*asked, "--arch", str(tmp_path / "mine.toml"))
        answers.append((json.loads(run(*asked_of, "--json").output), run(*asked_of).output))
    (table, said), (own, also_said) = answers
    assert table["stated"] == {} and own["stated"] == {"SRAM": 20, "mac": 0.2, "hop": 0.5}
    hop = load_costs("table3").hop
    inside = {line.split(".in()")[0] + "_in" for line in own["schedule"].splitlines() if line.endswith("// SRAM")}
    file = tmp_path / "own.hh"
    file.write_text(own["schedule"])
    expected, found = 0.0, estimate(load(file))
    for part in found.energy:
        words = part.pj / part.each
        price = {"mac": 0.2, "read": 20, "write": 20}.get(part.event, part.each / hop * 0.5)
        stated = part.level in inside or part.event not in ("read", "write")
        expected += words * price if stated else part.pj
    assert own["energy_pj"] == pytest.approx(expected) and own["energy_pj"] > found.energy_pj
    assert "which `halidehw estimate` does not know" not in said
    assert "and of mine SRAM 20 pJ, mac 0.2 pJ, hop 0.5 pJ, which `halidehw estimate` does not know" in also_said


def test_what_is_proven_of_the_steady_state_is_said_to_be_of_that():
    """"100 % busy, proven optimal" was said of hardware that ran four times as long."""
    asked = ("--layer", "k=64 c=64 oy=14 ox=14 fx=3 fy=3", "--convention", "paper", "--objective", "delay")
    answer, said = json.loads(run(*asked, "--json").output), run(*asked).output
    assert answer["optimal"] and answer["cycles"] > 4 * answer["steady_cycles"]
    assert answer["space"].endswith("in the steady state, which the hardware's run is longer than")
    assert f"{answer['cycles']} cycles {answer['utilization']:6.1%} busy  proven optimal in the steady state, " in said
    assert f" at the prices of the levels, {answer['steady_cycles']} cycles, 100.0% busy" in said
    assert answer["utilization"] < 0.25 and answer["steady_utilization"] == 1
    assert answer["about"] == "the steady state"
    assert "proven optimal in counted energy, " in run("--layer", LAYER, "--arch", "eyeriss").output


@pytest.mark.soak
def test_what_the_gap_of_a_front_is_about():
    """It was said to be of the energy as counted."""
    asked = ("--layer", "k=8 c=8 b=4", "--arch", "tpu")
    front = json.loads(run(*asked, "--pareto", "--json").output)["front"]
    about = "run time of what counts as little energy"
    assert {each["about"] for each in front if "gap over" in each["space"]} == {about}
    assert f"% of the optimum in {about}, " in run(*asked, "--pareto").output


@pytest.mark.parametrize("objective, about", [("delay", "run time"), ("edp", "counted energy times run time")])
def test_what_the_gap_of_an_objective_is_about(objective, about):
    """That of a product was said to be of the hardware."""
    asked = ("--layer", "k=4 c=4", "--arch", "eyeriss", "--objective", objective)
    assert json.loads(run(*asked, "--json").output)["about"] == about
    assert f" in {about}, " in run(*asked).output


def test_hardware_without_a_price_is_said_to_have_none(tmp_path):
    """Its energy is the counted one then, and nothing said so. A stated bandwidth is in `cycles`, not in the design."""
    file = tmp_path / "small.toml"
    shared = '[[level]]\nname = "SRAM"\nkind = "sram"\nsize = "1 KB"\n'
    outside = '[[level]]\nname = "DRAM"\nkind = "dram"\nbandwidth = "0.5 word/cycle"\n'
    files = '[[level]]\nname = "RF"\nkind = "register_file"\nsize = "16 B"\n'
    file.write_text(f'name = "small"\ncosts = "osu018"\n[array]\nrows = 2\n{files}{shared}{outside}')
    asked = ("--layer", "k=4 c=4 ox=4", "--arch", str(file))
    assert ": no energy by osu018, calibrated at gate level, " in run(*asked).output
    answer = json.loads(run(*asked, "--json", "-o", str(tmp_path / "best.hh")).output)
    assert answer["hardware_pj"] is None and answer["energy_pj"] == answer["counted_pj"]
    found = estimate(load(tmp_path / "best.hh"), "table3").cycles.total
    assert answer["cycles"] == max(found, answer["steady_cycles"]) > found


def test_a_warning_goes_to_standard_error_and_the_space_is_printed():
    result = run("--layer", "k=8 c=8 groups=8 ox=9 oy=9 fx=3 fy=3", "--arch", "interstellar")
    assert result.stderr.startswith("warning: layer: 1 of 256 PEs is at work under C | K; ")
    assert "  of: dataflow C | K; lanes that divide the loops; " in result.stdout


def test_the_energy_of_the_generated_hardware_is_that_of_estimate(tmp_path):
    file = tmp_path / "best.hh"
    answer = json.loads(run("--layer", LAYER, "--arch", "interstellar", "--json", "-o", str(file)).output)
    found = estimate(load(file), "table3")
    assert answer["hardware_pj"] == pytest.approx(found.energy_pj)
    assert answer["energy_pj"] == answer["hardware_pj"] and answer["cycles"] == found.cycles.total
    assert answer["steady_cycles"] < answer["cycles"] and answer["counted_pj"] != answer["energy_pj"]


def test_wider_ports_make_the_generated_hardware_faster_and_the_bound_lower(tmp_path):
    file, layer = tmp_path / "best.hh", "k=64 c=64 b=16"
    call = ("--layer", layer, "--json", "-o", str(file), "--port-bits")
    narrow, wide = (json.loads(run(*call, bits).output) for bits in ("0", "128"))
    assert narrow["mapping"] == wide["mapping"] and narrow["counted_pj"] == wide["counted_pj"]
    assert wide["cycles"] == estimate(load(file), "table3", port_bits=128).cycles.total < narrow["cycles"]
    assert (narrow["bound"], wide["bound"]) == (64 * 64, 64 * 64 // 8)


def test_the_papers_energy_stays_the_one_by_its_own_counts():
    answer = json.loads(run("--layer", LAYER, "--convention", "paper", "--json").output)
    assert answer["energy_pj"] == answer["counted_pj"] == sum(sum(p.values()) for p in answer["parts"].values())
    assert answer["hardware_pj"] != answer["energy_pj"]


def test_one_layer_is_kept_in_a_journal_too(tmp_path):
    pytest.importorskip("joblib")
    journal, arguments = tmp_path / "journal", ("--layer", LAYER, "--json", "--workers", "1")
    first = run(*arguments, "--journal", str(journal)).output
    assert len(journal.read_text().splitlines()) == 1
    assert run(*arguments, "--journal", str(journal)).output == first


def timeless(text):
    return {key: value for key, value in json.loads(text).items() if key not in ("seconds", "kept")}


def test_what_was_asked_before_is_recalled_until_it_is_removed_or_damaged(tmp_path):
    folder = tmp_path / "cache" / "answers"
    arguments = ("--layer", LAYER, "--json")
    first = run(*arguments).output
    again = run(*arguments).output
    assert not json.loads(first)["kept"] and json.loads(again)["kept"] and timeless(again) == timeless(first)
    assert not json.loads(run(*arguments, "--objective", "edp").output)["kept"]
    assert not json.loads(run(*arguments, "--afresh").output)["kept"]
    [file] = [each for each in folder.iterdir() if '"objective": "energy"' in each.read_text()]
    text = file.read_text()
    other = text.replace('"energy_pj": ', '"energy_pj": 1')
    for damaged in ("", text[:100], "[]", '{"answer": 3, "digest": 4}', "[" * 100000, other):
        file.write_text(damaged)
        answer = run(*arguments).output
        assert not json.loads(answer)["kept"] and timeless(answer) == timeless(first)
        assert file.read_text() != damaged
    shutil.rmtree(folder)
    assert not json.loads(run(*arguments).output)["kept"]


def test_an_edited_network_is_searched_only_where_it_changed(tmp_path):
    pytest.importorskip("joblib")
    layers = [{"name": f"fc{n}", "k": 8 * n, "c": 8} for n in (1, 2, 3)]

    def kept():
        file = tmp_path / "net.json"
        file.write_text(json.dumps({"networks": {"net": {"layers": layers}}}))
        answer = json.loads(run("--network", str(file), "--workers", "1", "--json").output)
        assert [each["layer"] for each in answer["layers"]] == [layer["name"] for layer in layers]
        return [each["kept"] for each in answer["layers"]]

    assert kept() == [False, False, False]
    layers[1]["c"], layers[2]["name"] = 12, "last"
    assert kept() == [True, False, True]


def test_where_nothing_can_be_kept_the_search_goes_on(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HALIDEHW_CACHE", str(tmp_path / "file"))
    assert [json.loads(run("--layer", LAYER, "--json").output)["kept"] for _ in range(2)] == [False, False]


def test_each_layer_of_a_network_says_how_often_it_repeats(tmp_path):
    """The sums had it, the layers did not."""
    file = tmp_path / "net.json"
    rows = [{"name": "a", "k": 4, "c": 4}, {"name": "b", "k": 4, "c": 8, "repeat": 3}]
    file.write_text(json.dumps({"networks": {"net": {"layers": rows}}}))
    answer = json.loads(run("--network", f"{file}:net", "--arch", "eyeriss", "--json", "--workers", "1").output)
    assert [layer["repeat"] for layer in answer["layers"]] == [1, 3]
    assert answer["cycles"] == sum(layer["repeat"] * layer["cycles"] for layer in answer["layers"])


def test_a_network_adds_up():
    pytest.importorskip("joblib")
    result = run("--network", f"{NETWORKS}:mlp_m", "--arch", "eyeriss", "--json", "--workers", "1")
    answer = json.loads(result.output)
    assert answer["energy_pj"] == pytest.approx(sum(layer["energy_pj"] for layer in answer["layers"]))
    assert answer["hardware_pj"] == pytest.approx(sum(layer["hardware_pj"] for layer in answer["layers"]))
    assert [layer["layer"] for layer in answer["layers"]] == ["fc1", "fc2", "fc3"]
    assert [layer["repeat"] for layer in answer["layers"]] == [1, 1, 1]
    printed = run("--network", f"{NETWORKS}:mlp_m", "--workers", "1").output
    assert "total" in printed and printed.count("as generated, with each memory as large as it need be: ") == 1


def test_a_sum_of_hardware_and_of_what_is_counted_is_warned_of(tmp_path):
    """The total said only that it had no energy by `osu018`, and an energy."""
    pytest.importorskip("joblib")
    kinds = {"RF": '"register_file"\nsize = "64 B"\ndouble = false', "SRAM": '"sram"\nsize = "8 KB"', "DRAM": '"dram"'}
    tables = "".join(f'[[level]]\nname = "{name}"\nkind = {kind}\n' for name, kind in kinds.items())
    (tmp_path / "osu.toml").write_text(f'name = "osu"\ncosts = "osu018"\n[array]\nrows = 2\ncolumns = 2\n{tables}')
    layers = [{"name": "one", "k": 8, "c": 8, "b": 4}, {"name": "other", "ox": 4, "oy": 4, "c": 8, "k": 8, "fx": 3}]
    (tmp_path / "net.json").write_text(json.dumps({"networks": {"net": {"layers": layers}}}))
    asked = ("--network", str(tmp_path / "net.json"), "--arch", str(tmp_path / "osu.toml"), "--workers", "1")
    said = run(*asked, "--dataflow", "C | K", "--json")
    priced = {layer["layer"] for layer in json.loads(said.stdout)["layers"] if layer["hardware_pj"] is not None}
    assert priced == {"one"}
    assert said.stderr.startswith("warning: the hardware of other has no price by osu018, calibrated at gate level: ")


@pytest.mark.soak
def test_the_gap_of_a_network_is_of_what_was_asked_for():
    """It was weighted by energy where the gaps were in cycles."""
    pytest.importorskip("joblib")
    asked = ("--arch", "eyeriss", "--objective", "delay", "--json", "--workers", "1")
    answer = json.loads(run("--network", f"{NETWORKS}:mlp_m", *asked).output)
    left = sum(layer["cycles"] * (1 - layer["gap"]) for layer in answer["layers"])
    assert answer["gap"] == pytest.approx(1 - left / answer["cycles"])


@pytest.mark.parametrize("levels", [("RF", "SRAM", "DRAM"), ("RF", "DRAM")])
def test_energy_without_prices_decides_nothing_and_cycles_do(tmp_path, levels):
    """`no tiles and lanes fit together` was said of it; of a network's cycles it ended in a division by zero."""
    pytest.importorskip("joblib")
    kinds = {"RF": 'register_file"\nsize = "64 B', "SRAM": 'sram"\nsize = "8 KB', "DRAM": "dram"}
    tables = (f'[[level]]\nname = "{each}"\nkind = "{kinds[each]}"\nenergy = "0 pJ"\n' for each in levels)
    file, network = tmp_path / "free.toml", tmp_path / "net.json"
    array = '[array]\nrows = 4\nmac = "0 pJ"\nhop = "0 pJ"\n'
    file.write_text(f'name = "free"\ncosts = "table3"\n{array}{"".join(tables)}')
    for more in ([], ["--objective", "edp"], ["--pareto"]):
        with pytest.raises(CostError, match="layer on free: there are mappings of 0 pJ at its prices") as caught:
            run("--layer", "k=8 c=8 b=4", "--arch", str(file), *more)
        assert caught.value.legal == ("--objective delay",)
    network.write_text('{"networks": {"net": {"layers": [{"k": 8, "c": 8, "b": 4}]}}}')
    asked = ("--network", str(network), "--arch", str(file), "--workers", "1", "--json")
    answer = json.loads(run(*asked, *caught.value.legal[0].split()).output)
    assert answer["gap"] == answer["layers"][0]["gap"]


def test_the_networks_and_tables_of_costs_that_are_proposed_are_options():
    """Bare names were proposed."""
    for command in (("optimize", "--network"), ("fuse", "--network"), ("transfer", "--bank", "none", "--add")):
        found = CliRunner().invoke(main, [*command, f"{NETWORKS}:none"]).stderr
        assert "has no network 'none'\n" in found and f"\n    {command[-1]} {NETWORKS}:mlp_m\n" in found
    for command in (("optimize", "--memories", "rf 64B", "--layer", "k=4"), ("estimate", CONV)):
        asked = [str(each) for each in (*command, "--costs")]
        found = CliRunner().invoke(main, [*asked, "none"]).stderr
        assert found.endswith("what would work:\n    --costs osu018\n    --costs table3\n")
        assert CliRunner().invoke(main, [*asked, "table3"]).exit_code == 0


@pytest.mark.parametrize("text", ["", " ", "C | W", "C | C"])
def test_a_dataflow_that_is_none_lists_options(text):
    """Nothing between the quotes was the architecture's own."""
    found = CliRunner().invoke(main, ["optimize", "--layer", "k=4 c=4", "--arch", "eyeriss", "--dataflow", text])
    assert found.exit_code == 2 and found.stderr.startswith(f"halidehw: dataflow {text!r}")
    for legal in found.stderr.partition("what would work:\n")[2].splitlines():
        assert run("--layer", "k=4 c=4", "--arch", "eyeriss", *shlex.split(legal)).exit_code == 0


def test_neither_or_both():
    for arguments in ((), ("--layer", LAYER, "--network", "x.json")):
        with pytest.raises(CostError, match="either a layer or a network"):
            run(*arguments)


def test_an_infeasible_layer():
    with pytest.raises(CostError, match="time limit must be more than 0 seconds"):
        run("--layer", LAYER, "--time-limit", "-1")


SHAPES = [LAYER, "k=16 c=16 b=8", "ox=8 oy=8 c=4 k=4 groups=4 fx=3 fy=3 stride=2", "k=4", "ox=6 fx=3", "c=7 k=5"]


@pytest.mark.parametrize("layer", SHAPES)
@pytest.mark.parametrize("more", [(), ("--ragged",), ("--replicate",)])
def test_the_schedule_is_a_design_with_the_mappings_loops(layer, more):
    answer = json.loads(run("--layer", layer, "--arch", "eyeriss", "--dataflow", "C | K", "--json", *more).output)
    nest = lower(parse(answer["schedule"]).output)
    trips = sorted(n for level in answer["mapping"]["levels"] for _, n in level["loops"])
    lanes = sorted(n for axis in answer["mapping"]["spatial"] for _, n in axis)
    assert sorted(loop.lanes for loop in nest.loops if loop.lanes > 1) == lanes
    assert sorted(loop.steps for loop in nest.loops if loop.steps > 1) == trips
