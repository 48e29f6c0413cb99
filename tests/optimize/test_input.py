"""Layers, cost tables, architectures and dataflows: what they mean, and every complaint about them."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from halidehw.energy_model.costs.table import load_costs
from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture, Level
from halidehw.mapping.architecture_file import load_architecture
from halidehw.mapping.layer import Layer, load_network, parse_layer
from halidehw.optimize import architecture, optimize
from halidehw.optimize.dataflow import parse_dataflow, write_dataflow

ARCH = """name = "mine"
costs = "table3"

[array]
rows = 4

[[level]]
name = "RF"
kind = "register_file"
size = "64 B"

[[level]]
name = "DRAM"
kind = "dram"
"""


def test_a_layer_in_words():
    assert parse_layer("ox=13 oy=13 c=256, k=384 fx=3 fy=3 b=16") == Layer(16, 384, 256, 13, 13, 3, 3)


def test_directions_may_differ():
    layer = parse_layer("ox=4 oy=4 fx=3 fy=3 stride=2 stride_x=1 dilation_y=3")
    assert (layer.steps("Y"), layer.steps("X")) == ((2, 3), (1, 1))
    assert layer.words[0] == (2 * 3 + 3 * 2 + 1) * (4 + 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ox=13 stride_y=0", "stride_y must be a positive integer, is 0"),
        ("ox=13 oy", "'oy' is not name=integer"),
        ("ox=13 ox=12", "ox is given twice(.|\n)*  ox=12"),
        ("", "no sizes given"),
        ("ow=13", "unknown size 'ow'(.|\n)*ox"),
        ("K=4", r"unknown size 'K'\n  what would work:\n    k(\n|$)"),
        ("ox=0", "ox must be a positive integer, is 0"),
        ("k=6 c=8 groups=4", "groups=4 does not divide k=6(.|\n)*k=6 c=8 groups=2"),
        ("ox=99999999999999999999 k=3", "iterations, more than 9007199254740992, up to .*\n.*\n    ox=1048576 k=3\n"),
    ],
)
def test_a_layer_that_is_none(text, message):
    with pytest.raises(CostError, match=message):
        parse_layer(text)


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (Layer(k=4, oz=10**11), r"^layer: loop Z has 100000000000 iterations, more than 1048576(.|\n)*oz=1048576"),
        (Layer(k=2 * 10**7, c=2, groups=2), r"^layer: loop K has 10000000 iterations(.|\n)*k=2097152"),
    ],
)
def test_a_loop_that_is_too_long_to_be_searched(layer, message):
    with pytest.raises(CostError, match=message):
        optimize(layer, architecture("eyeriss"))


def test_a_layer_whose_name_is_no_text():
    with pytest.raises(CostError, match=r"^layer 3: name must be a text"):
        Layer(k=4, name=3)


def test_table_3_and_its_interpolation():
    table = load_costs("table3")
    assert [table.access("register_file", size) for size in (16, 64, 512)] == [0.03, 0.12, 0.96]
    assert table.access("register_file", 24) == pytest.approx(0.045)
    assert table.access("register_file", 8) == pytest.approx(0.015)
    assert table.access("sram", 128 * 1024) == 13.5
    assert table.access("sram", 1024 * 1024) == pytest.approx(30.375 * 1.5)
    assert (table.mac, table.hop, table.dram) == (0.075, 0.035, 200)


TABLE = """name = "mine"
technology = "28 nm"
word = "16 bit"
mac = "0.1 pJ"
hop = "0.1 pJ"
dram = "100 pJ"

[register_file]
"16 B" = "0.03 pJ"
"32 B" = "60 fJ"

