"""Interval arithmetic against every value, at widths where all of them can be tried."""

from __future__ import annotations

from contextlib import suppress
from itertools import combinations_with_replacement, product

import pytest

from halidehw.expr.expr import Binary, Unary, Variable, apply
from halidehw.expr.interval import Exceeded, Interval, interval
from halidehw.expr.types import Int, Type, UInt

KINDS = [Int(3), UInt(3)]
OPERATORS = [
    "add", "sub", "mul", "div", "mod", "shl", "shr", "and", "or", "xor", "min", "max", "eq", "lt", "land",
]  # fmt: skip


def spans(kind: Type) -> list[tuple[int, int]]:
    return list(combinations_with_replacement(range(kind.min, kind.max + 1), 2))


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("op", OPERATORS)
def test_an_interval_holds_every_result(op, kind):
    result = UInt(1) if op in ("eq", "lt", "land") else kind
    expr = Binary(result, op, Variable(kind, "a"), Variable(kind, "b"))
    for a, b in product(spans(kind), spans(kind)):
        with suppress(Exceeded):
            found = interval(expr, {"a": Interval.of(*a), "b": Interval.of(*b)})
            for x, y in product(range(a[0], a[1] + 1), range(b[0], b[1] + 1)):
                assert found.low.value <= apply(op, kind, x, y) <= found.high.value


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("op", ["neg", "abs", "not"])
def test_an_interval_of_one_operand(op, kind):
    expr = Unary(UInt(3) if op == "abs" else kind, op, Variable(kind, "a"))
    for a in spans(kind):
        with suppress(Exceeded):
            found = interval(expr, {"a": Interval.of(*a)})
            for x in range(a[0], a[1] + 1):
                assert found.low.value <= apply(op, kind, x) <= found.high.value


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(("op", "exact"), [("add", int.__add__), ("sub", int.__sub__), ("mul", int.__mul__)])
def test_exceeded_only_where_a_value_is(op, exact, kind):
    expr = Binary(kind, op, Variable(kind, "a"), Variable(kind, "b"))
    for a, b in product(spans(kind), spans(kind)):
        values = [exact(x, y) for x, y in product(a, b)]
        exceeded = False
        try:
            interval(expr, {"a": Interval.of(*a), "b": Interval.of(*b)})
        except Exceeded as error:
            exceeded = True
            assert error.worst.value in values
            assert Type(error.signed, error.bits).represents(min(values))
            assert Type(error.signed, error.bits).represents(max(values))
        assert exceeded == (not all(map(kind.represents, values)))


def test_a_mask_that_may_be_zero_bounds_what_it_masks():
    expr = Binary(Int(8), "and", Variable(Int(8), "a"), Variable(Int(8), "b"))
    assert interval(expr, {"a": Interval.of(-128, 127), "b": Interval.of(0, 5)}).range == (0, 5)
