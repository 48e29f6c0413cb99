"""Line buffers in the scheduled nest: which loops slide them, what they keep, what they fetch."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from halidehw import Func, ImageParam, Int, RDom, UInt, Var, i32
from halidehw.ir.affine import Affine
from halidehw.ir.interpreter import execute
from halidehw.ir.nest import Nest, Slide
from halidehw.ir.printer import buffers_json, loop_nest
from halidehw.ir.verify import InvariantError, verify
from halidehw.reference.reference import reference
from halidehw.scheduler import lower
from halidehw.scheduler.sliding import Run, run

x, y, k, xo, xi, yo, yi, ym = map(Var, ("x", "y", "k", "xo", "xi", "yo", "yi", "ym"))


def stencil(rows: int = 13, step: int = 1, dilation: int = 1) -> tuple[Func, ImageParam]:
    """A 3x3 filter over 8 columns and `rows` rows, not yet scheduled; three filters, k outermost."""
    a, w, f = ImageParam(UInt(8), 2, "a"), ImageParam(Int(8), 3, "w"), Func("f")
    r = RDom([(0, 3), (0, 3)], "r")
    f[x, y, k] += i32(a[x + r.x, step * y + dilation * r.y]) * i32(w[r.x, r.y, k])
    return f.set_bounds([(0, 8), (0, rows), (0, 3)]), a


def fetched(f: Func) -> int:
    """Words of `a` that come in, after comparing the result with the algorithm's own."""
    nest = lower(f)
    rng = np.random.default_rng(0)
    inputs = {tensor.name: tensor.type.wrap(rng.integers(-99, 99, tensor.extents[::-1])) for tensor in nest.inputs}
    found = execute(nest, inputs)
    assert np.array_equal(found.output, reference(f, inputs))
    assert found.written["a_in"] == found.fetched["a_in"]
    return found.fetched["a_in"]


def slide(f: Func) -> Slide | None:
    return lower(f).buffers[0].slide


def test_a_loop_of_two_steps_slides():
    f, a = stencil(rows=2)
    f.update().reorder("r.x", "r.y", x, y, k)
    a.in_().compute_at(f, y).store_at(f, k)
    assert slide(f) == Slide("k", ("y",), 1, 1)
    assert fetched(f) == 3 * 10 * 4


def test_rows_are_fetched_once_while_the_window_slides():
    f, a = stencil()
    a.in_().store_at(f, k).compute_at(f, y)
    assert slide(f) == Slide("k", ("y",), 1, 1)
    assert fetched(f) == 3 * 15 * 10


def test_outside_a_loop_that_starts_the_window_anew_nothing_more_is_kept():
    f, a = stencil()
    a.in_().store_root().compute_at(f, y)
    assert slide(f) == Slide(None, ("y",), 1, 1)
    assert fetched(f) == 3 * 15 * 10


@pytest.mark.parametrize("rows", [12, 13, 3])
def test_a_split_loop_slides_as_one(rows: int):
    f, a = stencil(rows)
    f.update().split(y, yo, yi, min(4, rows))
    a.in_().compute_at(f, yi).store_at(f, k)
    assert slide(f) == Slide("k", ("yo", "yi") if rows > 4 else ("yi",), 1, 1)
    assert fetched(f) == 3 * (rows + 2) * 10


def test_a_split_loop_slides_only_inside_where_it_is_kept():
    f, a = stencil(12)
    f.update().split(y, yo, yi, 4)
    a.in_().store_at(f, yo).compute_at(f, yi)
    assert slide(f) == Slide("yo", ("yi",), 1, 1)
    assert fetched(f) == 3 * 3 * (4 + 2) * 10


def test_a_loop_between_two_digits_starts_the_window_anew():
    f, a = stencil(12)
    f.update().split(y, yo, yi, 4).reorder(yi, k, yo)
    a.in_().store_root().compute_at(f, yi)
    assert slide(f) == Slide(None, ("yi",), 1, 1)
    assert fetched(f) == 3 * 3 * (4 + 2) * 10


def test_several_rows_a_tile_ragged_at_the_end():
    f, a = stencil(13)
    f.update().split(y, yo, yi, 4)
    a.in_().store_at(f, k).compute_at(f, yo)
    assert slide(f) == Slide("k", ("yo",), 1, 4)
    assert fetched(f) == 3 * 15 * 10


def test_columns():
    f, a = stencil()
    a.in_().store_at(f, y).compute_at(f, x)
    assert slide(f) == Slide("y", ("x",), 0, 1)
    assert fetched(f) == 3 * 13 * 10 * 3


def test_a_stride_that_leaves_rows_in_common():
    f, a = stencil(7, step=2)
    a.in_().store_at(f, k).compute_at(f, y)
    assert fetched(f) == 3 * (2 * 6 + 3) * 10


def test_rows_between_those_of_a_dilated_window_belong_to_later_places():
    f, a = stencil(9, dilation=2)
    a.in_().store_at(f, k).compute_at(f, y)
    assert lower(f).buffers[0].extents == (10, 5)
    assert fetched(f) == 3 * (9 + 4) * 10


