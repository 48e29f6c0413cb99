"""Forms, walks, boxes and banks: the arithmetic under the hardware, against brute force."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halidehw.errors import HardwareError
from halidehw.ir.affine import Affine
from halidehw.microarch.banking import Forced, partition
from halidehw.microarch.box import footprint
from halidehw.microarch.walk import Axis, Limit, Walk, clipping


def test_a_form_adds_up_its_terms() -> None:
    x, y = map(Affine.variable, ("x", "y"))
    form = 3 * x - y + 2 * (x + 1)
    assert (form.constant, dict(form.terms)) == (2, {"x": 5, "y": -1})
    assert form.at({"x": 2, "y": 4}) == 8
    assert form.range_over({"x": 3, "y": 5}) == (-2, 12)


def test_form_cancels() -> None:
    a = Affine.of([("x", 2), ("y", 1)], 1)
    assert (a - a) == Affine()
    assert (a * 3).divided(3) == a


@given(st.integers(1, 20), st.integers(1, 6), st.integers(1, 6))
def test_a_split_walk_reaches_every_element_once(extent: int, factor: int, outer_first: int) -> None:
    outer, inner = Axis("o", -(-extent // factor)), Axis("i", min(factor, extent))
    axes = (outer, inner) if outer_first % 2 else (inner, outer)
    limit = Affine((), extent - 1) - Affine.of([("o", factor), ("i", 1)])
    walk = Walk(axes, clipping(axes, [limit]))
    assert sorted(factor * at["o"] + at["i"] for at in walk) == list(range(extent))


def test_a_limit_that_never_binds_is_dropped() -> None:
    axes = (Axis("o", 2), Axis("i", 4))
    assert clipping(axes, [Affine((), 7) - Affine.of([("o", 4), ("i", 1)])]) == ()


@given(st.integers(1, 30), st.integers(1, 8), st.integers(1, 3), st.integers(1, 3), st.integers(1, 4))
def test_box_covers_what_is_read_and_no_more_at_the_ragged_end(
    extent: int, tile: int, taps: int, stride: int, dilation: int
) -> None:
    """index = stride * (tile * xo + xi) + dilation * r; the box of each xo is exact at both ends."""
    inner = {"xi": min(tile, extent), "r": taps}
    index = (Affine.of([("xo", stride * tile), ("xi", stride), ("r", dilation)], 5),)
    limit = Affine((), extent - 1) - Affine.of([("xo", tile), ("xi", 1)])
    box = footprint([index], ["xo"], inner, [limit])
    for xo in range(-(-extent // tile)):
        used = {
            index[0].at({"xo": xo, "xi": xi, "r": r})
            for xi, r in product(range(inner["xi"]), range(taps))
            if tile * xo + xi < extent
        }
        first = box.origin[0].at({"xo": xo})
        bounds = [box.extents[0] - 1, *(form.at({"xo": xo}) // box.steps[0] for form in box.reach[0])]
        assert first == min(used)
        assert first + box.steps[0] * min(bounds) == max(used)
        assert all((value - first) % box.steps[0] == 0 for value in used)


@pytest.mark.parametrize("offsets", [[0, 1, 2, 3], [0, 2, 4, 6], [0, 1, 2], [0, 3, 6, 9, 12], [0, 1, 16, 17]])
@pytest.mark.parametrize("stride", [0, 1, 2, 3, 4, 8])
def test_lanes_never_meet_in_a_bank(offsets: list[int], stride: int) -> None:
    lanes = tuple((offset,) for offset in offsets)
    dims = partition((64,), (Affine.of([("t", stride)] if stride else []),), lanes, 1)
    for base in range(0, 40, stride or 40):
        banks = [(base + offset) % dims[0].factor for offset in offsets]
        assert len(set(banks)) == len(banks)


def test_two_dimensions_of_lanes_share_the_banks() -> None:
    lanes = tuple((x, y) for x in range(4) for y in range(4))
    dims = partition((12, 12), (Affine.of([("x", 4)]), Affine.of([("y", 4)])), lanes, 1)
    assert dims[0].factor * dims[1].factor == 16
    assert not any(dim.rotating for dim in dims)


def test_banks_of_a_memory_without_copies_are_none_of_one_with_copies() -> None:
    """Regression: of a machine one design had a copy for each lane, another one none: a ValueError of `zip`."""
    with pytest.raises(HardwareError, match=r"a memory has 2 dimensions, those of copies .* 1 in another design"):
        partition((8, 3), (Affine(), Affine()), ((0, 0),), 1, forced=Forced(factors=(2,)))


def test_words_written_together_lie_in_different_banks() -> None:
    dims = partition((16, 8), (Affine(), Affine.of([("y", 1)])), ((0, 0),), 4)
    assert dims[0].factor % 4 == 0


def test_the_greatest_value_of_a_form_in_steps_is_a_multiple_of_them() -> None:
    """Two lanes of a ragged loop of 22 in tiles of 4: the half of a step that a limit leaves is no address."""
    form, limit = Affine.of([("o", 8), ("i", 4), ("y", 1)]), Affine.of([("o", -4), ("i", -2), ("bank", -1)], 21)
    axes = (Axis("o", 6), Axis("i", 2), Axis("bank", 2), Axis("y", 4))
    walk = Walk(axes, (Limit(limit),))
    assert walk.greatest(form) == max(form.at(values) for values in walk) == 43
