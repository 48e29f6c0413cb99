"""The largest pixel of 5x3."""

import numpy as np

IMAGE = np.random.default_rng(1).integers(0, 256, (10, 14)).astype(np.uint8)


def program(hl):
    x, y, largest = hl.Var("x"), hl.Var("y"), hl.Func("largest")
    r = hl.RDom([(0, 5), (0, 3)], "r")
    largest[x, y] = hl.u8(0)
    largest[x, y] = hl.max(largest[x, y], hl.Buffer(IMAGE, "image")[x + r.x, y + r.y])
    return largest, [10, 8]
