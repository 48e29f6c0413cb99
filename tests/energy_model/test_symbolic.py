"""Counts in symbols are those of one estimate each, whatever the factors."""

from __future__ import annotations

import random
from dataclasses import replace
from math import isclose

import numpy as np
import pytest
import sympy

import halidehw as hl
from halidehw import Batch, BoundaryConditions, Func, ImageParam, Int, RDom, RVar, Var, i32, symbolic
from halidehw.energy_model.costs.table import CellTable, load_costs
from halidehw.energy_model.estimate import Estimate, estimate_hardware
from halidehw.errors import CostError, HalideHWError
from halidehw.frontend.directives import Split, Tile
from halidehw.microarch.derive import derive
from halidehw.scheduler import lower
from halidehw.scheduler.kernel import kernel
from tests.energy_model.designs import conv, padded, product, spilling
from tests.fuzz.choices import seeded
from tests.fuzz.designs import design

TABLE = load_costs("table3")


def with_factors(func: Func, factors: dict[str, int]) -> Estimate:
    """The estimate of a Func whose splits get these factors."""
    stage = kernel(func).stage
    for place, each in enumerate(stage.directives):
        if isinstance(each, Split) and each.inner in factors:
            stage.directives[place] = replace(each, factor=factors[each.inner])
        elif isinstance(each, Tile):
            sizes = factors.get(each.xi, each.xfactor), factors.get(each.yi, each.yfactor)
            stage.directives[place] = replace(each, xfactor=sizes[0], yfactor=sizes[1])
    nest = lower(func)
    return estimate_hardware(nest, derive(nest), TABLE, None)


def check(batch: Batch, at: int, found: Estimate) -> None:
    counts = {name: int(words[at]) for name, words in batch.words.items() if words[at]}
    assert counts == {count.name: count.words for count in found.counts if count.words}
    assert isclose(batch.energy_pj[at], found.energy_pj, rel_tol=1e-12)
    for field in ("level", "tensor"):
        parts = {key: pj[at] for key, pj in batch.by(field).items() if pj[at]}
        assert parts == pytest.approx({key: pj for key, pj in found.by(field).items() if pj}, rel=1e-12)
    assert found.count("steps") <= batch.cycles[at] <= found.cycles.total


def check_choices(func: Func, factors: dict[str, list[int]]) -> None:
    batch = symbolic(func, *factors).evaluate(factors)
    assert len(batch) == len(next(iter(factors.values())))
    for at in range(len(batch)):
        check(batch, at, with_factors(func, {name: values[at] for name, values in factors.items()}))


def borders() -> Func:
    """A strided 5x5 filter over an image with zeros around it, below which it reaches and not above, its rows in two
    parts, in two levels of buffers."""
    x, y, xo, xi, yo, yi = map(Var, ("x", "y", "xo", "xi", "yo", "yi"))
    r, ro, ri = RDom([(-2, 5), (0, 5)], "r"), RVar("ro"), RVar("ri")
    image, w, f = ImageParam(Int(8), 2, "image"), ImageParam(Int(8), 2, "w"), Func("f")
    zeros = BoundaryConditions.constant_exterior(image, 0, [(0, 17), (0, 13)])
    f[x, y] += i32(zeros[2 * x + r.x, y + r.y]) * i32(w[r.x + 2, r.y])
    f.bound(x, 0, 9).bound(y, 0, 13)
    stage = f.update().split(x, xo, xi, 4).split(y, yo, yi, 4).split(r.y, ro, ri, 2)
    stage.reorder(r.x, ri, xi, yi, ro, xo, yo).unroll(xi, 2)
    image.in_().compute_at(f, yo)
    image.in_().in_().compute_at(f, ro)
    return f.accelerate([image, w])


def apart() -> Func:
    """Strided and dilated: one word in two is held, and none between them."""
    x, xo, xi = map(Var, ("x", "xo", "xi"))
    r = RDom([(0, 3)], "r")
    a, w, f = ImageParam(Int(8), 1, "a"), ImageParam(Int(8), 1, "w"), Func("f")
    f[x] += i32(a[4 * x + 2 * r]) * i32(w[r])
    f.bound(x, 0, 12).update().split(x, xo, xi, 3)
    a.in_().compute_at(f, xo)
    return f.accelerate([a, w])


def beside() -> Func:
    """Lanes within a tile of an image with zeros around it: those at its end are none."""
    x, xo, xi = map(Var, ("x", "xo", "xi"))
    r = RDom([(-1, 3)], "r")
    image, w, f = ImageParam(Int(8), 1, "image"), ImageParam(Int(8), 1, "w"), Func("f")
    zeros = BoundaryConditions.constant_exterior(image, 0, [(0, 10)])
    f[x] += i32(zeros[x + r]) * i32(w[r + 1])
    f.bound(x, 0, 10).update().split(x, xo, xi, 4).reorder(r, xi, xo).unroll(xi, 2)
    image.in_().compute_at(f, xi)
    return f.accelerate([image, w])


