from dataclasses import replace
from itertools import product

import sympy

from halidehw.ir.affine import Affine
from halidehw.ir.bounds import extent, footprint, iterations, refills, tile
from halidehw.ir.nest import Constraint, Loop
from tests.ir.nests import filter_nest

xo, xi, r = map(Affine.variable, ("xo", "xi", "r"))


def test_extent_is_a_min_only_where_the_end_is_ragged():
    assert [extent(filter_nest(12), loop) for loop in filter_nest(12).loops] == [3, 4, 3]
    assert [extent(filter_nest(10), loop) for loop in filter_nest(10).loops] == [3, sympy.Min(4, 10 - 4 * xo.sympy), 3]


def test_extent_of_an_outer_digit_inside_its_inner_one():
    loops = (Loop("xi", 0, 4), Loop("xo", 0, 3), Loop("r", -1, 3, reduction=True))
    nest = replace(filter_nest(10), loops=loops, buffers=())
    assert [extent(nest, loop).subs(xi.sympy, 3) for loop in loops] == [4, 2, 3]


def test_iterations_of_constraints_that_share_a_loop():
    shared = (Constraint((("xo", 4), ("xi", 1)), 9), Constraint((("xi", 1), ("r", 1)), 3))
    inside = [
        place for place in product(range(3), range(4), range(3))
        if 4 * place[0] + place[1] <= 9 and place[1] + place[2] <= 3
    ]  # fmt: skip
    assert iterations(replace(filter_nest(10), domain=shared)) == len(inside)


def test_tile_is_a_box_clipped_as_the_loops_are():
    nest = filter_nest(10)
    (span,) = tile(nest, nest.buffers[0])
    assert (span.first, span.size, span.step) == (4 * xo - 1, 6, 1)
    bounds = (span.low, span.high, span.count)
    assert [tuple(bound.subs(xo.sympy, at) for bound in bounds) for at in (0, 2)] == [
        (-1, 4, 6),
        (7, 10, 4),
    ]


def test_footprint_of_strides_names_the_step_between_words():
    span = footprint([2 * xo + 6 * xi + 1], [Loop("xo", 0, 3)], [Loop("xi", 0, 4)], ())
    assert (span.first, span.size, span.step, span.count) == (2 * xo + 1, 19, 6, 4)


def test_footprint_of_a_falling_index_begins_at_its_end():
    ragged = (Constraint((("xi", 1), ("xo", 4)), 9),)
    span = footprint([-4 * xo - xi + 9], [Loop("xo", 0, 3)], [Loop("xi", 0, 4)], ragged)
    assert (span.first, span.size) == (-4 * xo + 6, 4)
    assert (span.low.subs(xo.sympy, 2), span.high.subs(xo.sympy, 2)) == (0, 1)


def test_footprint_of_two_reads_is_the_box_of_both():
    forms = [xo + xi, xo + 5]
    span = footprint(forms, [Loop("xo", 0, 3)], [Loop("xi", 0, 4)], ())
    assert (span.first, span.size, span.low, span.high) == (xo, 6, xo.sympy, (xo + 5).sympy)


def test_only_loops_that_move_the_tile_refill_it():
    nest = filter_nest()
    assert [[loop.name for loop in refills(nest, buffer)] for buffer in nest.buffers] == [["xo"], []]


def test_iterations_are_counted_at_ragged_ends():
    assert (iterations(filter_nest(12)), iterations(filter_nest(10))) == (36, 30)
