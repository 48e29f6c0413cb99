"""`halidehw fuse`: memory and tiles of which there are too few are told with the least that is enough."""

from __future__ import annotations

import json
import shlex

import pytest

from halidehw.errors import CostError
from tests.optimize.test_fusion import run, written
from tests.optimize.test_fusion_refused import CHAIN, THREE, planned


def test_the_capacity_that_is_proposed_is_enough_for_the_groups_asked_for(tmp_path):
    """It was enough for each layer by itself, and was then refused for the group."""
    arguments = ["--network", written(tmp_path, *CHAIN), "--group", "a,b,c", "--capacity"]
    with pytest.raises(CostError, match=r"^a \+ b \+ c: the smallest tiles need (\d+) bytes, there are 1\n") as caught:
        run(*arguments, "1B")
    option, least = caught.value.legal[0].split()
    assert option == "--capacity" and planned(*arguments, least)["groups"][0]["layers"] == ["a", "b", "c"]
    with pytest.raises(CostError, match=f"there are {int(least[:-1]) - 1}\n"):
        run(*arguments, f"{int(least[:-1]) - 1}B")


WIDER = (("a", {"k": 2}), ("b", {"c": 2, "k": 6, "fx": 3, "fy": 3}), ("c", {"c": 6, "k": 2}))


@pytest.mark.parametrize(("rows", "options"), [
    (WIDER, []), (WIDER, ["--bytes", "2"]), (WIDER, ["--pes", "4", "--objective", "delay"]),
    (WIDER, ["--longest", "1"]),
    ((("a", {"fx": 3, "fy": 3}), ("b", {}), ("c", {"fx": 3, "dilation": 2, "add": ["a"]})), ["--bytes", "2"]),
    ((("a", {"stride": 2, "dilation": 2, "groups": 4, **THREE, "ox": 1, "oy": 1}),
      ("b", {"groups": 4, **THREE, "ox": 1, "oy": 1, "stride": 3, "add": ["a"]})), ["--bytes", "2"]),
    (CHAIN, ["--group", "a,b,c"]),
])  # fmt: skip
def test_where_nothing_says_the_memory_the_least_in_which_all_fits_is_said(tmp_path, rows, options):
    """The layer of the largest tile by a formula was named, whose hardware takes less than another's, and options that
    say what a tile takes were passed over."""
    arguments = ["--network", written(tmp_path, *rows), *options]
    with pytest.raises(CostError, match=r"how much memory .* needs (\d+) bytes\n(.|\n)*--capacity 128KB") as caught:
        run(*arguments)
    option, least = caught.value.legal[0].split()
    need = int(least.removesuffix("B"))
    assert option == "--capacity" and run(*arguments, option, least).exit_code == 0
    with pytest.raises(CostError, match=rf"the smallest tiles need {need} bytes, there are {need - 1}\n") as less:
        run(*arguments, option, f"{need - 1}B")
    assert less.value.legal == (f"--capacity {need}B",)
    assert less.value.message.split(":")[0] == caught.value.message.partition(" of net ")[2].partition(" alone")[0]


def test_fewer_tiles_than_there_must_be_are_told_with_the_memory_that_they_take(tmp_path):
    """The bytes were told first, which were then too few tiles."""
    arguments = ["--network", written(tmp_path, ("a", {"ox": 1, "oy": 1, "k": 3}))]
    for given in ([], ["--capacity", "1B"]):
        with pytest.raises(CostError, match=r"^a: 3 tiles at most, fewer than 4\n") as caught:
            run(*arguments, *given, "--min-tiles", "4")
        (legal,) = caught.value.legal
        assert legal.endswith("B --min-tiles 3") and run(*arguments, *legal.split()).exit_code == 0


def test_the_least_memory_with_as_many_tiles_as_it_has(tmp_path):
    """Two layers have as many tiles as there must be only together, which takes more memory than each."""
    rows = (("a", {**THREE, "ox": 1, "oy": 1, "k": 3}), ("b", {**THREE, "ox": 1, "oy": 1, "c": 3, "k": 8}))
    arguments = ["--network", written(tmp_path, *rows), "--min-tiles", "4"]
    with pytest.raises(CostError, match=r"^a: the smallest tiles need \d+ bytes, there are 1\n") as caught:
        run(*arguments, "--capacity", "1B")
    (legal,) = caught.value.legal
    assert legal.endswith("B --min-tiles 3") and run(*arguments[:2], *legal.split()).exit_code == 0


def test_a_layer_whose_hardware_does_not_fit_by_itself_is_no_part_of_a_plan(tmp_path):
    """It did by a formula, so that the words of all layers by themselves were counted without it."""
    rows = (
        ("a", {"k": 1, "c": 1, "ox": 1, "oy": 1, **THREE, "stride": 3, "dilation": 2}),
        ("b", {"k": 3, "c": 1, "ox": 1, "oy": 1, "pad": 0}),
        ("c", {"k": 1, "c": 3, "ox": 1, "oy": 1, "fx": 3, "add": ["a"]}),
    )
    arguments = ["--network", written(tmp_path, *rows), "--bytes", "2", "--capacity"]
    assert run(*arguments, "142B").exit_code == 0
    with pytest.raises(CostError, match=r"^c: the smallest tiles need 142 bytes, there are 141\n"):
        run(*arguments, "141B")


