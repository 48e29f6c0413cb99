import pytest
import sympy

from halidehw.ir.affine import Affine

x, y = sympy.symbols("x y", integer=True)


def test_round_trip():
    form = Affine.from_sympy(8 * x - y + 3)
    assert form == Affine((("x", 8), ("y", -1)), 3)
    assert form.sympy == 8 * x - y + 3


@pytest.mark.parametrize("expr", [x * y, x / 2, sympy.Min(x, 1), sympy.floor(x / 2)])
def test_what_is_not_affine(expr):
    with pytest.raises(ValueError, match="is not affine"):
        Affine.from_sympy(expr)


def test_arithmetic():
    a, b = Affine.from_sympy(2 * x + 1), Affine.from_sympy(x - y)
    assert (a + b).sympy == 3 * x - y + 1
    assert (a - a) == Affine()
    assert (a * -3).sympy == -6 * x - 3
    assert a.substitute({"x": b}).sympy == 2 * x - 2 * y + 1


def test_range_is_that_of_the_box():
    assert Affine.from_sympy(2 * x - y + 1).range({"x": (0, 3), "y": (-1, 2)}) == (-1, 8)
