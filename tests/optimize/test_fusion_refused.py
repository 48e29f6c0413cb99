"""`halidehw fuse`: what cannot be planned is named, with what works."""

from __future__ import annotations

import json
import shlex

import pytest

import halidehw as hl
from halidehw.errors import CostError
from halidehw.frontend.text import parse
from tests.optimize.test_fusion import run, written

THREE = {"fx": 3, "fy": 3}
CHAIN = (("a", {}), ("b", THREE), ("c", {}))


def planned(*arguments):
    return json.loads(run(*arguments, "--json").output)


@pytest.mark.parametrize(
    ("rows", "arguments", "message"),
    [
        (CHAIN, ["--capacity", "20B"], r"^b: the smallest tiles need 120 bytes, there are 20(.|\n)*--capacity 120B"),
        (CHAIN, ["--capacity", "1KB", "--min-tiles", "200"], r"^a: 144 tiles at most, fewer than 200(.|\n)*"),
        (CHAIN, ["--capacity", "12"], r"^--capacity 12: not a size(.|\n)*--capacity 12KB"),
        (CHAIN, ["--capacity", "1.5kB"], r"^--capacity 1.5kB: not a size(.|\n)*--capacity 1536B"),
        (CHAIN, ["--capacity", "1GB"], r"^--capacity 1GB: not a size(.|\n)*--capacity 1024MB"),
        (CHAIN, ["--capacity", "1e3KB"], r"^--capacity 1e3KB: not a size(.|\n)*--capacity 1000KB"),
        (CHAIN, [], r"^fuse needs to know how much memory .*; of net b alone needs 120 bytes(.|\n)*--capacity 128KB"),
        (CHAIN, ["--target", "none"], r"^--target none: no such architecture(.|\n)*--target eyeriss"),
        (
            CHAIN, ["--capacity", "1KB", "--bytes", "3"],
            r"^--bytes 3: our own hardware adds up in .*, 96(.|\n)*--bytes 2",
        ),
        (CHAIN, ["--capacity", "1KB", "--bytes", "9"], r"^--bytes 9: our own hardware adds up in .*\n.*\n +--bytes 2$"),
        (CHAIN, ["--target", "gpu:orin", "--bytes", f"{10**20}"], r"^--bytes 10+: the words of gpu:orin have 8 bytes .*"
         r"\n.*\n +--bytes 8$"),
        (
            (("a", {"ox": 1 << 40}),), ["--capacity", "1KB"],
            r"^layer a: ox=1099511627776, more than 1048576, the most that is cut into tiles\n.*\n +\"ox\": 1048576\n",
        ),
        (CHAIN, ["--capacity", "1KB", "--time-limit", "nan"], r"^time limit must be more than 0(.|\n)*--time-limit 10"),
        (
            CHAIN, ["--capacity", "1KB", "--port-bits", "549755813888"],
            r"^--port-bits 549755813888: more than the 65536 bits(.|\n)*--port-bits 65536",
        ),
        (CHAIN, ["--capacity", "1KB", "--port-bits", "3"], r"^--port-bits 3: ports carry(.|\n)*--port-bits 8"),
        (
            CHAIN, ["--capacity", "1KB", "--longest", "2", "--group", "a,b,c"],
            r"^--group a,b,c: 3 layers, --longest allows",
        ),
        (CHAIN, ["--target", "gpu:none"], r"^--target gpu:none: unknown GPU(.|\n)*gpu:orin"),
        (CHAIN, ["--target", "gpu:orin", "--pes", "3"], "^--pes: a plan for gpu:orin has words, and no schedules"),
        (CHAIN, ["--target", "gpu:orin", "--objective", "delay"], "^--objective delay: a plan for gpu:orin has words"),
        (CHAIN, ["--capacity", "1KB", "--objective", "delay"], r"^--objective delay needs the PEs(.|\n)*--pes 64"),
        (CHAIN, ["--capacity", "1KB", "--pes", "2", "--group", "a,b,c"], r"^--group a,b,c: 3 layers(.|\n)*--pes 3"),
        (
            (CHAIN[0], ("b", {"groups": 2}), CHAIN[2]), ["--capacity", "1KB", "--objective", "energy"],
            r"^layer b: with 2 groups of channels it has no hardware(.|\n)*--objective words",
        ),
        (CHAIN, ["--capacity", "1KB", "--group", "a,d"], r"^--group a,d: there is no layer d\n(.|\n)*--group a,b\n"),
        (CHAIN, ["--capacity", "1KB", "--group", ""], r"^--group '': there is no layer ''\n(.|\n)*--group a,b\n"),
        (
            (CHAIN[0], ("b", {"add": ["a"]}), CHAIN[2]), ["--capacity", "1MB", "--group", "a,b,c"],
            r"^a \+ b \+ c: b adds what a makes, which our own hardware cannot keep(.|\n)*--group b,c$",
        ),
        (
            CHAIN, ["--capacity", "1KB", "--group", "a,c"],
            r"^--group a,c: c does not .*; it reads b(.|\n)*--group a,b,c",
        ),
        (
            (("a", {"repeat": 2}), CHAIN[1]), ["--capacity", "1KB", "--group", "a, b"],
            "as it is and alone; a has repeat",
        ),
        (
            (("a", {}), ("b", {"from": "a", "add": ["c"]}), ("c", {"from": []}), ("d", {"add": ["a"]})),
            ["--target", "gpu:orin", "--min-tiles", "1", "--group", "a,b", "--group", "c,d"],
            r"^--group (a,b --group c,d|c,d --group a,b): each waits for a layer of the other",
        ),
        (
            CHAIN, ["--capacity", "1KB", "--group", "a,b", "--group", "b,c"],
            r"^--group b,c: b is in another group already(.|\n)*--group a,b,c\n",
        ),
        (CHAIN, ["--capacity", "130B", "--group", "a,b,c"], r"^a \+ b \+ c: the smallest tiles need \d+ bytes"),
        (
            (CHAIN[0], CHAIN[1], ("c", {}), ("d", {"add": ["b"]})), ["--capacity", "1KB", "--group", "a,b,c"],
            r"^--group a,b,c: d needs what b makes, 144 elements, which would not leave the chip: a group writes what "
            r"its last layer makes, the 144 of c\n(.|\n)*--group a,b$",
        ),
        (
            (CHAIN[0], ("b", {"groups": 2}), CHAIN[2]), ["--capacity", "1KB", "--group", "b,c"],
            "^--group b,c: .*groups of channels, have no schedule in a group",
        ),
        (
            (CHAIN[0], ("b", {"output": True}), CHAIN[2]), ["--capacity", "1KB", "--group", "b,c"],
            r"^--group b,c: the output needs what b makes, 144 elements(.|\n)*--group a,b$",
        ),
        (
            (CHAIN[0], ("b", {}), ("c", {"add": ["d"]}), ("d", {"from": "a"})),
            ["--capacity", "1KB", "--group", "a,b,c"],
            r"^--group a,b,c: it adds what d makes, which waits for a part(.|\n)*--group b,c$",
        ),
        (
            (("a", {"from": "b"}), ("b", {})), ["--capacity", "1KB"],
            r"circle of layers .*: b reads a, a reads b(.|\n)*\"from\": \[\]",
        ),
        ((("a", {"add": ["a"]}),), ["--capacity", "1KB"], r"each other: a adds a(.|\n)*\"name\": \"a\", \"add\": \[\]"),
        ((("a", {"from": "z"}),), ["--capacity", "1KB"], "^network net, layer a: it reads 'z', which no layer makes"),
        ((("a", {}), ("b", {"add": ["y"]})), ["--capacity", "1KB"], "it adds 'y', which no layer makes"),
        ((("a", {}), ("a", {})), ["--capacity", "1KB"], "two layers are named a"),
        ((("a", {"oz": 2}),), ["--capacity", "1KB"], "^layer a has a third dimension"),
        (
            (("a", {}), ("b", {"from": "a", "c": 8})), ["--capacity", "1KB"],
            r"it reads 8 channels, a makes 4(.|\n)*\"c\": 4",
        ),
        ((("a", {}), ("b", {"from": "a", "ox": 3})), ["--capacity", "1KB"], "its 3 outputs along X read 3 of a, which"),
        ((("a", {}), ("b", {"k": 8, "add": ["a"]})), ["--capacity", "1KB"], "makes 6x6 of 8 channels, and adds 6x6"),
        (
            (("a", {"b": 2}), ("b", {"b": 3})), ["--capacity", "1KB"],
            r"^network net, layer b: it makes 3 of a batch, and reads 2 of a\n(.|\n)*\"b\": 2\n",
        ),
        (
            (("a", {"b": 2}), ("b", {"b": 3, "from": [], "add": ["a"]})), ["--capacity", "1KB"],
            r"^network net, layer b: it makes 3 of a batch, and adds 2 of a\n(.|\n)*\"b\": 2\n",
        ),
        (
            (("a", {"pad": 7}),), ["--capacity", "1KB"],
            r"layer a: 6 of its 6 outputs along Y read zeros alone, with 7 zeros(.|\n)*work:\n    \"pad\": 0\n",
        ),
        (
            (("a", {"pad": 10**30}),), ["--capacity", "1KB"],
            r"^layer a: pad=10+, more than 1048576 zeros before its input(.|\n)*\"pad\": 0",
        ),
        (
            (("a", {"stride": 10**30, "dilation_x": 2}),), ["--capacity", "1KB"],
            r"^layer a: it reads windows of an input of 10+\d+ elements, more than 9007199254740992\n.*\n"
            r"    \"stride\": 1, \"dilation_x\": 1\n",
        ),
        (CHAIN, ["--capacity", "1KB", "--group", "a,b,a"], r"^--group a,b,a: a is in it 2 times(.|\n)*--group a,b$"),
        (
            (("a", {}), ("a_1", {}), ("a", {}), ("a_2", {})), ["--capacity", "1KB"],
            r"two layers are named a; a plan(.|\n)*\"name\": \"a_3\"\n",
        ),
        ((("a", {"from": 3}),), ["--capacity", "1KB"], r"layer a: 'from' cannot be 3(.|\n)*\"from\": \[\]"),
        ((("a", {"fro": "b"}),), ["--capacity", "1KB"], r"unknown size 'fro'(.|\n)*from"),
    ],
)  # fmt: skip
def test_what_cannot_be_planned_is_named_with_its_numbers(tmp_path, rows, arguments, message):
    with pytest.raises(CostError, match=message):
        run("--network", written(tmp_path, *rows), *arguments)


