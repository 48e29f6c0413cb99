"""Tutorial, lesson 14: types, and what becomes of them."""

import numpy as np

IMAGE = np.random.default_rng(1).integers(0, 256, (10, 14)).astype(np.uint8)


def program(hl):
    x, y, f = hl.Var("x"), hl.Var("y"), hl.Func("f")
    pixel = hl.Buffer(IMAGE, "image")[x, y]
    small, wide = hl.cast(hl.Int(8), pixel), hl.cast(hl.UInt(16), pixel)
    f[x, y] = hl.select(small < 0, hl.cast(hl.Int(32), -small), hl.cast(hl.Int(32), wide * wide >> 3))
    return f, [14, 10]
