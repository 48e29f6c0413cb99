"""Tutorial, lesson 9: a sum over a domain."""

import numpy as np

IMAGE = np.random.default_rng(1).integers(0, 256, (10, 14)).astype(np.uint8)


def program(hl):
    x, y, f = hl.Var("x"), hl.Var("y"), hl.Func("f")
    r = hl.RDom([(0, 5), (0, 3)], "r")
    f[x, y] = 3
    f[x, y] += hl.cast(hl.Int(32), hl.Buffer(IMAGE, "image")[x + r.x, y + r.y])
    return f, [10, 8]
