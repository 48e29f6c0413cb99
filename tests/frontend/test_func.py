import numpy as np
import pytest

import halidehw as hl
from halidehw.errors import AlgorithmError, BoundsError, ScheduleError, TypeMismatch
from halidehw.frontend.directives import ComputeAt

x, y, k, xo, xi = (hl.Var(name) for name in ("x", "y", "k", "xo", "xi"))


def convolution():
    input, w = hl.ImageParam(hl.Int(16), 3, "input"), hl.ImageParam(hl.Int(16), 4, "w")
    r = hl.RDom([(-2, 5), (-2, 5), (0, 3)], "r")
    f = hl.Func("f")
    f[x, y, k] += hl.i32(input[x + r.x, y + r.y, r.z]) * hl.i32(w[r.x + 2, r.y + 2, r.z, k])
    return input, w, f


def test_an_update_without_definition_starts_from_zero():
    _, _, f = convolution()
    assert f.args == ("x", "y", "k")
    assert f.type == hl.Int(32)
    assert f.pure.implied and str(f.pure.value) == "0"
    assert str(f.update().definition.value).startswith("(f(x, y, k) + (int32(input((x + r.x), (y + r.y), r.z))")
    assert f.update().loops.names == ("k", "y", "x", "r.z", "r.y", "r.x")


def test_a_product_without_definition_starts_from_one():
    f, r = hl.Func("f"), hl.RDom([(0, 4)])
    f[x] *= r + 1
    assert np.asarray(f.realize([2])).tolist() == [24, 24]


def test_a_declared_type_holds_for_the_implied_zero():
    image, f = hl.ImageParam(hl.Int(16), 1, "image"), hl.Func(hl.Int(32), 1, "f")
    f[x] += image[x]
    assert (f.type, str(f.update().definition.value)) == (hl.Int(32), "(f(x) + int32(image(x)))")


def test_calls_and_brackets_are_the_same():
    f, g = hl.Func("f"), hl.Func()
    f[x, y] = x + y
    g[x] = f(x, 1)
    assert (g.name, str(g.pure.value)) == ("f_1", "f(x, 1)")


def test_the_worked_examples_schedule():
    input, w, f = convolution()
    yo, yi = hl.Var("yo"), hl.Var("yi")
    f.set_bounds([(0, 16), (0, 16), (0, 64)])
    f.update().split(x, xo, xi, 8).split(y, yo, yi, 8).reorder(xi, yi, xo, yo)
    input.in_().compute_at(f, xo)
    w.in_().compute_at(f, xo).single_buffer()
    f.update().unroll(xi, 4).systolic({xi})
    f.accelerate([w, input])
    assert [f"{where}: {directive}" for where, directive in f.schedule] == [
        "f.update(): split(x, xo, xi, 8)",
        "f.update(): split(y, yo, yi, 8)",
        "f.update(): reorder(xi, yi, xo, yo)",
        "f.update(): unroll(xi, 4)",
        "f.update(): systolic(xi)",
        "f: bound(x, 0, 16)",
        "f: bound(y, 0, 16)",
        "f: bound(k, 0, 64)",
        "f: input.in_().compute_at(f, xo)",
        "f: w.in_().compute_at(f, xo)",
        "f: w.in_().single_buffer()",
        "f: accelerate([input, w])",
    ]
    assert [(loop.name, loop.extent) for loop in f.update().loops.loops] == [
        ("k", 64), ("yo", 2), ("xo", 2), ("yi", 8), ("xi", 8), ("r.z", 3), ("r.y", 5), ("r.x", 5),
    ]  # fmt: skip
    assert f.schedule[0][1].source.text.startswith("f.update().split(x, xo, xi, 8)")