[sram]
"32 KB" = "6 pJ"
"64 KB" = "9 pJ"
"""


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ('mac = "0.1 pJ"\n', "", "mac is missing(.|\n)*mac = ", 1),
        ("0.1 pJ", "0.1", "mac = '0.1' has no unit; it takes pJ, fJ, nJ", 4),
        ("0.1 pJ", "0.1 W", "mac = '0.1 W' has the unit 'W'", 4),
        ("100 pJ", "-100 pJ", "dram = '-100 pJ' must be zero or more", 6),
        ("60 fJ", "0 fJ", "must be greater than zero", 10),
        ('"32 B"', '"32"', "register_file.32 = '32' has no unit", 10),
        ('"16 B" = "0.03 pJ"\n', "", "register_file has fewer than two sizes", 8),
        ("hop", "hopp", "unknown field 'hopp'(.|\n)*hop", 5),
        ('name = "mine"', "name = 3", "name must be a text, is 3", 1),
        ('mac = "0.1 pJ"', "mac = 0.1 pJ", "not TOML", 4),
        ('mac = "0.1 pJ"', "mac = true", "mac must be a number with a unit, is True", 4),
    ],
)
def test_a_cost_table_with_a_mistake_names_the_field_and_the_line(tmp_path, old, new, message, line):
    file = tmp_path / "costs.toml"
    file.write_text(TABLE.replace(old, new, 1))
    with pytest.raises(CostError, match=message) as caught:
        load_costs(file)
    assert (caught.value.source.file, caught.value.source.line) == (str(file), line)


def test_a_cost_table_of_ones_own(tmp_path):
    (tmp_path / "costs.toml").write_text(TABLE)
    file = tmp_path / "arch.toml"
    file.write_text(ARCH.replace("table3", "costs.toml"))
    arch = load_architecture(file)
    assert (arch.costs, arch.levels[0].energy, arch.levels[1].energy) == ("mine", pytest.approx(0.12), 100.0)
    with pytest.raises(CostError, match=r"cannot read .*none\.toml"):
        load_costs(tmp_path / "none.toml")


def test_an_architecture_file(tmp_path):
    file = tmp_path / "arch.toml"
    file.write_text(ARCH + 'bandwidth = "2 word/cycle"\n')
    levels = (Level("RF", "register_file", 32, 0.12, 2), Level("DRAM", "dram", None, 200.0, 1, 2.0))
    assert load_architecture(file) == Architecture(
        "mine", "28 nm", "Interstellar, Table 3", 16, (4,), levels, hop=0.035, mac=0.075
    )


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        (
            'size = "64 B"',
            'size = "8 B"',
            "level RF has 4 words, needs 8 words to hold one element of each tensor, a sum of 32 bits(.|\n)*16 B",
            10,
        ),
        ('kind = "register_file"', 'kind = "flash"', "Table 3 has no kind 'flash'(.|\n)*kind = \"sram\"", 9),
        ('kind = "register_file"', 'kind = "sram"', "levels go from one or more register_file over sram(.|\n)*work:\n"
         "    kind = \"register_file\"\n", 9),
        ("rows = 4", "rows = 0", "array.rows must be a positive integer, is 0", 5),
        ("[array]\nrows = 4\n", "", "array is missing, a table with rows", 1),
        ('name = "DRAM"', "", r"level\[1\].name is missing", 12),
        ('costs = "table3"', 'costs = "table4"', 'no file, nor the name of a built-in table(.|\n)*costs = "table3"', 2),
        ("\n[array]", 'dataflow = ""\n[array]', "dataflow must be a text, is ''", 3),
        ("rows = 4", 'rows = 4\nhop = ""', "array.hop must be a number with a unit, is ''", 6),
        ("rows = 4", "rows = 4\nmac = 0", "array.mac = 0 has no unit", 6),
        ('name = "DRAM"', 'name = "RF"', 'levels 1 and 2 are both named RF(.|\n)*name = "RF2"', 13),
        ("rows = 4", 'rows = 4\nlinks = "no"', "array.links must be true or false", 6),
        ("\n[array]", "sum_bits = 8\n[array]", "sum_bits must be from 16, a word's, to 64, is 8(.|\n)*= 32", 3),
        ("\n[array]", "sum_bits = 65\n[array]", "sum_bits must be from 16, a word's, to 64, is 65", 3),
        ("\n[array]", "port_bits = 8\n[array]", "no tensor can use a port of 8 bits: words of input and "
         "weight have 16, sums 32(.|\n)*port_bits = 16", 3),
        ("\n[array]", "shared_port_bits = 16\n[array]", "the output cannot use a shared port of 16 bits: its "
         "sums have 32(.|\n)*shared_port_bits = 32", 3),
        ("\n[array]", "port_bits = 64\nshared_port_bits = 32\n[array]", "ports of 64 bits do not fit into a shared one "
         "of 32(.|\n)*port_bits = 32", 3),
        ("\n[array]", "port_bits = 48\n[array]", "a port of 48 bits: ports carry 1, 2, 4, 8 ... words, and those are "
         "of 16 bits, sums of 32(.|\n)*port_bits = 32", 3),
        ("\n[array]", "shared_port_bits = 48\n[array]", "a port of 48 bits(.|\n)*shared_port_bits = 32", 3),
        ('name = "DRAM"', 'name = "SRAM"\nkind = "sram"\nsize = "8 B"\n\n[[level]]\nname = "DRAM"',
         "level SRAM has 4 words, needs 8 words(.|\n)*size = \"16 B\"", 15),
        ("\n[array]", 'sum_bits = "32 bit"\n[array]', "sum_bits must be a positive integer, is '32 bit'", 3),
        ("\n[array]", "shared_port_bits = 99999999999999999999\n[array]", "a port of 9+ bits, more than 65536", 3),
        ("rows = 4", "rows = 1000000000000", "array.rows = 1000000000000 is more than 1048576", 5),
        ('name = "RF"', 'name = "R\\nF"', "the name .* cannot stand in a comment(.|\n)*\"RF\"", 8),
        ('name = "mine"', 'name = "a\\nb"', "the name .* cannot stand in a comment(.|\n)*\"ab\"", 1),
        ('kind = "dram"', 'kind = "dram"\nenergy = "1e308 pJ"', r"1e\+308 pJ a word, more than 1e\+12", 15),
        ('kind = "dram"', 'kind = "dram"\nbandwidth = "1e-300 word/cycle"', "1e-300 words a cycle, less than 1e-06",
         15),
    ],
)
def test_an_architecture_with_a_mistake_names_the_field_and_the_line(tmp_path, old, new, message, line):
    file = tmp_path / "arch.toml"
    file.write_text(ARCH.replace(old, new, 1))
    with pytest.raises(CostError, match=message) as caught:
        load_architecture(file)
    assert (caught.value.source.file, caught.value.source.line) == (str(file), line)


TWO = ARCH.replace('name = "DRAM"', 'name = "A"\nkind = "sram"\nsize = "1 KB"\n\n[[level]]\nname = "B"\nkind = "sram"\n'
                   'size = "4 KB"\n\n[[level]]\nname = "DRAM"')  # fmt: skip
INLINE = """name = "mine"
costs = "table3"
array = { rows = 4 }
level = [{ name = "RF", kind = "register_file", size = "64 B" }, # ] {
  { name = "A", kind = "sram", size = "1 KB" },
  { name = "B", kind = "sram", size = "4 KB" }, { name = "DRAM", kind = "dram" }]
