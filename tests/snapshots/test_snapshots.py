"""The nest and the network after each primitive, each kind of memory, each derivation: what a change of a decision
changes is seen here, in milliseconds. `pytest tests/snapshots --update-golden` rewrites them.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from halidehw import BoundaryConditions, Func, ImageParam, Int, RDom, UInt, Var, i16, i32
from halidehw.ir.printer import lowered
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.microarch.printer import printed
from halidehw.scheduler import lower

x, y, k, xo, xi, yo, yi, t = map(Var, ("x", "y", "k", "xo", "xi", "yo", "yi", "t"))
Schedule = Callable[[Func, ImageParam, ImageParam], object]
"""Of a Func and the two inputs that it reads."""


def product(schedule: Schedule) -> Func:
    """7 x 6 elements, each a sum of 8."""
    a, b, r, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), RDom([(0, 8)], "r"), Func("f")
    f[x, y] += i32(a[r.x, y]) * i32(b[x, r.x])
    f.set_bounds([(0, 7), (0, 6)])
    schedule(f, a, b)
    return f


def convolution(schedule: Schedule) -> Func:
    """10 x 6 elements, 3 x 3 taps."""
    image, w, r, f = ImageParam(UInt(8), 2, "image"), ImageParam(Int(8), 2, "w"), RDom([(0, 3), (0, 3)], "r"), Func("f")
    f[x, y] += i32(image[x + r.x, y + r.y]) * i32(w[r.x, r.y])
    f.set_bounds([(0, 10), (0, 6)])
    schedule(f, image, w)
    return f


def stencil(schedule: Schedule) -> Func:
    """10 x 6 elements of three neighbours written out."""
    image, f = ImageParam(UInt(8), 2, "image"), Func("f")
    f[x, y] = i16(image[x, y]) + i16(image[x + 1, y]) * 2 + i16(image[x, y + 1])
    f.set_bounds([(0, 10), (0, 6)])
    schedule(f, image, image)
    return f


def padded(boundary: str) -> Func:
    image = ImageParam(UInt(8), 2, "image")
    clamped = getattr(BoundaryConditions, boundary)(image, *((7,) if boundary == "constant_exterior" else ()))
    f = Func("f")
    f[x, y] = i16(clamped[x - 1, y]) - i16(clamped[x + 1, y])
    image.dim(0).set_bounds(0, 10)
    image.dim(1).set_bounds(0, 6)
    return f.set_bounds([(0, 10), (0, 6)])


def final() -> Func:
    a, b, r = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), RDom([(0, 8)], "r")
    f, g = Func("f"), Func("g")
    f[x, y] += i32(a[r.x, y]) * i32(b[x, r.x])
    g[x, y] = i16(f[x, y] / 9 + x)
    return g.set_bounds([(0, 7), (0, 6)])


def level(f: Func, *places: Var | str) -> None:
    """Levels of partial sums at these loops, the outermost first."""
    wrapper = f
    for place in places:
        wrapper = wrapper.in_()
        wrapper.compute_at(f, place)


DESIGNS: dict[str, Callable[[], Func]] = {
    "plain": lambda: product(lambda f, a, b: None),
    "split": lambda: product(lambda f, a, b: f.update().split(x, xo, xi, 4)),
    "split_of_a_reduction": lambda: product(lambda f, a, b: f.update().split("r.x", "ro", "ri", 3)),
    "reorder": lambda: product(lambda f, a, b: f.update().reorder(x, "r.x", y)),
    "tile": lambda: product(lambda f, a, b: f.update().tile(x, y, xo, yo, xi, yi, 4, 2)),
    "fuse": lambda: product(lambda f, a, b: f.update().fuse(x, y, t)),
    "unroll_of_an_output": lambda: product(lambda f, a, b: f.update().unroll(x, 4)),
    "unroll_of_a_reduction": lambda: product(lambda f, a, b: f.update().unroll("r.x", 4)),
    "vectorize": lambda: product(lambda f, a, b: f.update().vectorize(x, 2)),
    "systolic_outputs": lambda: product(lambda f, a, b: f.update().unroll(x, 4).systolic(x)),
    "systolic_reduction": lambda: product(lambda f, a, b: f.update().unroll("r.x", 4).systolic("r.x")),
    "dataflow": lambda: product(lambda f, a, b: f.update().dataflow("r.x | x", rows=4, cols=4)),
    "replicated": lambda: product(lambda f, a, b: (
        f.update().split(y, yo, yi, 2).reorder("r.x", x, yi, yo).dataflow("x yi | r.x", rows=8, cols=2))),
    "compute_at": lambda: product(lambda f, a, b: (f.update().split(y, yo, yi, 3), a.in_().compute_at(f, yo))),
    "compute_root": lambda: product(lambda f, a, b: b.in_().compute_root()),
    "single_buffer": lambda: product(
        lambda f, a, b: (f.update().split(y, yo, yi, 3), a.in_().compute_at(f, yo).single_buffer())),
    "capacity": lambda: product(
        lambda f, a, b: (f.update().split(y, yo, yi, 3), a.in_().compute_at(f, yo).capacity(64))),
    "two_memories": lambda: product(lambda f, a, b: (
        f.update().split(y, yo, yi, 3).reorder(x, "r.x", yi, yo), a.in_().compute_at(f, yo),
        a.in_().in_().compute_at(f, yi))),
    "register_files": lambda: product(lambda f, a, b: (
        f.update().split(x, xo, xi, 4).reorder(y, "r.x", xi, xo).unroll(xi), b.in_().compute_at(f, xi))),
    "copies": lambda: product(lambda f, a, b: (
        f.update().unroll(x, 2).unroll(y, 2).reorder("r.x", x, y), a.in_().compute_at(f, y), b.in_().compute_at(f, y))),
    "sums_in_one_level": lambda: product(lambda f, a, b: (
        f.update().split("r.x", "ro", "ri", 4).reorder("ri", x, "ro", y), level(f, y))),
    "sums_in_two_levels": lambda: product(lambda f, a, b: (
        f.update().split("r.x", "ro", "ri", 4).reorder("ri", x, "ro", y).unroll(x, 4), level(f, y, x))),
    "sums_that_come_back": lambda: product(lambda f, a, b: (
        f.update().split("r.x", "ro", "ri", 4).reorder("ri", x, y, "ro"), level(f, y))),
    "convolution": lambda: convolution(lambda f, image, w: None),
    "shifted_lanes": lambda: convolution(lambda f, image, w: (
        f.update().split(x, xo, xi, 5).reorder(xi, y, xo).unroll(xi, 5), image.in_().compute_at(f, xo))),
    "systolic_convolution": lambda: convolution(lambda f, image, w: (
        f.update().split(x, xo, xi, 5).reorder(xi, y, xo).unroll(xi, 5).systolic(xi), image.in_().compute_at(f, xo))),
    "line_buffer": lambda: convolution(lambda f, image, w: image.in_().store_root().compute_at(f, y)),
    "window_of_a_stream": lambda: stencil(lambda f, image, w: None),
    "window_of_a_line_buffer": lambda: stencil(lambda f, image, w: image.in_().store_root().compute_at(f, y)),
    "window_of_lanes": lambda: stencil(lambda f, image, w: (f.unroll(x, 2), image.in_().compute_root())),
    "constant_exterior": lambda: padded("constant_exterior"),
    "repeat_edge": lambda: padded("repeat_edge"),
    "mirror_interior": lambda: padded("mirror_interior"),
    "final_stage": final,
}


def test_there_are_enough() -> None:
    assert 2 * len(DESIGNS) >= 60


@pytest.mark.parametrize("name", DESIGNS)
def test_nest_and_network(name: str, golden: Callable[[str, str], None]) -> None:
    nest = lower(DESIGNS[name]())
    golden(f"{name}.nest.txt", lowered(nest))
    golden(f"{name}.network.txt", printed(derive(nest, Options(port_bits=32))))