def test_func_schedules_its_pure_stage_and_chains():
    f = hl.Func("f")
    f[x, y] = x + y
    xyo, yi = hl.Var("xyo"), hl.Var("yi")
    f.bound(x, 0, 8).tile(x, y, xi, yi, 4, 4).fuse(x, y, xyo).unroll(xi).unroll("yi", 2).systolic([xi, yi])
    assert f.stages[0].loops.names == ("xyo", "yi", "xi")
    g = hl.Func("g")
    g[x, y] = f[x, y]
    f.compute_at(g, x).store_at(g, y)
    assert [str(d) for d in g.directives] == ["f.compute_at(g, x)", "f.store_at(g, y)"]
    assert f.split(xyo, xo, "xii", 2).reorder(xo, "xii").stages[0].loops.names == ("xii", "xo", "yi", "xi")
    assert str(defined().compute_root().directives[0]) == "f.compute_root()"
    g.bound(x, 0, 4).bound(y, 0, 4).dataflow("y | x")
    assert g.stages[0].loops["y"].dimension == 0


def test_reduction_loops_are_split_with_rvars():
    _, _, f = convolution()
    f.update().split("r.x", hl.RVar("rxo"), hl.RVar("rxi"), 2)
    assert f.update().loops.loops[-1].reduction
    assert f.update().loops.names[-2:] == ("rxo", "rxi")


def test_wrappers_are_the_same_at_every_call_and_nest():
    input, _, f = convolution()
    assert input.in_() is input.in_()
    assert input.in_().in_().level == 2
    assert input.in_(f) is not input.in_()
    input.in_().in_().compute_at(f, x)
    assert [repr(wrapper) for wrapper in input.wrappers] == ["input.in_()", "input.in_()", "input.in_().in_()"]
    assert str(f.directives[0]) == "input.in_().in_().compute_at(f, x)"


@pytest.mark.parametrize(
    "direct, message, legal",
    [
        (lambda i, w, f: f.split(x, xo, xi, 8), "split(x, xo, xi, 8): f is only ever 0 before its update",
         "f.update().split(x, xo, xi, 8)"),
        (lambda i, w, f: f.update(1), "f has no update 1; it has 1", "f.update()"),
        (lambda i, w, f: f.update().tile(x, y, 8, 8), "tile takes 6 or 8 arguments, not 4", "tile(x, y, xi, yi, 8, 8)"),
        (lambda i, w, f: i.in_().compute_at(f, x).compute_at(f, y), "its place already, by input.in_()", None),
        (lambda i, w, f: f.add(i.in_().compute_at(f, x) and ComputeAt("input", 1, "f", "y")),
         "it has its place already, by input.in_().compute_at(f, x); remove one of the lines, or place "
         "input.in_().in_()", None),
        (lambda i, w, f: i.in_().compute_at(defined(), x), "input.in_().compute_at(f, x): f does not read input",
         None),
        (lambda i, w, f: f.compute_at(f, x), "f.compute_at(f, x): f does not read f", "f.compute_root()"),
        (lambda i, w, f: f.in_().compute_at(defined(), x), "f does not read f; remove the line", None),
        (lambda i, w, f: i.in_().compute_at("f", x), "input.in_().compute_at takes the Func that reads it, not 'f'",
         "input.in_().compute_at(output, x)"),
        (lambda i, w, f: i.in_(f).compute_at(hl.Func("g"), x), "input.in_(f) is for f alone", "input.in_()"),
        (lambda i, w, f: i.in_().single_buffer(), "input.in_() is no buffer yet",
         "input.in_().compute_at(f, x).single_buffer()"),
        (lambda i, w, f: f.bound(xo, 0, 4), "bound(xo, 0, 4): xo is not a variable of f, which has x, y, k",
         "f.bound(x, 0, 4)"),
        (lambda i, w, f: f.bound(x, 0, 4).bound(x, 0, 8), "the bounds of x are stated already, as 0, 4; "
         "remove one of the lines", None),
        (lambda i, w, f: f.accelerate([i]), "accelerate([input]): it leaves out w", "f.accelerate([input, w])"),
        (lambda i, w, f: f.accelerate([i, w, i]), "it names input twice", "f.accelerate([input, w])"),
        (lambda i, w, f: f.accelerate([i, w, f]), "f does not read f", "f.accelerate([input, w])"),
        (lambda i, w, f: hl.Func("g").split(x, xo, xi, 8), "g is scheduled before it is defined", "g[x, y] = ..."),
    ],
)  # fmt: skip
def test_directives_that_are_not_legal(direct, message, legal):
    input, w, f = convolution()
    with pytest.raises(ScheduleError) as caught:
        direct(input, w, f)
    assert message in caught.value.message
    assert legal is None or legal in caught.value.legal


