"""Expressions of any depth: long sums, and parts that occur many times."""

from __future__ import annotations

import re

import numpy as np
import pytest

from halidehw import Func, ImageParam, Int, Var, compile, i32
from halidehw.errors import HardwareError, ParseError
from halidehw.expr.expr import Binary, Const, Expr, fold, nodes, same, transform
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse, write
from halidehw.ir.interpreter import interpret
from halidehw.scheduler import lower

TERMS = 1000
x = Var("x")


def weight(place: int) -> int:
    return place % 7 + 1


def long_sum() -> tuple[Func, ImageParam]:
    """f(x) = a(x) * 1 + a(x) * 2 + ... + a(x) * 7 + a(x) * 1 + ..., TERMS terms."""
    a, f = ImageParam(Int(16), 1, "a"), Func("f")
    total: Expr = i32(a[x]) * weight(0)
    for place in range(1, TERMS):
        total = total + i32(a[x]) * weight(place)
    f[x] = total
    f.bound(x, 0, 8)
    return f.accelerate([a]), a


def test_a_sum_of_1000_terms_becomes_hardware():
    f, _ = long_sum()
    verilog = compile(f).verilog
    assert len(set(re.findall(r"\badd\d+\b", verilog))) == TERMS - 1


def test_a_sum_of_1000_terms_has_its_value():
    f, a = long_sum()
    values = np.array([3, -4, 0, 1000, -32768, 32767, 1, 7])
    expected = values * sum(map(weight, range(TERMS)))
    a.set(values.astype(np.int16))
    assert np.array_equal(f.realize().array, expected)
    assert np.array_equal(interpret(lower(f), {"a": values.astype(np.int16)}), expected)


def test_a_sum_of_1000_terms_is_checked_for_overflow():
    f, _ = long_sum()
    lower(f.check_overflow())
    g, a = Func("g"), ImageParam(Int(16), 1, "a")
    total: Expr = i32(a[x]) * 30000
    for _ in range(TERMS):
        total = total + i32(a[x])
    g[x] = total
    g.bound(x, 0, 8).accelerate([a])
    g.check_overflow()
    lower(g)
    h = Func("h")
    h[x] = total + i32(a[x]) * 40000
    h.bound(x, 0, 8).accelerate([a])
    h.check_overflow()
    with pytest.raises(HardwareError) as caught:
        lower(h)
    assert "needs 33 bits, has 32 (int32)" in caught.value.message


def test_a_sum_of_1000_terms_as_text():
    f, _ = long_sum()
    text = write(design_of(f))
    again = parse(text)
    assert len(list(nodes(again.output.stages[0].definition.value))) == 5 * TERMS
    assert write(again) == text


def test_parentheses_without_end_are_refused():
    text = f"ImageParam a(Int(16), 1);\nVar x;\nFunc f;\nf(x) = {'(1 + ' * TERMS}a(x){')' * TERMS};"
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert caught.value.message == "the value is nested too deeply; name parts of it"
    assert caught.value.legal == ("Func part;", "part(x) = ...;")
    assert caught.value.source is not None and caught.value.source.line == 4


def doubled(times: int) -> Expr:
    """2^times, as a tree in which every node but the root occurs twice."""
    value: Expr = Const(Int(64), 1)
    for _ in range(times):
        value = value + value
    return value


def test_a_part_that_occurs_often_is_visited_once():
    value = doubled(60)
    assert len(list(nodes(value))) == 61
    assert fold(value, lambda node, parts: sum(parts) if parts else 1) == 2**60
    changed = transform(value, lambda node: Const(Int(64), 2) if isinstance(node, Const) else node)
    assert isinstance(changed, Binary) and changed.a is changed.b
    assert same(doubled(60), doubled(60)) and not same(doubled(60), doubled(59))


def test_a_long_expression_is_shown_by_its_ends():
    f, _ = long_sum()
    shown = str(f.stages[0].definition.value)
    assert len(shown) < 2100
    assert shown.startswith("(((((") and shown.endswith("(int32(a(x)) * 6))")


def test_what_is_needed_no_more_is_let_go():
    """Of a long sum of arrays, at most two operands and the sum are held."""
    held: set[int] = set()

    class Value:
        def __init__(self) -> None:
            held.add(id(self))

        def __del__(self) -> None:
            held.discard(id(self))

    most = 0

    def make(node: Expr, parts: tuple[Value, ...]) -> Value:
        nonlocal most
        most = max(most, len(held))
        return Value()

    f, _ = long_sum()
    fold(f.stages[0].definition.value, make)
    assert most <= 5


def test_of_a_long_line_the_place_is_shown():
    text = f"ImageParam a(Int(16), 1);\nVar x;\nFunc f;\nf(x) = {'a(x) + ' * TERMS}b(x);"
    with pytest.raises(ParseError) as caught:
        parse(text)
    shown, line, caret = str(caught.value).splitlines()[-3:]
    assert shown.endswith("<text>:4:7008")
    assert len(line) < 420 and line.startswith("    ... ") and line[caret.index("^") :].startswith("b(x)")
