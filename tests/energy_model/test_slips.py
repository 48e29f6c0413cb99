"""Slips of the pen in TOML and YAML files: the line is shown, and what is proposed for it works when it is pasted."""

from __future__ import annotations

import pytest

from halidehw.energy_model.costs.parse import LONGEST
from halidehw.energy_model.costs.table import load_costs
from halidehw.errors import CostError
from halidehw.mapping.architecture_file import load_architecture
from tests.energy_model.test_costs import TOML as COSTS

TOML = """# An architecture.
name = "mine"
costs = "table3"

[array]
rows = 4

[[level]]
name = "RF"
kind = "register_file"
size = "64 B"
double = false

[[level]]
name = "DRAM"
kind = "dram"
"""

YAML = """# An architecture.
name: mine
costs: table3
array:
  rows: 4
level:
  - name: RF
    kind: register_file
    size: 64 B
  - {name: A, kind: sram, size: 1 KB}
  - name: DRAM
    kind: dram
"""

INLINE = """name = "mine"
costs = "table3"
array = { rows = 4 }
level = [{ name = "RF", kind = "register_file", size = "64 B" },
  { name = "A", kind = "sram", size = "1 KB" },
  { name = "DRAM", kind = "dram" }]
"""


def refused(file, text):
    file.write_text(text)
    with pytest.raises(CostError) as caught:
        load_architecture(file)
    return caught.value


def check(file, text, legal):
    """That the line which is shown is the one that has a slip, and each proposal for it works; the first is `legal`."""
    error = refused(file, text)
    assert error.legal[0] == legal
    lines = text.splitlines()
    assert error.source.text == lines[error.source.line - 1].strip()
    for each in error.legal:
        file.write_text("\n".join([*lines[: error.source.line - 1], each, *lines[error.source.line :]]))
        load_architecture(file)


@pytest.mark.parametrize(("old", "new", "legal"), [
    ('name = "mine"', "name = mine", 'name = "mine"'), ('name = "mine"', 'name "mine"', 'name = "mine"'),
    ('name = "mine"', "name mine  # ours", 'name = "mine"  # ours'), ('name = "mine"', 'name = "mine', 'name = "mine"'),
    ('name = "mine"', "name = 'mine\"", 'name = "mine"'), ('name = "mine"', "name: mine", 'name = "mine"'),
    ('name = "mine"', "name = \u201cmine\u201d", 'name = "mine"'), ('name = "mine"', "name =", 'name = "mine"'),
    ("rows = 4", "rows = 4 PEs", "rows = 4"), ("rows = 4", "rows = four", "rows = 16"),
    ("rows = 4", "rows 4", "rows = 4"), ("rows = 4", "rows = 4,", "rows = 4"), ("[array]", "[array", "[array]"),
    ("[[level]]", "[[level]", "[[level]]"),
    ("[[level]]", "[level]", "[[level]]"), ('size = "64 B"', "size = 64 B", 'size = "64 B"'),
    ("double = false", "double = False", "double = false"), ("double = false", "double = no", "double = true"),
    ("rows = 4", "rows = 4\nrows = 8", "# rows = 8"), ('kind = "dram"', "kind = dram", 'kind = "dram"'),
    ('kind = "dram"', 'kind = "dram', 'kind = "dram"'),
])  # fmt: skip
def test_a_slip_in_toml_is_shown_with_the_line_that_was_meant(tmp_path, old, new, legal):
    """It said `not TOML`, and no more; where a text did not end, at another line."""
    check(tmp_path / "arch.toml", TOML.replace(old, new, 1), legal)


@pytest.mark.parametrize(("old", "new", "legal"), [
    ("rows = 4 }", "rows = 4", "array = { rows = 4}"),
    ('size = "1 KB" }', "size = 1 KB }", '  { name = "A", kind = "sram", size = "1 KB" },'),
    ('size = "1 KB" }', 'size = "1 KB"', '  { name = "A", kind = "sram", size = "1 KB"},'),
    ('kind = "dram"', 'kind "dram"', '  { name = "DRAM", kind = "dram" }]'),
    ('"dram" }]', '"dram" }', '  { name = "DRAM", kind = "dram" }]'),
])  # fmt: skip
def test_a_slip_in_a_table_on_a_line(tmp_path, old, new, legal):
    check(tmp_path / "arch.toml", INLINE.replace(old, new, 1), legal)


@pytest.mark.parametrize(("old", "new", "legal"), [
    ("name: mine", "name = mine", "name: mine"), ("name: mine", 'name "mine"', 'name: "mine"'),
    ("name: mine", "name:mine", "name: mine"), ("name: mine", 'name: "mine', 'name: "mine"'),
    ("name: mine", "name: a: b", 'name: "a: b"'), ("name: mine", "name: @mine", 'name: "@mine"'),
    ("name: mine", "\tname: mine", "name: mine"), ("  rows: 4", "  rows 4", "  rows: 4"),
    ("  rows: 4", "\trows: 4", "  rows: 4"), ("  rows: 4", "  rows = 4", "  rows: 4"), ("array:", "[array]", "array:"),
    ("    kind: register", "     kind: register", "    kind: register_file"), ("level:", "level", "level: "),
    ("  - name: RF", "  -name: RF", "  - name: RF"), ("  - name: DRAM", "   - name: DRAM", "  - name: DRAM"),
    ("1 KB}", "1 KB", "  - {name: A, kind: sram, size: 1 KB}"), ("kind: sram", "kind = sram",
     "  - {name: A, kind: sram, size: 1 KB}"), ("{name: A", "name: A", "  - {name: A, kind: sram, size: 1 KB}"),
])  # fmt: skip
def test_a_slip_in_yaml_is_shown_with_the_line_that_was_meant(tmp_path, old, new, legal):
    check(tmp_path / "arch.yaml", YAML.replace(old, new, 1), legal)


def test_the_same_slip_on_several_lines_is_mended_on_all(tmp_path):
    text = TOML.replace("[[level]]", "[level]")
    assert refused(tmp_path / "arch.toml", text).legal == ("[[level]]  # on each of the lines 8, 14",)


@pytest.mark.parametrize(("name", "text", "line", "legal"), [
    ("arch.toml", TOML.replace('= "', "= ").replace('"\n', "\n"), 2, ('name = "mine"',)),
    ("arch.toml", YAML, 2, ('name = "mine"',)), ("arch.yaml", TOML.split("\n", 1)[1], 1, ('name: "mine"',)),
])  # fmt: skip
def test_of_many_slips_the_first_one_is_mended(tmp_path, name, text, line, legal):
    error = refused(tmp_path / name, text)
    assert (error.source.line, error.legal) == (line, legal)


def test_a_line_of_which_nothing_can_be_made_is_shown(tmp_path):
    error = refused(tmp_path / "arch.toml", TOML.replace("rows = 4", "?? ??"))
    assert (error.source.line, error.source.text, error.legal) == (6, "?? ??", ())


def test_a_long_file_is_not_tried_again_and_again(tmp_path):
    error = refused(tmp_path / "arch.toml", TOML.replace("rows = 4", "rows 4") + "# more\n" * LONGEST)
    assert (error.source.line, error.legal) == (6, ())


def test_a_slip_in_a_cost_table(tmp_path):
    file = tmp_path / "costs.toml"
    file.write_text(COSTS.replace('"20 fJ"', "20 fJ"))
    with pytest.raises(CostError, match=r"^not TOML: .*\n.*\n    hop = \"20 fJ\"\n"):
        load_costs(file)