def test_bounds_that_are_not():
    _, _, f = convolution()
    with pytest.raises(BoundsError, match="an extent of 0 is not positive"):
        f.bound(x, 0, 0)
    with pytest.raises(BoundsError, match="f has 3 dimensions, 1 bounds are given"):
        f.set_bounds([(0, 16)])


def assign(f, args, value):
    f[args] = value


def defined():
    f = hl.Func("f")
    f[x, y] = x + y
    return f


@pytest.mark.parametrize(
    "define, message",
    [
        (lambda: assign(hl.Func("f"), (x, x), 1), "the first definition of f must have distinct variables on its left"),
        (lambda: assign(hl.Func("f"), (x, 3), 1), "the first definition of f must have distinct variables on its left"),
        (lambda: assign(hl.Func("f"), x, y), "y is used in a definition of f that does not define it for each y"),
        (lambda: assign(hl.Func("f"), x, hl.RDom([(0, 3)]) + x), "the pure definition of f uses r.x of RDom r"),
        (lambda: assign(hl.Func("f"), x, hl.Func("g")[x] + 1), "g is used before it is defined"),
        (lambda: assign(hl.Func("f"), x + 1, hl.Func("f")[x].__iadd__(1)), "has no definition to start from"),
        (lambda: assign(defined(), (x, 3), y), "the variables on its left are x"),
        (
            lambda: assign(defined(), (x, y), hl.RDom([(0, 3)]) + hl.RDom([(0, 4)])),
            "uses two reduction domains, r and r",
        ),
        (lambda: defined()[x], "f has 2 dimensions, but 1 indices are given"),
        (lambda: assign(defined(), (x, y), hl.RVar("rxo")), "rxo is a variable of no RDom; it only names a loop"),
        (lambda: hl.Func("f").pure, "f is used but never defined"),
        (lambda: hl.Func(3), r"Func cannot be made of \(3,\)"),
    ],
)
def test_algorithms_that_are_not_well_formed(define, message):
    with pytest.raises(AlgorithmError, match=message):
        define()


def test_an_update_may_not_read_other_points_of_its_variables():
    f = defined()
    with pytest.raises(AlgorithmError, match="a variable on the left must stand at the same place") as caught:
        f[x, y] = f[x - 1, y] + 1
    assert caught.value.source.text == "f[x, y] = f[x - 1, y] + 1"


@pytest.mark.parametrize(
    "define, message",
    [
        (lambda: assign(hl.Func(hl.Int(16), 1, "f"), x, x), "f is int16, but the value assigned to it is int32: x"),
        (lambda: assign(defined(), (x, y), hl.u8(x)), "f is int32, but the value assigned to it is uint8"),
        (lambda: defined()[hl.i64(x), y], "the index int64.x. of f is int64, not int32"),
    ],
)
def test_values_and_indices_of_a_wrong_type(define, message):
    with pytest.raises(TypeMismatch, match=message):
        define()


def test_realize_into_a_buffer_and_within_bounds():
    f = defined().bound(x, 2, 3).bound(y, 1, 2)
    values = f.realize()
    assert np.asarray(values).tolist() == [[3, 4, 5], [4, 5, 6]]
    assert values[4, 2] == 6
    target = hl.Buffer(hl.Int(32), [2, 2], "target")
    target.set_min([5, 5])
    assert defined().realize(target)[6, 6] == 12
    assert np.asarray(defined().realize(2, 1)).tolist() == [[0, 1]]
    with pytest.raises(BoundsError, match=r"f is asked for along x over 0 .. 3, but is bound to 2 .. 4"):
        f.realize([(0, 4), (1, 2)])
    with pytest.raises(BoundsError, match="the extents of x, y of f are not known"):
        defined().realize()


def test_the_loop_nest_is_printed(capsys):
    defined().bound(x, 0, 8).bound(y, 0, 4).print_loop_nest()
    printed = capsys.readouterr().out
    assert "for y in [0, 4):" in printed and "for x in [0, 8):" in printed