def files() -> Func:
    """Lanes whose register files hold what the lanes beside them held a step before, from a bus."""
    x, xo, xi, ro, ri = Var("x"), Var("xo"), Var("xi"), RVar("ro"), RVar("ri")
    r = RDom([(0, 6)], "r")
    a, w, f = ImageParam(Int(8), 1, "a"), ImageParam(Int(8), 1, "w"), Func("f")
    f[x] += i32(a[x + r.x]) * i32(w[r.x])
    f.bound(x, 0, 12).update().split(r.x, ro, ri, 2).split(x, xo, xi, 4).reorder(ri, ro, xi, xo).unroll(xi, 4)
    a.in_().compute_at(f, xo)
    a.in_().in_().compute_at(f, ro)
    return f.accelerate([a, w])


def both() -> Func:
    """Lanes of two loops in one dimension of the image."""
    x, xo, xi, ro, ri = Var("x"), Var("xo"), Var("xi"), RVar("ro"), RVar("ri")
    r = RDom([(0, 4)], "r")
    a, w, f = ImageParam(Int(8), 1, "a"), ImageParam(Int(8), 1, "w"), Func("f")
    f[x] += i32(a[x + r.x]) * i32(w[r.x])
    f.bound(x, 0, 12).update().split(r.x, ro, ri, 2).split(x, xo, xi, 4)
    f.update().reorder(ri, xi, ro, xo).unroll(xi, 2).unroll(ri)
    a.in_().compute_at(f, xo)
    return f.accelerate([a, w])


@pytest.mark.parametrize(
    ("func", "factors"),
    [
        (both(), {"xi": [2, 4, 6]}),
        (files(), {"ri": [2, 3, 6], "xi": [4, 4, 4]}),
        (apart(), {"xi": [2, 3, 5, 12]}),
        (beside(), {"xi": [2, 3, 4, 5, 10]}),
        (conv(filters=4), {"xi": [4, 5, 7, 8, 16, 16], "yi": [3, 16, 2, 5, 4, 6]}),
        (conv(17, 13, 2, 3, systolic=False), {"xi": [3, 4, 8, 9, 17], "yi": [2, 3, 12, 13, 7]}),
        (padded(), {"xi": [2, 3, 5, 6, 9, 10]}),
        (borders(), {"xi": [4, 3, 2, 9, 5, 5, 4], "yi": [2, 3, 7, 4, 9, 4, 2], "ri": [2, 3, 4, 2, 2, 5, 2]}),
        (spilling(), {"ki": [2, 3, 4, 6, 9, 5], "mi": [2, 3, 9, 6, 7, 5]}),
    ],
    ids=["both", "files", "apart", "beside", "conv", "ragged", "padded", "borders", "spilling"],
)
def test_each_choice_is_an_estimate(func: Func, factors: dict[str, list[int]]):
    check_choices(func, factors)


def matrix(tiles: dict[str, int], late: bool = False) -> Func:
    """A matrix product with two levels of buffers, a register file and a bias."""
    n, m, no, ni, mo, mi, nio, nii = map(Var, ("n", "m", "no", "ni", "mo", "mi", "nio", "nii"))
    k = RDom([(0, 11)], "k")
    a, b, bias = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), ImageParam(Int(32), 1, "bias")
    c, out = Func("c"), Func("out")
    c[n, m] += i32(a[k.x, m]) * i32(b[n, k.x])
    out[n, m] = c[n, m] + bias[n] if late else c[n, m]
    c.bound(n, 0, 23).bound(m, 0, 19)
    out.bound(n, 0, 23).bound(m, 0, 19)
    stage = c.update().split(n, no, ni, tiles["ni"]).split(m, mo, mi, tiles["mi"]).split(ni, nio, nii, tiles["nii"])
    stage.reorder(nii, k.x, mi, nio, mo, no).unroll(nii, 2).systolic(nii)
    a.in_().compute_at(c, mo)
    a.in_().in_().compute_at(c, nio)
    b.in_().compute_at(c, no)
    return out.accelerate([a, b, bias] if late else [a, b])


@pytest.mark.parametrize("late", [False, True])
def test_nested_splits_and_levels(late: bool):
    factors = {"ni": [2, 6, 7, 23, 23, 9], "mi": [3, 4, 19, 5, 2, 18], "nii": [2, 4, 3, 5, 23, 2]}
    check_choices(matrix({"ni": 6, "mi": 4, "nii": 4}, late), factors)


@pytest.mark.parametrize("number", [6, pytest.param(60, marks=pytest.mark.soak)])
def test_random_designs(number: int):
    """Random factors of the splits of random designs: those that have formulas."""
    compared, seed = 0, 0
    while compared < number:
        seed += 1
        func, choose = design(seeded(seed)).func, random.Random(seed)
        for _ in range(3):
            try:
                formulas = symbolic(func)
                factors = {name: choose.randint(2, 9) for name in formulas.factors}
                found = with_factors(func, factors)
                batch = formulas.evaluate(factors)
            except HalideHWError:
                break
            check(batch, 0, found)
            compared += 1


