"""A recursive blur: each pixel takes three quarters of the one before it."""

import numpy as np

IMAGE = np.random.default_rng(1).integers(0, 256, (10, 14)).astype(np.uint8)


def program(hl):
    x, y, blurred = hl.Var("x"), hl.Var("y"), hl.Func("blurred")
    r = hl.RDom([(1, 13)], "r")
    blurred[x, y] = hl.u16(hl.Buffer(IMAGE, "image")[x, y])
    blurred[r, y] = (3 * blurred[r - 1, y] + blurred[r, y]) / 4
    return blurred, [14, 10]
