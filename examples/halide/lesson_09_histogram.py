"""Tutorial, lesson 9: a histogram, an update at an index that is data."""

import numpy as np

IMAGE = np.random.default_rng(1).integers(0, 256, (10, 14)).astype(np.uint8)


def program(hl):
    x, histogram = hl.Var("x"), hl.Func("histogram")
    r = hl.RDom([(0, 14), (0, 10)], "r")
    histogram[x] = 0
    histogram[hl.cast(hl.Int(32), hl.Buffer(IMAGE, "image")[r.x, r.y])] += 1
    return histogram, [256]
