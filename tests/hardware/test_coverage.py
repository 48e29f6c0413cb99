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


SOAKED = [
    pytest.param(first, others, marks=pytest.mark.soak) for others in (False, True) for first in range(not others, 4)
]


@pytest.mark.parametrize("first, others", [(0, False), *SOAKED])
def test_dataflows_of_a_convolution(first: int, others: bool):
    """All pairs of loops in four groups, one pair in a chain and the next one not; with `others`, the other way."""
    designs = []
    for number, pair in list(enumerate(combinations(LOOPS, 2)))[first::4]:
        func = convolution(pair, systolic=bool(number // 2 % 2) != others)
        designs.append(Design(func, Options(port_bits=32), fill="extremes"))
    check_each(designs)


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.soak) for n in (1, 2))])
def test_orders_of_a_batched_product(first: int):
    """A third of the orders, in which each loop stands in each place: some, with all that go round to them."""
    some = [("b", *rest) for rest in permutations("mnk")][first::3]
    orders = [order[place:] + order[:place] for order in some for place in range(4)]
    check_each([Design(product(order), fill="extremes") for order in orders])


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
