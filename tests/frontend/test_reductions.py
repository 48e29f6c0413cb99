"""Inline reductions, Tuples and points left out, against real Halide, in Python and as a text."""

from __future__ import annotations

from typing import Any

import halide
import numpy as np
import pytest

import halidehw
from halidehw import Func, ImageParam, Int, RDom, Tuple, Var, argmax, cast, compile, i32, maximum, select, sum
from halidehw.errors import AlgorithmError, HardwareError, TypeMismatch
from halidehw.frontend.design import design_of
from halidehw.frontend.text import parse, write
from halidehw.ir.printer import lowered
from halidehw.reference.reference import reference
from halidehw.scheduler import lower
from tests.refused import refused

WORDS = np.random.default_rng(11).integers(-128, 128, (5, 8)).astype(np.int8)


def programs(hl: Any, a: Any) -> dict[str, Any]:
    """The same lines for both libraries; each Func over 5 x 3 points."""
    x, y = hl.Var("x"), hl.Var("y")
    r, q, c = hl.RDom([(0, 3), (0, 2)], "r"), hl.RDom([(0, 3), (0, 2)], "q"), hl.RDom([(0, 2)], "c")
    q.where(q.x + q.y < 3)
    q.where((q.x < x) | (y > 0))
    word = a[x + r.x, y + r.y]
    f = {name: hl.Func("f") for name in ("sum", "own", "range", "product", "argmax", "argmin", "inner", "where", "none",
                                         "update", "select", "twice", "nested", "min")}  # fmt: skip
    f["sum"][x, y] = hl.sum(r, hl.cast(hl.Int(32), word)) + 1
    f["own"][x, y] = hl.sum(hl.cast(hl.Int(32), word) * r.x)
    f["range"][x, y] = hl.maximum(r, word) - hl.minimum(r, word)
    f["product"][x, y] = hl.product(r, word)
    f["argmax"][x, y] = hl.argmax(r, word / 32)
    f["argmin"][x, y] = hl.argmin(r, word / 32)[1]
    g = hl.Func("g")
    g[x, y] = hl.sum(r, hl.cast(hl.Int(32), word))
    f["inner"][x, y] = g[x, 2 - y] + x
    f["where"][x, y] = (hl.cast(hl.Int(32), 0), hl.cast(hl.Int(16), 5))
    late = a[x + q.x, y + q.y]
    f["where"][x, y] = (
        f["where"][x, y][0] + hl.cast(hl.Int(32), late),
        f["where"][x, y][1] + hl.cast(hl.Int(16), late) * 3,
    )
    f["none"][x, y] = hl.argmax(q, late / 64)
    f["update"][x, y] = (hl.cast(hl.Int(8), -100), hl.cast(hl.Int(32), 7), x + y)
    best = f["update"][x, y][0] < word
    f["update"][x, y] = (
        hl.max(f["update"][x, y][0], word),
        hl.select(best, r.x * 10 + r.y, f["update"][x, y][1]),
        hl.select(best, hl.cast(hl.Int(32), a[x, y]) * r.x, f["update"][x, y][2]),
    )
    f["select"][x, y] = hl.select(a[x, y] > 0, (x, a[x, y]), (y, a[x + 1, y]))
    f["twice"][x, y] = g[x, y] + hl.sum(c, hl.cast(hl.Int(32), a[x + c, y]))
    f["nested"][x, y] = hl.maximum(c, hl.sum(r, hl.cast(hl.Int(32), word) * (c + 1)))
    f["min"][x, y] = hl.argmin(c, a[x, y] * 0 + hl.cast(hl.Int(8), 127))
    return f


HALIDE, OURS = programs(halide, halide.Buffer(WORDS)), programs(halidehw, halidehw.Buffer(WORDS, "a"))


def several(value: Any) -> list[np.ndarray]:
    values = value if isinstance(value, tuple) else (value,)
    return [each.array if isinstance(each, halidehw.Buffer) else np.array(each) for each in values]


@pytest.mark.parametrize("name", OURS)
def test_against_halide(name: str):
    found, expected = several(OURS[name].realize([5, 3])), several(HALIDE[name].realize([5, 3]))
    assert len(found) == len(expected)
    for own, other in zip(found, expected, strict=True):
        assert own.dtype == other.dtype and np.array_equal(own, other)


@pytest.mark.parametrize("name", [name for name in OURS if name not in ("twice", "nested")])
def test_as_a_text(name: str):
    design = design_of(OURS[name])
    text = write(design)
    again = parse(text)
    assert write(again) == text
    values = [reference(each.output, {"a": WORDS}, [5, 3]) for each in (design, again)]
    assert np.array_equal(*values)


