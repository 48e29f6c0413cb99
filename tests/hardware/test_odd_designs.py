"""What a first user tries: the smallest sizes, odd names, scalars, the widest types. All of it is bit-exact."""

from __future__ import annotations

import pytest

from halidehw import Bool, Func, ImageParam, Int, RDom, UInt, Var, cast, compile, i32, simulate
from halidehw.driver.draw import random_inputs
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design

x, y, xo, xi = map(Var, ("x", "y", "xo", "xi"))


def element() -> Func:
    a, f = ImageParam(Int(8), 2, "a"), Func("f")
    f[x, y] = a[x, y]
    return f.set_bounds([(0, 1), (0, 1)])


def constant() -> Func:
    f = Func("f")
    f[x] = 3
    return f.bound(x, 0, 4)


def loop_values() -> Func:
    f, r = Func("f"), RDom([(0, 3)])
    f[x, y] += x * r - y
    f.set_bounds([(-2, 4), (3, 5)]).update().unroll(x).unroll(r)
    return f


def dot_product() -> Func:
    a, b, f, r = ImageParam(Int(8), 1, "a"), ImageParam(Int(8), 1, "b"), Func("f"), RDom([(0, 10)])
    f[()] += i32(a[r]) * i32(b[r])
    f.update().unroll(r, 5)
    return f


def scalar_input() -> Func:
    a, s, f = ImageParam(Int(8), 1, "a"), ImageParam(Int(8), 0, "s"), Func("f")
    f[x] = a[x] * s[()]
    s.in_().compute_at(f, x)
    return f.bound(x, 0, 6).unroll(x, 2)


def one_tile() -> Func:
    a, f = ImageParam(Int(8), 1, "a"), Func("f")
    f[x] = a[x]
    f.split(x, xo, xi, 5).unroll(xi).bound(x, 0, 5)
    a.in_().compute_at(f, xo)
    return f


def everything_unrolled() -> Func:
    a, f, r = ImageParam(Int(8), 2, "a"), Func("f"), RDom([(0, 2), (0, 3)])
    f[x, y] += i32(a[x + r.x, y + r.y])
    f.set_bounds([(0, 4), (0, 3)]).update().unroll(x).unroll(y).unroll(r.x).unroll(r.y)
    return f


def loops_of_one_iteration() -> Func:
    a, f, r = ImageParam(Int(8), 2, "a"), Func("f"), RDom([(0, 1), (5, 1)])
    f[x, y] += i32(a[x + r.x, y + r.y])
    f.set_bounds([(-9, 5), (-4, 1)]).update().reorder(x, r.x, y, r.y)
    return f


def widest_types() -> Func:
    a, b, f = ImageParam(UInt(64), 1, "a"), ImageParam(Int(33), 1, "b"), Func("f")
    f[x] += cast(Int(64), a[x + RDom([(0, 3)])]) * b[x]
    return f.bound(x, 0, 9)


def bits() -> Func:
    a, b, f, r = ImageParam(Int(1), 1, "a"), ImageParam(Bool(), 1, "b"), Func("f"), RDom([(0, 3)])
    f[x] = cast(Bool(), 1)
    f[x] = f[x] & (b[x + r] | (a[x] == -1))
    return f.bound(x, 0, 9)


def keywords() -> Func:
    """Tensors and loops whose names are Verilog's, Python's, or the hardware's own."""
    inputs = [ImageParam(Int(8), 1, name) for name in ("input", "reg", "lambda", "clk", "sequencer", "output_stream")]
    module, always, wire, output = Var("module"), Var("always"), Var("wire"), Func("output")
    total = inputs[0][module]
    for image in inputs[1:]:
        total = total + image[module]
    output[module] = total
    output.bound(module, 0, 8).split(module, always, wire, 3).unroll(wire)
    inputs[1].in_().compute_at(output, always)
    return output.accelerate(inputs)


def letters_beyond_ascii() -> Func:
    a, f, width, o, i = ImageParam(Int(8), 1, "a"), Func("f"), Var("größe"), Var("ö"), Var("ä")
    f[width] = a[width]
    f.bound(width, 0, 8).split(width, o, i, 4).unroll(i).unroll(o)
    return f


def loops_alike_but_for_a_dot() -> Func:
    a, f, r, r_x = ImageParam(Int(8), 1, "a"), Func("f"), RDom([(0, 4)]), Var("r_x")
    f[r_x] += i32(a[r_x + r]) * r_x
    f.bound(r_x, 0, 4).update().unroll(r).unroll(r_x)
    return f


DESIGNS = [
    element, constant, loop_values, dot_product, scalar_input, one_tile, everything_unrolled,
    loops_of_one_iteration, widest_types, bits, loops_alike_but_for_a_dot,
]  # fmt: skip


def test_odd():
    check_each([Design(build(), further=True) for build in DESIGNS])


@pytest.mark.parametrize("build", [keywords, letters_beyond_ascii])
def test_odd_names(build):
    """Which stand in the Verilog as they are."""
    compiled = compile(build())
    assert simulate(compiled, random_inputs(compiled.nest, seed=1)).match
