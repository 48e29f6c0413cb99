"""Cost tables: what a file may say, and every complaint about one."""

from __future__ import annotations

from dataclasses import replace
from math import isclose, prod
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from halidehw import Func, ImageParam, Int, RDom, Var, i32
from halidehw.cli import main
from halidehw.driver.estimate import estimate
from halidehw.energy_model.costs.table import CostTable, load_costs
from halidehw.errors import CostError
from halidehw.mapping.architecture_file import load_architecture
from halidehw.microarch.derive import derive
from halidehw.report.estimate import as_json, as_text
from halidehw.scheduler import lower
from tests.energy_model.designs import conv, product

YAML = """# Energies of a process of ours.
name: ours
technology: 22 nm
word: 16 bit
mac: 0.1 pJ
hop: 20 fJ
dram: 0.1 nJ
register_file:
  16 B: 0.03 pJ
  32 B: 60 fJ
sram:
  "32 KB": 6 pJ
  64 KB: 9.0e+0 pJ
area:
  register_file: 2 um2/bit
  sram: 0.25 um2/bit
  mac: 500 um2
  pe: 1.5e-3 mm2
"""

TOML = """name = "ours"
technology = "22 nm"
word = "16 bit"
mac = "0.1 pJ"
hop = "20 fJ"
dram = "0.1 nJ"

[register_file]
"16 B" = "0.03 pJ"
"32 B" = "60 fJ"

[sram]
'32 KB' = "6 pJ"
"64 KB" = "9 pJ"

[area]
register_file = "2 um2/bit"
sram = "0.25 um2/bit"
mac = "500 um2"
pe = "1500 um2"
"""


def table(folder: Path, text: str, name: str = "costs.yaml") -> CostTable:
    (folder / name).write_text(text)
    return load_costs(folder / name)


@pytest.mark.parametrize("kind", ["register_file", "sram", "dram"])
def test_many_sizes_cost_what_each_of_them_does(tmp_path, kind):
    costs, sizes = table(tmp_path, YAML), np.array([[1, 2, 16, 20, 32], [33, 32768, 50000, 65536, 10**7]])
    each = [[costs.access(kind, size) for size in row] for row in sizes.tolist()]
    assert costs.accesses(kind, sizes) == pytest.approx(np.array(each), rel=1e-13)


def test_many_sizes_of_a_kind_that_a_table_lacks(tmp_path):
    costs = replace(table(tmp_path, YAML), sram=())
    with pytest.raises(CostError, match="has no sram, which L2 is"):
        costs.accesses("sram", np.array([64.0]), "L2")


def test_yaml_and_toml_say_the_same(tmp_path):
    one, other = table(tmp_path, YAML), table(tmp_path, TOML, "costs.toml")
    assert (one.name, one.technology, one.word_bits, one.mac, one.hop, one.dram) == (
        "ours",
        "22 nm",
        16,
        0.1,
        0.02,
        100,
    )
    assert one.register_file == other.register_file == ((16, 0.03), (32, 0.06))
    assert one.sram == other.sram == ((32768, 6), (65536, 9))
    assert one.area == other.area and one.area is not None
    assert (one.area.register_file, one.area.sram, one.area.mac, one.area.pe) == (2, 0.25, 500, 1500)


def test_areas_are_those_of_the_parts(tmp_path):
    func = conv()
    found, hardware = estimate(func, table(tmp_path, YAML)), derive(lower(func))
    assert found.area is not None and found.area_mm2 is not None
    for memory in hardware.memories:
        bits = memory.halves * prod(dim.factor for dim in memory.dims) * memory.depth * 16
        assert isclose(found.area[memory.name], 0.25 * bits)
    assert (found.area["mac"], found.area["pe"]) == (4 * 500, 4 * 1500)
    sums = hardware.output.sums[0]
    assert found.area["accumulator"] == 4 * 2 * sums.halves * sums.words * 32
    assert isclose(found.area_mm2, sum(found.area.values()) / 1e6)
    assert f"area by ours (22 nm): {found.area_mm2:.4g} mm2" in as_text(found)
    assert as_json(found)["area_um2"] == found.area


