import sympy

from halidehw.ir.affine import Affine

x, y = map(Affine.variable, ("x", "y"))


def test_a_form_is_the_same_in_sympy_and_as_text():
    form = 8 * x - y + 3
    assert form == Affine((("x", 8), ("y", -1)), 3)
    assert form.sympy == 8 * sympy.Symbol("x", integer=True) - sympy.Symbol("y", integer=True) + 3
    assert str(form) == "8*x - y + 3"


def test_arithmetic():
    a, b = 2 * x + 1, x - y
    assert a + b == 3 * x - y + 1
    assert (a - a) == Affine()
    assert a * -3 == -6 * x - 3
    assert a.substitute({"x": b}) == 2 * x - 2 * y + 1


def test_range_is_that_of_the_box():
    assert (2 * x - y + 1).range({"x": (0, 3), "y": (-1, 2)}) == (-1, 8)
