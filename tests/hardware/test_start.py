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


PORTS = [{}, {"port_bits": 32}, {"port_bits": 32, "shared_port_bits": 64}]


@pytest.mark.parametrize("ports", PORTS)
@pytest.mark.parametrize("design", [lambda: convolution(padding="zero"), spilled])
def test_passes_as_it_is_written(design, ports, tmp_path):
    """Words outside the tensor, partial sums that come back; ports of one lane and of several, and one for all."""
    done = bench(hl.compile(design(), **ports), tmp_path)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "TESTS=3 PASS=3 FAIL=0" in done.stdout


def test_sees_an_abort_that_does_not_take_answers(tmp_path):
    right = "assign a_resp_ready = a_take | aborting;"
    done = bench(hl.compile(spilled()), tmp_path, right, right.replace(" | aborting", ""))
    assert done.returncode != 0
    assert "the abort does not end" in done.stdout and "TESTS=3 PASS=2 FAIL=1" in done.stdout


def test_sees_an_answer_that_goes_to_another_port(tmp_path):
    """At the port that all share; it was refused there."""
    right = "wire core_a_resp_valid = memory_resp_valid & (memory_resp_port == 2'd0);"
    done = bench(hl.compile(spilled(), shared_port_bits=32), tmp_path, right, right.replace("2'd0", "2'd1"))
    assert done.returncode != 0
    assert "TESTS=3 PASS=0 FAIL=3" in done.stdout
