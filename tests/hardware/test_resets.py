"""A reset or an abort at any cycle: what follows is as after a fresh start. All cycles of a run are tried in turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from halidehw import Func, ImageParam, Int, RDom, Var, i32
from halidehw.backend_hdl import verilog
from halidehw.microarch.derive import derive
from halidehw.microarch.interface import Interface
from halidehw.microarch.options import Options
from halidehw.reference.reference import reference
from halidehw.simulate import Experiment, Memory, Run, Scenario, simulate_together
from tests.fuzz.designs import Design
from tests.hardware.workloads import convolution, requantised

x, y, k, xo, xi, yo, yi = map(Var, ("x", "y", "k", "xo", "xi", "yo", "yi"))


def systolic() -> Func:
    """A chain of sums across columns, a register file in each PE, streams."""
    r = RDom([(0, 6)], "r")
    a, b, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f")
    f[x, y] += i32(a[r, y]) * i32(b[x, r])
    stage = f.set_bounds([(0, 4), (0, 5)]).update()
    stage.split(r, "ro", "ri", 3).split(y, yo, yi, 2).reorder("ri", yi, x, "ro", yo).unroll("ri").unroll(x, 2)
    stage.systolic("ri", x)
    b.in_().compute_at(f, "ri")
    return f


def spilled() -> Func:
    """Partial sums that leave and come back, a buffer between two unrolled loops."""
    r = RDom([(0, 4)], "r")
    a, b, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f")
    f[x, y] += i32(a[r, y]) * i32(b[x, r])
    stage = f.set_bounds([(0, 4), (0, 6)]).update()
    stage.split(r, "ro", "ri", 2).split(x, xo, xi, 2).split(y, yo, yi, 2)
    stage.reorder("ri", xi, yi, xo, yo, "ro").unroll("ri").unroll(xi)
    b.in_().compute_at(f, xi)
    f.in_().compute_at(f, xo)
    return f


DESIGNS = {
    "systolic": systolic,
    "spilled": spilled,
    "padded": lambda: convolution(padding="zero"),
    "requantised": requantised,
}


MEMORIES = (
    Memory(),
    Memory(latency=9, words_per_cycle=0.6),
    Memory(latency=40, stall_probability=0.4),
)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] * (at > 0)) for at, name in enumerate(DESIGNS)]
)
def test_cut_off_at_every_cycle(name: str):
    """By a reset and by an abort, each a cycle later than the one before, up to the end of the run, and a whole run
    after each. Where stalls are random, so is the end: the first half."""
    design = Design(DESIGNS[name](), Options(port_bits=16))
    accelerator = derive(design.nest, design.options)
    words = {name: array.reshape(-1) for name, array in design.arrays.items()}
    text, interface = verilog(accelerator), accelerator.interface
    runs = simulated(text, interface, [Scenario(words, memory) for memory in MEMORIES])
    scenarios = []
    for memory, run in zip(MEMORIES, runs, strict=True):
        cuts = run.cycles // 2 if memory.stall_probability else run.cycles - 1
        each = Scenario(words, memory, starts=cuts, cuts=cuts, timeout_cycles=10 * run.cycles)
        scenarios += [replace(each, reset_at=1), replace(each, abort_at=1)]
    want = reference(design.func, design.inputs).reshape(-1)
    for run in simulated(text, interface, scenarios):
        assert np.array_equal(run.outputs[design.nest.output.name], want)


def simulated(text: str, interface: Interface, scenarios: list[Scenario]) -> tuple[Run, ...]:
    (found,) = simulate_together([Experiment(text, interface, tuple(scenarios))])
    if isinstance(found, Exception):
        raise found
    return found