"""


def pasted(text, line, legal):
    """A file with what is proposed in place of a line, or of the table that it is in; or with its tables in order."""
    legal = legal.replace("\n    ", "\n")
    if legal.startswith("the tables in this order: "):
        first, *tables = text.split("\n[[level]]\n")
        order = re.findall(r'name = "\w+"', legal)
        return "\n[[level]]\n".join([first, *sorted(tables, key=lambda each: order.index(each.splitlines()[0]))])
    lines = text.splitlines()
    if not legal.startswith("[["):
        return "\n".join([*lines[: line - 1], legal, *lines[line:]])
    tables = text.split("\n\n")
    at = next(at for at in range(len(tables)) if "\n\n".join(tables[: at + 1]).count("\n") + 1 >= line)
    return "\n\n".join([*tables[:at], legal, *tables[at + 1 :]])


@pytest.mark.parametrize(("text", "old", "new", "message", "line"), [
    (TWO, '"4 KB"', '"4 B"', "level B has 2 words, needs 8 words", 20),
    (TWO, '"1 KB"', '"4 B"', "level A has 2 words, needs 8 words", 15),
    (TWO.replace('"B"', '"to"'), '"1 KB"', '"4 B"', "level A has 2 words, needs 8 words to hold", 15),
    (TWO.replace('"A"', '"has"'), '"4 KB"', '"4 B"', "level B has 2 words, needs 8 words to hold", 20),
    (TWO, 'name = "B"', 'name = "A"', 'levels 2 and 3 are both named A(.|\n)*name = "A3"', 18),
    (TWO.replace('"DRAM"', '"A3"'), 'name = "B"', 'name = "A"', 'levels 2 and 3 are both named A(.|\n)*"A4"', 18),
    (TWO, 'name = "B"\nkind = "sram"', 'name = "B"\nkind = "register_file"', "B .register_file., DRAM", 19),
    (TWO, 'kind = "dram"', 'kind = "sram"\nsize = "1 KB"', r"are: RF .*\n.*\n    \[\[level\]\]\n    name = \"DRAM\"\n"
     r"    kind = \"dram\"\n", 24),
    (TWO, 'kind = "sram"\nsize = "4 KB"', 'kind = "dram"', r"are: RF .*\n.*\n    kind = \"sram\"\n    size = ", 19),
    (TWO, '"4 KB"', '"9e30 MB"', r"level B: .* pJ a word, more than 1e\+12\n.*\n    size = \"1 KB\"\n", 20),
    (TWO, '"4 KB"', '"512 B"', r"^level B has 512 B, less than the 1 KB of A, which is inside it: levels go from the "
     r"PEs outwards\n.*\n    size = \"1 KB\"\n    the tables in this order: .*RF.*B.*A.*DRAM\"\n", 20),
    (TWO, '"1 KB"', '"32 KB"\n\n[[level]]\nname = "C"\nkind = "sram"\nsize = "2 KB"', r"^level C has 2 KB, less than "
     r"the 32 KB of A, .*\n.*\n    size = \"2 KB\"\n    the tables .*C.*B.*A", 15),
    (TWO, '"1 KB"', '"8 KB"\n\n[[level]]\nname = "C"\nkind = "sram"\nsize = "16 KB"', r"^level B has 4 KB, less than "
     r"the 8 KB of A, .*\n.*\n    the tables .*B.*A.*C", 25),
    (TWO.replace('"sram"', '"register_file"'), '"1 KB"', '"16 B"\ndouble = false', r"^level A has 16 B, less than the "
     r"64 B of RF, which", 15),
    (TWO, 'kind = "dram"', 'kind = "dram"\nsize = "1 GB"', r"^level DRAM: a dram has no size: it holds all that there "
     r"is\n.*\n    \[\[level\]\]\n    name = \"DRAM\"\n    kind = \"dram\"\n", 25),
    (TWO, 'kind = "dram"', 'kind = "dram"\ndouble = true\nenergy = "1 pJ"', r"^level DRAM: a dram has no double: it is "
     r"no buffer, of one half or of two\n.*\n    .*\n    .*\n    .*\n    energy = \"1 pJ\"\n", 25),
    (INLINE, 'kind = "dram"', 'kind = "dram", double = false', r"^level DRAM: a dram has no double: .*\n.*\n    "
     r"\{name = \"DRAM\", kind = \"dram\"\}\n", 6),
    (INLINE, '"4 KB"', '"4 B"', "level B has 2 words, needs 8 words", 6),
    (INLINE, '"1 KB"', '"4 B"', "level A has 2 words, needs 8 words", 5),
])  # fmt: skip
def test_of_two_levels_of_a_kind_the_one_that_is_wrong_is_shown(tmp_path, text, old, new, message, line):
    """Which level is wrong was read from the message: a word of it that was a level's name was taken for that level."""
    file = tmp_path / "arch.toml"
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(CostError, match=message) as caught:
        load_architecture(file)
    assert (caught.value.source.file, caught.value.source.line) == (str(file), line)
    for legal in caught.value.legal if "[[" in text else ():
        file.write_text(pasted(text.replace(old, new, 1), line, legal))
        load_architecture(file)


