"""Tutorial, lesson 2: an image brightened, by 3/2 in integers."""

import numpy as np

IMAGE = np.random.default_rng(1).integers(0, 256, (2, 5, 14)).astype(np.uint8)


def program(hl):
    x, y, c, brighter = hl.Var("x"), hl.Var("y"), hl.Var("c"), hl.Func("brighter")
    value = hl.cast(hl.Int(32), hl.Buffer(IMAGE, "image")[x, y, c])
    value = hl.min(value * 3 / 2, 255)
    brighter[x, y, c] = hl.cast(hl.UInt(8), value)
    return brighter, [14, 5, 2]