TEXT = """ImageParam a(Int(8), 2);
Var x, y;
RDom r(0, 3, 0, 2);
r.where(r.x + r.y < 4);
Func f;
f(x, y) = Tuple(argmax(r, a(x + r.x, y + r.y))[1], sum(r, cast<int32_t>(a(x + r.x, y + r.y)), "total") + 1);
f.bound(x, 0, 5).bound(y, 0, 3).unroll(x, 2);
"""


def test_a_text_is_its_twin():
    a, f, r, x, y = ImageParam(Int(8), 2, "a"), Func("f"), RDom([(0, 3), (0, 2)], "r"), Var("x"), Var("y")
    r.where(r.x + r.y < 4)
    word = a[x + r.x, y + r.y]
    f[x, y] = Tuple(argmax(r, word)[1], sum(r, i32(word), "total") + 1)
    f.bound(x, 0, 5).bound(y, 0, 3).unroll(x, 2)
    assert lowered(lower(parse(TEXT).output)) == lowered(lower(f))


def test_a_tuple_that_starts_from_nothing_is_written():
    """Regression: it was written as a reading of what has no definition yet."""
    a, f, r, x = ImageParam(Int(8), 1, "a"), Func("f"), RDom([(0, 4)], "r"), Var("x")
    f[x] -= (i32(a[x + r]), cast(Int(16), a[x + r]) * 3)
    f.bound(x, 0, 4)
    text = write(design_of(f))
    assert "f(x) -= Tuple(cast<int32_t>(a(x + r.x)), cast<int16_t>(a(x + r.x)) * 3);" in text
    assert lowered(lower(parse(text).output)) == lowered(lower(f))


def test_reductions_that_are_the_same_are_one():
    """Regression: a text, which writes each where it is used, had an accumulator for each."""
    a, f, g, r, x = ImageParam(Int(8), 1, "a"), Func("f"), Func("f"), RDom([(0, 4)], "r"), Var("x")
    total = sum(r, i32(a[x + r]))
    f[x] = total * total + 1
    g[x] = sum(r, i32(a[x + r])) * sum(r, i32(a[x + r])) + 1
    assert lowered(lower(f.bound(x, 0, 4))) == lowered(lower(g.bound(x, 0, 4)))
    assert lower(g).combine == "add"


def test_a_name_of_a_reduction_is_free_for_a_func():
    text = "ImageParam a(Int(8), 1);\nVar x;\nFunc sum;\nsum(x) = a(x) + 1;\nFunc f;\nf(x) = sum(x) * 2;\n"
    assert "sum" in [func.name for func in parse(text).funcs]


# --- errors, one test for each message


x, y = Var("x"), Var("y")
r = RDom([(0, 3)], "r")


def fresh() -> tuple[ImageParam, Func]:
    return ImageParam(Int(8), 1, "a"), Func("f")


def test_a_tuple_is_no_number():
    a, f = fresh()
    f[x] = (a[x], x)
    message = "{f(x)[0], f(x)[1]} is 2 values, not one"
    refused(lambda: f[x] + 1, message, "[0]", kind=AlgorithmError)


def test_a_value_that_a_tuple_has_not():
    refused(lambda: Tuple(x, y)[2], "{x, y} has no value 2; it has 2", "[1]", kind=AlgorithmError)


def test_an_empty_tuple():
    refused(lambda: Tuple(), "a Tuple has at least one value", "Tuple(a, b)", kind=AlgorithmError)


def test_an_update_of_another_number_of_values():
    a, f = fresh()
    f[x] = (i32(0), i32(1))
    with pytest.raises(TypeMismatch, match=r"f is \{int32, int32\}, but the value assigned to it is int8: a\(x\)"):
        f[x] = a[x]
    with pytest.raises(AlgorithmError, match=r"\+= .*: both must be 2 values"):
        f[x] += (1, 2, 3)


def test_select_between_a_tuple_and_a_number():
    with pytest.raises(AlgorithmError, match="select between 2 values and x"):
        select(x > 0, (x, y), x)


def test_a_reduction_over_nothing():
    a, _ = fresh()
    refused(lambda: sum(a[x]), "sum of a(x), which has no variable of an RDom", "sum(r, ...)", kind=AlgorithmError)
    refused(lambda: sum(r, a[x], x), "sum takes an RDom and an expression", "sum(r, a[x + r])", kind=AlgorithmError)


def test_points_left_out_by_a_number():
    message = "r.where((r.x + 1)): it is int32, not a condition"
    refused(lambda: r.where(r + 1), message, "r.where((r.x + 1) != 0)", kind=TypeMismatch)


def test_a_reduction_outside_its_definition():
    a, f = fresh()
    with pytest.raises(AlgorithmError, match=r"the pure definition of f uses r.x of RDom r; only an update") as caught:
        f[x] = a[x + r]
    assert caught.value.legal == ("f[x] += a((x + r.x))", "sum(r, ...)")


