"""One level of a Laplacian pyramid: an image less the one of half its size, enlarged."""

import numpy as np

IMAGE = np.random.default_rng(1).integers(0, 256, (10, 14)).astype(np.uint8)


def program(hl):
    x, y, half, detail = hl.Var("x"), hl.Var("y"), hl.Func("half"), hl.Func("detail")
    image = hl.Buffer(IMAGE, "image")
    half[x, y] = (hl.i16(image[2 * x, y]) + image[2 * x + 1, y]) / 2
    detail[x, y] = hl.i16(image[x, y]) - half[x / 2, y]
    half.compute_root()
    return detail, [12, 10]
