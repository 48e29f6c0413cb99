"""What an array costs to generate: seconds, bytes and lines of Verilog from 4x4 to 128x128 PEs, and Verilator's build.

    python benchmarks/compile_cost.py

Seconds are the processor's own, Yosys included, so that they don't depend on what else the machine does. Exits with
1 where a target is missed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import TypeVar

from layers import gemm
from report import table, verdict

import halidehw as hl
from halidehw.driver.draw import random_inputs

TARGETS = {4: 2, 16: 3, 64: 5, 128: 10}
"""Rows of a square array -> seconds."""
MOST_BYTES = 1_000_000
BUILD_PES, BUILD_SECONDS, BUILD_CORES = 16, 60, 2

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Processor seconds of this process and its children."""
    begin = os.times()
    result = work()
    return sum(os.times()[:4]) - sum(begin[:4]), result


def compiled(size: int) -> hl.Compiled:
    """A 256x256x256 matrix product of 16-bit words on `size` x `size` PEs."""
    case = gemm("gemm", m=256, n=256, k=256, rows=size, cols=size, tile=64, bits=16, port_bits=64)
    return hl.compile(case.output, port_bits=case.port_bits)


def build_and_run(design: hl.Compiled) -> None:
    """Simulate with an empty cache: Verilator, the compiler and a run of 65 536 steps."""
    with TemporaryDirectory() as folder:
        before = os.environ.get("HALIDEHW_CACHE")
        os.environ["HALIDEHW_CACHE"] = folder
        try:
            assert hl.simulate(design, random_inputs(design.nest, seed=0), once=True).match
        finally:
            os.environ.pop("HALIDEHW_CACHE")
            if before is not None:
                os.environ["HALIDEHW_CACHE"] = before


def main() -> int:
    rows, met = [], []
    for size, limit in TARGETS.items():
        seconds, design = timed(lambda size=size: compiled(size))
        met.append(seconds < limit and len(design.verilog) < MOST_BYTES)
        text = design.verilog
        rows.append([f"{size}x{size}", f"{seconds:.2f}", limit, len(text), text.count("\n"), verdict(met[-1])])
    print(table(["array", "seconds", "target", "bytes of Verilog", "lines", "met"], rows))
    seconds, _ = timed(lambda: build_and_run(compiled(BUILD_PES)))
    met.append(seconds < BUILD_SECONDS * BUILD_CORES)
    print(
        f"\nVerilog, Verilator's build and the run of {BUILD_PES}x{BUILD_PES}: {seconds:.1f} s of processor time; "
        f"target {BUILD_SECONDS} s on {BUILD_CORES} cores: {verdict(met[-1])}"
    )
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
