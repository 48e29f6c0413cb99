"""Tutorial, lesson 7: a blur in two stages, with the image's edges repeated."""

import numpy as np

IMAGE = np.random.default_rng(1).integers(0, 256, (10, 14)).astype(np.uint8)


def program(hl):
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.Buffer(IMAGE, "image")
    total, blur_x, blur_y, output = (hl.Func(name) for name in ("total", "blur_x", "blur_y", "output"))
    clamped = hl.BoundaryConditions.repeat_edge(image)
    total[x, y] = hl.cast(hl.UInt(16), clamped[x, y])
    blur_x[x, y] = (total[x - 1, y] + 2 * total[x, y] + total[x + 1, y]) / 4
    blur_y[x, y] = (blur_x[x, y - 1] + 2 * blur_x[x, y] + blur_x[x, y + 1]) / 4
    output[x, y] = hl.cast(hl.UInt(8), blur_y[x, y])
    return output, [14, 10]