@pytest.mark.parametrize(("row", "line"), [
    ({"name": "a"}, '"name": "a"'), ({"fz": 2}, '"fz": 2'), ({"from": "z"}, '"from": "z"'), ({"c": 8}, '"c": 8'),
    ({"add": ["z"]}, '"add": ['), ({"add": ["b"]}, '"add": ['), ({"b": 2}, '"b": 2'),
    ({"k": 5, "add": ["a"]}, '"add": ['),
])  # fmt: skip
def test_a_network_that_cannot_be_planned_is_shown_at_the_key(tmp_path, row, line):
    """No line was shown."""
    sizes = {"k": 4, "c": 4, "ox": 6, "oy": 6}
    layers = [{"name": "a", **sizes}, {"name": "b", **sizes, "from": "a", **row}]
    (tmp_path / "net.json").write_text(json.dumps({"networks": {"net": {"layers": layers}}}, indent=1))
    with pytest.raises(CostError) as caught:
        run("--network", str(tmp_path / "net.json"), "--capacity", "1KB")
    assert caught.value.source.text.startswith(line)
    assert caught.value.source.line > 12


WIDE = {"k": 4, "c": 4, "ox": 8, "oy": 8}


@pytest.mark.parametrize(("rows", "message", "proposed"), [
    (
        (("a", {}), ("b", {**WIDE, "from": "a"})),
        "layer b: its 8 outputs along Y read 8 of a, which makes 6",
        ['"oy": 6, "ox": 6', '"pad": 0, "oy": 6, "ox": 6', '"name": "a", "oy": 8, "ox": 8', '"after": "max pool"'],
    ),
    (
        (("a", {}), ("b", {**WIDE, "from": "a"}), ("c", WIDE)),
        "layer b: its 8 outputs along Y read 8 of a, which makes 6",
        ['"name": "a", "oy": 8, "ox": 8', '"after": "max pool"'],
    ),
    (
        (("a", WIDE), ("b", {**THREE, "from": "a", "pad": 1}), ("s", {"from": []})),
        "layer b: its 6 outputs along Y read 6 to 7 of a with 1 zero before the first, which makes 8",
        ['"oy": 8, "ox": 8', '"pad": 0', '"name": "a", "oy": 6, "ox": 6', '"after": "max pool"'],
    ),
    (
        (("a", {}), ("b", {"from": "a", "c": 8, "k": 8, "groups": 8}), ("c", {"c": 8})),
        "layer b: it reads 8 channels, a makes 4",
        ['"name": "a", "k": 8', '"after": "max pool"'],
    ),
    (
        (("b", {"from": "zz", "pad": 1, "ox": 4}), ("c", {"from": [], "c": 8})),
        "layer b: it reads 'zz', which no layer makes",
        ['"from": []'],
    ),
    (
        (("a", {"b": 2}), ("b", {}), ("c", {})),
        "layer b: it makes 1 of a batch, and reads 2 of a",
        ['"name": "a", "b": 1', '"after": "max pool"'],
    ),
    (
        (("a", {}), ("b", {"k": 8, "add": ["a"]}), ("c", {"c": 8})),
        "layer b: it makes 6x6 of 8 channels, and adds 6x6 of 4 channels of a",
        ['"add": []'],
    ),
])  # fmt: skip
def test_layers_that_do_not_agree_are_told_what_would(tmp_path, rows, message, proposed):
    """An even number of rows too few was taken for padding, of which some outputs read nothing else; and what was
    proposed did not fit the layers that come after."""
    with pytest.raises(CostError) as caught:
        run("--network", written(tmp_path, *rows), "--capacity", "8KB")
    assert (caught.value.message, list(caught.value.legal)) == (f"network net, {message}", proposed)
    for legal in caught.value.legal:
        assert run("--network", written(tmp_path, *changed(rows, "b", legal)), "--capacity", "8KB").exit_code == 0


