"""Stages that work at the same time: each kind of store between them, on memories that stall, started again, or cut
off."""

import numpy as np
import pytest

from halidehw import Func, ImageParam, Int, MemoryType, RDom, UInt, i32, max, u16
from halidehw.microarch.derive import derive
from halidehw.microarch.options import Options
from halidehw.simulate import Memory
from tests.fuzz.check import check_each, check_interpreter
from tests.fuzz.designs import Design
from tests.scheduler.pipelines import blur, chain, k, layers, unsharp, x, xi, xo, y, yi, yo
from tests.scheduler.test_borders import blurred, edges
from tests.scheduler.test_consumers import pyramid
from tests.scheduler.test_two_dimensions import KEPT, window

STALLING = Memory(latency=7, stall_probability=0.3)
SLOW = Memory(latency=20, words_per_cycle=0.5)


def check(*funcs: Func, port_bits: int = 0) -> None:
    """All of them, each in another way: on an ideal memory, one that stalls, started twice, a slow one, cut off."""
    ways = [
        {}, {"memory": STALLING, "abort": 40}, {"starts": 2, "memory": STALLING}, {"memory": SLOW},
        {"reset": 60, "memory": STALLING},
    ]  # fmt: skip
    options = Options(port_bits=port_bits, counters="all")
    check_each([Design(func, options, **ways[n % len(ways)]) for n, func in enumerate(funcs)])


def test_each_kind_of_store():
    check(
        blur(lambda blur, h, image: h.compute_root()),
        blur(lambda blur, h, image: h.compute_at(blur, y)),
        blur(lambda blur, h, image: h.store_root().compute_at(blur, y)),
        blur(lambda blur, h, image: h.store_at(blur.split(x, xo, xi, 4).reorder(xi, y, xo), xo).compute_at(blur, y)),
        blur(lambda blur, h, image: h.compute_at(blur.tile(x, y, xo, yo, xi, yi, 4, 5), xo).single_buffer()),
        blur(lambda blur, h, image: h.compute_at(blur, x)),
        blur(lambda blur, h, image: h.store_root().compute_at(blur, y).fold_storage(y, 3)),
    )


def test_lanes_and_memories_of_stages():
    check(
        blur(lambda blur, h, image: h.compute_at(blur.unroll(x, 3), y).unroll(x, 2)),
        blur(lambda blur, h, image: h.store_root().compute_at(blur.vectorize(x, 4), y).vectorize(x, 4)),
        blur(lambda blur, h, image: (h.compute_root(), h.in_().compute_at(blur, y))),
        blur(lambda blur, h, image: (h.store_root().compute_at(blur, y), image.in_().store_root().compute_at(h, y))),
        blur(lambda blur, h, image: h.split(x, "a", "b", 4).reorder("a", "b", y).compute_at(blur, y)),
        port_bits=64,
    )


def test_chains():
    check(
        chain(lambda c, b, a, image: (b.compute_root(), a.compute_root())),
        chain(lambda c, b, a, image: (b.store_root().compute_at(c, y), a.store_root().compute_at(b, y))),
        chain(lambda c, b, a, image: (b.store_root().compute_at(c, y), a.store_root().compute_at(c, y))),
        chain(lambda c, b, a, image: (
            b.compute_at(c.tile(x, y, xo, yo, xi, yi, 4, 3), xo), a.store_at(c, xo).compute_at(b, y))),
        chain(lambda c, b, a, image: (b.compute_at(c.split(y, yo, yi, 3), yo), a.compute_at(b, y))),
    )  # fmt: skip


@pytest.mark.soak
def test_reductions_between_stages():
    check(
        layers(lambda pool, act, conv: act.compute_root()),
        layers(lambda pool, act, conv: act.compute_at(pool, y)),
        layers(lambda pool, act, conv: (
            pool.update().reorder("p.x", "p.y", x, k, y), act.store_root().compute_at(pool, y))),
        layers(lambda pool, act, conv: (pool.update().tile(x, y, xo, yo, xi, yi, 2, 2), act.compute_at(pool, xo))),
        layers(lambda pool, act, conv: (act.compute_at(pool, k), conv.compute_root())),
    )  # fmt: skip


def test_arrays_of_stages():
    check(
        layers(lambda pool, act, conv: (act.compute_at(pool, k), conv.update().dataflow("r.x | x", rows=3, cols=3))),
        layers(lambda pool, act, conv: (act.compute_root(), conv.update().unroll(k, 3).systolic(k))),
        products(lambda f, g: g.compute_root()),
        products(lambda f, g: (f.update().reorder("q.x", x, y), g.compute_at(f, y))),
        products(lambda f, g: (
            g.update().unroll(x, 2), f.update().reorder(x, "q.x", y).unroll(x, 3), g.compute_at(f, y))),
    )  # fmt: skip


