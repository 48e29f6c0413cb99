"""Places never change a bit: a pipeline of three stages at every place that its loops allow."""

from itertools import product

import pytest

from halidehw import Func, ImageParam, UInt, i32
from halidehw.errors import HardwareError, ScheduleError
from tests.scheduler.pipelines import checked, x, xi, xo, y, yi, yo

HOMES = {"straight": (y, x), "tiled": (yo, xo, yi, xi), "strips": (xo, y, xi)}
"""The loops of the last stage, outer to inner."""


def pipeline(home):
    """`a` to `b` to `c`, 7 x 5; `c` reads `a` as well."""
    image, a, b, c = ImageParam(UInt(8), 2, "image"), Func("a"), Func("b"), Func("c")
    a[x, y] = i32(image[x, y]) - image[x + 1, y + 1]
    b[x, y] = a[x - 1, y] + a[x, y + 1] * 3
    c[x, y] = b[x, y] ^ b[x + 1, y + 1] + a[x, y]
    c.set_bounds([(0, 7), (0, 5)])
    match home:
        case "tiled":
            c.tile(x, y, xo, yo, xi, yi, 3, 2)
        case "strips":
            c.split(x, xo, xi, 3).reorder(xi, y, xo)
    return c, b, a


def places(stage, consumers):
    """Every way to place a stage in the loops of these Funcs, legal or not."""
    yield lambda: None
    yield stage.compute_root
    for consumer, loops in consumers:
        for depth, at in enumerate(loops):
            yield lambda consumer=consumer, at=at: stage.compute_at(consumer, at)
            yield lambda consumer=consumer, at=at: stage.store_root().compute_at(consumer, at)
            for kept in loops[:depth]:
                yield lambda f=consumer, at=at, kept=kept: stage.store_at(f, kept).compute_at(f, at)


def count(home, stages):
    c, b, a = pipeline(home)
    pairs = {"b": places(b, [(c, HOMES[home])]), "a": places(a, [(c, HOMES[home]), (b, (y, x))])}
    return len(list(pairs[stages]))


MORE = [pytest.param(home, marks=pytest.mark.soak) for home in ("tiled", "strips")]


@pytest.mark.parametrize("home", ["straight", *MORE])
def test_all_places_of_three_stages(home):
    """Each is bit-exact, or refused with a place that works; those of `a` that are not in the loops of both its
    readers are."""
    legal = 0
    for first, second in product(range(count(home, "b")), range(count(home, "a"))):
        c, b, a = pipeline(home)
        try:
            list(places(b, [(c, HOMES[home])]))[first]()
            list(places(a, [(c, HOMES[home]), (b, (y, x))]))[second]()
            checked(c)
            legal += 1
        except (ScheduleError, HardwareError) as error:
            assert error.source is not None
            assert "a.compute_root()" in {each.partition(" ")[0] for each in error.legal}
    assert legal == {"straight": 35, "tiled": 161, "strips": 80}[home]