def test_a_target_without_memory_for_tiles_says_how_much_is_needed(tmp_path):
    (tmp_path / "arch.toml").write_text(
        'name = "bare"\ncosts = "table3"\n[array]\nrows = 4\n[[level]]\nname = "RF"\nkind = "register_file"\n'
        'size = "64 B"\n[[level]]\nname = "DRAM"\nkind = "dram"\n'
    )
    arguments = ["--network", written(tmp_path, *CHAIN), "--target", str(tmp_path / "arch.toml")]
    message = r"^--target bare: it has no memory outside its PEs for tiles; of net b alone needs 240 bytes\n"
    with pytest.raises(CostError, match=message) as caught:
        run(*arguments)
    for legal in caught.value.legal:
        assert run(*arguments, *legal.split()).exit_code == 0


def test_a_layer_that_has_no_hardware_in_a_plan_is_warned_of(tmp_path):
    """It left cycles and energy of a plan without a value, unsaid."""
    network = written(tmp_path, ("a", {}), ("b", {"k": 8, "groups": 2, "fx": 3, "fy": 3}), ("c", {"c": 8}))
    given = ["--network", network, "--capacity", "8KB", "--json"]
    found = run(*given)
    why = "layer b: with 2 groups of channels it has no hardware here: it is by itself"
    assert f"warning: {why}, and the plan has words, no cycles and energy\n" in found.stderr
    plan = json.loads(found.stdout)
    assert plan["cycles"] is plan["energy_pj"] is None and plan["words"] > 0
    assert [group["file"] for group in plan["groups"]] == ["01_a.hh", None, "03_c_.hh"]
    assert "warning" not in run(*given, "--target", "gpu:orin").stderr


def test_each_group_says_how_often_it_repeats(tmp_path):
    """The sums had it, the groups did not."""
    found = planned("--network", written(tmp_path, ("a", {}), ("b", {"repeat": 3})), "--capacity", "8KB")
    assert [(group["layers"], group["repeat"]) for group in found["groups"]] == [(["a"], 1), (["b"], 3)]
    for key in ("words", "cycles"):
        assert found[key] == sum(group["repeat"] * group[key] for group in found["groups"])


def test_a_folder_has_the_designs_of_one_plan(tmp_path):
    """Those of an earlier plan stayed, beside others of the same layers."""
    network, folder = written(tmp_path, *CHAIN), tmp_path / "plan"
    given = ["--network", network, "--capacity", "8KB", "-o", str(folder)]
    names = []
    for longest in ("1", "3"):
        assert run(*given, "--longest", longest).exit_code == 0
        (folder / "09_mine.hh").write_text("")
        names.append({file.name for file in folder.iterdir()} - {"09_mine.hh", "plan.json"})
        plan = json.loads((folder / "plan.json").read_text())
        assert names[-1] == {group["file"] for group in plan["groups"]}
        assert all((folder / group["file"]).read_text() == group["design"] for group in plan["groups"])
        assert all(group["repeat"] == 1 for group in plan["groups"])
    assert len(names[0]) == 3 > len(names[1])


@pytest.mark.parametrize(("name", "message"), [
    ("plan.json", r"its plan\.json is no plan of fused layers"), ("01_a.hh", r"01_a\.hh is not as an earlier plan"),
    ("02_b.hh", r"02_b\.hh is not as an earlier plan has left it there, and may be written over"),
])  # fmt: skip
@pytest.mark.parametrize("earlier", [False, True])
def test_a_plan_leaves_alone_what_is_not_of_an_earlier_one(tmp_path, monkeypatch, name, message, earlier):
    """Designs that were edited, and a user's own of such names, were written over."""
    monkeypatch.chdir(tmp_path)
    given = ["--network", written(tmp_path, *CHAIN), "--capacity", "8KB"]
    (tmp_path / "my plan").mkdir()
    for folder in ("my plan", "."):
        if earlier:
            assert run(*given, "-o", folder).exit_code == 0
        (tmp_path / folder / name).write_text("[]")
        before = sorted((file, file.read_text()) for file in (tmp_path / folder).glob("*.*"))
        with pytest.raises(CostError, match=message) as caught:
            run(*given, "-o", folder)
        assert sorted((file, file.read_text()) for file in (tmp_path / folder).glob("*.*")) == before
        (legal,) = caught.value.legal
        assert run(*given, *shlex.split(legal)).exit_code == 0


def test_a_group_may_have_more_tiles_than_its_layers_by_themselves(tmp_path):
    """Layers were refused that need not be groups by themselves."""
    network = written(tmp_path, *CHAIN[:2], ("c", {"k": 5}))
    for arguments in ([], ["--group", "a,b,c"]):
        arguments = ["--network", network, "--capacity", "8KB", *arguments, "--min-tiles"]
        found = planned(*arguments, "150")
        assert [group["tiles"] for group in found["groups"]] == [180] and found["words_unfused"] > found["words"]
        with pytest.raises(CostError, match=r"^a \+ b \+ c: 180 tiles at most, fewer than 181(.|\n)*--min-tiles 180"):
            run(*arguments, "181")