def changed(rows, name, legal):
    """Rows, with what is proposed for one of them."""
    change = json.loads(f"{{{legal}}}")
    name = change.pop("name", name)
    return [(each, row | change if each == name else row) for each, row in rows]


@pytest.mark.parametrize(("rows", "message", "proposed"), [
    (
        (("a", {}), ("b", {**THREE, "from": "a", "pad": 3, "ox": 10, "oy": 10})),
        "layer b: 2 of its 10 outputs along Y read zeros alone, with 3 zeros before the 6 of a and windows of 3; 2 of "
        "its 10 outputs along X read zeros alone, with 3 zeros before the 6 of a and windows of 3",
        ['"pad": 1, "oy": 6, "ox": 6'],
    ),
    (
        (("b", {"fx": 3, "pad": 5}),),
        "layer b: 5 of its 6 outputs along Y read zeros alone, with 5 zeros before the 1 of its input and windows of "
        "1; 3 of its 6 outputs along X read zeros alone, with 5 zeros before the 1 of its input and windows of 3",
        ['"pad": 0'],
    ),
])  # fmt: skip
def test_zeros_that_outputs_read_alone_are_warned_of(tmp_path, rows, message, proposed):
    """Nothing was said."""
    given = ("--network", written(tmp_path, *rows), "--capacity", "8KB", "--longest", "1")
    found = run(*given)
    assert found.exit_code == 0
    assert f"warning: network net, {message}\n" in found.stderr and "read zeros" not in found.stdout
    lines = found.stderr.partition("what would work:\n")[2].splitlines()
    assert [line.strip() for line in lines[: len(proposed)]] == proposed and lines[len(proposed)].startswith("  at ")
    for legal in proposed:
        mended = run("--network", written(tmp_path, *changed(rows, "b", legal)), *given[2:])
        assert (mended.exit_code, mended.stderr) == (0, "")