def test_a_formula():
    """The words of the matrix `a` of a product: once for each tile of `n`, in sympy."""
    formulas = symbolic(matrix({"ni": 6, "mi": 4, "nii": 4}), "ni")
    words = formulas.formula("a_words")
    assert words.free_symbols == {sympy.Symbol("ni")}
    for size in range(4, 23):
        assert words.subs("ni", size).doit() == formulas.evaluate({"ni": [size]}).words["a_words"][0]
    assert words.subs("ni", 6).doit() == 11 * 19 * 4


def test_a_factor_of_one_is_no_split():
    batch = symbolic(matrix({"ni": 6, "mi": 4, "nii": 4})).evaluate({"ni": 6, "mi": 1, "nii": 4})
    n, m, no, ni, nio, nii = map(Var, ("n", "m", "no", "ni", "nio", "nii"))
    k = RDom([(0, 11)], "k")
    a, b, c = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 2, "b"), Func("c")
    c[n, m] += i32(a[k.x, m]) * i32(b[n, k.x])
    c.bound(n, 0, 23).bound(m, 0, 19)
    c.update().split(n, no, ni, 6).split(ni, nio, nii, 4).reorder(nii, k.x, nio, m, no).unroll(nii, 2).systolic(nii)
    a.in_().compute_at(c, m)
    a.in_().in_().compute_at(c, nio)
    b.in_().compute_at(c, no)
    found = hl.estimate(c.accelerate([a, b]))
    assert batch.words["a_words"][0] == found.count("a_words")
    assert batch.words["b_words"][0] == found.count("b_words")


def test_footprints_say_what_fits():
    batch = symbolic(conv(filters=4)).evaluate({"xi": [4, 8, 16], "yi": [8, 8, 16]})
    assert batch.footprint["input_in"].tolist() == [2 * 3 * (x + 4) * (y + 4) for x, y in ((4, 8), (8, 8), (16, 16))]
    assert np.array_equal(batch.footprint["w_in"], [150, 150, 150])


def stencil() -> Func:
    x, y, f = Var("x"), Var("y"), Func("f")
    image = ImageParam(Int(8), 2, "image")
    f[x, y] = image[x, y] + image[x + 1, y]
    f.bound(x, 0, 8).bound(y, 0, 8)
    return f.accelerate([image])


FUSED = "a fused loop cannot be counted in symbols"


def fused() -> Func:
    x, y, f = Var("x"), Var("y"), Func("f")
    image = ImageParam(Int(8), 2, "image")
    f[x, y] = image[x, y]
    f.bound(x, 0, 8).bound(y, 0, 8).fuse(x, y, Var("xy"))
    return f.accelerate([image])


def halves() -> Func:
    x, f, image = Var("x"), Func("f"), ImageParam(Int(8), 1, "image")
    f[x] = image[x / 2]
    return f.bound(x, 0, 8).accelerate([image])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: symbolic(stencil()), "^image: reads that a window may shift cannot be counted in symbols"),
        (lambda: symbolic(fused()), rf"^fuse\(x, y, xy\): {FUSED}"),
        (lambda: symbolic(halves()), "^x: a loop that is taken apart for quotients cannot be counted in symbols"),
        (lambda: symbolic(conv(), "xo"), r"^xo is not the inner loop of a split of output\.upd.*\n.*\n *xi\n *yi"),
        (lambda: symbolic(conv()).evaluate({"xi": [4]}), r"^no factors for yi\n.*\n *evaluate\("),
        (lambda: symbolic(conv()).evaluate({"xi": [4], "yi": [8], "z": [1]}), r"^z is not among the factors\n.*\n *xi"),
        (lambda: symbolic(conv()).evaluate({"xi": [4], "yi": [0]}), "^yi: factors are a row of positive integers"),
        (lambda: symbolic(conv()).evaluate({"xi": [4.5], "yi": [8]}), "^xi: factors are a row of positive integers"),
        (lambda: symbolic(conv()).evaluate({"xi": [4, 8, 16], "yi": [8, 4]}), "^as many factors.*: xi 3, yi 2"),
        (
            lambda: symbolic(conv()).evaluate({"xi": [8, 17, 20], "yi": 8}),
            r"^choice 1 \(xi=17, yi=8\): x has 16 iterations, which is less than 17 \(2 such choices\)\n.*\n"
            r' *evaluate\(\{"xi": \[16\], \.\.\.\}\)',
        ),
        (
            lambda: symbolic(conv()).evaluate({"xi": [8, 3], "yi": 8}),
            r"^choice 1 \(xi=3, yi=8\): xi has 3 iterations, but has 4 lanes in these formulas \(1 such choices\)",
        ),
        (
            lambda: symbolic(conv()).evaluate({"xi": 8, "yi": 8}, replace(TABLE, cells=CellTable(0, {}, {}))),
            r"^the cost table 'Interstellar, Table 3' charges what happens in cells, .*\n.*\n *evaluate\(factors",
        ),
        (lambda: symbolic(product(), "n"), "^n is not the inner loop of a split of c"),
    ],
)  # fmt: skip
def test_what_has_no_formula_is_said(call, message: str):
    with pytest.raises(CostError, match=message):
        call()
