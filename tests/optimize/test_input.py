"""Layers, cost tables and dataflows: what they mean, and every complaint about them."""

from dataclasses import replace
from pathlib import Path

import pytest

from halidehw.energy_model.costs.table import load_costs
from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture, Level
from halidehw.mapping.architecture_file import load_architecture
from halidehw.mapping.layer import Layer, load_network, parse_layer
from halidehw.optimize import architecture, optimize
from halidehw.optimize.dataflow import parse_dataflow, write_dataflow
from halidehw.optimize.lattice import LONGEST
from halidehw.optimize.solve import SHIPPED
from tests.optimize.test_architecture_file import ARCH


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


@pytest.mark.parametrize(("option", "bits", "message"), [
    ("port_bits", 8, "no tensor can use a port of 8 bits(.|\n)*port_bits=16"),
    ("shared_port_bits", 24, "the output cannot use a shared port of 24 bits(.|\n)*shared_port_bits=32"),
    ("port_bits", 10**9, "a port of 1000000000 bits, more than 65536(.|\n)*port_bits=65536"),
    ("shared_port_bits", 10**30, "a port of 10+ bits, more than 65536(.|\n)*shared_port_bits=65536"),
])  # fmt: skip
def test_a_port_that_no_tensor_can_use_is_refused(option, bits, message):
    with pytest.raises(CostError, match=message):
        optimize(Layer(k=8, c=8), architecture("eyeriss"), **{option: bits})


@pytest.mark.parametrize(("options", "message", "legal"), [
    ({"ragged": "yes"}, "ragged must be True or False, is 'yes'", ["ragged=True"]),
    ({"port_bits": "8"}, "port_bits must be a whole number, is '8'", ["port_bits=64"]),
    ({"dataflow": 3}, "dataflow must be a text, is 3", ['dataflow="C | K"']),
    ({"time_limit": "1"}, "time_limit must be a number, is '1'", ["time_limit=10.0"]),
    ({"time_limit": -1}, "time limit must be more than 0 seconds, is -1", ["time_limit=10"]),
    ({"utilization": 2}, "utilization must be a share of the array, .*, is 2", ["utilization=0.75"]),
    ({"utilization": True}, "utilization must be a number, is True", ["utilization=0.75"]),
    ({"replicate": None}, "replicate must be True or False, is None", ["replicate=True"]),
    ({"objective": None}, "objective must be a text, is None", ['objective="energy"']),
    ({"utilization": 0.5, "full_array": True}, "full_array=True is a utilization of 1 already",
     ["utilization=1", "full_array=True"]),
])  # fmt: skip
def test_options_in_python_are_refused_in_python(options, message, legal):
    """They ended in a TypeError, or proposed options of a command."""
    with pytest.raises(CostError, match=f"^{message}\n") as caught:
        optimize(Layer(k=8, c=8), architecture("eyeriss"), **options)
    assert [*caught.value.legal] == legal
    for each in legal:
        assert eval(f"optimize('k=8 c=8', 'eyeriss', {each})").files is not None


def test_a_layer_and_an_architecture_may_be_texts(tmp_path):
    """Both ended in an AttributeError."""
    found = optimize("k=8 c=8", "eyeriss")
    assert found.mapping == optimize(Layer(k=8, c=8), architecture("eyeriss")).mapping
    (tmp_path / "own.toml").write_text((SHIPPED / "eyeriss.toml").read_text())
    assert optimize("k=8 c=8", tmp_path / "own.toml").mapping == found.mapping
    for layer, arch, example in ((8, "eyeriss", '"k=64 c=64 b=16"'), ("k=8", None, 'architecture("eyeriss")')):
        with pytest.raises(CostError, match=r"is no (Layer|Architecture), nor a text that says one") as caught:
            optimize(layer, arch)
        assert caught.value.legal == (example,)


@pytest.mark.parametrize("name", ["eyeris", 3, None])
def test_an_architecture_that_is_none_is_refused_in_python(name):
    """Options of a command were proposed, or it ended in a TypeError."""
    with pytest.raises(CostError, match=rf"{name}") as caught:
        architecture(name)
    assert 'architecture("eyeriss")' in caught.value.legal
    for legal in caught.value.legal:
        assert optimize("k=8 c=8", eval(legal), "any", time_limit=9).pj > 0


def test_of_two_sizes_that_are_too_large_both_are_proposed_smaller():
    """The second one was still too large."""
    with pytest.raises(CostError, match="loop K has 1048577 iterations") as caught:
        optimize("k=1048577 c=1000000000", "eyeriss")
    assert caught.value.legal == ("k=1048576 c=1048576",)


