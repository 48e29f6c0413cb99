"""Files with thousands of lists in each other, numbers of thousands of digits, and aliases of aliases: refused, each in
the words of its kind, before Python gives up."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from halidehw.energy_model.costs.table import load_costs
from halidehw.errors import CostError, HalideHWError, ParseError, ScheduleError
from halidehw.host.listing import listing
from halidehw.mapping.architecture_file import load_architecture
from halidehw.mapping.layer import Layer, load_network, parse_layer
from halidehw.nested import DEEPEST, Unreadable, nested
from halidehw.optimize import architecture
from halidehw.optimize.sweep import Journal
from halidehw.schedules import Schedule
from halidehw.transfer import load_bank

TOO_DEEP, TOO_LONG = "lists and tables too deep in each other to be read", "a number of more digits than are read"
DEEP = {
    "toml": [f"name = {'[' * 5000}", f"name = {'{a=' * 5000}1", f"name{'.a' * 900} = 1", f"[array{'.a' * 900}]"],
    "yaml": [f"name: {'[' * 5000}", f"name: {'{a: ' * 5000}"],
    "json": ["[" * 5000, '{"a":' * 5000, f'{{"networks": {"[" * 900}{"]" * 900}}}'],
}
LONG = {"toml": "rows = " + "9" * 5000, "yaml": "rows: " + "9" * 5000, "json": "9" * 5000}


def network(file: Path) -> None:
    load_network(str(file))


def steps(file: Path) -> None:
    listing(file)


READERS = [
    (load_architecture, "toml", CostError), (load_architecture, "yaml", CostError), (load_costs, "toml", CostError),
    (load_costs, "yaml", CostError), (steps, "toml", ParseError), (network, "json", CostError),
    (Schedule.load, "json", ScheduleError),
]  # fmt: skip


@pytest.mark.parametrize(("read", "kind", "error"), READERS)
def test_a_file_too_deep_is_refused(tmp_path, read, kind, error):
    file = tmp_path / f"deep.{kind}"
    for text in DEEP[kind]:
        file.write_text(text)
        with pytest.raises(error, match=TOO_DEEP):
            read(file)


@pytest.mark.parametrize(("read", "kind", "error"), READERS)
def test_a_number_of_thousands_of_digits_is_refused(tmp_path, read, kind, error):
    file = tmp_path / f"long.{kind}"
    file.write_text(LONG[kind])
    with pytest.raises(error, match=TOO_LONG if kind != "yaml" else "not YAML: "):
        read(file)


def test_what_is_as_deep_as_may_be_is_read():
    text = "[" * DEEPEST + "]" * DEEPEST
    assert nested(json.loads, text) == json.loads(text)
    with pytest.raises(Unreadable, match=TOO_DEEP):
        nested(json.loads, f"[{text}]")


def test_a_schedule_too_deep_is_skipped_in_a_bank(tmp_path):
    (tmp_path / "deep.json").write_text("[" * 5000)
    assert load_bank(tmp_path, architecture("eyeriss")).skipped == (f"deep.json: {TOO_DEEP}",)


@pytest.mark.parametrize("line", ["[" * 5000, '{"key": ' + "9" * 5000 + "}"])
def test_a_journal_of_something_else_is_none(tmp_path, line):
    file = tmp_path / "answers.journal"
    file.write_text(line + "\n")
    with pytest.raises(CostError, match="is no journal of searches"):
        Journal(file).read()


def test_aliases_of_aliases_end(tmp_path):
    """Nine lists of ten aliases each are thousands of millions of fields."""
    file = tmp_path / "costs.yaml"
    lists = (f"{name}: &{name} [{', '.join(['*' + before] * 10)}]\n" for before, name in pairwise("abcdefghi"))
    file.write_text("a: &a [1, 1]\n" + "".join(lists))
    with pytest.raises(HalideHWError, match=r"^more than 65536 fields"):
        load_costs(file)


def test_a_date_that_is_none(tmp_path):
    file = tmp_path / "costs.yaml"
    file.write_text("name: 2024-13-45\n")
    with pytest.raises(CostError, match=r"not YAML: month must be in 1\.\.12(.|\n)*name: 2024"):
        load_costs(file)


def test_sizes_of_thousands_of_digits():
    with pytest.raises(CostError, match="is not name=integer"):
        parse_layer("k=" + "9" * 5000)


def test_groups_of_many_channels_are_proposed_at_once():
    """All numbers up to the channels were tried."""
    with pytest.raises(CostError, match="does not divide k") as caught:
        Layer(k=2**52, c=2**52, groups=2**51 + 1)
    assert caught.value.legal[:3] == ("groups=1", "groups=2", "groups=4")