def test_the_second_level_slides_too():
    f, a = stencil()
    a.in_().compute_at(f, k)
    a.in_().in_().store_at(f, k).compute_at(f, y)
    nest = lower(f)
    inputs = {tensor.name: np.ones(tensor.extents[::-1], tensor.type.dtype) for tensor in nest.inputs}
    found = execute(nest, inputs)
    assert found.fetched == {"a_in": 15 * 10, "a_in_in": 3 * 15 * 10}


def test_rows_between_tiles_that_a_ragged_reduction_cuts_short():
    """Regression: the last tiles of a reduction are one row long and two apart; the row between them was filled where
    no tile has a place for it. It is fetched, as in hardware, and passes by."""
    a, f, r = ImageParam(Int(16), 1, "a"), Func("f"), RDom([(0, 7)], "r")
    f[x] += i32(a[x + r])
    f.bound(x, 0, 6).update().split(x, xo, xi, 2).split(r.x, "ro", "ri", 3).reorder("ri", xo, "ro", xi)
    a.in_().store_at(f, "ro").compute_at(f, xo)
    assert slide(f) == Slide("ro", (xo.name,), 0, 2)
    assert fetched(f) == 2 * (7 + 7 + 5)


# --- how it is shown


def test_loop_nest():
    f, a = stencil()
    a.in_().store_at(f, k).compute_at(f, y)
    assert loop_nest(lower(f)).splitlines()[2:5] == [
        "    allocate a_in[10][3] (double, sliding along dimension 1)",
        "    for y in [0, 13):",
        "      fill a_in from a at (0, y) when y steps, keeping 2 in dimension 1 while only y steps",
    ]
    slide = {"at": "k", "loops": ("y",), "dimension": 1, "step": 1, "folded": False}
    assert buffers_json(lower(f))[0]["slide"] == slide


# --- a wrong nest is found


def lined() -> Nest:
    f, a = stencil()
    a.in_().store_at(f, k).compute_at(f, y)
    return lower(f)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"step": 2}, "a_in moves by 1, not by 2"),
        ({"loops": ("k", "y")}, "a_in slides outside where it is kept"),
        ({"at": "y"}, "a_in slides outside where it is kept"),
        ({"dimension": 0}, "a_in moves by 0, not by 1"),
    ],
)
def test_a_slide_that_is_not_the_tiles(change: dict, why: str):
    nest = lined()
    wrong = replace(nest.buffers[0], slide=replace(nest.buffers[0].slide, **change))
    with pytest.raises(InvariantError, match=why):
        verify(replace(nest, buffers=(wrong,)))


def test_what_is_not_kept_cannot_be_read():
    """A window that claims to slide over a loop that starts it anew reads rows of the last one."""
    f, a = stencil()
    a.in_().store_root().compute_at(f, y)
    nest = lower(f)
    wrong = replace(nest.buffers[0], slide=replace(nest.buffers[0].slide, loops=("k", "y")))
    inputs = {tensor.name: np.ones(tensor.extents[::-1], tensor.type.dtype) for tensor in nest.inputs}
    with pytest.raises(InvariantError, match="a_in is read or filled at a word that it does not hold"):
        execute(replace(nest, buffers=(wrong,)), inputs)


# --- which axes slide


AXES = [("a", 2), ("b", 3), ("c", 4)]
INNER = {"r": 3, "z": 2}
DIGITS = Affine.of([("a", 12), ("b", 4), ("c", 1), ("r", 1)])


@pytest.mark.parametrize(
    ("index", "limits", "axes"),
    [
        (DIGITS, [], ("a", "b", "c")),
        (DIGITS + Affine.variable("a"), [], ("b", "c")),
        (DIGITS, [{"a": 12, "b": 4, "c": 1}], ("a", "b", "c")),
        (DIGITS, [{"b": 4, "c": 1}], ("b", "c")),
        (DIGITS, [{"c": 1, "a": 1}], ("c",)),
        (DIGITS, [{"b": 4, "z": 1}], ("c",)),
    ],
)
def test_digits_of_one_number_slide_together(index: Affine, limits: list[dict[str, int]], axes: tuple[str, ...]):
    found = run(AXES, (Affine(), index), limits, INNER)
    assert (found.dimension, found.axes, found.step) == (1, axes, 1)


def test_an_end_that_digits_reach_one_by_one():
    """A limit cuts off the slide as a whole only if its digits take every value up to the greatest."""
    sizes = list(product(range(1, 5), range(2, 5)))
    for digits in product(sizes, repeat=3):
        (first, rows), *inner = digits
        weights = dict(zip("crz", (weight for weight, _ in digits), strict=True))
        sums = {sum(each) for each in product(*(range(0, weight * extent, weight) for weight, extent in digits))}
        found = [("c", rows)], (Affine.of(weights.items()),), [weights], {"r": inner[0][1], "z": inner[1][1]}
        if sums == set(range(max(sums) + 1)):
            assert run(*found) == Run(0, ("c",), first)
        else:
            with pytest.raises(ValueError, match="the end of c is cut off"):
                run(*found)


# --- errors, one test for each message


def test_its_end_is_cut_off_with_another_loops():
    with pytest.raises(ValueError, match="the end of c is cut off together with that of a loop that is not part of"):
        run(AXES, (Affine(), DIGITS), [{"c": 1, "z": 1}], INNER)
