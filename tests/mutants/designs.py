"""Small designs of every kind of hardware, for mistakes to be made in."""

from __future__ import annotations

from collections.abc import Callable

from halidehw import Func, ImageParam, Int, RDom, Var, i32
from tests.energy_model.designs import levels
from tests.hardware.test_resets import spilled, systolic
from tests.hardware.workloads import convolution, product, requantised

x, y, z = Var("x"), Var("y"), Var("z")


def rows() -> Func:
    """A 3x3 filter whose rows stay in a line buffer."""
    r = RDom([(0, 3), (0, 3)], "r")
    image, w, f = ImageParam(Int(8), 2, "image"), ImageParam(Int(8), 2, "w"), Func("f")
    f[x, y] += i32(image[x + r.x, y + r.y]) * i32(w[r.x, r.y])
    f.bound(x, 0, 9).bound(y, 0, 6).update().split(x, "xo", "xi", 4).unroll("xi", 2).systolic("xi")
    image.in_().compute_at(f, y).store_root()
    return f.accelerate([image, w])


def tree() -> Func:
    """A matrix product whose sums are made by a tree of adders."""
    r = RDom([(0, 10)], "r")
    a, b, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("f")
    f[x, y] += i32(a[r.x, y]) * i32(b[x, r.x])
    f.bound(x, 0, 6).bound(y, 0, 5).update().split(r.x, "ro", "ri", 4).reorder("ri", "ro", x, y).unroll("ri", 4)
    a.in_().compute_at(f, y)
    return f.accelerate([a, b])


def near() -> Func:
    """Sums that come again after 1, 2, 3, 4, 6 and 12 steps, as whole tiles and ragged ones have so many of them."""
    r = RDom([(0, 5)], "r")
    a, b, f = ImageParam(Int(8), 3, "a"), ImageParam(Int(8), 2, "b"), Func("f")
    f[x, y, z] += i32(a[r.x, y, z]) * i32(b[r.x, x])
    f.bound(x, 0, 3).bound(y, 0, 3).bound(z, 0, 4)
    f.update().split(x, "xo", "xi", 2).split(y, "yo", "yi", 2).split(z, "zo", "zi", 3)
    f.update().reorder("xi", "yi", "zi", r.x, "xo", "yo", "zo")
    return f.accelerate([a, b])


DESIGNS: dict[str, Callable[[], Func]] = {
    "convolution": convolution,
    "matrix product": product,
    "strided": lambda: convolution(stride=2),
    "requantised": requantised,
    "line buffer": rows,
    "register files": systolic,
    "levels of sums": lambda: levels(False),
    "sums in the lanes": lambda: levels(True),
    "sums that come back": spilled,
    "zero padding": lambda: convolution(padding="zero"),
    "edge padding": lambda: convolution(padding="edge"),
    "reduction tree": tree,
    "sums soon again": near,
}
