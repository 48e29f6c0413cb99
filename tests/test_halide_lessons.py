"""Halide's tutorial, lessons 1 to 9 and 14, step by step: the values are Halide's, and each is hardware or refused.

Left out are what reads and writes image files and compiled code (lessons 2, 3 and 7), prints and traces while it
computes (3 and 4), and computes with floating point (2, 8, 14); sines and factors are integers here. `examples/halide`
runs one program of each lesson on its hardware.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import halidehw
from tests.fuzz.check import check_interpreter
from tests.fuzz.designs import Design

IMAGE = np.random.default_rng(9).integers(0, 256, (12, 16)).astype(np.uint8)
Program = Callable[[Any], tuple[Any, list[int]]]
"""A library -> a Func and its sizes."""


def variables(hl: Any) -> list[Any]:
    return [hl.Var(name) for name in ("x", "y", "xo", "xi", "yo", "yi", "tiles")]


def gradient(schedule: Callable[..., object], width: int = 7, height: int = 5) -> Program:
    def program(hl: Any) -> tuple[Any, list[int]]:
        x, y, *_ = names = variables(hl)
        f = hl.Func("gradient")
        f[x, y] = x + y
        schedule(f, *names)
        return f, [width, height]

    return program


def producer(schedule: Callable[..., object]) -> Program:
    def program(hl: Any) -> tuple[Any, list[int]]:
        x, y, *_ = names = variables(hl)
        producer, consumer = hl.Func("producer"), hl.Func("consumer")
        producer[x, y] = x * y % 17
        consumer[x, y] = (producer[x, y] + producer[x, y + 1] + producer[x + 1, y] + producer[x + 1, y + 1]) / 4
        schedule(producer, consumer, *names)
        return consumer, [9, 7]

    return program


def strips(producer: Any, consumer: Any, x: Any, y: Any, xo: Any, xi: Any, yo: Any, yi: Any, tiles: Any) -> None:
    consumer.split(y, yo, yi, 4).parallel(yo).vectorize(x, 4)
    producer.store_at(consumer, yo).compute_at(consumer, yi).vectorize(x, 4)


def places(f: Any, x: Any, y: Any, *_: Any) -> None:
    f[x, 3] = f[x, 0] * f[x, 10]
    f[0, y] = f[0, y] / f[3, y]


def scheduled(f: Any, x: Any, y: Any, *_: Any) -> None:
    f[x, 0] = f[x, 8]
    f.vectorize(x, 4).parallel(y)
    f.update(0).vectorize(x, 4)


def squares(hl: Any) -> tuple[Any, list[int]]:
    f, sizes = gradient(lambda *_: None, 6, 10)(hl)
    x, r = hl.Var("x"), hl.RDom([(0, 7)], "r")
    f[x, r.x] = f[x, r.x] * f[x, r.x]
    return f, sizes


def read(by_pure: bool, by_update: bool) -> Program:
    """A producer that one definition of its consumer reads, or both."""

    def program(hl: Any) -> tuple[Any, list[int]]:
        x, producer, consumer = hl.Var("x"), hl.Func("producer"), hl.Func("consumer")
        producer[x] = x * 17
        consumer[x] = 2 * producer[x] if by_pure else 100
        consumer[x] += producer[x] if by_update else 50
        producer.compute_at(consumer, x)
        return consumer, [10]

    return program


def in_other_variables(hl: Any) -> tuple[Any, list[int]]:
    x, y, *_ = variables(hl)
    producer, consumer = hl.Func("producer"), hl.Func("consumer")
    producer[x, y] = (x * y) / 10 + 8
    consumer[x, y] = x + y
    consumer[x, 0] += producer[x, x]
    consumer[0, y] += producer[y, 9 - y]
    return consumer, [10, 10]


def reducing_producer(hl: Any) -> tuple[Any, list[int]]:
    x, producer, consumer, r = hl.Var("x"), hl.Func("producer"), hl.Func("consumer"), hl.RDom([(0, 10)], "r")
    producer[x] = 0
    producer[x] += r.x * (x + r.x)
    consumer[x] = 2 * (producer[x] + producer[x + 1])
    producer.compute_at(consumer, x)
    return consumer, [6]


def box_blur(hl: Any) -> tuple[Any, list[int]]:
    x, y, *_ = variables(hl)
    total, blurry, r = hl.Func("total"), hl.Func("blurry"), hl.RDom([(-2, 5), (-2, 5)], "r")
    clamped = hl.BoundaryConditions.repeat_edge(hl.Buffer(IMAGE, "image"))
    total[x, y] = 0
    total[x, y] += hl.cast(hl.Int(32), clamped[x + r.x, y + r.y])
    blurry[x, y] = hl.cast(hl.UInt(8), total[x, y] / 25)
    return blurry, [16, 12]


def spread(hl: Any) -> tuple[Any, list[int]]:
    x, y, _, _, yo, yi, _ = variables(hl)
    f, box = hl.Func("spread"), hl.RDom([(-2, 5), (-2, 5)], "box")
    clamped = hl.BoundaryConditions.repeat_edge(hl.Buffer(IMAGE, "image"))
    f[x, y] = hl.maximum(clamped[x + box.x, y + box.y]) - hl.minimum(clamped[x + box.x, y + box.y])
    f.split(y, yo, yi, 4).vectorize(x, 4)
    return f, [16, 12]


def circle(hl: Any) -> tuple[Any, list[int]]:
    f, sizes = gradient(lambda *_: None, 7, 7)(hl)
    r = hl.RDom([(0, 7), (0, 7)], "r")
    r.where((r.x - 3) * (r.x - 3) + (r.y - 3) * (r.y - 3) <= 10)
    f[r.x, r.y] *= 2
    return f, sizes


def average(hl: Any) -> tuple[Any, list[int]]:
    x, f = hl.Var("x"), hl.Func("f")
    a, b = hl.cast(hl.UInt(8), x * 31), hl.cast(hl.UInt(8), 3)
    f[x] = hl.cast(hl.UInt(8), (hl.cast(hl.UInt(16), a) + b) / 2)
    return f, [9]


STEPS: dict[str, Program] = {
    "1, a gradient": gradient(lambda *_: None, 8, 6),
    "5, column by column": gradient(lambda f, x, y, *_: f.reorder(y, x)),
    "5, split": gradient(lambda f, x, y, xo, xi, *_: f.split(x, xo, xi, 2)),
    "5, split by what does not divide": gradient(lambda f, x, y, xo, xi, *_: f.split(x, xo, xi, 3)),
    "5, fused": gradient(lambda f, x, y, xo, xi, yo, yi, tiles: f.fuse(x, y, tiles)),
    "5, tiles": gradient(lambda f, x, y, xo, xi, yo, yi, tiles: (
        f.split(x, xo, xi, 4).split(y, yo, yi, 4).reorder(xi, yi, xo, yo))),
    "5, vectors": gradient(lambda f, x, y, xo, xi, *_: f.split(x, xo, xi, 4).vectorize(xi)),
    "5, unrolled": gradient(lambda f, x, y, xo, xi, *_: f.split(x, xo, xi, 2).unroll(xi)),
    "5, tiles side by side": gradient(lambda f, x, y, xo, xi, yo, yi, tiles: (
        f.tile(x, y, xo, yo, xi, yi, 4, 4).fuse(xo, yo, tiles).parallel(tiles))),
    "8, inline": producer(lambda *_: None),
    "8, at the root": producer(lambda p, c, *_: p.compute_root()),
    "8, by rows": producer(lambda p, c, x, y, *_: p.compute_at(c, y)),
    "8, in a line buffer": producer(lambda p, c, x, y, *_: p.store_root().compute_at(c, y)),
    "8, pixel by pixel": producer(lambda p, c, x, y, *_: p.store_root().compute_at(c, x)),
    "8, in tiles": producer(lambda p, c, x, y, xo, xi, yo, yi, tiles: (
        c.tile(x, y, xo, yo, xi, yi, 4, 4), p.compute_at(c, xo))),
    "8, in strips": producer(strips),
    "9, updates": gradient(places, 12, 11),
    "9, over a domain": squares,
    "9, lanes of what is written out": gradient(scheduled, 16, 9),
    "9, read at first": read(True, False),
    "9, read by the update": read(False, True),
    "9, read by both": read(True, True),
    "9, read in other variables": in_other_variables,
    "9, a producer that sums": reducing_producer,
    "9, box blur": box_blur,
    "9, spread": spread,
    "9, a circle": circle,
    "14, an average": average,
}  # fmt: skip

REFUSED = {
    "9, lanes of what is written out": "gradient.vectorize(x, 4): gradient is computed where it is used",
    "9, read by both": "producer is read both in the reduction and in the final stage: one memory cannot serve both",
}


@pytest.mark.parametrize("name", STEPS)
def test_a_step(name: str):
    halide = pytest.importorskip("halide")
    (func, sizes), (other, _) = STEPS[name](halidehw), STEPS[name](halide)
    found, expected = (np.asarray(each.realize(sizes)) for each in (func, other))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    func.set_estimates([(0, size) for size in sizes])
    if name in REFUSED:
        with pytest.raises(halidehw.HalideHWError) as error:
            halidehw.compile(func)
        assert error.value.message.startswith(REFUSED[name])
        return
    check_interpreter(Design(func))
    assert halidehw.compile(func).verilog
