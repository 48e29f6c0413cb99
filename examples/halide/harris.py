"""Harris corners: products of gradients, summed over 3x3 pixels, with the determinant less the squared trace."""

import numpy as np

IMAGE = np.random.default_rng(1).integers(0, 256, (10, 14)).astype(np.uint8)


def program(hl):
    x, y, corners = hl.Var("x"), hl.Var("y"), hl.Func("corners")
    image, gx, gy = hl.Buffer(IMAGE, "image"), hl.Func("gx"), hl.Func("gy")
    gx[x, y] = hl.i32(image[x + 2, y + 1]) - image[x, y + 1]
    gy[x, y] = hl.i32(image[x + 1, y + 2]) - image[x + 1, y]

    def windowed(a, b):
        products = [a[x + dx, y + dy] * b[x + dx, y + dy] for dy in range(3) for dx in range(3)]
        return sum(products[1:], products[0]) >> 8

    xx, yy, xy = windowed(gx, gx), windowed(gy, gy), windowed(gx, gy)
    trace = xx + yy
    corners[x, y] = xx * yy - xy * xy - (trace * trace >> 5)
    return corners, [10, 6]