@pytest.mark.parametrize("double", ["", "\ndouble = false"])
@pytest.mark.parametrize(("old", "new"), [
    ('size = "64 B"', 'size = "0 B"'), ('size = "64 B"', 'size = "16"'), ('size = "64 B"', 'size = "nan B"'),
    ('size = "64 B"', ""), ("\n[array]", "port_bits = 8\n[array]"), ("\n[array]", "port_bits = 24\n[array]"),
])  # fmt: skip
def test_all_that_is_proposed_for_an_architecture_works(tmp_path, old, new, double):
    """Sizes of 4 B and ports of 0 bits were proposed, which are refused."""
    file = tmp_path / "arch.toml"
    text = ARCH.replace('kind = "register_file"', 'kind = "register_file"' + double)
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(CostError) as caught:
        load_architecture(file)
    assert caught.value.legal
    for legal in caught.value.legal:
        file.write_text(text.replace(old, f"{legal}\n[array]" if "port" in new else legal, 1))
        load_architecture(file)


@pytest.mark.parametrize(("option", "bits", "message"), [
    ("port_bits", 8, "no tensor can use a port of 8 bits(.|\n)*--port-bits 16"),
    ("shared_port_bits", 24, "the output cannot use a shared port of 24 bits(.|\n)*--shared-port-bits 32"),
    ("port_bits", 10**9, "a port of 1000000000 bits, more than 65536(.|\n)*--port-bits 65536"),
    ("shared_port_bits", 10**30, "a port of 10+ bits, more than 65536(.|\n)*--shared-port-bits 65536"),
])  # fmt: skip
def test_a_port_that_no_tensor_can_use_is_refused(option, bits, message):
    with pytest.raises(CostError, match=message):
        optimize(Layer(k=8, c=8), architecture("eyeriss"), **{option: bits})


