import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halidehw.expr.arithmetic import apply, result_type
from halidehw.expr.types import Bool, Int, Type, UInt

OPERATORS = [
    "add", "sub", "mul", "div", "mod", "min", "max", "and", "or", "xor", "eq", "ne", "lt", "le", "gt", "ge",
    "land", "lor",
]  # fmt: skip


@st.composite
def operands(draw):
    kind = Type(draw(st.booleans()), draw(st.integers(1, 64)))
    edges = st.sampled_from([value for value in (kind.min, kind.max, 0, 1, -1, 2) if kind.represents(value)])
    value = st.one_of(edges, st.integers(kind.min, kind.max))
    return kind, draw(value), draw(value)


@given(operands(), st.sampled_from(OPERATORS))
def test_arrays_and_ints_agree(operands, op):
    kind, a, b = operands
    scalar = apply(op, kind, a, b)
    array = apply(op, kind, np.array([a], kind.dtype), np.array([b], kind.dtype))
    assert isinstance(scalar, int)
    assert array.tolist() == [scalar]
    assert array.dtype == result_type(op, kind).dtype
    assert apply(op, kind, np.array([a], kind.dtype), b).tolist() == [scalar]


@given(operands())
def test_division_has_a_remainder_that_is_never_negative(operands):
    kind, a, b = operands
    quotient, remainder = apply("div", kind, a, b), apply("mod", kind, a, b)
    if b == 0:
        assert (quotient, remainder) == (0, 0)
    else:
        assert 0 <= remainder < abs(b)
        assert kind.wrap(quotient * b + remainder) == a


@given(operands(), st.integers(-70, 70))
def test_shifts_are_products_and_floored_quotients_of_powers_of_two(operands, amount):
    kind, a, _ = operands
    exact = a * 2**amount if amount >= 0 else a // 2**-amount
    for op, by in (("shl", amount), ("shr", -amount)):
        assert apply(op, kind, a, by) == kind.wrap(exact)
        assert apply(op, kind, np.array([a], kind.dtype), np.array([by], np.int8)).tolist() == [kind.wrap(exact)]


@pytest.mark.parametrize("op, kind, a, value", [
    ("neg", Int(4), -8, -8), ("neg", UInt(3), 1, 7), ("not", UInt(3), 5, 2), ("not", Int(11), 5, -6),
    ("not", Bool(), 1, 0), ("abs", Int(4), -8, 8), ("abs", Int(64), -(2**63), 2**63), ("lnot", Bool(), 1, 0),
])  # fmt: skip
def test_one_operand(op, kind, a, value):
    assert apply(op, kind, a) == value
    assert apply(op, kind, np.array([a], kind.dtype)).tolist() == [value]


def test_unsigned_amounts_and_arrays_without_dimensions():
    assert apply("shl", UInt(64), np.uint64(1), np.uint64(63)) == 2**63
    assert apply("shr", Int(8), np.int8(-128), np.uint8(200)) == -1
    assert apply("add", Int(8), np.int8(127), 1) == -128
