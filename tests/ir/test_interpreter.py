from dataclasses import replace

import numpy as np
import pytest

from halidehw.errors import TypeMismatch
from halidehw.ir.affine import Affine
from halidehw.ir.interpreter import execute, interpret
from halidehw.ir.nest import Boundary, Buffer, Tensor
from halidehw.ir.verify import InvariantError
from tests.ir.nests import filter_nest

A = np.arange(-5, 7, dtype=np.int16)
W = np.array([3, -1, 2], np.int16)
INPUTS = {"a": A, "w": W}
EXPECTED = np.array([3 * A[i] - A[i + 1] + 2 * A[i + 2] for i in range(10)], np.int32)


@pytest.mark.parametrize("tile", [1, 3, 4, 10])
def test_result_does_not_depend_on_the_tile(tile):
    assert np.array_equal(interpret(filter_nest(10, tile), INPUTS), EXPECTED)


def test_words_are_counted():
    result = execute(filter_nest(10), INPUTS)
    assert (result.written, result.fetched) == ({"a_in": 16, "w_in": 3}, {"a_in": 16, "w_in": 3})
    assert result.operands == (30, 30)


def test_copies_in_pes_that_hold_the_same_words_fetch_them_once():
    nest = filter_nest(8, 4, lanes=4)
    xo, xi = map(Affine.variable, ("xo", "xi"))
    buffers = (
        Buffer("a_in", "a", "xi", (4 * xo + xi - 1,), (3,), 2, True),
        Buffer("w_in", "w", "xi", (Affine((), -1),), (3,), 2, True),
    )
    result = execute(replace(nest, buffers=buffers), {"a": A[:10], "w": W})
    assert np.array_equal(result.output, EXPECTED[:8])
    assert (result.written, result.fetched) == ({"a_in": 24, "w_in": 12}, {"a_in": 24, "w_in": 3})


@pytest.mark.parametrize(
    ("boundary", "fetched"), [(Boundary("constant_exterior", 9), 14), (Boundary("repeat_edge"), 16)]
)
def test_constant_boundary_costs_no_access(boundary, fetched):
    inner = Tensor("a", filter_nest().inputs[0].type, (0,), (10,), boundary)
    nest = filter_nest()
    result = execute(replace(nest, inputs=(inner, nest.inputs[1])), {"a": A[1:11], "w": W})
    ends = (9, 9) if boundary.value else (A[1], A[10])
    padded = np.concatenate([ends[:1], A[1:11], ends[1:]])
    assert list(result.output) == [3 * padded[i] - padded[i + 1] + 2 * padded[i + 2] for i in range(10)]
    assert result.fetched["a_in"] == fetched


def test_buffer_that_is_too_small_is_found():
    nest = filter_nest()
    small = replace(nest.buffers[0], extents=(5,))
    with pytest.raises(InvariantError, match="a_in is read or filled at a word that it does not hold"):
        interpret(replace(nest, buffers=(small,)), INPUTS)


def test_read_outside_a_tensor_is_found():
    nest = filter_nest()
    short = replace(nest.inputs[0], extents=(11,))
    with pytest.raises(InvariantError, match="a is read outside its bounds"):
        interpret(replace(nest, inputs=(short, nest.inputs[1])), {"a": A[:11], "w": W})


def test_element_that_is_never_stored_is_found():
    nest = filter_nest()
    with pytest.raises(InvariantError, match="an element of f was not stored exactly once"):
        interpret(replace(nest, output=replace(nest.output, extents=(11,))), INPUTS)


def test_missing_input():
    with pytest.raises(TypeMismatch, match="no array for input w"):
        interpret(filter_nest(), {"a": A})


def test_wrong_shape():
    with pytest.raises(TypeMismatch, match=r"input a is an array of int16 of shape \(3,\), not of int16 of \(12,\)"):
        interpret(filter_nest(), {"a": W, "w": W})


def test_fractions_are_no_input():
    with pytest.raises(TypeMismatch, match="input a is an array of float64"):
        interpret(filter_nest(), {"a": A / 2, "w": W})
