"""A 3x3 box blur: a row of sums, then a column of them."""

import numpy as np

IMAGE = np.random.default_rng(1).integers(0, 256, (10, 14)).astype(np.uint8)


def program(hl):
    x, y, blur_x, blur_y = hl.Var("x"), hl.Var("y"), hl.Func("blur_x"), hl.Func("blur_y")
    image = hl.Buffer(IMAGE, "image")
    blur_x[x, y] = (hl.u16(image[x, y]) + image[x + 1, y] + image[x + 2, y]) / 3
    blur_y[x, y] = (blur_x[x, y] + blur_x[x, y + 1] + blur_x[x, y + 2]) / 3
    return blur_y, [12, 8]
