"""Long sums become trees: as shallow as they can be, with the same value, and nothing computed twice."""

import random
from dataclasses import replace
from math import ceil, log2

import numpy as np
import pytest

import halidehw as hl
from halidehw.expr.expr import Binary, fold, nodes
from halidehw.ir.interpreter import interpret
from halidehw.microarch.balance import ASSOCIATIVE, balanced
from halidehw.microarch.operators import latency
from halidehw.scheduler import lower

x = hl.Var("x")


def lowered(expr, a):
    f = hl.Func("f")
    f[x] = expr
    return lower(f.bound(x, 0, 20).accelerate([a]))


def operators(expr):
    return sum(isinstance(node, Binary) for node in nodes(expr))


@pytest.mark.parametrize("op", sorted(ASSOCIATIVE))
@pytest.mark.parametrize("terms", [2, 3, 9, 100])
def test_a_chain_is_as_deep_as_the_logarithm_of_its_terms(op, terms):
    a = hl.ImageParam(hl.Int(16), 1, "a")
    expr = a[x]
    for i in range(1, terms):
        expr = Binary(hl.Int(16), op, a[x + i], expr) if i % 3 else Binary(hl.Int(16), op, expr, a[x + i])
    found = balanced(lowered(expr, a).value)
    assert found.time == ceil(log2(terms))
    assert operators(found.value) == terms - 1


def test_what_comes_late_is_added_last():
    a = hl.ImageParam(hl.Int(16), 1, "a")
    late = a[x]
    for _ in range(3):
        late = -late
    expr = late + a[x + 1] + a[x + 2] + a[x + 3] + a[x + 4]
    assert balanced(lowered(expr, a).value).time == 4


def test_a_sum_that_is_used_twice_is_built_once():
    a = hl.ImageParam(hl.Int(16), 1, "a")
    both = a[x] + a[x + 1] + a[x + 2]
    expr = lowered((both + a[x + 3]) * (both + a[x + 4]), a).value
    assert operators(balanced(expr).value) == operators(expr) == 5


def drawn(rng, a, size):
    """A random expression of `size` operators, with chains, shared parts and changes of type."""
    parts = [hl.cast(rng.choice([hl.Int(12), hl.Int(16)]), a[x + i]) for i in range(4)]
    for _ in range(size):
        kind = rng.choice([hl.Int(12), hl.Int(16)])
        one, other = (hl.cast(kind, rng.choice(parts[-4:])) if rng.random() < 0.3 else parts[-1 - k] for k in (0, 1))
        other = hl.cast(one.type, other) if other.type != one.type else other
        op = rng.choice(["add", "add", "add", "mul", "min", "max", "xor", "sub"])
        parts.append(Binary(one.type, op, one, other))
    return parts[-1]


@pytest.mark.parametrize("seed", range(20))
def test_random_expressions_keep_their_value_and_are_no_deeper(seed):
    rng, a = random.Random(seed), hl.ImageParam(hl.Int(16), 1, "a")
    nest = lowered(drawn(rng, a, 30), a)
    found = balanced(nest.value)
    inputs = {"a": np.random.default_rng(seed).integers(-32768, 32768, nest.tensor["a"].extents, dtype=np.int16)}
    assert np.array_equal(interpret(nest, inputs), interpret(replace(nest, value=found.value), inputs))
    assert found.time <= fold(nest.value, lambda node, below: max(below, default=0) + latency(node))


@pytest.mark.soak
def test_a_sum_of_200_terms_in_hardware():
    a, f = hl.ImageParam(hl.Int(16), 1, "a"), hl.Func("f")
    total = hl.i32(a[x])
    for i in range(1, 200):
        total = total + hl.i32(a[x + i]) * (i % 7 - 3)
    f[x] = total
    f.bound(x, 0, 5).accelerate([a])
    assert hl.simulate(f, {"a": np.random.default_rng(1).integers(-32768, 32768, 204)}).match