def test_the_width_of_sums(tmp_path):
    file = tmp_path / "arch.toml"
    file.write_text(ARCH)
    assert (load_architecture(file).sum_bits, load_architecture(file).sum_width) == (32, 2)
    file.write_text(ARCH.replace("\n[array]", "sum_bits = 24\n[array]"))
    assert (load_architecture(file).sum_bits, load_architecture(file).sum_width) == (24, 1.5)


def test_the_files_that_the_documentation_shows(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "optimizer.md").read_text()
    for kind, file in (("toml", tmp_path / "mine.toml"), ("json", tmp_path / "mine.json")):
        file.write_text(page.split(f"```{kind}\n")[1].split("```")[0])
    arch, network = load_architecture(tmp_path / "mine.toml"), load_network(str(tmp_path / "mine.json"))
    assert arch == replace(architecture("eyeriss"), name="mine", dataflow="C | K", port_bits=64, shared_port_bits=128,
                           levels=arch.levels)  # fmt: skip
    assert arch.levels[:2] == architecture("eyeriss").levels[:2] and arch.levels[2].bandwidth == 4
    assert network.layers == (
        Layer(16, 384, 256, 13, 13, 3, 3, name="conv"), Layer(b=16, k=4096, c=9216, repeat=2, name="fc")
    )  # fmt: skip


@pytest.mark.parametrize(("sizes", "buffers"), [(("8 KB", "8 KB"), (2, 2)), (("8 KB", "6 KB"), (2, 1)),
                                                (("4 KB", "6 KB"), (1, 2))])  # fmt: skip
def test_a_level_outside_another_one_may_have_less_room_or_fewer_bytes_but_not_both(tmp_path, sizes, buffers):
    file = tmp_path / "arch.toml"
    said = [f'"{size}"\ndouble = {str(two == 2).lower()}' for size, two in zip(sizes, buffers, strict=True)]
    file.write_text(TWO.replace('"4 KB"', said[1]).replace('"1 KB"', said[0]))
    assert tuple(level.buffers for level in load_architecture(file).levels[1:3]) == buffers


def test_levels_of_any_sizes_may_be_searched():
    """As those that a list of sizes to choose from has; a file that says so has its tables in the wrong order."""
    arch = architecture("eyeriss")
    levels = (arch.levels[0], replace(arch.levels[0], name="RF2", words=64, energy=0.24), *arch.levels[1:])
    assert optimize(Layer(k=8, c=8), replace(arch, levels=levels)).optimal


def test_what_is_proposed_for_an_architecture_in_yaml_is_yaml(tmp_path):
    """A `size = "16 B"` was proposed."""
    file, levels = tmp_path / "arch.yaml", [{"name": "RF", "kind": "register_file", "size": "64 B"}]
    levels += [{"name": "A", "kind": "sram", "size": "1 KB"}, {"name": "DRAM", "kind": "dram"}]
    whole = {"name": "mine", "costs": "table3", "array": {"rows": 4}, "level": levels}
    for at, change, legal in (
        (0, {"size": "8 B"}, 'size: "16 B"'), (1, {"kind": "flash"}, 'kind: "register_file"'),
        (1, {"name": "RF"}, 'name: "RF2"'), (2, {"size": "1 GB"}, '- {name: "DRAM", kind: "dram"}'),
        (2, {"kind": "sram", "size": "1 KB"}, '- {name: "DRAM", kind: "dram"}'), (0, {"name": "a\nb"}, 'name: "ab"'),
        (0, {"bandwidth": "1e-9 word/cycle"}, 'bandwidth: "4 word/cycle"'),
    ):  # fmt: skip
        wrong = {**levels[at], **change}
        assert proposed(file, {**whole, "level": [*levels[:at], wrong, *levels[at + 1 :]]}) == legal
        found = yaml.safe_load(legal)
        mended = found[0] if isinstance(found, list) else {**wrong, **found}
        file.write_text(yaml.safe_dump({**whole, "level": [*levels[:at], mended, *levels[at + 1 :]]}))
        load_architecture(file)
    for key in ("array", "level"):
        mended = yaml.safe_load(proposed(file, {**whole, key: None}))
        file.write_text(yaml.safe_dump({**whole, **mended}))
        load_architecture(file)


