"""Inputs: arrays that do not fit are refused; random ones spread the outputs over their type."""

from __future__ import annotations

import numpy as np
import pytest

import halidehw as hl
from halidehw.driver.arrays import Unfit, fitted
from halidehw.driver.draw import magnitudes, random_inputs
from halidehw.errors import TypeMismatch
from halidehw.scheduler import lower
from tests.test_driver import arrays, product

WRONG = [
    ({"c": np.zeros(3)}, "f has no input c; its inputs are a, b", '{"a": np.zeros((5, 7), np.int8)}'),
    ({"a": np.zeros((5, 7), int)}, "the input b has no values; it takes uint5 of shape (7, 6), for the indices "
     "(0 .. 5, 0 .. 6)", '{"b": np.zeros((7, 6), np.uint8)}'),
    ({"a": np.zeros((5, 8), int)}, "the array given for a has shape (5, 8); it takes int8 of shape (5, 7)",
     '{"a": array[:, :7]}'),
    ({"a": np.zeros((4, 8), int)}, "the array given for a has shape (4, 8)",
     '{"a": np.pad(array, [(0, 1), (0, 0)])[:, :7]}'),
    ({"a": np.zeros(35, int)}, "the array given for a has shape (35,)", '{"a": array.reshape((5, 7))}'),
    ({"a": np.full((7, 5), 300)}, "the array given for a has shape (7, 5); it takes int8 of shape (5, 7)",
     '{"a": array.transpose().clip(-128, 127)}'),
    ({"a": np.zeros((5, 7))}, "the array given for a is float64; it takes int8", '{"a": array.astype(np.int8)}'),
    ({"a": np.full((5, 7), 0.7)}, "the array given for a is float64",
     '{"a": np.round(array * 256).clip(-128, 127).astype(np.int8)}'),
    ({"a": np.full((5, 7), 128)}, "the array given for a holds 128; int8 is -128 .. 127",
     '{"a": array.clip(-128, 127)}'),
    ({"b": np.full((7, 6), 32)}, "the array given for b holds 32; uint5 is 0 .. 31", '{"b": array.clip(0, 31)}'),
]  # fmt: skip


@pytest.mark.parametrize(("given", "message", "legal"), WRONG)
def test_inputs_that_do_not_fit(given, message, legal):
    whole = given if "c" in given or message.startswith("the input b") else {**arrays(), **given}
    with pytest.raises(TypeMismatch) as caught:
        hl.simulate(product(), whole)
    assert message in caught.value.message
    assert legal in caught.value.legal
    assert caught.value.source is not None and caught.value.source.file == __file__
    if isinstance(caught.value, Unfit):
        name = next(iter(given))
        shown = {"array": given[name], "np": np}
        assert fitted(next(t for t in hl.compile(product()).nest.inputs if t.name == name), eval(legal, shown)[name])


def test_an_array_of_which_nothing_can_be_made():
    with pytest.raises(TypeMismatch, match="it takes int8 of shape") as caught:
        hl.simulate(product(), {**arrays(), "a": np.zeros(3)})
    assert caught.value.legal == ()


@pytest.mark.parametrize(("value", "message"), [
    (300, "the number given for gain is 300; int8 is -128 .. 127"),
    (np.float32(130.2), "the number given for gain is float32; it takes int8 of shape ()"),
])  # fmt: skip
def test_a_number_that_a_param_cannot_be(value, message):
    x, f, a, gain = hl.Var("x"), hl.Func("f"), hl.ImageParam(hl.Int(8), 1, "a"), hl.Param(hl.Int(8), "gain")
    f[x] = a[x] * gain
    with pytest.raises(TypeMismatch) as caught:
        hl.simulate(f.bound(x, 0, 4), {"a": np.zeros(4, int), "gain": value})
    assert caught.value.message.startswith(message)
    assert caught.value.legal == ('{"gain": 127}',)
    with pytest.raises(TypeMismatch) as caught:
        gain.set(value)
    assert caught.value.legal == ("127",)


def test_a_buffer_at_other_indices():
    placed = hl.Buffer(arrays()["a"])
    placed.set_min([1, 0])
    with pytest.raises(TypeMismatch, match=r"the buffer given for a begins at \(1, 0\); it takes int8") as caught:
        hl.simulate(product(), {**arrays(), "a": placed})
    assert caught.value.legal == ("buffer.set_min([0, 0])",)


def requantised(depth: int, shift: int) -> hl.Func:
    x, y = hl.Var("x"), hl.Var("y")
    c = hl.RDom([(0, depth)], "c")
    a, w = (hl.ImageParam(hl.Int(8), 2, name) for name in "aw")
    bias = hl.ImageParam(hl.Int(32), 1, "bias")
    total, f = hl.Func("total"), hl.Func("f")
    total[x, y] = bias[x]
    total[x, y] += hl.i32(a[c.x, y]) * hl.i32(w[x, c.x])
    f[x, y] = hl.saturating_cast(hl.Int(8), total[x, y] >> shift)
    return f.set_bounds([(0, 12), (0, 10)])


@pytest.mark.parametrize(("depth", "shift"), [(8, 0), (8, 3), (75, 2), (600, 4), (600, 15)])
def test_outputs_spread_over_their_type(depth, shift):
    """Of 120 words drawn over the whole range of their types, 110 and more are the least or the greatest."""
    f = requantised(depth, shift)
    out = hl.reference(f, random_inputs(lower(f), 0))
    assert np.unique(out).size > 50
    assert np.isin(out, [-128, 127]).sum() < 40


def test_inputs_are_as_wide_as_they_may_be():
    found = magnitudes(lower(product()))
    assert found == {"a": 8, "b": 5}


def test_each_input_has_extremes_of_its_own():
    nest = lower(requantised(75, 2))
    found = random_inputs(nest, 3)
    for tensor in nest.inputs:
        values = found[tensor.name]
        extremes = np.isin(values, [tensor.type.min, tensor.type.max])
        assert 0 < extremes.sum() < values.size / 8


def test_products_are_drawn_odd():
    x, a, f = hl.Var("x"), hl.ImageParam(hl.Int(16), 2, "a"), hl.Func("f")
    f[x] = hl.i16(1)
    f[x] *= a[hl.RDom([(0, 20)], "r").x, x]
    f.set_bounds([(0, 40)])
    assert np.unique(hl.reference(f, random_inputs(lower(f), 0))).size > 15
