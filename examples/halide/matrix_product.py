"""A product of two matrices."""

import numpy as np

RNG = np.random.default_rng(1)
A = RNG.integers(-128, 128, (5, 7)).astype(np.int8)
B = RNG.integers(-128, 128, (7, 6)).astype(np.int8)


def program(hl):
    x, y, product = hl.Var("x"), hl.Var("y"), hl.Func("product")
    a, b, r = hl.Buffer(A, "a"), hl.Buffer(B, "b"), hl.RDom([(0, 7)], "r")
    product[x, y] += hl.i32(a[r, y]) * hl.i32(b[x, r])
    return product, [6, 5]
