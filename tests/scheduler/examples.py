"""Algorithms that several tests schedule."""

from __future__ import annotations

from halidehw import Func, ImageParam, Int, RDom, Var, i32

x, y, k, xo, yo, xi, yi = map(Var, ("x", "y", "k", "xo", "yo", "xi", "yi"))


def convolution(sizes: tuple[int, int, int] = (16, 16, 64)) -> Func:
    """The worked example's algorithm: 5x5x3 filters, `sizes` outputs over x, y, k."""
    r = RDom([(-2, 5), (-2, 5), (0, 3)])
    image, w = ImageParam(Int(16), 3, "input"), ImageParam(Int(16), 4, "w")
    output = Func("output")
    output[x, y, k] += i32(image[x + r.x, y + r.y, r.z]) * i32(w[r.x, r.y, r.z, k])
    return output.set_bounds([(0, size) for size in sizes])


def worked_example(sizes: tuple[int, int, int] = (16, 16, 64)) -> Func:
    """The worked example with its schedule."""
    output = convolution(sizes)
    image, w = output.sources
    output.update().split(x, xo, xi, 8).split(y, yo, yi, 8).reorder(xi, yi, xo, yo)
    image.in_().compute_at(output, xo)
    w.in_().compute_at(output, xo)
    output.update().unroll(xi, 4).systolic(xi)
    return output.accelerate([image, w])


def product(m: int = 4, n: int = 6, depth: int = 5) -> Func:
    """A matrix product of int8 into int32: f[x, y] over n columns and m rows."""
    r = RDom([(0, depth)])
    a, b = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b")
    f = Func("f")
    f[x, y] += i32(a[r, y]) * i32(b[x, r])
    return f.set_bounds([(0, n), (0, m)])
