"""Scheduled designs that differ in what they count."""

from __future__ import annotations

from halidehw import BoundaryConditions, Func, ImageParam, Int, RDom, Var, i32


def conv(width: int = 16, height: int = 16, filters: int = 64, lanes: int = 4, systolic: bool = True) -> Func:
    """The worked example: 5x5x3 filters, 8x8 tiles, one row of lanes."""
    x, y, k, xo, xi, yo, yi = map(Var, ("x", "y", "k", "xo", "xi", "yo", "yi"))
    r = RDom([(-2, 5), (-2, 5), (0, 3)], "r")
    image, w, output = ImageParam(Int(16), 3, "input"), ImageParam(Int(16), 4, "w"), Func("output")
    output[x, y, k] += i32(image[x + r.x, y + r.y, r.z]) * i32(w[r.x + 2, r.y + 2, r.z, k])
    output.bound(x, 0, width).bound(y, 0, height).bound(k, 0, filters)
    stage = output.update().split(x, xo, xi, 8).split(y, yo, yi, 8).reorder(xi, yi, xo, yo).unroll(xi, lanes)
    if systolic:
        stage.systolic(xi)
    image.in_().compute_at(output, xo)
    w.in_().compute_at(output, xo)
    return output.accelerate([image, w])


def padded() -> Func:
    """A 3x3 filter over an image with zeros around it: words that are not asked for."""
    x, y, xo, xi = map(Var, ("x", "y", "xo", "xi"))
    r = RDom([(-1, 3), (-1, 3)], "r")
    image, w, output = ImageParam(Int(8), 2, "image"), ImageParam(Int(8), 2, "w"), Func("output")
    zeros = BoundaryConditions.constant_exterior(image, 0, [(0, 10), (0, 6)])
    output[x, y] += i32(zeros[x + r.x, y + r.y]) * i32(w[r.x + 1, r.y + 1])
    output.bound(x, 0, 10).bound(y, 0, 6)
    output.update().split(x, xo, xi, 4).reorder(r.x, r.y, xi, y, xo).unroll(xi, 2)
    image.in_().compute_at(output, y)
    w.in_().compute_at(output, xo)
    return output.accelerate([image, w])


def product(systolic: bool = True) -> Func:
    """A matrix product on a 3x4 array, C | K, whose sizes divide by neither: weights stay in the PEs."""
    m, n = Var("m"), Var("n")
    k = RDom([(0, 10)], "k")
    a, b, c = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("c")
    c[n, m] += i32(a[k.x, m]) * i32(b[n, k.x])
    c.bound(n, 0, 9).bound(m, 0, 12)
    stage = c.update().reorder(m, n, k.x).unroll(k.x, 3).unroll(n, 4)
    if systolic:
        stage.systolic(k.x).systolic(n)
    return c.accelerate([a, b])


def levels(inside: bool) -> Func:
    """A matrix product that sums up tile by tile, then in a memory outside its ragged lanes, or in one in each lane and
    then outside."""
    m, n, mo, mi, ko, ki, no, ni = map(Var, ("m", "n", "mo", "mi", "ko", "ki", "no", "ni"))
    k = RDom([(0, 10)], "k")
    a, b, c = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("c")
    c[n, m] += i32(a[k.x, m]) * i32(b[n, k.x])
    c.bound(n, 0, 10).bound(m, 0, 11)
    stage = c.update().split(k.x, ko, ki, 3).split(m, mo, mi, 4).split(n, no, ni, 4)
    stage.reorder(*((ki, mi, no, ni, mo, ko) if inside else (ki, ni, mi, no, mo, ko))).unroll(ni, 4).systolic(ni)
    c.in_().compute_at(c, ko)
    c.in_().in_().compute_at(c, no)
    if inside:
        c.in_().in_().in_().compute_at(c, mi)
    return c.accelerate([a, b])


def spilling() -> Func:
    """A matrix product whose partial sums leave the accumulators between the halves of the reduction."""
    m, n, mo, mi, ko, ki = map(Var, ("m", "n", "mo", "mi", "ko", "ki"))
    k = RDom([(0, 10)], "k")
    a, b, c = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("c")
    c[n, m] += i32(a[k.x, m]) * i32(b[n, k.x])
    c.bound(n, 0, 9).bound(m, 0, 10)
    c.update().split(k.x, ko, ki, 5).split(m, mo, mi, 4).reorder(n, ki, mi, mo, ko).unroll(n, 3)
    c.in_().compute_at(c, mo)
    return c.accelerate([a, b])
