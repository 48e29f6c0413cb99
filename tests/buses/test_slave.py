"""The registers as hardware, against a master that is not ours (cocotbext-axi)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("cocotbext.axi")

from cocotb_tools.runner import get_results, get_runner

from halidehw.backend_hdl.library import Library
from halidehw.buses.registers import Argument, register_map
from halidehw.buses.slave import Slave
from halidehw.microarch.interface import Counter

MAP = register_map(
    "net", [Argument("a_base", 64, "where a lies", 4), Argument("n", 32, "how many"),
            Argument("y_base", 64, "where y lies", 16)],
    [("error", "a port has failed")], [("stop", "ends it soon")],
    [Counter("errors", 3, "which ports")],
    [Counter("cycles", 48, "clock cycles"), Counter("a_words", 32, "words of a")],
)  # fmt: skip
"""With a gap behind each argument, and one before the counters."""


@pytest.mark.skipif(not shutil.which("iverilog"), reason="iverilog is not installed: sudo apt-get install iverilog")
def test_registers_behind_a_bus(tmp_path: Path) -> None:
    """Words and bytes, runs and interrupts: `bench_slave.py`, in one simulation."""
    library = Library()
    library.add(Slave, MAP)
    (tmp_path / "slave.v").write_text(library.verilog())
    offsets = json.dumps({register.name: register.offset for register in MAP.registers})
    runner = get_runner("icarus")
    runner.build(sources=[tmp_path / "slave.v"], hdl_toplevel="control_s_axi", build_dir=tmp_path,
                 timescale=("1ns", "1ns"))  # fmt: skip
    settings = {"REGISTERS": offsets, "COCOTB_LOG_LEVEL": "WARNING", "PYTHONWARNINGS": "ignore"}
    results = runner.test(hdl_toplevel="control_s_axi", test_module="tests.buses.bench_slave", build_dir=tmp_path,
                          test_dir=tmp_path, extra_env=settings)  # fmt: skip
    assert get_results(results) == (2, 0)
