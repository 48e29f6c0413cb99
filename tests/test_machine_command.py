"""`halidehw machine`."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner

import halidehw as hl
from halidehw.cli import main
from halidehw.errors import HardwareError

LAYERS = """
from halidehw import *
x, y, k = Var("x"), Var("y"), Var("k")
def layer(name, width, depth):
    a, b, f, r = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func(name), RDom([(0, depth)], "r")
    f[x, y] += i32(a[r, y]) * b[x, r]
    f.set_bounds([(0, width), (0, 3)])
    f.update().split(x, Var("xo"), Var("xi"), 4).unroll(Var("xi"))
    return f
"""


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["machine", *map(str, arguments)])
    return result.exit_code, result.stdout if result.exit_code == 0 else result.stderr


def test_a_machine_of_a_list_of_designs(tmp_path: Path) -> None:
    file = tmp_path / "layers.py"
    file.write_text(LAYERS + 'designs = [layer("first", 8, 5), layer("second", 6, 9)]\n')
    code, text = run(file, "-o", tmp_path / "out", "--counters", 8, "--name", "twice", "--json", "--bus", "axi4")
    found = json.loads(text)
    assert code == 0 and found["programs"] == ["first", "second"]
    assert [Path(each).name for each in found["files"]] == [
        "twice.v", "twice.rdl", "twice_regs.h", "twice.h", "twice.c", "twice.py", "twice.core", "twice.lpf",
        "twice_programs.h", "machine.json",
    ]  # fmt: skip
    assert "module twice_axi (" in (tmp_path / "out" / "twice.v").read_text()
    written = json.loads((tmp_path / "out" / "machine.json").read_text())
    assert {len(each["words"]) for each in written["programs"]} == {found["descriptor_words"]}
    assert [port["name"] for port in written["ports"]] == ["program", "a", "b", "first", "status"]


def test_a_list_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "layers.py"
    file.write_text(LAYERS + 'first = layer("first", 8, 5)\ndesigns = [first, 3]\n')
    code, text = run(file, "-o", tmp_path / "out")
    assert code == 2 and "designs in" in text and "designs = [first]" in text
    assert not (tmp_path / "out").exists()


def test_several_designs_without_a_list_are_refused_with_one(tmp_path: Path) -> None:
    file = tmp_path / "layers.py"
    file.write_text(LAYERS + "".join(f'{n} = layer("{n}", 8, 5)\n' for n in ("first", "second")))
    code, text = run(file, "-o", tmp_path / "out")
    assert code == 2 and text.endswith("    designs = [first, second]\n    design = first\n    design = second\n")


def test_the_width_of_a_bus_wants_a_bus(tmp_path: Path) -> None:
    (tmp_path / "layers.py").write_text(LAYERS)
    code, text = run(tmp_path / "layers.py", "-o", tmp_path / "out", "--bus-bits", 64)
    assert code == 2 and "--bus-bits 64 is the width of a bus: --bus axi4 --bus-bits 64" in text
    code, text = run(tmp_path / "layers.py", "-o", tmp_path / "out", "--bus", "axi4", "--bus-bits", 100)
    assert code == 2 and "'100' is not one of '32', '64', '128', '256', '512'" in text


def test_designs_that_drivers_cannot_tell_apart_are_refused(tmp_path: Path) -> None:
    (tmp_path / "layers.py").write_text(f'{LAYERS}designs = [layer("same", 8, 5), layer("same", 6, 9)]\n')
    code, text = run(tmp_path / "layers.py", "-o", tmp_path / "out", "--bus", "axi4")
    assert code == 2 and "two designs are called same, as which same_programs.h has" in text and '"same_2"' in text
    assert run(tmp_path / "layers.py", "-o", tmp_path / "out")[0] == 0


def test_files_are_engines(tmp_path: Path) -> None:
    for name, text in (("conv", '[layer("first", 8, 5), layer("second", 6, 9)]'), ("pool", '[layer("third", 5, 2)]')):
        (tmp_path / f"{name}.py").write_text(f"{LAYERS}designs = {text}\n")
    files, to = (tmp_path / "conv.py", tmp_path / "pool.py"), ("-o", tmp_path / "out")
    code, text = run(*files, *to, "--engines", "--json", "--bus", "axi4")
    found = json.loads(text)
    assert code == 0 and found["module"] == "machine" and found["pes"] == 8
    programs = [f"machine_{each}_programs.h" for each in ("conv", "pool")]
    assert [Path(each).name for each in found["files"]][-3:] == [*programs, "machine.json"]
    code, text = run(*files, files[0], *to, "--engines")
    assert code == 2 and "two of FILES have one name" in text


def test_a_machine_of_several_engines_is_told_what_has_one(tmp_path: Path) -> None:
    file = tmp_path / "layers.py"
    file.write_text(LAYERS + 'a = [layer("first", 8, 5)]\nb = [layer("second", 6, 9)]\n')
    found = runpy.run_path(str(file))
    with pytest.raises(HardwareError, match="this is for machines of one engine, and there are a, b"):
        _ = hl.machine({"a": found["a"], "b": found["b"]}).network