def products(schedule):
    """Two chained matrix products, 4 x 5, 5 x 6 and 6 x 7."""
    a, b, d = (ImageParam(Int(8), 2, name) for name in "abd")
    r, q, g, f = RDom([(0, 5)], "r"), RDom([(0, 6)], "q"), Func("g"), Func("f")
    g[x, y] += i32(a[r, y]) * i32(b[x, r])
    f[x, y] += g[q, y] * i32(d[x, q])
    f.set_bounds([(0, 7), (0, 4)])
    schedule(f, g)
    return f


def test_a_short_way_beside_a_long_one():
    """The image waits for the mean of it: its store has the rows that the longer way still needs."""
    check(
        unsharp(lambda out, v, h, g: [each.store_root().compute_at(out, y) for each in (v, h, g)]),
        unsharp(lambda out, v, h, g: [each.compute_at(out, y) for each in (v, h, g)]),
        web(1),
    )


@pytest.mark.soak
def test_a_short_way_beside_a_long_one_in_further_places():
    check(
        unsharp(lambda out, v, h, g: [each.compute_root() for each in (v, h, g)]),
        unsharp(lambda out, v, h, g: [each.store_root().compute_at(out, y) for each in (h, g)]),
        unsharp(lambda out, v, h, g: (out.split(x, xo, xi, 4).reorder(xi, y, xo),
                                      *(each.store_root().compute_at(out, y) for each in (v, h, g)))),
        web(2),
    )  # fmt: skip


def test_windows_that_two_loops_slide():
    check(*(window(KEPT[name]) for name in ("pixel by pixel", "tile by tile", "inside lanes", "rows in lanes")))


def web(lanes):
    """11 x 6: of an image and of a stage of it that three others read words come on several ways, each as many rows and
    columns behind as the others."""
    image = ImageParam(UInt(8), 2, "image")
    a, b, c, d, out = stages = [Func(name) for name in ("a", "b", "c", "d", "out")]
    a[x, y] = u16(image[x, y]) + image[x + 3, y + 1]
    b[x, y] = i32(image[x - 2, y - 1]) + a[x, y + 1]
    c[x, y] = i32(image[x + 1, y + 2]) + image[x, y]
    d[x, y] = a[x + 2, y + 1] + c[x, y] + c[x + 1, y + 1]
    out[x, y] = b[x, y] + d[x - 1, y] * d[x + 1, y + 2]
    out.set_bounds([(0, 11), (0, 6)])
    for stage in stages:
        stage.vectorize(x, lanes)
        if stage is not out:
            stage.store_root().compute_at(out, y)
    image.in_().store_root().compute_at(out, y)
    return out


def test_a_place_changes_no_bit():
    """A three-stage pipeline with its middle inlined, and at places that differ in all that a place decides."""
    places = [lambda c, b, a: None, lambda c, b, a: b.compute_root(), lambda c, b, a: a.compute_root()]
    for first in (lambda s, c: s.compute_at(c, y), lambda s, c: s.store_root().compute_at(c, y)):
        places.append(lambda c, b, a, first=first: (first(b, c), first(a, c)))
        places.append(lambda c, b, a, first=first: (b.compute_root(), first(a, b)))
    designs = [Design(chain(lambda c, b, a, image, place=place: place(c, b, a)), fill="uniform") for place in places]
    for design in designs:
        check_interpreter(design)
    outputs = [run.outputs["c"] for run in check_each(designs)]
    assert all(np.array_equal(outputs[0], each) for each in outputs)


@pytest.mark.soak
def test_edges_of_stages():
    """What is read beyond the bounds of a stage: of a line buffer, a tile, a whole result, with lanes, in a chain."""

    def edged(kind, place):
        f, b = blurred(kind)
        place(f, b)
        return f

    check(
        edged("repeat_edge", lambda f, b: b.vectorize(x, 2).store_root().compute_at(f.vectorize(x, 2), y)),
        edged("mirror_interior", lambda f, b: b.store_root().compute_at(f, y)),
        edged("constant_exterior", lambda f, b: b.compute_at(f, y)),
        edged("repeat_image", lambda f, b: b.compute_root()),
        edges(),
    )


# --- what random pipelines have found


def test_extents_that_random_pipelines_have_found():
    check(loop_of_one_iteration(), ragged_split(), sliding_round_banks(), reads_twice()[0], rows_apart())


def loop_of_one_iteration():
    """Two columns are read, of a stage of which one in two is needed: the loop along them, of extent 1, was taken for
    a reason to make all three."""
    image, g, f = ImageParam(Int(8), 2, "image"), Func("g"), Func("f")
    g[x, y] = i32(image[x, y]) * 3
    f[x, y] = g[x, y + 2] + g[x + 2, y - 1]
    return g.compute_at(f.set_bounds([(0, 1), (0, 3)]), y) and f


