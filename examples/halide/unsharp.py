"""An unsharp mask: the image, and half of what a blur takes away from it."""

import numpy as np

IMAGE = np.random.default_rng(1).integers(0, 256, (10, 14)).astype(np.uint8)


def program(hl):
    x, y, blurred, sharp = hl.Var("x"), hl.Var("y"), hl.Func("blurred"), hl.Func("sharp")
    image = hl.BoundaryConditions.mirror_interior(hl.Buffer(IMAGE, "image"))
    near = [hl.i16(image[x + dx, y + dy]) << (2 - dx * dx - dy * dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    blurred[x, y] = sum(near[1:], near[0]) >> 4
    sharp[x, y] = hl.u8_sat(hl.i16(image[x, y]) + (hl.i16(image[x, y]) - blurred[x, y]) / 2)
    return sharp, [14, 10]