LONG = tuple((name, {}) for name in ("conv1", "conv2", "out3", "conv4", "conv5", "conv6"))


CUT = {"out3": {"output": True}}
NEAR = ["conv2,out3", "conv4,conv5", "conv1,conv2,out3", "conv4,conv5,conv6"]


@pytest.mark.parametrize(("changes", "asked", "proposed"), [
    (CUT, ["out3,conv4"], NEAR),
    (CUT, ["conv1,conv2,out3,conv4,conv5"], ["conv1,conv2,out3 conv4,conv5"]),
    (CUT, ["conv4,conv5", "conv2,out3,conv4"], ["conv4,conv5 conv2,out3", "conv4,conv5"]),
    (CUT, ["conv2,otu3"], ["conv2,out3"]),
    (CUT, ["conv1,conv4"], ["conv1,conv2", "conv4,conv5", "conv1,conv2,out3", "conv4,conv5,conv6"]),
    ({}, ["conv1,conv2", "conv2,out3"], ["conv1,conv2,out3", "conv1,conv2", "conv2,out3"]),
    ({"conv6": {"add": ["conv2"]}}, ["conv2,out3"],
     ["conv2,out3,conv4,conv5,conv6", "conv1,conv2,out3,conv4,conv5,conv6", "conv1,conv2", "out3,conv4"]),
    ({name: {"output": True} for name, _ in LONG}, ["conv2,out3"], ["conv2 out3"]),
    ({"conv2": {"output": True}, **{name: {"from": "conv1"} for name, _ in LONG[2:]}}, ["conv1,out3"], ["conv1 out3"]),
])  # fmt: skip
def test_groups_that_are_proposed_can_be_planned(tmp_path, changes, asked, proposed):
    rows = [(name, changes.get(name, {})) for name, _ in LONG]
    network = ("--network", written(tmp_path, *rows), "--capacity", "8KB")
    with pytest.raises(CostError) as caught:
        run(*network, *(option for names in asked for option in ("--group", names)))
    assert caught.value.legal == tuple(" ".join(f"--group {names}" for names in line.split()) for line in proposed)
    for legal in caught.value.legal:
        assert run(*network, *legal.split()).exit_code == 0


