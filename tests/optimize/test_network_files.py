"""Files of networks: what they mean, and every complaint about them."""

import json
import shlex
from pathlib import Path

import pytest

from halidehw.errors import CostError
from halidehw.mapping.layer import Layer, load_network


def network(tmp_path, layer, **more):
    file = tmp_path / "networks.json"
    layers = [{"name": "first", "ox": 4}, {"name": "second", **layer}]
    file.write_text(json.dumps({"networks": {"net": {"batch": 2, "layers": layers, **more}}}, indent=1))
    return file


def test_a_network_gives_its_batch_to_its_layers(tmp_path):
    file = network(tmp_path, {"ox": 3, "repeat": 2})
    assert load_network(f"{file}:net") == load_network(str(file))
    assert load_network(str(file)).layers[1] == Layer(b=2, ox=3, repeat=2, name="second")


@pytest.mark.parametrize(
    ("layer", "more", "message", "line"),
    [
        ({"oxx": 3}, {}, "layer second: unknown size 'oxx'(.|\n)*ox", '"oxx": 3'),
        ({"ox": 0}, {}, "layer second: ox must be a positive integer, is 0", '"ox": 0'),
        ({"k": 6, "c": 8, "groups": 4}, {}, "groups=4 does not divide k=6", '"groups": 4'),
        ({"from": 3}, {}, "'from' cannot be 3", '"from": 3'),
        ({"b": 2**50, "k": 16}, {}, "iterations, more than", '"b": 1125899906842624'),
        ({"k": 2**60}, {}, "iterations, more than(.|\n)*\"k\": 1048576", '"k": 1152921504606846976'),
        ({"k": 2**60, "c": 2**40}, {}, "iterations, more than(.|\n)*\"k\": 1048576, \"c\": 1048576", '"k": 11'),
        ({}, {"batch": 0}, "^network net: batch must be a positive integer, is 0(.|\n)*\"batch\": 1", '"batch": 0'),
        ({}, {"bach": 3}, "network net: unknown key 'bach'(.|\n)*batch", '"bach": 3'),
    ],
)
def test_a_network_with_a_mistake_names_its_line(tmp_path, layer, more, message, line):
    with pytest.raises(CostError, match=message) as caught:
        load_network(str(network(tmp_path, layer, **more)))
    assert caught.value.source.text.startswith(line)


@pytest.mark.parametrize(("rows", "line"), [
    (['"ox": 0,\n"name": "a"', '"name": "b",\n"ox": 3'], 2), (['"ox": 3', '"k": 2,\n"ox": 0'], 4),
    (['"name": "ox",\n"c": 1,\n"ox": 0'], 4), (['"name": "a,\\"b]",\n"from": [],\n"add": ["c", "d"],\n"ox": 0'], 5),
    (['"k": 2', '"ox": 3,\n"k": 2,\n"ox": 3'], 5), (['"k": 2,\n"oxx": 3', '"oxx": 3'], 3),
])  # fmt: skip
def test_a_row_of_several_lines_is_shown_at_the_key(tmp_path, rows, line):
    """It was the line of the row's name, or that of another row."""
    file = tmp_path / "net.json"
    file.write_text('{"networks": {"net": {"layers": [\n' + ",\n".join(f"{{{row}}}" for row in rows) + "]}}}")
    with pytest.raises(CostError) as caught:
        load_network(str(file))
    assert caught.value.source.line == line
    assert caught.value.source.text in file.read_text().splitlines()[line - 1]


@pytest.mark.parametrize("wrong", [
    {"ox": 0}, {"k": -3}, {"b": 0}, {"ox": True}, {"stride_y": "2"}, {"k": 6, "c": 8, "groups": 4},
    {"b": 2**50, "k": 16}, {"k": 2**60, "c": 2**60, "groups": 2**60}, {"k": 3 * 2**60, "c": 2**60, "groups": 2**60},
    {"k": 2**40, "c": 2**41, "groups": 8, "ox": 10**30, "repeat": 10**9},
])  # fmt: skip
def test_sizes_that_are_proposed_for_a_network_are_in_its_own_notation(tmp_path, wrong):
    """`ox=1` was proposed, which is no JSON."""
    with pytest.raises(CostError) as caught:
        load_network(str(network(tmp_path, wrong)))
    assert caught.value.legal
    for legal in caught.value.legal:
        assert load_network(str(network(tmp_path, {**wrong, **json.loads(f"{{{legal}}}")})))


