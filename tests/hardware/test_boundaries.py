"""Boundary conditions on the RTL: every kind, far beyond the edges, with every counter against the model."""

from __future__ import annotations

import numpy as np
import pytest

from halidehw import BoundaryConditions, Buffer, Func, ImageParam, Int, RDom, Var, i32, reference
from halidehw.ir.exterior import nearest, pieces
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.simulate import Memory
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design

KINDS = ("repeat_edge", "repeat_image", "mirror_image", "mirror_interior")
x, y = Var("x"), Var("y")


def filtered(kind: str, sizes: tuple[int, int], reach: int) -> Func:
    """Sums of neighbours `reach` away, of an image that begins at (1, -2); its tiles are buffered."""
    a, f, r = ImageParam(Int(8), 2, "a"), Func("f"), RDom([(-1, 3), (-1, 2)], "r")
    value = [7] if kind == "constant_exterior" else []
    total = getattr(BoundaryConditions, kind)(a, *value, [(1, sizes[0]), (-2, sizes[1])])
    f[x, y] += i32(total[x + reach * r.x, y + reach * r.y]) * (r.x + 3)
    f.set_bounds([(-1, sizes[0] + 4), (-3, sizes[1] + 2)])
    f.update().unroll(x, 2)
    a.in_().compute_at(f, y)
    return f


def test_words_and_counters():
    counted = Options(counters="all")
    ways = [
        ((5, 4), 1, {"memory": Memory(latency=7)}),
        ((4, 3), 9, {"memory": Memory(latency=3, stall_probability=0.3), "starts": 2}),
        ((1, 6), 2, {"memory": Memory(words_per_cycle=0.5)}),
    ]
    designs = [Design(filtered(kind, sizes, reach), counted, **way) for kind in KINDS for sizes, reach, way in ways]
    around = Design(filtered("constant_exterior", (5, 4), 2), Options(port_bits=32, counters="all"), Memory(latency=4))
    check_each([*designs, around])


def test_no_divider_in_an_address():
    """A place outside stands for an element by comparisons and sums alone."""
    found = pieces("mirror_image", 4, -2, 3)
    assert [(piece.first, piece.slope, piece.constant) for piece in found] == [(-2, -1, -1), (0, 1, 0)]
    accelerator = derive(Design(filtered("mirror_interior", (5, 4), 1)).nest)
    assert accelerator.loads[0].tap.boundary is not None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_pieces_are_the_whole_meaning(kind, size):
    places = np.arange(-30, 31)
    found = pieces(kind, size, -30, 30)
    which = np.searchsorted([piece.first for piece in found], places, side="right") - 1
    values = [found[p].slope * place + found[p].constant for p, place in zip(which, places, strict=True)]
    assert values == nearest(kind, places, size).tolist()


def test_a_buffers_own_bounds():
    buffer = Buffer(np.arange(6, dtype=np.int16))
    buffer.set_min([2])
    f = Func("f")
    f[x] = BoundaryConditions.mirror_interior(buffer)[x]
    assert reference(f, {}, [10]).tolist() == [2, 1, 0, 1, 2, 3, 4, 5, 4, 3]
