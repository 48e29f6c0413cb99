"""A bench made after docs/hardware.md alone drives the accelerators: all examples in `make soak`, a few always."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import halidehw as hl
from tests.bench.bench import RUNS, drive
from tests.mutants.designs import DESIGNS
from tests.test_halide_programs import FILES as PROGRAMS
from tests.test_halide_programs import design

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(
    str(path.relative_to(EXAMPLES))
    for folder in (EXAMPLES, EXAMPLES / "dataflows")
    for path in folder.iterdir()
    if path.suffix in (".hh", ".py") and path.name != "run.py"
)
PIPELINES = sorted(str(path.relative_to(EXAMPLES)) for path in (EXAMPLES / "pipelines").glob("*.py"))
ALWAYS = ("stencil.py",)
BY_ICARUS = ("gemm.hh", "dataflows/channels.py")

icarus = pytest.mark.skipif(not shutil.which("iverilog"), reason="iverilog is missing: sudo apt-get install iverilog")


def examples(names: Sequence[str]) -> list[hl.Compiled]:
    return [hl.compile(hl.load(EXAMPLES / name), prefix=name.replace(".", "_").replace("/", "_")) for name in names]


def right(designs: Sequence[hl.Compiled], said: list[str]) -> None:
    """Each design is right in each run, and no rule is broken."""
    assert not [line for line in said if line.startswith("WRONG")]
    assert len(said) == RUNS * len(designs)


@icarus
@pytest.mark.parametrize("name", DESIGNS)
def test_small_designs_by_icarus(name: str, tmp_path: Path):
    designs = [hl.compile(DESIGNS[name](), port_bits=32)]
    right(designs, drive(designs, tmp_path, "icarus"))


@icarus
@pytest.mark.soak
def test_examples_by_icarus(tmp_path: Path):
    right(designs := examples(BY_ICARUS), drive(designs, tmp_path, "icarus"))


@icarus
@pytest.mark.soak
@pytest.mark.parametrize("name", PIPELINES)
def test_pipelines_by_icarus(name: str, tmp_path: Path):
    right(designs := examples([name]), drive(designs, tmp_path, "icarus"))


@icarus
@pytest.mark.soak
def test_programs_written_for_halide_by_icarus(tmp_path: Path):
    designs = [hl.compile(design(path), prefix=path.stem) for path in PROGRAMS]
    right(designs, drive(designs, tmp_path, "icarus"))


@icarus
def test_several_outputs_and_what_lies_outside_between_two_stages(tmp_path: Path):
    """A stage in the memory outside, and one that two others read, each through ports of its own."""
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    wide, first, second = hl.Func("wide"), hl.Func("first"), hl.Func("second")
    wide[x, y] = hl.i32(image[x, y]) + image[x + 1, y]
    first[x, y] = wide[x, y] + wide[x, y + 1]
    second[x, y] = hl.i32(image[x, y]) - 3
    first.bound(x, 0, 5).bound(y, 0, 4)
    second.bound(x, 0, 5).bound(y, 0, 4)
    wide.compute_root().store_in(hl.MemoryType.Heap)
    designs = [hl.compile(hl.Pipeline([first, second]))]
    names = {port.name for port in designs[0].interface.ports}
    assert names == {"wide_image", "image", "wide", "first_wide", "first", "second"}
    right(designs, drive(designs, tmp_path, "icarus"))


def test_examples_by_verilator(tmp_path: Path):
    right(designs := examples(ALWAYS), drive(designs, tmp_path, "verilator"))


@pytest.mark.soak
def test_all_examples_by_verilator(tmp_path: Path):
    right(designs := examples(FILES), drive(designs, tmp_path, "verilator"))


@icarus
def test_what_is_wrong_is_said(tmp_path: Path):
    """Words, and a rule: an offer that is withdrawn."""
    compiled = hl.compile(DESIGNS["matrix product"](), port_bits=32)
    other = compiled.verilog.replace(": start) + value", ": start) - value")
    said = drive([replace(compiled, verilog=other)], tmp_path, "icarus")
    assert other != compiled.verilog and all(line.startswith("WRONG") for line in said)
