"""Files of architectures: what they mean, and every complaint about one."""

import re
import tomllib
from dataclasses import replace

import pytest
import yaml

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture, Level
from halidehw.mapping.architecture_file import load_architecture
from halidehw.mapping.layer import Layer
from halidehw.optimize import architecture, optimize

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
        ('kind = "register_file"', 'kind = "flash"', "Table 3 has no kind 'flash'(.|\n)*kind = \"register_file\"\n", 9),
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
        ("\n[array]", 'sum_bits = "32 bit"\n[array]', "sum_bits must be a whole number, 0 for "
         ".*, is '32 bit'(.|\n)*sum_bits = 32\n", 3),
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


def test_the_width_of_sums(tmp_path):
    file = tmp_path / "arch.toml"
    file.write_text(ARCH)
    assert (load_architecture(file).sum_bits, load_architecture(file).sum_width) == (32, 2)
    file.write_text(ARCH.replace("\n[array]", "sum_bits = 24\n[array]"))
    assert (load_architecture(file).sum_bits, load_architecture(file).sum_width) == (24, 1.5)


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


ALL = """name = "mine"
costs = "table3"
dataflow = "C"
sum_bits = 32
port_bits = 64
shared_port_bits = 128

[array]
rows = 4
links = true
mac = "0.075 pJ"
hop = "0.035 pJ"

[[level]]
name = "RF"
kind = "register_file"
size = "64 B"
double = false

[[level]]
name = "SRAM"
kind = "sram"
size = "8 KB"
energy = "13.5 pJ"

[[level]]
name = "DRAM"
kind = "dram"
bandwidth = "4 word/cycle"
""".splitlines()
TEXTS = ('""', '"x"', '"\\n"', '"1 XB"', '"1e999 pJ"', '"C | K"')
WRONG = ("3", "-1", "0", "1.5", "true", "[]", "{}", "inf", f"{10**20}", *TEXTS)
FIELDS = [at for at, line in enumerate(ALL) if " = " in line]


@pytest.mark.parametrize("at", FIELDS, ids=lambda at: ALL[at])
def test_what_is_proposed_for_a_field_works_when_it_is_pasted(tmp_path, at):
    """Widths of ports were proposed that did not fit the others, kinds out of order, and names that were taken."""
    file, seen = tmp_path / "arch.toml", 0

    def written(said):
        file.write_text("\n".join([*ALL[:at], said, *ALL[at + 1 :]]))
        return file

    for value in WRONG:
        try:
            architecture(written(f"{ALL[at].split(' = ')[0]} = {value}"))
        except CostError as problem:
            seen += 1
            assert problem.source.line == at + 1 and problem.legal
            for legal in problem.proposed:
                assert architecture(written(legal)).pes == 4 or "rows" in legal
    assert seen


@pytest.mark.parametrize(("port", "shared", "works"), [
    (64, 24, "shared_port_bits = 64"), (0, 24, "shared_port_bits = 32"), (10**9, 128, "port_bits = 128"),
    (48, 64, "port_bits = 64"), (10**9, 24, "port_bits = 65536"), (256, 128, "port_bits = 128"),
])  # fmt: skip
def test_a_port_that_is_proposed_fits_the_other_one(port, shared, works):
    with pytest.raises(CostError, match="architecture eyeriss: ") as caught:
        replace(architecture("eyeriss"), port_bits=port, shared_port_bits=shared)
    assert works in caught.value.legal


def test_a_dataflow_that_is_none_is_told_at_its_line(tmp_path):
    """It was told when a layer was searched, without the file."""
    for name, said in (("arch.toml", 'dataflow = "C"'), ("arch.yaml", 'dataflow: "C"')):
        file = tmp_path / name
        text = ARCH if name.endswith("toml") else yaml.dump(tomllib.loads(ARCH), sort_keys=False)
        file.write_text(f"{said.replace('C', 'C | K')}\n{text}")
        with pytest.raises(CostError, match=r"dataflow 'C . K' has 2 dimensions, the array has 1") as caught:
            architecture(file)
        assert caught.value.source.line == 1 and caught.value.proposed[0] == said
