"""From a design to its energy at gate level, where Debian's tools are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import halidehw as hl
from halidehw.cli import main
from halidehw.errors import SynthesisError
from halidehw.synthesis import tools
from halidehw.synthesis.synthesise import synthesise, with_macros

DESIGN = """
import halidehw as hl
x, y, k, xo = map(hl.Var, ("x", "y", "k", "xo"))
f = hl.RDom([(0, 3), (0, 3), (0, 4)], "f")
image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 4, "weights")
output = hl.Func(hl.Int(16), 3, "output")
output[x, y, k] += image[x + f.x, y + f.y, f.z] * weights[f.x, f.y, f.z, k]
output.set_bounds([(0, 8), (0, 4), (0, 8)])
output.update().split(x, xo, x, 2).reorder(f.x, xo, f.y, x, f.z, k, y).dataflow("X").systolic(x)
image.in_().compute_at(output, y)
weights.in_().compute_at(output, y)
weights.in_().in_().compute_at(output, f.y)
output.accelerate([image, weights])
"""


def gate_level() -> bool:
    try:
        tools.find_tools()
    except SynthesisError:
        return False
    return True


@pytest.mark.skipif(not gate_level(), reason=f"gate level needs: {tools.INSTALL}")
def test_a_small_array(tmp_path):
    """Not among the designs of the calibration; `measure` compares every word with the Verilog's."""
    (tmp_path / "line.py").write_text(DESIGN)
    result = CliRunner().invoke(main, ["synth", str(tmp_path / "line.py"), "--json", "-o", str(tmp_path / "kept")])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["cycles"] == hl.estimate(hl.load(tmp_path / "line.py")).cycles.total
    assert 2 < found["critical_ns"] < 10
    assert found["registers"] == sum(module["registers"] for module in found["modules"])
    assert abs(found["parts_pj"]["total"]["error"]) < 0.05
    assert found["parts_pj"]["memories"]["error"] == pytest.approx(0)
    assert (tmp_path / "kept" / "netlist.json").exists()


@pytest.mark.skipif(not gate_level(), reason=f"gate level needs: {tools.INSTALL}")
def test_a_product_of_32_bits_is_mapped(tmp_path):
    """Of its high bits nearly equal nets are not proved equal at any price: that took for ever."""
    a, b, f, x = hl.ImageParam(hl.Int(16), 1, "a"), hl.ImageParam(hl.Int(16), 1, "b"), hl.Func("f"), hl.Var("x")
    f[x] = hl.i32(a[x]) * hl.i32(b[x])
    design = hl.compile(f.bound(x, 0, 4).accelerate([a, b]))
    netlist = synthesise(design.verilog, design.interface.module, tools.find_tools(), tmp_path)
    assert max(len(module.instances) for module in netlist.modules.values()) > 1000


def test_missing_tools_are_named_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(tools.shutil, "which", lambda name: None)
    with pytest.raises(SynthesisError) as caught:
        tools.find_tools(tmp_path / "cells.lib")
    missing = f"yosys, sta, {tmp_path / 'cells.lib'}"
    assert caught.value.message == (
        f"gate level needs {missing}; install with: sudo apt-get install yosys opensta qflow-tech-osu018"
    )


@pytest.mark.skipif(not gate_level(), reason=f"gate level needs: {tools.INSTALL}")
def test_a_table_without_cells_is_refused(tmp_path):
    (tmp_path / "line.py").write_text(DESIGN)
    result = CliRunner().invoke(main, ["synth", str(tmp_path / "line.py"), "--costs", "table3"])
    assert result.exit_code == 2
    assert result.stderr == "halidehw: the cost table table3 has no cells\n  what would work:\n    --costs osu018\n"


def test_a_tool_that_fails_says_why():
    with pytest.raises(SynthesisError, match=r"^false failed in"):
        tools.run(["false"], Path("/"))


def test_memories_of_one_port_are_macros_too():
    """What is no macro keeps its words as they are; the macro is there once."""
    x, a, f = hl.Var("x"), hl.ImageParam(hl.Int(8), 1, "a"), hl.Func("f")
    f[x] = a[x]
    f.bound(x, 0, 300).accelerate([a])
    a.in_().compute_root().single_port()
    found = with_macros(hl.compile(f).verilog)
    assert [found.count(text) for text in ("halidehw_macro #(.", "module halidehw_macro #(")] == [2, 1]
    assert [found.count(text) for text in ("late <= word;", "read_data <= word;")] == [2, 0]
    assert "else if (read_enable) word <= words[address];" in found
