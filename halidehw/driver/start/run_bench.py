"""Runs `bench.py` beside it: `python run_bench.py`, with another simulator of cocotb's `SIM=verilator python ...`.

Exit code 1 where a test fails.
"""

import json
import os
from pathlib import Path

from cocotb_tools.runner import get_runner

HERE = Path(__file__).resolve().parent
BENCH = json.loads((HERE / "bench.json").read_text())

if __name__ == "__main__":
    runner = get_runner(os.environ.get("SIM", "icarus"))
    folder = HERE / "simulation"
    runner.build(sources=[HERE / BENCH["verilog"]], hdl_toplevel=BENCH["module"], build_dir=folder,
                 timescale=("1ns", "1ns"))  # fmt: skip
    runner.test(hdl_toplevel=BENCH["module"], test_module="bench", build_dir=folder, test_dir=HERE)
