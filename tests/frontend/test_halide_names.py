"""What users of Halide write: scalars, sizes, estimates, bounds of inner Funcs, and names that are not here."""

import numpy as np
import pytest

import halidehw as hl
from halidehw.frontend.absent import FUNCTIONS, METHODS, Absent
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse, write

x, y = hl.vars("x y")


def scaled():
    a, gain, f = hl.ImageParam(hl.Int(16), 1, "a"), hl.Param(hl.Int(16), "gain", 3), hl.Func("f")
    f[x] = a[x] * gain + 1
    f.bound(x, 0, 16).unroll(x, 4).accelerate([a, gain])
    return f


def test_a_scalar_is_read_once_after_the_start():
    values = np.arange(16)
    assert hl.reference(scaled(), {"a": values}).tolist() == [3 * value + 1 for value in values]
    result = hl.simulate(scaled(), {"a": values, "gain": -2})
    assert result.match
    assert result.counters["gain_words"] == 1


def test_a_scalar_at_write_back():
    a, gain, g, f = hl.ImageParam(hl.Int(8), 1, "a"), hl.Param(hl.Int(8)), hl.Func("g"), hl.Func("f")
    g[x] += hl.i32(a[x + hl.RDom([(0, 3)], "r")])
    f[x] = g[x] * gain
    f.bound(x, 0, 5)
    assert gain.get() is None
    gain.set(-7)
    assert hl.simulate(f, {"a": np.arange(7)}).match
    assert gain.get() == -7


def test_a_scalar_in_a_text():
    text = """ImageParam a(Int(16), 1); Param<int16_t> gain; Param<> more(UInt(3)); Var x; Func f;
    f(x) = a(x) * gain + cast<int16_t>(more);
    f.set_estimate(x, 0, 8); f.accelerate({a, gain, more});"""
    design = parse(text)
    found = hl.reference(design.output, {"a": np.arange(8), "gain": 5, "more": 7})
    assert found.tolist() == [5 * i + 7 for i in range(8)]
    assert write(parse(write(design))) == write(design)


def test_sizes():
    a = hl.ImageParam(hl.Int(16), 3, "a")
    with pytest.raises(hl.HalideHWError, match="the extent of dimension 0 of a is not known here") as error:
        a.width()
    assert error.value.legal == ("a.dim(0).set_bounds(0, 16)",)
    a.set_estimates([(0, 4), (-1, 5), (2, 6)])
    assert (a.width(), a.height(), a.channels()) == (4, 5, 6)
    assert (a.left(), a.right(), a.top(), a.bottom(), a.dim(2).max()) == (0, 3, -1, 3, 7)
    a.dim(0).set_bounds(1, 2)
    assert (a.width(), a.left()) == (2, 1)
    assert hl.Buffer(np.zeros((2, 3), np.int8)).height() == 2
    text = "ImageParam a(Int(16), 1); Var x; Func f; a.dim(0).set_bounds(0, 9); f(x) = a(x); f.bound(x, 0, a.width());"
    assert parse(text).output.bounds == {"x": (0, 9)}


def test_a_domain_of_all_of_an_input():
    a, f = hl.Buffer(np.arange(6, dtype=np.int32).reshape(2, 3), "a"), hl.Func("f")
    r = hl.RDom(a, "r")
    assert r.ranges == ((0, 3), (0, 2))
    f[()] += a[r.x, r.y]
    assert np.asarray(f.realize([])).tolist() == 15
    text = "ImageParam a(Int(8), 1); a.dim(0).set_bounds(2, 9); RDom r(a); Func f; f() += a(r.x);"
    assert parse(text).output.update().definition.domain.ranges == ((2, 9),)
    with pytest.raises(hl.HalideHWError, match="the extent of dimension 0 of b is not known here"):
        hl.RDom(hl.ImageParam(hl.Int(8), 1, "b"))


def test_spellings_of_in():
    a, f = hl.ImageParam(hl.Int(8), 1, "a"), hl.Func("f")
    f[x] = a[x]
    assert a.in_(f) is a.in_([f]) is not a.in_()
    assert hl.RVar().name != hl.RVar().name


def test_an_estimate_holds_where_nothing_else_does():
    f = hl.Func("f")
    f[x, y] = x + y
    f.set_estimate(x, 0, 4).set_estimates([(0, 4), (0, 3)])
    assert hl.compile(f).nest.output.extents == (4, 3)
    assert np.asarray(f.realize([2, 2])).shape == (2, 2)
    f.bound(x, 0, 8)
    assert hl.compile(f).nest.output.extents == (8, 3)
    assert write(parse(write(design_of(f)))) == write(design_of(f))


def test_bounds_reach_inner_funcs():
    a, f, g, o, r = hl.ImageParam(hl.Int(8), 1, "a"), hl.Func("f"), hl.Func("g"), hl.Func("o"), hl.RDom([(0, 3)], "r")
    f[y] += hl.i32(a[y + r])
    g[x] = f[x] * 2
    o[x] = g[x] + 1
    o.bound(x, 0, 8)
    f.update().unroll(y)
    result = hl.simulate(o, {"a": np.arange(10)})
    assert result.match
    assert result.pes == 8


def test_bounds_given_before_the_reader_is_updated():
    f, o, r = hl.Func("f"), hl.Func("o"), hl.RDom([(0, 3)], "r")
    f[x] += r.x
    o[x] = 0
    o.bound(x, 0, 8)
    o[x] += f[x] * r.x
    assert f.known["x"] == (0, 8)


