"""An image of half the size, and again of the whole size, between whose pixels is interpolated."""

import numpy as np

IMAGE = np.random.default_rng(1).integers(0, 256, (10, 14)).astype(np.uint8)


def program(hl):
    x, y, half, whole = hl.Var("x"), hl.Var("y"), hl.Func("half"), hl.Func("whole")
    image = hl.Buffer(IMAGE, "image")
    half[x, y] = (hl.u16(image[2 * x, y]) + image[2 * x + 1, y]) / 2
    whole[x, y] = (half[x / 2, y] + half[(x + 1) / 2, y]) / 2
    half.compute_root()
    return whole, [12, 10]