def test_a_network_that_is_not_there(tmp_path):
    file = network(tmp_path, {})
    with pytest.raises(CostError, match=r"no network 'nut'(.|\n)*load_network\(\".*networks\.json:net\"\)\n"):
        load_network(f"{file}:nut")
    assert load_network(f"{file}:net") == load_network(str(file))
    file.write_text('{"networks": {"a b:c": {"layers": [{"k": 3}]}, "n": {"layers": [{"k": 4}]}}}')
    with pytest.raises(CostError, match="has 2 networks: say which one") as caught:
        load_network(str(file), "--add")
    assert caught.value.legal == (f"--add '{file}:a b:c'", f"--add {file}:n")
    assert [load_network(shlex.split(each)[1]).name for each in caught.value.legal] == ["a b:c", "n"]
    with pytest.raises(CostError, match="cannot read the network file") as caught:
        load_network(f"{tmp_path / 'network.json'}:n", "--network")
    assert caught.value.legal == (f"--network {file}:n",)
    file.write_text('{"networks": \n {,}}')
    with pytest.raises(CostError, match="not JSON") as caught:
        load_network(str(file))
    assert caught.value.source.line == 2
    file.write_text("{}")
    with pytest.raises(CostError, match="has no table 'networks'"):
        load_network(str(file))
    file.write_text('{"networks": {"net": {"layers": []}}}')
    with pytest.raises(CostError, match="network net has no 'layers'"):
        load_network(str(file))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{\n", "not JSON"),
        (b"", "not JSON"),
        (b"\xff\xfe", "it is no text"),
        (b"[]", "has no table 'networks'"),
        (b'{"networks": []}', "has no table 'networks'"),
        (b'{"networks": ' + b"[" * 100000, r"networks\.json: lists and tables too deep in each other to be read"),
        (b'{"networks": {"net": [3]}}', "network net has no 'layers', a list with a table of sizes for each"),
        (
            b'{"networks": {"net": {"layers": [3]}}}',
            "network net has no 'layers', a list with a table of sizes for each",
        ),
    ],
)
def test_a_file_that_holds_no_networks(tmp_path, content, message):
    """Never a traceback; and what is proposed is such a file."""
    file = tmp_path / "networks.json"
    file.write_bytes(content)
    with pytest.raises(CostError, match=message) as caught:
        load_network(str(file))
    assert caught.value.legal
    for legal in caught.value.legal:
        file.write_text(legal)
        assert load_network(str(file)).layers == (Layer(b=16, k=64, c=64, name="fc"),)


def test_a_key_that_a_table_has_twice(tmp_path):
    """What it has was not said."""
    file, text = tmp_path / "networks.json", '{"networks": {"net": {"layers": [{%s, "c": 4}]}}}'
    file.write_text(text % '"k": 3, "k" : 5')
    with pytest.raises(CostError, match="'k' is given twice in one table, as 3 and 5; remove one of them") as caught:
        load_network(str(file))
    assert caught.value.legal == ('"k": 3', '"k": 5')
    for legal in caught.value.legal:
        file.write_text(text % legal)
        load_network(str(file))


@pytest.mark.parametrize("asked", ["nofile.json:x", "nofile.json", "none/nets.json:a b", ".", "none"])
def test_where_no_network_is_near_one_is_written_by_what_is_proposed(tmp_path, monkeypatch, asked):
    """It said that there is no file, and no more."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CostError, match=f"^cannot read the network file {asked.split(':')[0]}: ") as caught:
        load_network(asked, "--network")
    echo, _, file = caught.value.legal[0].rpartition(" > ")
    Path(file).write_text(shlex.split(echo)[1])
    option = [shlex.split(legal)[1] for legal in caught.value.legal[1:]] or [asked]
    assert load_network(option[0]).layers == (Layer(b=16, k=64, c=64, name="fc"),)
