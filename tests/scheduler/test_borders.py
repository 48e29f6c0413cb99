"""Boundary conditions on stages: the element that is read beyond the bounds is chosen among those that lie around."""

from __future__ import annotations

from itertools import pairwise

import pytest

import halidehw as hl
from halidehw.scheduler import lower_graph
from tests.scheduler.pipelines import checked

x, y = hl.vars("x y")
KINDS = ["repeat_edge", "repeat_image", "mirror_image", "mirror_interior", "constant_exterior"]


def bordered(func, kind="repeat_edge", bounds=((0, 9), (0, 7))):
    value = [7] if kind == "constant_exterior" else []
    return getattr(hl.BoundaryConditions, kind)(func, *value, list(bounds))


def blurred(kind="repeat_edge"):
    """Two filters, 9 x 7, the second over the edge of the first: `f` and what it reads."""
    image, b, f = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Func("b"), hl.Func("f")
    b[x, y] = hl.i32(image[x, y]) + image[x + 1, y] * 3
    around = bordered(b, kind)
    f[x, y] = around[x - 2, y] + around[x + 1, y] * 2 - around[x, y - 1] * 5 + around[x - 1, y + 1] * 7
    return f.set_bounds([(0, 9), (0, 7)]), b


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_at_every_place(kind):
    for place in (lambda f, b: None, lambda f, b: b.compute_root(), lambda f, b: b.compute_at(f, y),
                  lambda f, b: b.compute_at(f, x), lambda f, b: b.store_root().compute_at(f, y),
                  lambda f, b: b.compute_root().store_in(hl.MemoryType.Heap)):  # fmt: skip
        f, b = blurred(kind)
        place(f, b)
        checked(f)


def test_an_input_has_what_counts_alone():
    """Beyond its edge a stage is computed of anything: the input need have no more than the algorithm reads."""
    f, b = blurred()
    b.compute_root()
    (image,) = lower_graph(f).inputs
    assert (image.mins, image.extents) == ((0, 0), (10, 7))


def test_stated_bounds_of_a_stage_are_those_of_its_boundary():
    f, b = blurred()
    b.bound(x, 0, 9).bound(y, 0, 7).store_root().compute_at(f, y)
    checked(f)


def edges():
    """Each stage over the edge of the one before, the image over its own."""
    image, stages = hl.ImageParam(hl.UInt(8), 2, "image"), [hl.Func(f"s{n}") for n in range(4)]
    before = bordered(image, "mirror_interior")
    for n, stage in enumerate(stages):
        stage[x, y] = hl.u8((hl.i32(before[x - 1, y - 1]) + before[x, y] + before[x + 1, y + 1]) / 3)
        before = bordered(stage, KINDS[n])
    for stage, reader in pairwise(stages):
        stage.store_root().compute_at(reader, y)
    return stages[-1].set_bounds([(0, 9), (0, 7)])


def test_chains_of_edges():
    checked(edges())


def test_several_readers_of_a_stage_and_of_its_image():
    image, a, b, f = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Func("a"), hl.Func("b"), hl.Func("f")
    a[x, y] = hl.i16(image[x, y]) * 2
    b[x, y] = bordered(a)[x - 1, y] + bordered(a)[x + 1, y - 1]
    f[x, y] = b[x, y] - a[x, y] + hl.i16(image[x, y])
    b.store_root().compute_at(f, y)
    a.store_root().compute_at(f, y)
    checked(f.set_bounds([(0, 9), (0, 7)]))


@pytest.mark.parametrize("kind", KINDS)
def test_reductions_over_the_edge(kind):
    """A stage that is a reduction, read at sums of loops, by a reduction and its final stage."""
    image, total, f = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Func("total"), hl.Func("f")
    r, weights = hl.RDom([(-1, 3), (-2, 4)], "r"), hl.ImageParam(hl.Int(8), 2, "weights")
    total[x, y] += hl.i32(image[x + r.x + 1, y])
    f[x, y] += bordered(total, kind)[x + r.x, y + r.y] * hl.i32(weights[r.x + 1, r.y + 2])
    total.compute_root()
    checked(f.set_bounds([(0, 9), (0, 7)]))


def test_steps_of_two_and_halves():
    image, a, f = hl.ImageParam(hl.UInt(8), 1, "image"), hl.Func("a"), hl.Func("f")
    a[x] = hl.i16(image[x]) * 3
    around = bordered(a, bounds=((0, 9),))
    f[x] = around[2 * x - 1] + around[x / 2 - 1]
    a.compute_root()
    checked(f.bound(x, 0, 6))


def test_a_stage_of_two_values():
    image, a, f = hl.ImageParam(hl.UInt(8), 1, "image"), hl.Func("a"), hl.Func("f")
    a[x] = hl.Tuple(hl.i16(image[x]), hl.u8(image[x] * 3))
    b = hl.Func("b")
    b[x] = hl.i32(a[x][0]) * a[x][1]
    around = bordered(b, bounds=((0, 9),))
    f[x] = around[x - 1] + around[x + 1]
    b.store_root().compute_at(f, x)
    a.compute_root()
    checked(f.bound(x, 0, 9))


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_beyond_its_edge(kind):
    """An index that is data, of an input and of a stage: folded back as data."""
    image, curve, a, f = (hl.ImageParam(hl.Int(5), 1, "image"), hl.ImageParam(hl.UInt(8), 1, "curve"), hl.Func("a"),
                          hl.Func("f"))  # fmt: skip
    a[x] = hl.i16(image[x]) * 3
    word = hl.i32(image[x])
    f[x] = bordered(curve, kind, [(-2, 6)])[word] + bordered(a, kind, [(1, 5)])[word]
    a.compute_root()
    checked(f.bound(x, 0, 7))
