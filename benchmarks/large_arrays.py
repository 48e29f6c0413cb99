"""Simulated PE-cycles per second of large arrays: int8 matrix products, and a 16-bit C | K convolution.

    python benchmarks/large_arrays.py [SIZE ...] [--port-bits N] [--design product|convolution]

SIZE: PEs on a side (16, 32, 64 and 128). Of each design the seconds of the processor to build its simulator, into an
empty cache, and to run it once, and its cycles times PEs a second. Ports one word wide leave the array idle most of the
time, which makes no difference to the simulator but for register files; with N bits it is not. All words are compared.
"""

from __future__ import annotations

import argparse
import os
import resource
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from tempfile import TemporaryDirectory
from typing import TypeVar

import numpy as np

import halidehw as hl
from halidehw.errors import SimulationError
from halidehw.simulate import simulate_verilog

T = TypeVar("T")


def product(size: int) -> hl.Func:
    """A matrix product of four times the array's side, its weights in registers."""
    a, b = hl.ImageParam(hl.Int(8), 2, "a"), hl.ImageParam(hl.Int(8), 2, "b")
    n, m, f, r = hl.Var("n"), hl.Var("m"), hl.Func("f"), hl.RDom([(0, 4 * size)], "r")
    no, ni, ro, ri = hl.Var("no"), hl.Var("ni"), hl.RVar("ro"), hl.RVar("ri")
    f[n, m] += hl.i32(a[r.x, m]) * hl.i32(b[n, r.x])
    f.set_bounds([(0, 4 * size), (0, 4 * size)])
    stage = f.update().split(n, no, ni, size).split(r.x, ro, ri, size).reorder(ni, ri, m, ro, no)
    stage.unroll(ri).unroll(ni).systolic(ri, ni)
    return f.accelerate([a, b])


def convolution(size: int) -> hl.Func:
    """A 3x3 convolution of 16-bit words, 16x16 pixels, channels down and filters across the array."""
    x, y, k = hl.Var("x"), hl.Var("y"), hl.Var("k")
    a, w = hl.ImageParam(hl.Int(16), 3, "a"), hl.ImageParam(hl.Int(16), 4, "w")
    f, r = hl.Func("f"), hl.RDom([(0, size), (0, 3), (0, 3)], "r")
    f[x, y, k] += hl.i32(a[r.x, x + r.y, y + r.z]) * hl.i32(w[k, r.x, r.y, r.z])
    f.set_bounds([(0, 16), (0, 16), (0, size)])
    stage = f.update().reorder(k, r.x, x, y, r.y, r.z)
    stage.unroll(r.x).unroll(k).systolic(r.x, k)
    return f.accelerate([a, w])


@dataclass(frozen=True)
class Measured:
    """Seconds of the processor to build a simulator and of a run; the run's cycles."""

    build: float
    run: float
    cycles: int


def measured(design: hl.Func, bits: int, starts: int) -> Measured:
    """Built anew, with ports of so many bits, and started so many times."""
    compiled = hl.compile(design, loops=True, port_bits=bits)
    random = np.random.default_rng(0)
    inputs = {
        each.name: random.integers(-100, 100, each.extents[::-1]).astype(each.type.dtype)
        for each in compiled.nest.inputs
    }
    words = {name: array.reshape(-1) for name, array in inputs.items()}
    simulated = partial(simulate_verilog, compiled.verilog, compiled.interface, words, optimize="run")

    def given_up() -> None:
        """Everything but cycles."""
        with suppress(SimulationError):
            simulated(timeout_cycles=1)

    built, ready = (seconds(given_up)[0] for _ in range(2))
    ran, run = seconds(partial(simulated, starts=starts, timeout_cycles=10**9))
    assert (run.outputs["f"] == hl.reference(design, inputs).reshape(-1)).all()
    return Measured(built - ready, (ran - ready) / starts, run.cycles)


def seconds(called: Callable[[], T]) -> tuple[float, T]:
    """Of the processor, by the programs that are called; and what comes of it."""
    begin = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = called()
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime, found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[16, 32, 64, 128], metavar="SIZE")
    parser.add_argument("--port-bits", type=int, default=0, metavar="N")
    parser.add_argument("--design", choices=("product", "convolution"))
    options = parser.parse_args()
    print(f"{'design':>12} {'PEs':>8} {'build':>7} {'run':>8} {'cycles':>9}  million PE-cycles/s")
    with TemporaryDirectory() as cache:
        os.environ["HALIDEHW_CACHE"] = cache
        measured(product(4), 0, 1)  # builds what all simulators have in common
        for size in options.sizes:
            for kind in (product, convolution):
                if kind.__name__ == (options.design or kind.__name__):
                    found = measured(kind(size), options.port_bits, max(1, (64 // size) ** 3))
                    rate = found.cycles * size * size / found.run / 1e6
                    print(f"{kind.__name__:>12} {size:>4}x{size:<3} {found.build:6.1f}s {found.run:7.2f}s "
                          f"{found.cycles:9}  {rate:.0f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
