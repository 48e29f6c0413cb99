"""Simulated PE-cycles per second of large arrays: int8 matrix products, and a 16-bit C | K convolution.

    python benchmarks/large_arrays.py [SIZE ...]

SIZE: PEs on a side, of 16, 32, 64 and 128 (all of them). Of each design: the seconds of the processor until it is
built and has run once, those of the run, and its cycles times PEs a second. All words are compared.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable

import numpy as np

import halidehw as hl
from halidehw.simulate import simulate_verilog


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


def measured(design: hl.Func) -> tuple[float, float, int]:
    """Seconds to build and run, seconds of a run, cycles."""
    compiled = hl.compile(design, loops=True)
    random = np.random.default_rng(0)
    inputs = {
        each.name: random.integers(-100, 100, each.extents[::-1]).astype(each.type.dtype)
        for each in compiled.nest.inputs
    }
    words = {name: array.reshape(-1) for name, array in inputs.items()}

    def seconds(starts: int) -> tuple[float, int]:
        begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        run = simulate_verilog(
            compiled.verilog, compiled.interface, words, optimize="run", starts=starts, timeout_cycles=10**9
        )
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin, run.cycles

    whole, cycles = seconds(1)
    once, twice = seconds(1)[0], seconds(2)[0]
    assert hl.simulate(compiled, inputs, once=True).match
    return whole, twice - once, cycles


def main() -> None:
    """Print the table."""
    sizes = [int(size) for size in sys.argv[1:]] or [16, 32, 64, 128]
    kinds: dict[str, Callable[[int], hl.Func]] = {"int8 product": product, "16-bit C | K convolution": convolution}
    print(f"{'design':>26} {'PEs':>8} {'build, run':>11} {'run':>8} {'cycles':>9}  million PE-cycles/s")
    for size in sizes:
        for name, kind in kinds.items():
            whole, once, cycles = measured(kind(size))
            rate = cycles * size * size / once / 1e6
            print(f"{name:>26} {size:>4}x{size:<3} {whole:10.1f}s {once:7.2f}s {cycles:9}  {rate:.1f}", flush=True)


if __name__ == "__main__":
    main()
