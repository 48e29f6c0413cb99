import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halidehw.errors import TypeMismatch
from halidehw.expr.types import Bool, Int, Type, UInt, promote, type_of_dtype

types = st.builds(Type, st.booleans(), st.integers(1, 64))


@pytest.mark.parametrize(
    "kind, low, high, name, dtype",
    [
        (Int(1), -1, 0, "int1", "int8"),
        (Int(4), -8, 7, "int4", "int8"),
        (UInt(3), 0, 7, "uint3", "uint8"),
        (Int(11), -1024, 1023, "int11", "int16"),
        (UInt(33), 0, 2**33 - 1, "uint33", "uint64"),
        (Int(64), -(2**63), 2**63 - 1, "int64", "int64"),
        (UInt(64), 0, 2**64 - 1, "uint64", "uint64"),
        (Bool(), 0, 1, "bool", "bool"),
    ],
)
def test_range_name_and_carrier(kind, low, high, name, dtype):
    assert (kind.min, kind.max, str(kind), kind.dtype) == (low, high, name, np.dtype(dtype))


@given(types, st.integers(-(2**70), 2**70))
def test_wrap_keeps_the_value_modulo_the_width(kind, value):
    wrapped = kind.wrap(value)
    assert kind.represents(wrapped)
    assert (wrapped - value) % 2**kind.bits == 0


@given(types, st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=4))
def test_wrap_of_an_array_is_wrap_of_its_elements(kind, values):
    wrapped = kind.wrap(np.array(values, np.int64))
    assert wrapped.dtype == kind.dtype
    assert wrapped.tolist() == [kind.wrap(value) for value in values]


@pytest.mark.parametrize("width", [0, 65, -1, 2.5, "8"])
def test_a_width_that_is_none(width):
    with pytest.raises(
        TypeMismatch, match=r"Int\(.*\) is not a type: the width is a whole number of bits from 1 to 64"
    ):
        Int(width)


def test_promotion_takes_the_wider_width_and_is_signed_if_either_is():
    assert promote(UInt(8), Int(4)) == Int(8)
    assert promote(UInt(3), UInt(7)) == UInt(7)
    assert promote(Bool(), Int(8)) == Int(8)


def test_type_of_dtype():
    assert type_of_dtype(np.dtype(np.uint16)) == UInt(16)
    assert type_of_dtype(np.dtype(bool)) == Bool()
    with pytest.raises(TypeMismatch, match="an array of float32 has no integer type"):
        type_of_dtype(np.dtype(np.float32))