def test_groups_of_layers_with_commas_and_spaces_in_their_names_can_be_asked_for(tmp_path):
    """A comma always parted names, and what was proposed had spaces that a shell takes for the end of it."""
    rows = (("a, b", {}), ("c d", {}), ("e", {"add": ["a, b"], "from": "c d"}))
    network = ("--network", written(tmp_path, *rows), "--capacity", "8KB")
    assert planned(*network, "--group", "a, b,c d,e")["groups"][0]["layers"] == ["a, b", "c d", "e"]
    with pytest.raises(CostError, match=r"^--group 'a, b,c d': e needs what a, b makes") as caught:
        run(*network, "--group", "a, b,c d")
    for legal in caught.value.legal:
        assert run(*network, *shlex.split(legal)).exit_code == 0


SMALL = ("s", {"c": 4, "k": 2}), ("t", {"c": 2})


@pytest.mark.parametrize(("rows", "proposed"), [
    ((("a", {"from": ["z"]}),), ('"from": []',)),
    ((("a", {}), *SMALL, ("b", {"from": ["a", "z"]})), ('"from": ["a"]', '"from": ["t"]', '"from": []')),
    ((("a", {}), *SMALL, ("b", {"add": ["z"]})), ('"add": ["a"]', '"add": ["t"]', '"add": []')),
])  # fmt: skip
def test_what_is_proposed_for_a_layer_that_nobody_makes_can_be_planned(tmp_path, rows, proposed):
    """The layer itself was proposed, and others that do not fit."""
    with pytest.raises(CostError, match="which no layer makes") as caught:
        run("--network", written(tmp_path, *rows), "--capacity", "1KB")
    assert caught.value.legal == proposed
    for legal in caught.value.legal:
        mended = (*rows[:-1], (rows[-1][0], rows[-1][1] | json.loads(f"{{{legal}}}")))
        assert run("--network", written(tmp_path, *mended), "--capacity", "1KB").exit_code == 0


def test_every_name_of_a_layer_gives_a_design_that_is_built(tmp_path):
    """Names that are not ASCII were written as they are, and two layers' names could be one."""
    names = ["Größe", "Gr__e", "a", "a_sum", "w_a", "added_1", "_1", "module", "x", "absd", "tail\n\\", "w_a_req"]
    network = written(tmp_path, *((name, {"ox": 1, "oy": 1}) for name in names))
    halves = [option for at in (0, 6) for option in ("--group", ",".join(names[at : at + 6]))]
    for arguments in (["--longest", "1"], halves):
        for group in planned("--network", network, "--capacity", "8KB", *arguments)["groups"]:
            hl.compile(parse(group["design"]))
