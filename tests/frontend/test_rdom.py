import pytest

import halidehw as hl
from halidehw.errors import AlgorithmError, BoundsError


def test_names_and_ranges():
    r = hl.RDom([(-2, 5), (0, 3)])
    assert (str(r), r.dimensions(), len(r)) == ("r", 2, 2)
    assert [(str(v), v.min, v.extent, v.reduction) for v in r.vars] == [("r.x", -2, 5, True), ("r.y", 0, 3, True)]
    assert (str(r[1]), str(r.x)) == ("r.y", "r.x")


def test_more_than_four_dimensions():
    s = hl.RDom([(0, 2)] * 6, "s")
    assert [str(v) for v in s.vars] == ["s.x", "s.y", "s.z", "s.w", "s[4]", "s[5]"]
    assert str(s.z + s.w + s[5]) == "((s.z + s.w) + s[5])"


def test_one_dimension_stands_for_its_variable():
    assert str(hl.RDom([(0, 3)]) + 1) == "(r.x + 1)"
    assert str(2 * hl.RDom([(0, 3)])) == "(2 * r.x)"
    with pytest.raises(AlgorithmError, match="RDom r has 2 dimensions, so it is not one variable") as caught:
        hl.RDom([(0, 3), (0, 3)]) + 1
    assert caught.value.legal == ("r.x", "r.y")


def test_domains_agree_by_name_and_ranges():
    assert hl.RDom([(0, 3)]).agrees(hl.RDom([(0, 3)]))
    assert not hl.RDom([(0, 3)]).agrees(hl.RDom([(0, 3)], "s"))


@pytest.mark.parametrize("ranges", [[], 3, [3], [(0, 1, 2)], [(0.5, 3)]])
def test_ranges_that_are_none(ranges):
    with pytest.raises(AlgorithmError, match=r"RDom takes a list with a pair \(min, extent\) of integers"):
        hl.RDom(ranges)


def test_an_extent_that_is_not_positive():
    with pytest.raises(BoundsError, match="dimension 1 of RDom r has extent 0, which is not positive"):
        hl.RDom([(0, 3), (0, 0)])


def test_a_dimension_it_does_not_have():
    with pytest.raises(AlgorithmError, match="RDom r has no dimension 2; it has 2"):
        _ = hl.RDom([(0, 3), (0, 3)]).z