def test_a_file_that_is_read_twice_a_cycle_is_there_twice(tmp_path):
    x, y, xo, xi, yo, yi = map(Var, ("x", "y", "xo", "xi", "yo", "yi"))
    r, a, f = RDom([(0, 6)]), ImageParam(Int(8), 2, "a"), Func("f")
    f[x, y] += i32(a[x + 2 * r, y]) * i32(a[x + 2 * r + 1, y])
    f.set_bounds([(0, 9), (0, 7)]).update().split(y, yo, yi, 3).split(x, xo, xi, 4).unroll(yi)
    a.in_().compute_at(f, yi)
    a.in_().in_().compute_at(f, xo)
    found, files = estimate(f, table(tmp_path, YAML)), {file.name: file for file in derive(lower(f)).output.files}
    assert found.area is not None
    for name, copies in (("a_in_in", 2), ("a_in", 1)):
        words = files[name].halves * files[name].words
        assert isclose(found.area[name], 3 * 2 * words * 8 * copies)


def test_no_area_without_a_source():
    found = estimate(conv())
    assert found.area is None and found.area_mm2 is None
    assert "area: Interstellar, Table 3 has no areas" in as_text(found)
    assert as_json(found)["area_um2"] is None


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ("mac: 0.1 pJ\n", "", r"^mac is missing\n.*\n *mac: \"4 pJ\"", 1),
        ("mac: 0.1 pJ", "mac: 0.1", "^mac = 0.1 has no unit; it takes pJ, fJ, nJ", 5),
        ("mac: 0.1 pJ", "mac: 0.1 mW", "^mac = '0.1 mW' has the unit 'mW'; it takes pJ, fJ, nJ", 5),
        ("mac: 0.1 pJ", "mac: 0.1.2 pJ", "^mac must be a number with a unit, is '0.1.2 pJ'", 5),
        ("mac: 0.1 pJ", "mac: nan pJ", "^mac must be a number with a unit, is 'nan pJ'", 5),
        ("hop: 20 fJ", "hop: -20 fJ", "^hop = '-20 fJ' must be zero or more", 6),
        ("32 B: 60 fJ", "32 B: 0 fJ", "^register_file.32 B = '0 fJ' must be greater than zero", 10),
        ("32 B: 60 fJ", "32: 60 fJ", "^register_file.32 = '32' has no unit; it takes B, KB, MB", 10),
        ("32 B: 60 fJ", "0.016 KB: 60 fJ\n  16.384 B: 1 pJ", "^register_file has 0.016 KB twice", 10),
        ("  32 B: 60 fJ\n", "", r"^register_file has fewer than two sizes\n.*\n *register_file: \{64 B: 0.12 pJ, ", 8),
        ("20 fJ", "1e400 fJ", "^hop = '1e400 fJ' is larger than any number here", 6),
        ("16 bit", "0.5 bit", "^word = 0.5 bit is no whole number of bits", 4),
        ("sram: 0.25 um2/bit", "sram: 0.25 um2", "^area.sram = '0.25 um2' has the unit 'um2'; it takes um2/bit", 16),
        ("  pe: 1.5e-3 mm2\n", "", r"^area.pe is missing\n.*\n *pe: \"4 um2\"", 14),
        ("word: 16 bit", "word: 16 bit\nwidth: 3", "^unknown field 'width'", 5),
        ("hop: 20 fJ", "mac: 20 fJ", "^mac is given twice", 6),
        ("hop: 20 fJ", "hop: [20 fJ", "^not YAML: ", 6),
    ],
)
def test_a_table_with_a_mistake_names_the_field_and_the_line(tmp_path, old, new, message, line):
    with pytest.raises(CostError, match=message) as caught:
        table(tmp_path, YAML.replace(old, new, 1))
    assert caught.value.source is not None
    assert (caught.value.source.file, caught.value.source.line) == (str(tmp_path / "costs.yaml"), line)
    if not message.startswith("^not YAML"):
        assert caught.value.source.text == YAML.replace(old, new, 1).splitlines()[line - 1].strip()


