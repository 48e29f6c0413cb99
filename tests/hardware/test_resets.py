"""A reset at any cycle: what follows is as after a fresh start. Every cycle of a run is tried, one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from halidehw import Func, ImageParam, Int, RDom, Var, i32
from halidehw.backend_hdl import verilog
from halidehw.microarch.derive import Options, derive
from halidehw.reference.reference import reference
from halidehw.simulate import Memory, simulate_verilog
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


@pytest.mark.parametrize("memory", [Memory(), Memory(latency=9, words_per_cycle=0.6)], ids=["ideal", "slow"])
@pytest.mark.parametrize("name", DESIGNS)
def test_reset_at_every_cycle(name: str, memory: Memory):
    """Each reset a cycle later than the one before, up to the end of the run, and a whole run after each."""
    design = Design(DESIGNS[name](), Options(port_bits=16))
    accelerator = derive(design.nest, design.options)
    words = {name: array.reshape(-1) for name, array in design.arrays.items()}
    text, interface = verilog(accelerator), accelerator.interface
    last = simulate_verilog(text, interface, words, memory=memory).cycles - 1
    run = simulate_verilog(
        text, interface, words, memory=memory, starts=last, reset_at=1, resets=last, timeout_cycles=10 * last
    )
    want = reference(design.func, design.inputs).reshape(-1)
    assert np.array_equal(run.outputs[design.nest.output.name], want)
