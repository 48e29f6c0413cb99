import numpy as np
import pytest

import halidehw as hl
from halidehw.errors import AlgorithmError, BoundsError, TypeMismatch

x, y = hl.Var("x"), hl.Var("y")
VALUES = np.array([[1, 2, 3], [4, 5, 6]], np.int16)


def image():
    return hl.ImageParam(hl.Int(16), 2, "image")


def test_outside_the_arrays_own_bounds():
    zero = hl.BoundaryConditions.constant_exterior(image(), -7)
    edge = hl.BoundaryConditions.repeat_edge(image())
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = zero[x - 1, y - 1]
    g[x, y] = edge(x - 1, y - 1)
    np.testing.assert_array_equal(hl.reference(f, {"image": VALUES}, [5, 4]), np.pad(VALUES, 1, constant_values=-7))
    np.testing.assert_array_equal(hl.reference(g, {"image": VALUES}, [5, 4]), np.pad(VALUES, 1, mode="edge"))


def test_it_can_be_evaluated_by_itself():
    edge = hl.BoundaryConditions.repeat_edge(image())
    assert hl.reference(edge, {"image": VALUES}, [(-1, 5), (0, 1)]).tolist() == [[1, 1, 2, 3, 3]]


def test_what_lowering_sees():
    source = image()
    source.dim(0).set_bounds(0, 3)
    edge = hl.BoundaryConditions.repeat_edge(source)
    assert (edge.name, edge.type, edge.dimensions) == ("repeat_edge_image", hl.Int(16), 2)
    assert (edge.boundary.kind, edge.boundary.source, edge.boundary.value) == ("repeat_edge", source, None)
    assert edge.boundary.bounds is None
    source.dim(1).set_bounds(0, 2)
    assert edge.boundary.bounds == ((0, 3), (0, 2))
    stated = hl.BoundaryConditions.constant_exterior(source, 0, [(0, 2), (0, 2)])
    assert stated.boundary.bounds == ((0, 2), (0, 2))
    assert stated.in_() is source.in_()


def test_around_a_func():
    f, g, r = hl.Func("f"), hl.Func("g"), hl.RDom([(0, 2)])
    f[x] += r * x
    g[x] = hl.BoundaryConditions.constant_exterior(f, 9, [(0, 3)])[x - 1]
    assert hl.reference(g, {}, [5]).tolist() == [9, 0, 1, 2, 9]


def test_boundaries_that_are_not_well_formed():
    f = hl.Func("f")
    f[x] = x
    with pytest.raises(BoundsError, match="repeat_edge of f needs the min and extent of its 1 dimensions") as caught:
        hl.BoundaryConditions.repeat_edge(f)
    assert caught.value.legal == ("hl.BoundaryConditions.repeat_edge(f, bounds=[(0, 16)])",)
    with pytest.raises(BoundsError, match="constant_exterior of image needs the min and extent of its 2 dimensions"):
        hl.BoundaryConditions.constant_exterior(image(), 0, [(0, 3)])
    with pytest.raises(TypeMismatch, match="the value outside image must be a constant of int16, not 70000"):
        hl.BoundaryConditions.constant_exterior(image(), 70000)
    with pytest.raises(AlgorithmError, match="repeat_edge_image is defined by its boundary condition"):
        hl.BoundaryConditions.repeat_edge(image())[x, y] = 3
