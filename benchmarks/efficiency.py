"""How close to the roofline: cycles over max(MACs / PEs, words moved / port lanes), on simulated hardware.

    python benchmarks/efficiency.py [--nngen PYTHON]

PYTHON has nngen installed; by default it is looked for in this one. Exits with 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

import peer
from layers import Case, layers, products, replication
from report import table, verdict

import halidehw as hl
from halidehw.driver.draw import random_inputs

TARGETS = {1: 1.03, 50: 1.05}
"""Memory latency in cycles -> the greatest ratio allowed."""
ROWS = 16


@dataclass(frozen=True)
class Measured:
    """`bound`: the roofline's cycles. `steps`: cycles in which the array begins a step."""

    cycles: int
    bound: float
    steps: int
    macs: int

    @property
    def ratio(self) -> float:
        return self.cycles / self.bound


def measure(case: Case, latency: int = 1) -> Measured:
    """Simulate a case on random inputs; its results must be right."""
    compiled = hl.compile(case.output, port_bits=case.port_bits)
    inputs = random_inputs(compiled.nest, seed=0)
    result = hl.simulate(compiled, inputs, memory=hl.Memory(latency=latency), once=True)
    assert result.match, f"{case.name}: wrong results"
    moved = [result.counters[f"{port.name}_words"] / port.lanes for port in compiled.interface.ports]
    return Measured(result.cycles, max(result.macs / result.pes, *moved), result.counters["steps"], result.macs)


def roofline() -> bool:
    rows, met = [], True
    for case in layers():
        found = {latency: measure(case, latency) for latency in TARGETS}
        met &= all(found[latency].ratio <= target for latency, target in TARGETS.items())
        row = [case.name, f"{found[1].bound:.0f}"]
        rows.append([*row, *(value for m in found.values() for value in (m.cycles, f"{m.ratio:.4f}"))])
    heads = [f"{what}, latency {latency}" for latency in TARGETS for what in ("cycles", "ratio")]
    print(table(["layer, 256-bit ports", "bound", *heads], rows))
    targets = ", ".join(f"{ratio} at latency {cycles}" for cycles, ratio in TARGETS.items())
    print(f"\ntargets {targets}: {verdict(met)}\n")
    return met


def matrix_products(nngen: str) -> bool:
    rows, met = [], True
    for case, most in products():
        cycles = measure(case).cycles
        met &= cycles <= most
        rows.append([f"halidehw {case.name}", cycles, most, verdict(cycles <= most)])
    if peer.installed(nngen):
        rows.append(["nngen, 256 multipliers", peer.cycles(nngen), "", ""])
    print(table(["GEMM 128x128x128, int8 into int32, 128-bit ports", "cycles", "target", "met"], rows))
    if not peer.installed(nngen):
        print(f"\nnngen is not installed in {nngen}: skipped (python -m pip install nngen; --nngen PYTHON)")
    print()
    return met


def figure_2() -> bool:
    rows, steady = [], []
    for dataflow in ("f.z", "f.z x"):
        found = measure(replication(dataflow, ROWS))
        steady.append(found.macs / (found.steps * ROWS))
        rows.append([dataflow, f"{steady[-1] * ROWS:.0f}/{ROWS}", f"{found.macs / (found.cycles * ROWS):.3f}"])
    print(table(["C 3 and X 5 on 16 PEs, dataflow", "of the PEs, in steps", "of the PEs, in all cycles"], rows))
    return steady == [3 / ROWS, 15 / ROWS]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nngen", metavar="PYTHON", default=sys.executable, help="a Python that has nngen")
    options = parser.parse_args()
    return 0 if all([roofline(), matrix_products(options.nngen), figure_2()]) else 1


if __name__ == "__main__":
    sys.exit(main())
