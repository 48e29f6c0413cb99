"""Every key of the JSON that a command prints is in its documentation."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from halidehw.cli import main

SMALL = ["optimize", "--layer", "ox=4 oy=4 c=4 k=4", "--json"]
NETWORK = {"networks": {"two": {"layers": [
    {"name": "a", "ox": 4, "oy": 4, "c": 4, "k": 8}, {"name": "b", "ox": 4, "oy": 4, "c": 8, "k": 4},
]}}}  # fmt: skip
NAMES = {"parts", "mapping", "bytes"}
"""Whose own keys are names of levels, tensors and loops."""


def keys(value: object) -> set[str]:
    match value:
        case dict():
            inside = (keys(each) for name, each in value.items() if name not in NAMES)
            return set(value).union(*inside)
        case list():
            return set().union(*(keys(each) for each in value))
    return set()


@pytest.mark.parametrize(
    ("command", "file"),
    [
        (SMALL, "optimizer.md"),
        ([*SMALL, "--pareto"], "optimizer.md"),
        ([*SMALL, "--arrays", "2x2,4x4", "--ratio", "1:1000000"], "optimizer.md"),
        (["optimize", "--network", "net.json:two", "--json"], "optimizer.md"),
        (["fuse", "--network", "net.json:two", "--target", "interstellar", "--json"], "fusion.md"),
        (["fuse", "--network", "net.json:two", "--target", "gpu:gtx1660", "--json"], "fusion.md"),
    ],
)
def test_keys_are_documented(command, file, tmp_path, monkeypatch):
    written = " ".join(re.findall(r"`[^`]*`", Path("docs", file).read_text()))
    monkeypatch.chdir(tmp_path)
    Path("net.json").write_text(json.dumps(NETWORK))
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    found = keys(json.loads(result.stdout))
    assert found and not {each for each in found if not re.search(rf"(?<!\w){each}(?!\w)", written)}
