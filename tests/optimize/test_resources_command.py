"""`halidehw optimize` over memory sizes, levels and arrays; the front; bad input: exit code 2 and what would work."""

import json

import pytest
from click.testing import CliRunner

from halidehw.cli import main
from halidehw.energy_model.costs.table import built_in

LAYER = "ox=4 oy=4 c=8 k=8 fx=3 fy=3 b=2"
SIZES = ("--layer", LAYER, "--arch", "eyeriss", "--dataflow", "C | K", "--workers", "1")


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HALIDEHW_CACHE", str(tmp_path / "cache"))


def run(*arguments):
    return CliRunner().invoke(main, ["optimize", *map(str, arguments)])


def answer(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_sizes_levels_and_arrays_within_a_budget():
    found = answer(
        *SIZES, "--memories", "rf 32B,64B | sram 1KB,2KB", "--memories", "rf 16B | rf 64B | sram 2KB",
        "--arrays", "2x2,4x4", "--max-pes", 8, "--max-memory", "2KB",
    )  # fmt: skip
    names = {each["architecture"] for each in found["ranking"]}
    assert names == {"eyeriss 2x2, 32 B + 1 KB", "eyeriss 2x2, 64 B + 1 KB"}
    energies = [each["energy_pj"] for each in found["ranking"]]
    assert energies == sorted(energies) and found["best"] == found["ranking"][0]
    assert found["best"]["on_chip_bytes"] == sum(
        size * (4 if name == "RF" else 1) for name, size in found["best"]["bytes"].items()
    )


OSU = """name = "mine"
costs = "osu018"
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
size = "8 KB"
[[level]]
name = "DRAM"
kind = "dram"
"""


def test_a_ranking_has_the_hardware_of_each_layer_at_the_costs_of_the_architecture(tmp_path):
    """Its energy was counted, by table3 whatever the architecture said, and its cycles were the steady ones."""
    (tmp_path / "mine.toml").write_text(OSU)
    asked = ("--layer", LAYER, "--arch", tmp_path / "mine.toml", "--dataflow", "C | K", "--workers", 1)
    alone, ranked = answer(*asked), answer(*asked, "--arrays", "4x4,2x2")["ranking"]
    keys = ("energy_pj", "cycles", "counted_pj", "steady_cycles")
    own = next(each for each in ranked if each["array"] == [4, 4])
    assert {key: own[key] for key in keys} == {key: alone[key] for key in keys}
    assert own["cycles"] > own["steady_cycles"]
    sized = answer(*asked, "--memories", "rf 64B | sram 8KB")["best"]
    assert {key: sized[key] for key in keys} == {key: alone[key] for key in keys}
    other = answer(*asked, "--memories", "rf 64B | sram 8KB", "--costs", "table3")["best"]
    assert other["counted_pj"] != alone["counted_pj"]


def test_other_costs_are_of_all_that_states_no_price_and_levels_stay_as_they_are(tmp_path):
    """Levels lost their prices and bandwidths; of the array and the memory outside those of the old table stayed."""
    said = OSU.replace('"8 KB"', '"8 KB"\nenergy = "20 pJ"\nbandwidth = "1 word/cycle"')
    said = said.replace("[array]", '[array]\nhop = "0.5 pJ"')
    (tmp_path / "osu.toml").write_text(said)
    (tmp_path / "mine.toml").write_text(said.replace("osu018", "table3"))
    asked = ("--layer", LAYER, "--dataflow", "C | K", "--workers", 1, "--arrays", "4x4", "--arch")
    table, own = answer(*asked, tmp_path / "mine.toml")["best"], answer(*asked, tmp_path / "osu.toml")["best"]
    assert answer(*asked, tmp_path / "osu.toml", "--costs", "table3")["best"] == table
    assert answer(*asked, tmp_path / "mine.toml", "--costs", "osu018")["best"] == own
    assert own["counted_pj"] > table["counted_pj"]
    others = run(*asked, tmp_path / "mine.toml", "--memories", "rf 64B | sram 8KB")
    assert others.stderr == "warning: --memories: what mine states of SRAM (energy, bandwidth) is not of these levels\n"


def test_costs_of_words_of_another_width_are_refused(tmp_path):
    """Levels had as many words as if those were the architecture's."""
    text = built_in()["table3"].read_text()
    (tmp_path / "bytes.toml").write_text(text.replace("16 bit", "8 bit"))
    refused = run(*SIZES, "--arrays", "2x2", "--costs", tmp_path / "bytes.toml")
    assert refused.exit_code == 2 and "its words have 8 bits, those of eyeriss 16\n" in refused.stderr
    for works in refused.stderr.partition("what would work:\n")[2].splitlines():
        assert run(*SIZES, "--arrays", "2x2", *works.split()).exit_code == 0


def test_an_array_that_cannot_have_the_dataflow_is_said_to_be_left_out():
    """It was left out without a word, and proposed by a refusal."""
    asked = (*SIZES, "--arrays", "2x2,4")
    found = answer(*asked)
    assert [each["array"] for each in found["ranking"]] == [[2, 2]]
    (left_out,) = found["left_out"]
    assert left_out["array"] == [4] and left_out["why"] == "dataflow 'C | K' has 2 dimensions, the array has 1"
    assert "warning: eyeriss 4, " in run(*asked).stderr and " is left out: dataflow 'C | K' has 2" in run(*asked).stderr
    refused = run(*SIZES, "--arrays", "2x2,x").stderr
    assert "--arrays 8x8,16x16\n" in refused and "64" not in refused


def test_a_dataflow_of_two_dimensions_is_of_the_arrays_to_choose_from(tmp_path):
    """It was refused where the architecture itself has one."""
    (tmp_path / "mine.toml").write_text(OSU.replace("osu018", "table3").replace("columns = 4\n", ""))
    asked = ("--layer", LAYER, "--dataflow", "C | K", "--arch", tmp_path / "mine.toml", "--workers", 1)
    (left_out,) = (found := answer(*asked, "--arrays", "4x4,4"))["left_out"]
    assert found["best"]["array"] == [4, 4] and left_out["array"] == [4]
    assert "has 2 dimensions, the array has 1" in run(*asked).stderr


def test_by_the_paper_a_ranking_is_of_whole_levels_in_the_steady_state():
    found = answer(*SIZES, "--arrays", "2x2,4x4", "--objective", "delay", "--convention", "paper")["ranking"]
    assert all(each["energy_pj"] == each["counted_pj"] for each in found)
    assert [each["steady_cycles"] for each in found] == sorted(each["steady_cycles"] for each in found)
    said = run(*SIZES, "--arrays", "2x2,4x4", "--objective", "delay", "--convention", "paper").stdout
    assert f" {found[0]['steady_cycles']} cycles of the steady state " in said


def test_energies_of_hardware_and_energies_as_counted_are_not_ranked_together(tmp_path):
    """What had no price by `osu018` was ranked by what was counted, beside the hardware of others."""
    (tmp_path / "mine.toml").write_text(OSU)
    layer = ("--layer", "k=8 c=8 b=4", "--dataflow", "C | K", "--arch", tmp_path / "mine.toml")
    asked = (*layer, "--workers", 1, "--arrays", "2x2", "--memories")
    counted, priced = answer(*asked, "rf 16B,64B | sram 8KB"), answer(*asked, "rf 64B | sram 8KB")
    assert priced["compared"] == ["energy_pj", "cycles"] and counted["compared"] == ["counted_pj", "cycles"]
    same = [each["energy_pj"] == each["counted_pj"] for each in counted["ranking"]]
    assert sorted(same) == [False, True]
    energies = [each["counted_pj"] for each in counted["ranking"]]
    assert energies == sorted(energies)
    said = run(*asked, "rf 16B,64B | sram 8KB")
    assert said.stderr.startswith("warning: not all hardware has a price by osu018, calibrated at gate level, so that")
    assert said.stdout.count(" uJ as counted ") == said.stdout.count("\n  ")
    assert " uJ as counted " not in run(*asked, "rf 64B | sram 8KB").stdout


def test_by_the_paper_a_front_is_of_what_is_counted_in_the_steady_state():
    """It was chosen by the run of the hardware."""
    front = answer("--layer", LAYER, "--arch", "eyeriss", "--pareto", "--convention", "paper")["front"]
    pairs = [(each["counted_pj"], -each["steady_cycles"]) for each in front]
    assert len(pairs) > 3 and pairs == sorted(pairs) and len({cycles for _, cycles in pairs}) == len(pairs)


def test_a_front_has_no_objective():
    refused = run("--layer", LAYER, "--pareto", "--objective", "delay")
    assert refused.exit_code == 2 and "--objective: a front has the best in energy, in delay and in" in refused.stderr
    assert "    --pareto\n" in refused.stderr


def test_the_number_of_levels_is_a_choice():
    found = answer(*SIZES, "--memories", "rf 64B | sram 2KB", "--memories", "rf 16B | rf 64B | sram 2KB")
    assert {len(each["bytes"]) for each in found["ranking"]} == {2, 3}


def test_a_size_without_room_for_one_element_of_each_tensor_is_left_out():
    """The whole ranking was refused, with a line of a file that there was not."""
    sizes = (*SIZES, "--arrays", "2x2", "--memories")
    ranking = answer(*sizes, "rf 16B | sram 4KB")["ranking"]
    assert answer(*sizes, "rf 4B,16B | sram 4KB", "--memories", "rf 4B | sram 8KB")["ranking"] == ranking


def test_a_ratio_reports_what_it_loses():
    pruned = answer(*SIZES, "--arrays", "2x2", "--memories", "rf 16B,32B,64B | sram 1KB,4KB", "--ratio", "4:16")
    ratio = pruned["ratio"]
    assert ratio["of"] == pruned["searched"] == 6 and 0 < ratio["kept"] < 6
    assert ratio["loss"] == pruned["best"]["energy_pj"] / ratio["best_of_all"]["energy_pj"] - 1 >= 0
    kept = ("--arrays", "2x2", "--memories", "rf 16B,64B | sram 1KB", "--ratio")
    nothing = run(*SIZES, *kept, "100:200")
    assert nothing.exit_code == 2
    assert "none of 2 architectures has its ratios between 100 and 200" in nothing.stderr
    assert "--ratio 16:16" in nothing.stderr and run(*SIZES, *kept, "16:16").exit_code == 0


def test_a_ratio_that_is_proposed_keeps_something():
    """It was rounded to six digits, so that it kept nothing, or was no ratio."""
    kept = (*SIZES, "--dataflow", "K", "--arrays", "3", "--memories", "rf 64B | sram {}", "--ratio")
    for size, works in (("16KB", "85:86"), ("512MB", "2796202:2796203")):
        every = [each.format(size) for each in kept]
        nothing = run(*every, "1:2")
        assert nothing.exit_code == 2 and "none of 1 architecture has its ratios between 1 and 2" in nothing.stderr
        assert f"    --ratio {works}\n" in nothing.stderr and run(*every, works).exit_code == 0


def test_the_front_of_architectures_and_its_picture(tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "front.svg"
    found = answer(*SIZES, "--arrays", "2x2,4x4,8x8", "--plot", file)
    front = [(each["cycles"], each["energy_pj"]) for each in found["front"]]
    assert front == sorted(front) and file.stat().st_size
    for each in found["ranking"]:
        assert any(cycles <= each["cycles"] and energy <= each["energy_pj"] for cycles, energy in front)


def test_an_area_counts_pes_and_bytes():
    area = ("--pe-area", "1000um2", "--byte-area", "2um2")
    found = answer(*SIZES, "--arrays", "2x2,16x16", "--memories", "rf 64B | sram 2KB", "--max-area", "0.01mm2", *area)
    assert [each["architecture"] for each in found["ranking"]] == ["eyeriss 2x2, 64 B + 2 KB"]


@pytest.mark.soak
def test_the_front_of_one_layer(tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "front.png"
    front = answer("--layer", LAYER, "--dataflow", "X | Y", "--pareto", "--plot", file)["front"]
    pairs = [(each["energy_pj"], -each["cycles"]) for each in front]
    assert pairs == sorted(pairs) and file.stat().st_size
    assert all(each["cycles"] >= max(each["steady_cycles"], each["bound"]) for each in front)
    assert all(0 < each["gap"] < 1 and "gap over" in each["space"] for each in front)
    assert "% of the optimum" in run("--layer", LAYER, "--pareto").output


def test_the_spread_of_blockings_and_dataflows_as_a_picture(tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "blockings.png"
    assert run("--layer", LAYER, "--plot", file).exit_code == 0 and file.stat().st_size
    alone = file.stat().st_size
    assert run("--layer", LAYER, "--dataflow", "any", "--plot", file).exit_code == 0 and file.stat().st_size > alone
    for aim, what in (("delay", "steady cycles"), ("edp", "energy times steady cycles")):
        assert run("--layer", LAYER, "--objective", aim, "--plot", tmp_path / f"{aim}.svg").exit_code == 0
        assert f"<!-- {what} over the optimum's -->" in (tmp_path / f"{aim}.svg").read_text()
    result = run("--layer", LAYER, "--plot", tmp_path / "blockings.xyz")
    assert result.exit_code == 2 and "--plot blockings.png" in result.stderr


SMALL = """name = "mine"
costs = "table3"
[array]
rows = 4
[[level]]
name = "RF"
kind = "register_file"
size = "8 B"
[[level]]
name = "DRAM"
kind = "dram"
"""


@pytest.mark.parametrize(
    ("arguments", "message", "works"),
    [
        (("--layer", LAYER, "--arch", "{small}"), "RF has 4 words, needs 8 words to hold one element", '"16 B"'),
        (("--layer", LAYER, "--dataflow", "C | W"), "unknown loop 'W'", "FY | Y"),
        (("--layer", "ox=0"), "ox must be a positive integer, is 0", "ox=1"),
        (("--layer", "oxx=4"), "unknown size 'oxx'", "ox"),
        (("--network", "{network}"), "layer one: unknown size 'oxx'", "ox"),
        (("--layer", LAYER, "--arch", "{small}x"), "no architecture file", "--arch eyeriss"),
        (("--layer", LAYER, "--arch", "."), "no architecture file .", "--arch eyeriss"),
        (("--layer", LAYER, "--arrays", "4"), "dataflow 'C | K' has 2 dimensions, the array has 1", "--dataflow C"),
        (("--layer", LAYER, "--objective", "speed"), "unknown objective 'speed'", "--objective delay"),
        (("--layer", LAYER, "--convention", "guess"), "unknown convention 'guess'", "--convention paper"),
        (("--layer", "k=4 k=5"), "k is given twice", "k=5"),
        (("--layer", "k=4 ox=3000000000000000"), "iterations, more than 9007199254740992, up to", "k=4 ox=1048576"),
        (("--layer", LAYER, "--time-limit", "0"), "time limit must be more than 0 seconds", "--time-limit 10"),
        (("--layer", LAYER, "--time-limit", "nan"), "time limit must be more than 0 seconds", "--time-limit 10"),
        ((*SIZES, "--arrays", "8x8", "--max-pes", "16"), "of 16 PEs: the smallest has 64 PEs", "--max-pes 64"),
        (
            (*SIZES, "--arrays", "8x8", "--max-memory", "1KB"),
            "of 1024 bytes: the smallest has 64 PEs and 163840 bytes",
            "--max-memory 163840B",
        ),
        (
            (*SIZES, "--arrays", "8x8", "--max-area", "1mm2", "--pe-area", "1mm2"),
            "budget of 1e+06 um2: the smallest has 64 PEs and 163840 bytes on chip and 6.4e+07 um2",
            "--max-area 64000000um2",
        ),
        ((*SIZES, "--memories", "flash 16B"), "unknown kind 'flash', not rf or sram", "rf 16B,32B | sram"),
        ((*SIZES, "--memories", "rf 16"), "'16' is not a size; it takes B, KB, MB", "rf 16B,32B | sram"),
        ((*SIZES, "--memories", "sram 16KB | rf 16B"), "one or more rf, then the sram around", "rf 16B,32B | sram"),
        ((*SIZES, "--memories", "rf 16B,16B | sram 1KB"), "16B is given twice", '--memories "rf 16B | sram 1024B"'),
        ((*SIZES, "--arrays", "4x4,8,4x4"), "4x4 is given twice; each choice is searched once", "--arrays 4x4,8\n"),
        (
            (*SIZES, "--memories", "rf 2B,4B | sram 1KB,2KB"),
            "memories 'rf 2B,4B | sram 1024B,2048B': rf 4B has no room for one element of each tensor, which takes 8B",
            '--memories "rf 8B | sram 1024B,2048B"',
        ),
        ((*SIZES, "--arrays", "8x8", "--max-memory", "0KB"), "--max-memory 0KB: not a size", "--max-memory 128KB"),
        ((*SIZES, "--arrays", "8x8", "--max-memory", "1GB"), "number above 0 and B, KB, MB", "--max-memory 1024MB"),
        ((*SIZES, "--arrays", ""), "arrays '': '' is not a shape", "--arrays 8x8,16x16"),
        ((*SIZES, "--arrays", "8x"), "'8x' is not a shape", "--arrays 8x8,16x16"),
        ((*SIZES, "--arrays", "9999999x8"), "9999999 PEs on a dimension, more than 1048576", "--arrays 8x8,16x16"),
        ((*SIZES, "--arrays", "8x8", "--ratio", "16:4"), "'16:4' is not a range of ratios", "--ratio 4:16"),
        (
            (*SIZES, "--arrays", "8x8", "--max-area", "4", "--pe-area", "1mm2"),
            "--max-area: '4' is not an area; it takes um2, mm2",
            "--max-area 2mm2",
        ),
        ((*SIZES, "--arrays", "8x8", "--max-area", "4mm2", "--pe-area", ""), "'' is not an area", "--pe-area 1500um2"),
        ((*SIZES, "--arrays", "8x8", "--ratio", ""), "'' is not a range of ratios", "--ratio 4:16"),
        ((*SIZES, "--cluster", "tcp://a:1"), "--workers: a cluster has workers of its own", "    --cluster tcp://a:1\n"),
        ((*SIZES, "--max-pes", "4"), "a budget, a ratio or a cost table needs sizes", "--memories"),
        ((*SIZES, "--costs", "table3"), "a budget, a ratio or a cost table needs sizes", "--memories"),
        ((*SIZES, "--arrays", "4x4", "--max-area", "1mm2"), "--max-area: nothing has an area", "--pe-area 1500um2"),
        ((*SIZES, "--arrays", "4x4", "--pe-area", "1um2"), "limit nothing without a budget", "--max-area 2mm2"),
        ((*SIZES, "--arrays", "4x4", "--schedule-only"), "--schedule-only: with --memories or --arrays the", "--plot"),
        ((*SIZES, "--pareto", "--schedule-only"), "--schedule-only: a front has several schedules", "--pareto --json"),
        ((*SIZES, "--pareto"), "--pareto is a chain of searches, so --workers", "--pareto"),
        ((*SIZES, "--schedule-only", "--json"), "--schedule-only: --json has the schedule already", "--json"),
        ((*SIZES, "--plot", "picture"), "picture does not end in .png, .svg, .pdf", ""),
        ((*SIZES, "--journal", "{small}"), "small.toml is no journal of searches", "small.journal"),
        (
            ("--layer", "k=127", "--dataflow", "K", "--half-full", "--memories", "rf 30B | sram 1KB", "--workers", "1"),
            "no choice can run all of layer: layer on interstellar 16x16, 30 B + 1 KB: no tile fits",
            "",
        ),
        (("--network", "{good}", "--schedule-only"), "--schedule-only: a network has several layers", '--layer "k'),
        (("--layer", LAYER, "-o", "{small}/none/x.hh"), "there is no folder", "would work:\n    -o x.hh"),
        (("--layer", LAYER, "-o", "{small}/x.hh"), "small.toml is a file, not a folder", "would work:\n    -o x.hh"),
        (
            ("--layer", LAYER, "--memories", "rf 16B,32B | sram 64KB", "--costs", ""),
            "cannot read '': it is no file, nor the name of a built-in table",
            "--costs table3",
        ),
        (("--layer", LAYER, "--journal", ""), "--journal .: this names a folder, not a file", "--journal out"),
        (("--layer", LAYER, "--journal", "none/x"), "--journal none/x: there is no folder none", "--journal x"),
        (("--layer", LAYER, "--plot", "none/x.png"), "--plot none/x.png: there is no folder none", "--plot x.png"),
    ],
)
def test_bad_input_ends_with_code_2_and_what_would_work(tmp_path, arguments, message, works):
    (tmp_path / "small.toml").write_text(SMALL)
    for name, key in (("bad", "oxx"), ("good", "ox")):
        (tmp_path / f"{name}.json").write_text(json.dumps({"networks": {"n": {"layers": [{"name": "one", key: 4}]}}}))
    places = {"small": tmp_path / "small.toml", "network": tmp_path / "bad.json", "good": tmp_path / "good.json"}
    result = run(*(str(each).format(**places) for each in arguments))
    assert result.exit_code == 2 and result.stdout == ""
    assert message in result.stderr and works in result.stderr and "Traceback" not in result.stderr


def test_a_cluster_that_does_not_answer():
    pytest.importorskip("distributed")
    result = run("--layer", LAYER, "--cluster", "127.0.0.1:9")
    assert result.exit_code == 2
    assert "no Dask scheduler at 127.0.0.1:9" in result.stderr and "    --cluster tcp://127.0.0.1:8786" in result.stderr


def test_a_cluster_without_an_address_is_refused():
    """The search was on this machine."""
    pytest.importorskip("distributed")
    for more in ((), ("--workers", "2")):
        result = run("--layer", LAYER, "--afresh", "--cluster", "", *more)
        assert result.exit_code == 2 and "missing port number in address ''" in result.stderr
        assert "    --cluster tcp://127.0.0.1:8786\n" in result.stderr


def test_of_architectures_that_are_equally_fast_the_one_of_less_energy_is_best():
    """It was the one whose name comes first."""
    found = answer(*SIZES, "--memories", "rf 32B,64B,256B | sram 4KB", "--objective", "delay")
    every = [(each["cycles"], each["energy_pj"]) for each in found["ranking"]]
    assert every == sorted(every) and len({cycles for cycles, _ in every}) < len(every)