@pytest.mark.parametrize(
    ("old", "new", "message", "legal"),
    [
        ("technology: 22 nm\n", "", "technology is missing", 'technology: "technology"'),
        ("technology: 22 nm", "technology: 22", "technology must be a text, is 22", 'technology: "technology"'),
        ("mac: 0.1 pJ", "mac: 1 um", "mac = '1 um' has the unit 'um'; it takes pJ, fJ, nJ", 'mac: "4 pJ"'),
        ("mac: 0.1 pJ", "mac: -1 pJ", "mac = '-1 pJ' must be zero or more", 'mac: "4 pJ"'),
        ("mac: 0.1 pJ\n", "", "mac is missing", 'mac: "4 pJ"'),
        ("word: 16 bit", "word: 1.5 bit", "word = 1.5 bit is no whole number of bits", 'word: "16 bit"'),
    ],
)
def test_a_mistake_in_a_table_has_a_line_to_paste(tmp_path, old, new, message, legal):
    assert old in YAML
    with pytest.raises(CostError) as caught:
        table(tmp_path, YAML.replace(old, new, 1))
    assert caught.value.message == message
    assert caught.value.legal == (legal,)


def test_an_alias_of_the_table_that_it_is_in(tmp_path):
    with pytest.raises(CostError, match=r"^tables inside each other without end") as caught:
        table(tmp_path, "name: &all\n  name: *all\n")
    assert caught.value.source is not None and caught.value.source.file.endswith("costs.yaml")


def test_a_file_that_is_no_table(tmp_path):
    with pytest.raises(CostError, match="is no table of fields"):
        table(tmp_path, "- 3\n")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CostError, match="it is no text"):
        load_costs(tmp_path / "bytes.toml")


LACKING = TOML.split("[sram]")[0]


def test_a_design_that_uses_a_level_the_table_lacks(tmp_path):
    """The level, the table, and its file's line, from Python and from the command line."""
    lacking = table(tmp_path, LACKING, "costs.toml")
    with pytest.raises(CostError, match=r"^the cost table 'ours' has no sram, which \w+ is\n.*\n *\[sram\]") as caught:
        estimate(product(), lacking)
    assert caught.value.source is not None and caught.value.source.file == str(tmp_path / "costs.toml")
    example = Path(__file__).parents[2] / "examples" / "conv.hh"
    result = CliRunner().invoke(main, ["estimate", str(example), "--costs", str(tmp_path / "costs.toml")])
    assert result.exit_code == 2
    assert "the cost table 'ours' has no sram, which input_in is" in result.stderr
    assert f"at {tmp_path / 'costs.toml'}:1" in result.stderr


def test_the_level_proposed_is_in_the_files_own_notation(tmp_path):
    """Each proposal, pasted at the end of the file it is for, makes the table complete."""
    yaml = YAML.replace('sram:\n  "32 KB": 6 pJ\n  64 KB: 9.0e+0 pJ\n', "")
    for name, text in (("costs.toml", LACKING), ("costs.yaml", yaml)):
        with pytest.raises(CostError) as caught:
            estimate(product(), table(tmp_path, text, name))
        whole = table(tmp_path, "\n".join((text, *caught.value.legal, "")), name)
        assert whole.sram == ((64, 0.12), (128, 0.24))


ARCHITECTURE = """name = "small"
costs = "costs.toml"

[array]
rows = 4

[[level]]
name = "RF"
kind = "register_file"
size = "64 B"

[[level]]
name = "buffer"
kind = "sram"
size = "8 KB"

[[level]]
name = "DRAM"
kind = "dram"
bandwidth = "1 word/cycle"
"""


def test_an_architecture_with_a_level_the_table_lacks(tmp_path):
    (tmp_path / "costs.toml").write_text(LACKING)
    (tmp_path / "arch.toml").write_text(ARCHITECTURE)
    with pytest.raises(CostError, match=r"^the cost table 'ours' has no sram, which buffer is") as caught:
        load_architecture(tmp_path / "arch.toml")
    assert caught.value.source is not None and caught.value.source.line == 14


def test_a_bandwidth_of_zero(tmp_path):
    (tmp_path / "costs.toml").write_text(TOML)
    (tmp_path / "arch.toml").write_text(ARCHITECTURE.replace("1 word/cycle", "0 word/cycle"))
    message = r"^level\[2\].bandwidth = '0 word/cycle' must be greater than zero"
    with pytest.raises(CostError, match=message) as caught:
        load_architecture(tmp_path / "arch.toml")
    assert caught.value.source is not None and caught.value.source.line == 20


def test_the_table_in_the_documentation(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "model.md").read_text()
    found = table(tmp_path, page.split("```yaml\n")[1].split("```")[0])
    assert found.area is not None and (found.name, found.access("sram", 65536), found.area.pe) == ("ours", 9, 1500)