@pytest.mark.parametrize("sizes", [
    "k=10485770 c=1000000000 fx=3", "k=1048576 c=99999999999", "k=10485769 c=1000000000 ox=99999999999 fx=77777777",
    "b=4000000000 ox=2000000 oy=2000000", "groups=4194304 k=4194304 c=4194304 ox=4000000000",
])  # fmt: skip
def test_sizes_that_are_proposed_for_too_many_iterations_can_be_searched(sizes):
    """Where the product was small enough some were still longer than a loop can be."""
    with pytest.raises(CostError, match="up to which counts are exact") as caught:
        parse_layer(sizes)
    (legal,) = caught.value.legal
    given = dict(each.split("=") for each in (*sizes.split(), *legal.replace(",", "").split()))
    layer = parse_layer(" ".join(f"{name}={size}" for name, size in given.items()))
    assert max(layer.extents) <= LONGEST


@pytest.mark.parametrize(("line", "works"), [
    ("costs = 3", 'costs = "table3"'), ("dataflow = 3", 'dataflow = "any"'), ("name = 3", 'name = "mine"'),
    ('kind = "sram"', 'kind = "dram"'),
])  # fmt: skip
def test_what_is_proposed_for_a_field_that_is_no_text_works(tmp_path, line, works):
    """`costs = "costs"` was, and `dataflow = "dataflow"`."""
    file, key = tmp_path / "own.toml", line.split(" = ")[0]
    lines = (SHIPPED / "eyeriss.toml").read_text().splitlines()
    at = max(at for at, each in enumerate(lines) if each.startswith(f"{key} = ") and (key != "name" or at < 4))
    lines[at] = f"{key} = 3"
    file.write_text("\n".join(lines))
    with pytest.raises(CostError, match=rf"^(level\[2\]\.)?{key} must be a text, is 3\n") as caught:
        architecture(file)
    assert caught.value.legal == (works,)
    lines[at] = works
    file.write_text("\n".join(lines))
    assert optimize("k=8 c=8", file).pj > 0


WRONG = "3", "-1", "2.5", "true", '"zzz"', '""', "[1]", "{a = 1}", '"C |"', "99999999999999", "1e400", '"-1 KB"', "nan"


def test_each_proposal_for_a_field_of_an_architecture_works(tmp_path):
    """Of the file in the documentation, 41 of 308 did not: ports that do not fit each other, kinds out of order."""
    page = (Path(__file__).parents[2] / "docs" / "optimizer.md").read_text()
    lines, file = page.split("```toml\n")[1].split("```")[0].splitlines(), tmp_path / "mine.toml"

    def loaded(*text):
        file.write_text("\n".join(text))
        return load_architecture(file)

    refused = 0
    for at, line in enumerate(lines):
        for value in WRONG if " = " in line else ():
            try:
                loaded(*lines[:at], f"{line.split(' = ')[0]} = {value}", *lines[at + 1 :])
            except CostError as error:
                refused += 1
                assert error.proposed
                for each in error.proposed:
                    assert loaded(*lines[:at], *each.splitlines(), *lines[at + 1 :]).levels
    assert refused > 250


def test_the_files_that_the_documentation_shows(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "optimizer.md").read_text()
    for kind, file in (("toml", tmp_path / "mine.toml"), ("json", tmp_path / "mine.json")):
        file.write_text(page.split(f"```{kind}\n")[1].split("```")[0])
    arch, network = load_architecture(tmp_path / "mine.toml"), load_network(str(tmp_path / "mine.json"))
    eyeriss = architecture("eyeriss")
    assert arch == replace(eyeriss, name="mine", dataflow="C | K", port_bits=64, shared_port_bits=128,
                           levels=arch.levels, stated=("mac", "hop"))  # fmt: skip
    assert arch.levels[:2] == (eyeriss.levels[0], replace(eyeriss.levels[1], stated=True))
    assert arch.levels[2].bandwidth == 4
    assert network.layers == (
        Layer(16, 384, 256, 13, 13, 3, 3, name="conv"), Layer(b=16, k=4096, c=9216, repeat=2, name="fc")
    )  # fmt: skip


@pytest.mark.parametrize("name", ["eyeriss", "interstellar", "tpu", "large"])
def test_the_shipped_architectures(name):
    assert architecture(name).name == name


def test_no_architecture_of_that_name():
    with pytest.raises(CostError, match=r'no architecture file eyris(.|\n)*architecture\("eyeriss"\)'):
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
        ({"utilization": 0.5, "full_array": True}, "full_array=True is a utilization of 1 already"),
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
    assert caught.value.proposed == ("utilization=0.1", "utilization=0.05")
    for each in caught.value.proposed:
        assert optimize(layer, small, objective=objective, utilization=float(each.split("=")[1])).used
