"""Tutorial, lesson 10: an offset that is given to each run."""

import numpy as np

IMAGE = np.random.default_rng(1).integers(0, 256, (10, 14)).astype(np.uint8)


def program(hl):
    x, y, brighter = hl.Var("x"), hl.Var("y"), hl.Func("brighter")
    offset = hl.Param(hl.UInt(8), "offset", 5)
    brighter[x, y] = hl.Buffer(IMAGE, "image")[x, y] + offset
    return brighter, [14, 10]
