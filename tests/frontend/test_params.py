import numpy as np
import pytest

import halidehw as hl
from halidehw.errors import AlgorithmError, BoundsError, TypeMismatch

x, y = hl.Var("x"), hl.Var("y")


def image():
    return hl.ImageParam(hl.Int(16), 2, "image")


def test_dimension_zero_is_the_fastest():
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    buffer = hl.Buffer(array, "b")
    assert (buffer.extents, buffer.bounds, buffer.name) == ((3, 2), ((0, 3), (0, 2)), "b")
    assert buffer[2, 1] == array[1, 2] == 5
    buffer[2, 1] = 9
    assert np.asarray(buffer)[1, 2] == 9
    assert np.array(buffer, dtype=np.int64).dtype == np.int64


def test_a_buffer_of_a_type_is_zero():
    buffer = hl.Buffer(hl.Int(11), [4, 3], "b")
    assert (buffer.type, np.asarray(buffer).shape, np.asarray(buffer).dtype) == (hl.Int(11), (3, 4), np.int16)
    assert repr(buffer) == "Buffer(Int(11), [4, 3])"


def test_mins_move_the_indices():
    buffer = hl.Buffer(np.arange(3, dtype=np.int16))
    buffer.set_min([-1])
    assert buffer[-1] == 0
    assert (buffer.dim(0).min(), buffer.dim(0).extent()) == (-1, 3)
    with pytest.raises(BoundsError, match=r"buffer is indexed at 2, it has -1 .. 1"):
        buffer[2]
    with pytest.raises(TypeMismatch, match="buffer has 1 dimensions, 2 mins are given"):
        buffer.set_min([0, 0])
    with pytest.raises(BoundsError, match="the bounds of a Buffer are its array's"):
        buffer.dim(0).set_bounds(0, 3)


def test_a_buffer_may_be_read_in_a_definition():
    f, table = hl.Func("f"), hl.Buffer(np.array([5, 6, 7], np.uint8), "table")
    f[x] = table[2 - x]
    assert np.asarray(f.realize([3])).tolist() == [7, 6, 5]


def test_bounds_are_what_was_stated_or_the_arrays():
    param = image()
    assert param.bounds == (None, None)
    param.dim(0).set_bounds(-1, 3)
    param.set(np.zeros((2, 3), np.int16))
    assert param.bounds == ((-1, 3), (0, 2))
    assert param.dim(1).extent() == 2
    assert repr(param) == 'ImageParam(Int(16), 2, "image")'


@pytest.mark.parametrize(
    "array, message",
    [
        (np.full((2, 3), 40000), "the array given for image, which is int16, holds 40000; int16 is -32768 .. 32767"),
        (np.zeros(3, np.int16), r"image has 2 dimensions, the array given has 1: shape \(3,\)"),
        (np.zeros((2, 4), np.int16), "dimension 0 of image is 0 .. 2, that of the array given 0 .. 3"),
        (np.zeros((2, 3), np.float32), "image is int16, the array given is float32"),
    ],
)
def test_arrays_that_do_not_fit(array, message):
    param = image()
    param.dim(0).set_bounds(0, 3)
    with pytest.raises(TypeMismatch, match=message):
        param.set(array)


def test_values_that_do_not_fit_an_odd_width():
    param = hl.ImageParam(hl.Int(4), 1, "nibbles")
    param.set(np.array([-8, 7], np.int8))
    with pytest.raises(TypeMismatch, match=r"the array given for nibbles, which is int4, holds 8; int4 is -8 .. 7"):
        param.set(np.array([0, 8], np.int8))


def test_params_that_are_not_well_formed():
    with pytest.raises(TypeMismatch, match="ImageParam takes a type and a number of dimensions, not 16 and 2"):
        hl.ImageParam(16, 2)
    with pytest.raises(AlgorithmError, match=r"image has dimensions 0 .. 1, not 2"):
        image().dim(2)
    with pytest.raises(AlgorithmError, match="image has 2 dimensions, but 3 indices are given"):
        image()[x, y, x]
    with pytest.raises(BoundsError, match="an extent of -4 is not positive"):
        image().dim(0).set_bounds(0, -4)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda buffer: buffer[0], "b has 2 dimensions, 1 index is given"),
        (lambda buffer: buffer.__setitem__((0, 0, 0), 1), "b has 2 dimensions, 3 indices are given"),
        (lambda buffer: buffer[4, 1], "b is indexed at 4, it has 0 .. 2"),
        (lambda buffer: buffer.__setitem__((0, 0), 1), "b is indexed at 0, it has 1 .. 2"),
    ],
)
def test_an_element_that_a_buffer_does_not_have(use, message):
    buffer = hl.Buffer(np.zeros((2, 3), np.int8), "b")
    buffer.set_min([0, 1])
    with pytest.raises(BoundsError) as caught:
        use(buffer)
    assert (caught.value.message, caught.value.legal) == (message, ("b[0, 1]",))
