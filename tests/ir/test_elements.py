"""The elements that accesses touch, beside those that an enumeration of all iterations finds."""

import pytest

from halidehw import BoundaryConditions, Func, ImageParam, Int, RDom, Var, i32
from halidehw.ir.elements import touched
from halidehw.ir.nest import Nest
from halidehw.scheduler import lower
from tests.fuzz.check import compulsory
from tests.ir.nests import filter_nest

x, y, xo, xi = map(Var, ("x", "y", "xo", "xi"))


def places() -> Nest:
    """One tensor read at several places, two of which have their rows in common."""
    a, f = ImageParam(Int(8), 2, "a"), Func("f")
    f[x, y] = i32(a[x, y]) + a[x + 3, y] + a[2 * x, y + 2]
    return lower(f.bound(x, 0, 5).bound(y, 0, 3).split(x, xo, xi, 2))


def border() -> Nest:
    """Zeros around an image, of whose first and last elements each is read."""
    image, f, r = ImageParam(Int(8), 2, "image"), Func("f"), RDom([(-1, 3)], "r")
    zeros = BoundaryConditions.constant_exterior(image, 0, [(2, 6), (1, 4)])
    f[x, y] += i32(zeros[x + r, y])
    return lower(f.bound(x, 1, 9).bound(y, 0, 6))


@pytest.mark.parametrize("nest", [filter_nest(), filter_nest(9, 3), places(), border()])
def test_elements_touched(nest: Nest):
    for tensor in {read.tensor for read in nest.reads}:
        assert touched(nest, [read for read in nest.reads if read.tensor == tensor]) == compulsory(nest, tensor)