def test_values_of_any_integer_type_that_fit():
    a, f = hl.ImageParam(hl.UInt(8), 1, "a"), hl.Func("f")
    f[x] = a[x] + 1
    assert hl.reference(f, {"a": np.array([0, 254], np.int64)}, [2]).tolist() == [1, 255]
    with pytest.raises(hl.HalideHWError, match="which is uint8, holds 256"):
        hl.reference(f, {"a": np.array([0, 256])}, [2])
    with pytest.raises(hl.HalideHWError, match="a is uint8, the array given is float64") as error:
        hl.reference(f, {"a": np.array([0.5])}, [1])
    assert error.value.legal == ("np.round(array * 256).astype(np.uint8)",)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_that_are_not_there(name):
    with pytest.raises(Absent, match=f"^{name} is not there: "):
        getattr(hl, name)
    assert not hasattr(hl, name)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_methods_that_are_not_there(name):
    f = hl.Func("f")
    f[x] = 0
    f[x] += 1
    for of in (f, f.update()):
        with pytest.raises(Absent, match="is not there: ") as error:
            getattr(of, name)
        assert all("{" not in line for line in error.value.legal)
    assert not hasattr(f, name)


@pytest.mark.parametrize("name", sorted(METHODS.keys() - vars(hl).keys() - set(dir(hl))))
def test_methods_that_are_looked_for_in_the_module(name):
    with pytest.raises(Absent, match=f"^{name} is not there: ") as error:
        getattr(hl, name)
    assert all("{" not in line for line in error.value.legal)
    assert not hasattr(hl, name)


def test_a_method_in_the_module_says_what_a_func_has():
    with pytest.raises(Absent) as error:
        hl.gpu_blocks  # noqa: B018
    assert error.value.message == "gpu_blocks is not there: there is no GPU: loops are laid out on PEs"
    assert error.value.legal == ("f.unroll(x, 4)", 'f.dataflow("x | y", rows=4, cols=4)')


def test_a_method_is_no_name_of_a_text():
    """Where a variable is misspelt, its name is what is said, though Funcs of Halide's have a method of that name."""
    with pytest.raises(hl.HalideHWError, match="value was never declared"):
        parse("ImageParam values(Int(8), 1); Var x; Func f;\nf(x) = value(x);")


def test_what_nobody_knows_is_an_attribute_error():
    for of in (hl, hl.Func("f"), hl.ImageParam(hl.Int(8), 1, "a")):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            of.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("line", "message", "legal"),
    [
        ("f(x) = 1.5f * a(x);", "1.5 is 3/2; rounded down", "cast(Int(32), a(x)) * 3 / 2"),
        ("f(x) = cast<float>(a(x));", "Float is not there", "Int(16)"),
        ("f(x) = a(x) + Float(32);", "Float is not there", "Int(16)"),
        ("f(x) = a(x); f.gpu_blocks(x);", "f.gpu_blocks is not there", "f.unroll(x, 4)"),
        ("f(x) = select(a(x) > 0, 0.5, 1);", "In units of 1/256 it is 128", "128"),
    ],
)
def test_the_same_in_a_text(line, message, legal):
    with pytest.raises(hl.HalideHWError, match=message) as error:
        parse(f"ImageParam a(Int(8), 1); Var x; Func f;\n{line}")
    assert error.value.legal[0] == legal
    assert error.value.source.line == 2


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: hl.Param(3), "Param takes a type, not 3"),
        (lambda: hl.Param(hl.Int(8), "p", 300), "the number given for p, which is int8, is 300"),
        (lambda: hl.Expr(), "Expr takes a number or an expression"),
        (lambda: hl.Expr("a"), "is not an integer expression"),
        (lambda: hl.vars(3), "vars takes names with spaces between them"),
        (lambda: hl.BoundaryConditions.mirror_image("a"), "a boundary condition is of an ImageParam"),
        (lambda: hl.lerp(hl.u8(1), hl.u8(2), 0.5), "the weight 0.5 of a lerp is a float; of 8 bits it is 128 / 255"),
        (lambda: hl.Func("f").set_estimate(x, 0, 3), "f is used but never defined"),
        (lambda: hl.Buffer(np.zeros(3)), "an array of float64 has no integer type"),
    ],
)
def test_values_of_the_wrong_kind(use, message):
    with pytest.raises(hl.HalideHWError, match=message) as error:
        use()
    assert error.value.legal


def test_a_name_that_is_nearly_one():
    f = hl.Func("f")
    with pytest.raises(AttributeError, match=r"'halidehw' has no attribute 'maximun'; did you mean maximum or min"):
        hl.maximun  # noqa: B018
    with pytest.raises(AttributeError, match=r"^Func has no attribute 'unrol'; did you mean unroll\?$"):
        f.unrol(x)


def test_a_split_without_a_factor():
    f = hl.Func("f")
    f[x] = x
    with pytest.raises(hl.HalideHWError, match=r"f.split\(x, xo, xi\) does not say how long xi is") as error:
        f.split(x, hl.Var("xo"), hl.Var("xi"))
    assert error.value.legal == ("f.split(x, xo, xi, 8)",)


def test_the_reference_of_what_is_set():
    a, f = hl.ImageParam(hl.Int(8), 1, "a"), hl.Func("f")
    f[x] = a[x] + 1
    a.set(np.arange(4))
    assert hl.reference(f.bound(x, 0, 4)).tolist() == [1, 2, 3, 4]
