"""The bench that `halidehw compile --bench` writes passes as it stands, and sees what is wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import halidehw as hl
from halidehw.driver import write
from tests.hardware.test_resets import spilled
from tests.hardware.workloads import convolution

pytestmark = pytest.mark.skipif(not shutil.which("iverilog"), reason="iverilog is not installed")


def bench(compiled: hl.Compiled, folder: Path, old: str = "", new: str = "") -> subprocess.CompletedProcess[str]:
    """What the bench of a design says, in whose Verilog something is replaced, with the same stalls each time."""
    paths = {path.name: path for path in write(compiled, folder, bench=True)}
    verilog = paths[f"{compiled.name}.v"]
    assert old in verilog.read_text()
    verilog.write_text(verilog.read_text().replace(old, new))
    command, environment = [sys.executable, paths["run_bench.py"]], {**os.environ, "COCOTB_RANDOM_SEED": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=environment)


@pytest.mark.parametrize("bits", [0, 32])
@pytest.mark.parametrize("design", [lambda: convolution(padding="zero"), spilled])
def test_passes_as_it_is_written(design, bits, tmp_path):
    """Words outside the tensor, partial sums that come back; ports of one lane and of several."""
    done = bench(hl.compile(design(), port_bits=bits), tmp_path)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "TESTS=3 PASS=3 FAIL=0" in done.stdout


def test_sees_an_abort_that_does_not_take_answers(tmp_path):
    right = "assign a_resp_ready = a_take | aborting;"
    done = bench(hl.compile(spilled()), tmp_path, right, right.replace(" | aborting", ""))
    assert done.returncode != 0
    assert "the abort does not end" in done.stdout and "TESTS=3 PASS=2 FAIL=1" in done.stdout
