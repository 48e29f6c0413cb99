"""Products of operands wider than a multiplier: which they are, how long they take, and their bits."""

from __future__ import annotations

import random

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator, SimulatorContext

from halidehw import Func, ImageParam, Int, RDom, UInt, Var, cast, i32, i64
from halidehw.backend_hdl.datapath import pipeline, shape_of
from halidehw.backend_hdl.library import Library
from halidehw.expr.tree import children, nodes
from halidehw.expr.types import Type
from halidehw.microarch.operators import latency
from halidehw.microarch.product import Product, with_products
from halidehw.scheduler import lower

x = Var("x")


def products(a: Type, b: Type, result: Type) -> list[Product]:
    one, two, f = ImageParam(a, 1, "a"), ImageParam(b, 1, "b"), Func("f")
    f[x] = cast(result, one[x]) * cast(result, two[x])
    nest = with_products(lower(f.bound(x, 0, 4)))
    return [node for node in nodes(nest.value) if isinstance(node, Product)]


@pytest.mark.parametrize("kinds", [(Int(16), Int(16)), (Int(18), UInt(17)), (UInt(8), Int(18))], ids=str)
def test_what_a_multiplier_takes_is_one_product(kinds: tuple[Type, Type]) -> None:
    assert not products(*kinds, Int(64))


@pytest.mark.parametrize(
    ("a", "b", "result", "terms", "cycles"),
    [
        (UInt(18), Int(18), Int(48), 2, 2),
        (Int(32), Int(32), Int(32), 3, 3),
        (Int(32), Int(32), Int(64), 4, 3),
        (Int(40), Int(24), Int(64), 6, 4),
        (Int(64), Int(64), Int(64), 10, 5),
    ],
    ids=str,
)
def test_a_wide_product_has_a_cycle_for_each_level_of_its_sum(
    a: Type, b: Type, result: Type, terms: int, cycles: int
) -> None:
    """Of the pieces that reach the result only."""
    (found,) = products(a, b, result)
    assert len(found.terms) == terms
    assert latency(found) == cycles


def test_values_count_and_not_types() -> None:
    a, f = ImageParam(Int(8), 1, "a"), Func("f")
    f[x] = (i64(a[x]) * i64(a[x + 1])) * (i64(a[x + 2]) * i64(a[x + 3]) * i64(a[x + 4]))
    nest = with_products(lower(f.bound(x, 0, 4)))
    (found,) = (node for node in nodes(nest.value) if isinstance(node, Product))
    assert [side.bits for side in found.sides] == [16, 22]


def test_a_product_by_a_constant_stays_one() -> None:
    a, f, r = ImageParam(Int(32), 1, "a"), Func("f"), RDom([(0, 3)], "r")
    f[x] += i32(a[x + r.x]) * 1000003
    nest = with_products(lower(f.bound(x, 0, 4)))
    assert not any(isinstance(node, Product) for node in nodes(nest.value))


@pytest.mark.parametrize(
    "kinds",
    [
        (Int(32), Int(32), Int(32)),
        (Int(32), UInt(16), Int(64)),
        (UInt(32), UInt(32), UInt(64)),
        (Int(40), Int(24), Int(64)),
        (UInt(18), Int(18), Int(48)),
        (Int(64), Int(64), Int(64)),
    ],
    ids=str,
)
def test_its_bits_are_those_of_the_product(kinds: tuple[Type, Type, Type]) -> None:
    one, two, result = kinds
    (wanted,) = products(*kinds)
    m, a, b = Module(), Signal(shape_of(one)), Signal(shape_of(two))
    loads = dict(zip(map(id, (node for node in nodes(wanted) if not children(node))), (a, b), strict=True))
    found = pipeline(m, Library(), wanted, lambda leaf: loads[id(leaf)])
    rng = random.Random(0)
    values = [[kind.min, kind.max, 0, 1, kind.min + 1, rng.randint(kind.min, kind.max)] for kind in (one, two)]
    pairs = [(first, second) for first in values[0] for second in values[1]]

    async def bench(context: SimulatorContext) -> None:
        for first, second in pairs:
            context.set(a, first)
            context.set(b, second)
            await context.tick().repeat(found.time)
            assert context.get(found.value) == result.wrap(first * second), (first, second)

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert found.time == wanted.latency
