"""Counting without visiting agrees with visiting."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from halidehw.energy_model.points import iterations, points
from halidehw.ir.affine import Affine
from halidehw.microarch.walk import Axis, Limit, Walk

NAMES = "abcd"

axes = st.lists(st.integers(1, 5), min_size=1, max_size=4).map(
    lambda sizes: tuple(Axis(name, size) for name, size in zip(NAMES, sizes, strict=False))
)
weights = st.lists(st.integers(-4, 2), min_size=4, max_size=4)
forms = st.lists(st.builds(lambda c, w: (c, tuple(w)), st.integers(-3, 14), weights), max_size=3)


@given(axes, forms)
def test_points_are_those_visited(axes: tuple[Axis, ...], forms: list[tuple[int, tuple[int, ...]]]):
    names = [axis.name for axis in axes]
    over = [Affine.of(list(zip(names, weights, strict=False)), const) for const, weights in forms]
    visited = (dict(zip(names, place, strict=True)) for place in product(*(range(axis.extent) for axis in axes)))
    assert points(axes, over) == sum(all(form.at(values) >= 0 for form in over) for values in visited)


@given(axes, forms)
def test_iterations_of_a_walk_and_of_its_outer_axes(axes: tuple[Axis, ...], forms: list[tuple[int, tuple[int, ...]]]):
    names = [axis.name for axis in axes]
    limits = [Affine.of([(n, -abs(v)) for n, v in zip(names, w, strict=False)], abs(c)) for c, w in forms]
    walk = Walk(axes, tuple(map(Limit, limits)))
    visited = list(walk)
    for depth in range(len(axes) + 1):
        assert iterations(walk, depth) == len({tuple(values.values())[:depth] for values in visited})
    assert iterations(walk, still=names[-1:]) == sum(values[names[-1]] == 0 for values in visited)


def test_a_large_walk_takes_no_longer():
    digits = (Axis("o", 10**6), Axis("i", 1000))
    assert points(digits, [Affine.of([("o", -1000), ("i", -1)], 10**9 - 8)]) == 10**9 - 7