PIPELINES = "a memory would lie between the two; such pipelines cannot be built yet, only several inline reductions"


def test_reductions_over_two_domains():
    a, f = fresh()
    f[x] = sum(r, a[x + r]) + sum(RDom([(0, 2)], "q"), a[x])
    with pytest.raises(HardwareError, match=f"f reduces twice, by sum.*, over two domains: {PIPELINES}"):
        lower(f.bound(x, 0, 4))


@pytest.mark.parametrize("inline", [True, False])
def test_a_condition_after_a_definition(inline: bool):
    """Regression: of two inline reductions, the condition said between them left out points of both."""
    a, f = fresh()
    r = RDom([(0, 3)], "r")
    if inline:
        sum(r, i32(a[x + r]))
    else:
        f[x] += i32(a[x + r])
    message = "r.where((r.x < 2)): a definition before it is over all points of r; say it before that one"
    refused(lambda: r.where(r < 2), message, 'r = RDom([(0, 3)], "r")', "r.where((r.x < 2))", kind=AlgorithmError)


def test_a_reduction_in_a_reduction():
    a, f = fresh()
    f[x] = maximum(RDom([(0, 2)], "q"), sum(r, a[x + r]))
    with pytest.raises(HardwareError, match=f"f reduces twice, by maximum.* and sum.*: {PIPELINES}"):
        lower(f.bound(x, 0, 4))


def test_a_reduction_in_an_update():
    a, f = fresh()
    f[x] += sum(r, a[x + r])
    with pytest.raises(HardwareError, match=f"f reduces twice, by f and sum.*: {PIPELINES}"):
        lower(f.bound(x, 0, 4))


def test_values_that_depend_on_each_other():
    """A product of complex numbers is associative, but nothing here shows it."""
    a, f = fresh()
    f[x] = (i32(1), i32(0))
    re, im = f[x]
    f[x] = (re * a[x + r] - im * r, re * r + im * a[x + r])
    with pytest.raises(HardwareError, match=r"is not f\[x\] with each of its values combined by") as found:
        lower(f.bound(x, 0, 4))
    assert found.value.legal == ("f[x] = (f[x][0] + ..., max(f[x][1], ...))", "f[x] = argmax(r, ...)")


@pytest.mark.parametrize("better", [lambda a, b: a >= b, lambda a, b: (a > b) & (a != 3)], ids=["ge", "and"])
def test_a_choice_that_depends_on_the_order(better):
    a, f = fresh()
    f[x] = (i32(0), a[x] * 0)
    word = a[x + r]
    f[x] = (select(better(word, f[x][1]), r, f[x][0]), select(better(word, f[x][1]), word, f[x][1]))
    with pytest.raises(HardwareError, match="or chosen by one comparison with < or >"):
        lower(f.bound(x, 0, 4))


def test_the_worst_case_of_several_values():
    a, f = fresh()
    f[x] = (sum(r, a[x + r]), maximum(r, a[x + r]))
    message = "f.check_overflow(): the accumulator of f needs 10 bits, has 8 (int8): 3 x -128 = -384"
    refused(lambda: lower(f.bound(x, 0, 4).check_overflow()), message, "cast(Int(10), ...) of its operands")
    g = Func("g")
    g[x] = (sum(r, cast(Int(10), a[x + r])), maximum(r, a[x + r]))
    lower(g.bound(x, 0, 4).check_overflow())


def test_partial_sums_of_an_inline_reduction():
    a, f = fresh()
    f[x] = sum(r, i32(a[x + r]))
    f.bound(x, 0, 6).reorder(x, r)
    f.in_().compute_root()
    assert [buffer.words for buffer in compile(f).accelerator.output.sums] == [6]


def test_what_is_proposed_works():
    a, f = fresh()
    f[x] = (i32(0), i32(0))
    f[x] = (f[x][0] + a[x + r], halidehw.max(f[x][1], a[x + r]))
    g = Func("g")
    g[x] = sum(r, i32(a[x + r])) + maximum(r, i32(a[x + r]))
    assert str(lower(f.bound(x, 0, 4)).combine) == str(lower(g.bound(x, 0, 4)).combine) == "{add, max}"


def test_several_values_of_no_dimension():
    a, f, r = ImageParam(Int(8), 2, "a"), Func("f"), RDom([(0, 4), (0, 3)], "r")
    f[()] = argmax(r, a[r.x, r.y])
    a.set(WORDS[:3, :4])
    place = np.unravel_index(WORDS[:3, :4].argmax(), (3, 4))
    right = [place[1], place[0], WORDS[:3, :4].max()]
    realized = f.realize([])
    assert isinstance(realized, tuple)
    for found in (realized, reference(f, {}), halidehw.simulate(f, once=True).outputs):
        assert [(np.asarray(value).shape, int(np.asarray(value))) for value in found] == [((), each) for each in right]
