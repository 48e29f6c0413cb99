"""Names that nobody gave: no two tensors of a design clash, and building it again gives the same."""

import numpy as np
import pytest

import halidehw as hl


def two_buffers():
    x, f = hl.Var("x"), hl.Func("f")
    a, b = hl.Buffer(np.arange(8, dtype=np.int16)), hl.Buffer(np.arange(8, dtype=np.int16))
    f[x] = a[x] - 3 * b[x]
    f.bound(x, 0, 8).accelerate([a.param, b.param])
    return f


def test_buffers_without_names():
    f = two_buffers()
    assert [source.name for source in f.sources] == ["buffer", "buffer_1"]
    assert np.asarray(f.realize()).tolist() == [-2 * i for i in range(8)]
    assert hl.compile(f).verilog == hl.compile(two_buffers()).verilog


def test_funcs_and_inputs_without_names():
    x, image, other = hl.Var("x"), hl.ImageParam(hl.Int(8), 1), hl.ImageParam(hl.Int(8), 1)
    f, g, h = hl.Func(), hl.Func(), hl.Func()
    f[x] = image[x]
    f[x] += other[x]
    g[x] = other[x + 1]
    h[x] = f[x] + g[x]
    assert [each.name for each in (f, g, h, image, other)] == ["f", "f_1", "f_2", "input", "input_1"]
    assert [stage.name for stage in f.stages] == ["f", "f.update()"]


def test_a_name_in_a_directive_stays():
    x, f, g = hl.Var("x"), hl.Func("f"), hl.Func("g")
    first, second = hl.ImageParam(hl.Int(8), 1), hl.ImageParam(hl.Int(8), 1)
    g[x] = second[x]
    second.in_().compute_root()
    f[x] = first[x] + g[x]
    assert (first.name, second.name) == ("input_1", "input")


def test_variables_without_names():
    x, y, f = hl.Var(), hl.Var(), hl.Func()
    assert x.name != y.name
    f[x, y] = x + 2 * y
    assert np.asarray(f.realize([2, 2])).tolist() == [[0, 1], [2, 3]]
    assert [var.name for var in hl.vars("a bc")] == ["a", "bc"]


def test_a_name_given_twice_is_refused():
    x, f = hl.Var("x"), hl.Func("f")
    f[x] = hl.Buffer(np.zeros(4, np.int8), "a")[x] + hl.Buffer(np.zeros(4, np.int8), "a")[x]
    with pytest.raises(hl.HalideHWError, match="are named a"):
        f.bound(x, 0, 4).print_loop_nest()


@pytest.mark.parametrize(
    ("build", "legal"),
    [
        (lambda a: 1.5 * a, "hl.cast(hl.Int(32), a(x)) * 3 / 2"),
        (lambda a: a * 0.1, "hl.cast(hl.Int(32), a(x)) * 1 / 10"),
        (lambda a: a / 2.5, "hl.cast(hl.Int(32), a(x)) * 2 / 5"),
        (lambda a: a / 2.0, "a(x) / 2"),
        (lambda a: 0.25 - a, "(1 - hl.cast(hl.Int(32), a(x)) * 4) / 4"),
        (lambda a: a < 1.5, "a(x) <= 1"),
        (lambda a: a > 1.5, "a(x) >= 2"),
        (lambda a: hl.select(a > 0, 0.5, a), "128"),
    ],
)
def test_floats_and_the_integers_that_compute_the_same(build, legal):
    x, a = hl.Var("x"), hl.ImageParam(hl.Int(8), 1, "a")
    with pytest.raises(hl.HalideHWError, match="is a float; hardware") as error:
        build(a[x])
    assert error.value.legal == (legal,)
    if "a(x)" in legal and "<" not in legal and ">" not in legal:
        values = np.arange(-128, 128).astype(np.int8)
        f = hl.Func("f")
        f[x] = hl.i32(eval(legal, {"hl": hl, "a": a, "x": x}))
        found = hl.reference(f, {"a": values}, [256])
        assert found.tolist() == [int(np.floor(float(build(float(v))))) for v in values]


def test_an_expression_of_a_number():
    assert str(hl.Expr(3) + 1) == "(3 + 1)"
