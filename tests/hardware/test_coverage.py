"""The space of loop orders and dataflows, walked."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest

from halidehw import Func, ImageParam, Int, RDom, Var, i32
from halidehw.microarch.options import Options
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design

x, y, k, b = map(Var, "xykb")
LOOPS = ("b", "k", "y", "x", "c", "fy", "fx")


def convolution(spatial: tuple[str, str], systolic: bool) -> Func:
    """A small convolution over b, k, c, y, x, fy, fx with two of its loops innermost and on a 3 x 2 array."""
    r = RDom([(0, 2), (0, 2), (0, 3)], "r")
    image, w, f = ImageParam(Int(8), 4, "image"), ImageParam(Int(8), 4, "w"), Func("f")
    f[x, y, k, b] += i32(image[x + r.x, y + r.y, r.z, b]) * i32(w[r.x, r.y, r.z, k])
    f.set_bounds([(0, 4), (0, 3), (0, 3), (0, 2)])
    named = {"c": "r.z", "fy": "r.y", "fx": "r.x"}
    lanes = [named.get(name, name) for name in spatial]
    stage = f.update()
    outer = [name for name in stage.loops.names if name not in lanes]
    if [*outer, *lanes] != list(stage.loops.names):
        stage.reorder(*reversed([*outer, *lanes]))
    stage.dataflow(f"{lanes[0]} | {lanes[1]}", rows=3, cols=2)
    if systolic:
        stage.systolic(*lanes)
    image.in_().compute_at(f, outer[0])
    w.in_().compute_at(f, outer[1])
    return f


@pytest.mark.parametrize("systolic", [False, True])
@pytest.mark.parametrize("first", range(3))
def test_dataflows_of_a_convolution(first: int, systolic: bool):
    """All pairs of loops, in three groups."""
    pairs = list(combinations(LOOPS, 2))[first::3]
    check_each([Design(convolution(pair, systolic), Options(port_bits=32), fill="extremes") for pair in pairs])


@pytest.mark.parametrize("outermost", ["b", "m", "n", "k"])
def test_orders_of_a_batched_product(outermost: str):
    check_each([Design(product(order), fill="extremes") for order in permutations("bmnk") if order[0] == outermost])


def product(order: tuple[str, ...]) -> Func:
    """Its loops outer to inner; 2 x 2 lanes over n and k, n systolic."""
    m, n, batch = Var("m"), Var("n"), Var("b")
    r = RDom([(0, 5)], "r")
    a, w, f = ImageParam(Int(8), 3, "a"), ImageParam(Int(8), 3, "w"), Func("f")
    f[n, m, batch] += i32(a[r.x, m, batch]) * i32(w[n, r.x, batch])
    f.set_bounds([(0, 3), (0, 4), (0, 2)])
    stage = f.update()
    wanted = [{"k": "r.x"}.get(name, name) for name in order]
    if wanted != list(stage.loops.names):
        stage.reorder(*reversed(wanted))
    stage.unroll(n, 2).unroll(r.x, 2).systolic(n)
    return f