def ragged_split():
    """Addresses beyond the store were thought to be written, by iterations that there are not."""
    image, g, f, r = ImageParam(Int(33), 2, "image"), Func("g"), Func("f"), RDom([(0, 3), (0, 2)], "r")
    g[x, y] = image[x, y] + 1
    f[x, y] = Int(33).min
    f[x, y] = max(f[x, y], g[x + r.x, y + r.y])
    f.set_bounds([(0, 5), (0, 3)])
    g.split(x, xo, xi, 3).split(y, yo, yi, 3).compute_root()
    return f


def sliding_round_banks():
    """A copy moves on with the loop that goes round the banks of the next stage's memory: that loop is two axes."""
    image, g, h, f = ImageParam(Int(8), 2, "image"), Func("g"), Func("h"), Func("f")
    g[x, y] = image[x, y] + 1
    h[x, y] = g[x, y] + g[x + 1, y + 1]
    f[x, y] = h[x, y] + 1
    g.compute_root()
    h.compute_root()
    g.in_().store_root().compute_at(h, x)
    return f.set_bounds([(0, 9), (0, 3)]).vectorize(x, 4)


def rows_apart():
    """Two stages take one row in two from a copy of an image: nothing is kept of it, nor are there rows between."""
    image, f, r = ImageParam(UInt(8), 2, "image"), Func("f"), RDom([(0, 3)], "r")
    f[x, y] = i32(1)
    f[x, y] += i32(image[2 * x + r.x, 2 * y])
    f[x, y] = max(f[x, y], i32(image[2 * x + r.x, 2 * y]) * 5)
    f.update(1).split(y, yo, yi, 2)
    return f.set_bounds([(0, 5), (0, 3)])


def reads_twice():
    """4 x 1 elements of an image, read by two stages that do not move on together."""
    image, g, f = ImageParam(UInt(8), 2, "image"), Func("g"), Func("f")
    g[x, y] = u16(image[2 * x, y]) + image[2 * x + 1, y + 1]
    f[x, y] = g[x - 1, y + 1] + image[x - 1, y - 1]
    f.set_bounds([(1, 4), (-1, 2)])
    g.compute_at(f.vectorize(y, 2), y)
    return f, image


def test_an_input_of_several_stages_that_has_a_port_for_each():
    f, _ = reads_twice()
    ports = [(port.name, port.tensor) for port in derive(Design(f).graph).interface.ports]
    assert ports == [("g_image", "image"), ("image", "image"), ("f", "f")]


def test_the_second_copy_of_an_input_of_several_stages_without_the_first_one():
    f, image = reads_twice()
    image.in_().in_().compute_at(f, "y")
    check_interpreter(Design(f))


def test_what_lies_in_the_memory_outside():
    """Written through a port and read through another one when all of it is there; two one after the other."""
    heap = MemoryType.Heap
    check(
        chain(lambda c, b, a, image: [each.compute_root().store_in(heap) for each in (a, b)]),
        layers(lambda pool, act, conv: (act.compute_root().store_in(heap), conv.update().unroll("k"))),
        blur(lambda blur, h, image: (
            h.compute_root().store_in(heap), h.in_().store_root().compute_at(blur, y), blur.vectorize(x, 4))),
        port_bits=32,
    )  # fmt: skip


def read_both_ways(image: ImageParam) -> Func:
    f = Func("f")
    f[x, y] = i32(image[x, y]) + image[y, x] * 3
    f.set_bounds([(0, 6), (0, 6)]).vectorize(x, 2)
    return f


def test_several_paces_and_several_ways_of_reading():
    """Levels of a pyramid that meet again; an input, and a stage, read in two ways by one stage."""
    image, made, g = ImageParam(UInt(8), 2, "image"), Func("made"), Func("g")
    made[x, y] = i32(image[x, y]) - image[x, y + 1]
    g[x, y] = made[x, y] * 3 - made[x / 2, y]
    g.set_bounds([(0, 7), (0, 5)])
    made.store_root().compute_at(g, y)
    check(
        read_both_ways(image),
        pyramid(lambda out, *levels: [each.store_root().compute_at(out, y) for each in levels]),
        g,
    )


@pytest.mark.soak
def test_places_that_divide_nothing():
    check(*(chain(lambda c, b, a, image, n=n: (
        c.tile(x, y, xo, yo, xi, yi, n, 5 - n), b.compute_at(c, xo), a.store_at(c, xo).compute_at(b, y)))
        for n in (2, 3, 4)))  # fmt: skip
