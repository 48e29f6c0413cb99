"""One test for each rule."""

from dataclasses import replace

import pytest

from halidehw.expr.types import Int
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Access, Accumulated, Buffer, Constraint, Load
from halidehw.ir.verify import InvariantError, verify
from tests.ir.nests import filter_nest

nest = filter_nest()
xo, xi, r = nest.loops
tile, weights = nest.buffers
x = Affine.variable("xi")


def breaks(message, **changes):
    with pytest.raises(InvariantError, match=message):
        verify(replace(nest, **changes))


def test_a_good_nest_is_itself():
    assert verify(nest) is nest


def test_loops():
    breaks("two loops share a name", loops=(xo, xi, r, r))
    breaks("loop r has extent 0", loops=(xo, xi, replace(r, extent=0)))
    breaks("loop xi has 8 lanes of 4", loops=(xo, replace(xi, lanes=8, dimension=0), r))
    breaks("loop xi has lanes without a dimension", loops=(xo, replace(xi, lanes=2), r))
    breaks("loop xi is systolic but has no lanes", loops=(xo, replace(xi, systolic=True), r))


def test_domain():
    breaks("names no loop by q", domain=(Constraint((("q", 1),), 3),))
    breaks("not closed downwards in xi", domain=(Constraint((("xi", -1),), 3),))
    breaks("excludes the first iteration", domain=(Constraint((("xi", 1),), -1),))


def test_accesses():
    breaks("access of an unknown tensor q", reads=(Access("q", (x,)), nest.reads[1]))
    breaks("access of a with 2 indices", reads=(Access("a", (x, x)), nest.reads[1]))


def test_index_over_what_is_not_a_loop():
    breaks("uses what is not a loop", reads=(Access("a", (Affine.variable("q"),)), nest.reads[1]))


def test_reduction():
    breaks("output's index depends on reduction loop xi", loops=(xo, replace(xi, reduction=True), r))
    for extent in (2, r.extent):
        breaks("does not depend on loop r", loops=(xo, xi, replace(r, reduction=False, extent=extent)))
    breaks("in a nest that combines nothing", combine=None)


def test_levels_of_partial_sums():
    place = 4 * Affine.variable("xo") + x
    outer = Buffer("f_in", "f", "xi", (place,), (1,), 2, False)
    inner = replace(outer, name="f_in_in", at="r")
    breaks("f_in_in holds the tile of the level outside it", buffers=(outer, inner))
    whole = replace(outer, at="xo", mins=(4 * Affine.variable("xo"),), extents=(4,))
    assert verify(replace(nest, buffers=(whole, inner)))


def test_leaves():
    breaks("Accumulated in the value", value=Accumulated(Int(32)))
    breaks("load of read 2 of 2", value=Load(Int(16), 2))


def test_buffers():
    breaks("at the unknown loop q", buffers=(replace(tile, at="q"),))
    breaks("buffer a_in is one per PE", buffers=(replace(tile, per_pe=True),))
    breaks("a_in does not cover", buffers=(replace(tile, extents=(5,)),))
    outside = replace(tile, name="a_in_in", at=None, mins=(Affine((), -1),), extents=(14,))
    breaks("buffer a_in_in lies outside a_in", buffers=(tile, outside))