def proposed(file, data):
    """The first thing that is proposed for an architecture in YAML."""
    file.write_text(yaml.safe_dump(data, sort_keys=False))
    with pytest.raises(CostError) as caught:
        load_architecture(file)
    return caught.value.legal[0]


def test_an_architecture_without_levels(tmp_path):
    file = tmp_path / "arch.toml"
    file.write_text(ARCH.split("[[level]]")[0])
    with pytest.raises(CostError, match="level is missing: one table per memory") as caught:
        load_architecture(file)
    file.write_text(file.read_text() + caught.value.legal[0])
    assert [level.kind for level in load_architecture(file).levels] == ["register_file", "dram"]


@pytest.mark.parametrize("name", ["eyeriss", "interstellar", "tpu", "large"])
def test_the_shipped_architectures(name):
    assert architecture(name).name == name


def test_no_architecture_of_that_name():
    with pytest.raises(CostError, match=r"no architecture file eyris(.|\n)*--arch eyeriss"):
        architecture("eyris")


@pytest.mark.parametrize("text", ["C | K", "FY | Y", "CX | K", "FXB | FYG"])
def test_dataflow_notation(text):
    assert write_dataflow(parse_dataflow(text, 2)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("C | W", "unknown loop 'W'; the loops are B, G, K, C, Y, X, FY, FX, Z, FZ(.|\n)*dataflow=\"C \\| K\""),
        ("", "dataflow '' names no loop; the loops are B, G, K, C, Y, X, FY, FX, Z, FZ(.|\n)*dataflow=\"any\""),
        ("any ", "unknown loop 'a'"),
        ("C | K | X", "has 3 dimensions, the array has 2"),
        ("C | ", "has an empty side"),
        ("C | C", "unrolls C twice"),
    ],
)
def test_a_dataflow_that_is_none(text, message):
    with pytest.raises(CostError, match=message):
        optimize(Layer(k=4, c=4), architecture("eyeriss"), text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objective": "speed"}, "unknown objective 'speed'(.|\n)*objective=\"delay\""),
        ({"convention": "guess"}, "unknown convention 'guess'(.|\n)*convention=\"exact\""),
        ({"time_limit": 0}, "time limit must be more than 0 seconds"),
        ({"utilization": 1.5}, "utilization must be a share of the array, more than 0 and at most 1, is 1.5"),
        ({"utilization": 0.5, "full_array": True}, "--full-array is a utilization of 1 already"),
        ({"max_cycles": 1}, "no mapping takes at most 1 cycles: the array alone needs 8"),
    ],
)
def test_options_that_are_none(options, message):
    with pytest.raises(CostError, match=message):
        optimize(Layer(k=8, c=8), architecture("eyeriss"), "C", **options)


def test_a_dataflow_of_an_architecture_that_is_none_is_told_as_its_file_would_say_it():
    arch = replace(architecture("eyeriss"), dataflow="C | W")
    with pytest.raises(CostError, match=r"^architecture eyeriss: dataflow 'C . W': unknown loop") as caught:
        optimize(Layer(k=4, c=4), arch)
    assert caught.value.legal[0] == 'dataflow = "C | K"'
    assert optimize(Layer(k=4, c=4), arch, "any")


def test_half_full_may_be_infeasible():
    levels = (Level("RF", "register_file", 15, 0.1), Level("DRAM", "dram", None, 200.0))
    arch = Architecture("mine", "none", "none", 16, (1,), levels, hop=0.0, mac=0.0)
    with pytest.raises(
        CostError, match=r"RF has 15 words, tiles need 4 to 382, and must fill half(.|\n)*half_full=False"
    ):
        optimize(Layer(k=127, c=1), arch, "K", half_full=True)


@pytest.mark.parametrize("objective", ["energy", "delay"])
def test_a_share_of_the_array_that_memory_cannot_serve_names_what_is_there_and_smaller_ones(objective: str):
    """It said that no tiles and lanes fit, and no more."""
    layer, arch = Layer(k=64, c=64, oy=16, ox=7, fy=3), architecture("eyeriss")
    small = replace(arch, levels=(arch.levels[0], replace(arch.levels[1], words=32), arch.levels[2]))
    with pytest.raises(CostError, match="SRAM has 32 words, those of a step need 106") as caught:
        optimize(layer, small, objective=objective, full_array=True)
    assert caught.value.proposed == ("--utilization 0.1", "--utilization 0.05")
    for each in caught.value.proposed:
        assert optimize(layer, small, objective=objective, utilization=float(each.split()[1])).used
