"""Shared memories: one half or two, several levels, tiles beyond the edge of the tensor."""

from __future__ import annotations

from itertools import product

import pytest

from halidehw import BoundaryConditions, Func, ImageParam, Int, RDom, Var, i32
from halidehw.frontend.wrapper import Wrapped
from halidehw.microarch.derive import Options, derive
from halidehw.simulate import Memory
from tests.fuzz.check import check_each
from tests.fuzz.designs import Design

x, y, k, xo, xi, yo, yi = map(Var, ("x", "y", "k", "xo", "xi", "yo", "yi"))
STALLS = Memory(latency=6, stall_probability=0.3)


def convolution(boundary: str) -> Func:
    """Ragged tiles of 4 x 3 of an 11 x 7 image with one pixel of padding; three tiles in each direction."""
    r = RDom([(-1, 3), (-1, 3)])
    a, w, f = ImageParam(Int(8), 2, "a"), ImageParam(Int(8), 3, "w"), Func("f")
    ranges = [(0, 11), (0, 7)]
    edge = BoundaryConditions.repeat_edge(a, ranges)
    padded = edge if boundary == "repeat_edge" else BoundaryConditions.constant_exterior(a, -128, ranges)
    f[x, y, k] += i32(padded[x + r.x, y + r.y]) * i32(w[r.x + 1, r.y + 1, k])
    stage = f.set_bounds([(0, 11), (0, 7), (0, 3)]).update()
    stage.split(x, xo, xi, 4).split(y, yo, yi, 3).reorder(r.x, r.y, xi, yi, k, xo, yo).unroll(xi, 2)
    return f


def levels(tensor: Wrapped, f: Func, places: list[Var], halves: tuple[int, ...]) -> None:
    """Buffers at `places`, outermost first."""
    for place, half in zip(places, halves, strict=True):
        tensor = tensor.in_().compute_at(f, place)
        if half == 1:
            tensor.single_buffer()


@pytest.mark.parametrize("boundary", ["repeat_edge", "constant_exterior"])
def test_two_levels(boundary: str):
    check_each([two_levels(boundary, halves) for halves in product((1, 2), repeat=2)])


def two_levels(boundary: str, halves: tuple[int, ...]) -> Design:
    f = convolution(boundary)
    a, w = f.sources[0].sources[0], f.sources[1]
    levels(a, f, [yo, xo], halves)
    levels(w, f, [yo, k], halves[::-1])
    memories = [memory for memory in derive(Design(f).nest).memories if memory.tensor == "a" and not memory.implicit]
    assert tuple(memory.halves for memory in reversed(memories)) == halves
    return Design(f, memory=STALLS, starts=2, options=Options(port_bits=32))


@pytest.mark.parametrize("boundary", ["repeat_edge", "constant_exterior"])
def test_three_levels_at_the_extremes(boundary: str):
    f = convolution(boundary)
    levels(f.sources[0].sources[0], f, [yo, xo, k], (2, 1, 2))
    check_each([Design(f, memory=STALLS, fill=fill, reset=50) for fill in ("least", "greatest")])


def test_one_half_waits_for_its_reader():
    """Loading and computing take turns: the time is their sum, not the longer one."""
    designs = []
    for halves in (1, 2):
        f = convolution("repeat_edge")
        levels(f.sources[0].sources[0], f, [xo], (halves,))
        designs.append(Design(f))
    one, two = check_each(designs)
    assert one.cycles > two.cycles
