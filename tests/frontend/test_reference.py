import numpy as np
import pytest

import halidehw as hl
from halidehw.errors import AlgorithmError, BoundsError, TypeMismatch

x, y = hl.Var("x"), hl.Var("y")


def dot(data, weight, total, length=9):
    a, w = hl.ImageParam(data, 2, "a"), hl.ImageParam(weight, 1, "w")
    f, r = hl.Func("f"), hl.RDom([(0, length)])
    f[x] += hl.cast(total, a[r, x]) * hl.cast(total, w[r])
    return f


@pytest.mark.parametrize(
    "data, weight, total",
    [
        (hl.Int(4), hl.Int(4), hl.Int(11)),
        (hl.UInt(3), hl.Int(4), hl.Int(5)),
        (hl.Int(11), hl.UInt(7), hl.Int(64)),
        (hl.UInt(64), hl.UInt(64), hl.UInt(64)),
        (hl.Int(64), hl.Int(64), hl.Int(64)),
        (hl.Int(33), hl.Int(33), hl.UInt(48)),
        (hl.Bool(), hl.Bool(), hl.UInt(2)),
    ],
    ids=str,
)
def test_every_width_wraps_exactly(data, weight, total):
    rng = np.random.default_rng(0)
    a = rng.integers(data.min, data.max, (5, 9), data.dtype, endpoint=True)
    w = rng.integers(weight.min, weight.max, 9, weight.dtype, endpoint=True)
    a[0], w[:5] = data.min, weight.min
    exact = [total.wrap(sum(int(p) * int(q) for p, q in zip(row, w, strict=True))) for row in a]
    result = hl.reference(dot(data, weight, total), {"a": a, "w": w}, [5])
    assert result.dtype == total.dtype
    assert result.tolist() == exact


def test_inputs_may_be_set_or_given():
    f = dot(hl.Int(8), hl.Int(8), hl.Int(32))
    a, w = np.ones((2, 9), np.int8), np.ones(9, np.int8)
    f.update().definition.reads[1].target.set(a)
    assert hl.reference(f, {"w": hl.Buffer(w)}, [2]).tolist() == [9, 9]


@pytest.mark.parametrize(
    "inputs, message",
    [
        ({"a": np.zeros((5, 9), np.int8)}, "the input w has no values"),
        ({"v": np.zeros(9, np.int8)}, "f has no input v; its inputs are a, w"),
        ({"a": np.zeros((5, 9), np.float32), "w": np.zeros(9, np.int8)}, "a is int8, the array given is float32"),
        ({"a": np.zeros((5, 9), np.int8), "w": np.zeros((9, 1), np.int8)}, "w has 1 dimensions, the array given has 2"),
    ],
)
def test_inputs_that_do_not_fit(inputs, message):
    with pytest.raises(TypeMismatch, match=message):
        hl.reference(dot(hl.Int(8), hl.Int(8), hl.Int(32)), inputs, [5])


def test_an_access_outside_an_input():
    image, f, r = hl.ImageParam(hl.Int(16), 2, "image"), hl.Func("f"), hl.RDom([(-2, 5)])
    f[x, y] += image[x + r, y]
    with pytest.raises(BoundsError) as caught:
        hl.reference(f, {"image": np.zeros((4, 8), np.int16)}, [8, 4])
    assert caught.value.message == "dimension 0 of image is accessed over -2 .. 9, but it is 0 .. 7"
    assert "hl.BoundaryConditions.repeat_edge(image)" in caught.value.legal
    assert caught.value.source.text == "f[x, y] += image[x + r, y]"


def test_regions_that_are_none():
    f = hl.Func("f")
    f[x, y] = x + y
    with pytest.raises(BoundsError, match="the extent 0 of y of f is not positive"):
        hl.reference(f, {}, [4, 0])
    with pytest.raises(BoundsError, match="f has 2 dimensions, 1 sizes are given"):
        hl.reference(f, {}, [4])


def test_two_tensors_of_one_name():
    a = hl.ImageParam(hl.Int(8), 1, "a")
    others = {
        'hl.ImageParam(hl.UInt(5), 2, "a_1")': hl.ImageParam(hl.UInt(5), 2, "a")[x, x],
        'hl.Param(hl.Int(8), "a_1")': hl.Param(hl.Int(8), "a"),
        'hl.Buffer(array, "a_1")': hl.Buffer(np.zeros(4, np.int8), "a")[x],
    }
    for declared, other in others.items():
        f = hl.Func("f")
        f[x] = a[x] + other
        with pytest.raises(AlgorithmError, match="two different tensors that f is computed from are named a") as caught:
            hl.reference(f, {}, [4])
        assert caught.value.legal == (declared,)


def test_an_update_reaches_beyond_the_region():
    f, r = hl.Func("f"), hl.RDom([(1, 9)])
    f[x] = 1
    f[r] = f[r - 1] + f[r]
    assert hl.reference(f, {}, [(4, 3)]).tolist() == [5, 6, 7]


def test_the_schedule_changes_nothing():
    f = dot(hl.Int(8), hl.Int(8), hl.Int(32))
    inputs = {"a": np.arange(45, dtype=np.int8).reshape(5, 9), "w": np.arange(9, dtype=np.int8)}
    before = hl.reference(f, inputs, [5])
    f.bound(x, 0, 5)
    f.update().split(x, "xo", "xi", 2).reorder("xo", "xi").unroll("xi")
    np.testing.assert_array_equal(hl.reference(f, inputs), before)


def test_a_row_that_nothing_asks_for():
    """Of an update of one row no other row depends, so that the input need not have it."""
    a, f, g = hl.ImageParam(hl.UInt(8), 2, "a"), hl.Func("f"), hl.Func("g")
    f[x, y] = hl.i32(a[x, y])
    f[x, 0] = x * 2
    g[x, y] = f[x, y + 1] * 2
    rows = hl.Buffer(np.arange(12, dtype=np.uint8).reshape(3, 4))
    rows.set_min([0, 1])
    assert np.array_equal(hl.reference(g, {"a": rows}, [4, 3]), rows.array * 2)
