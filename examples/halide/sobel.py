"""Sobel's edges: the sum of two absolute gradients, saturated."""

import numpy as np

IMAGE = np.random.default_rng(1).integers(0, 256, (10, 14)).astype(np.uint8)


def program(hl):
    x, y, gx, gy, edges = hl.Var("x"), hl.Var("y"), hl.Func("gx"), hl.Func("gy"), hl.Func("edges")
    image = hl.Buffer(IMAGE, "image")
    p = {(dx, dy): hl.i16(image[x + dx, y + dy]) for dx in range(3) for dy in range(3)}
    gx[x, y] = p[2, 0] - p[0, 0] + 2 * (p[2, 1] - p[0, 1]) + p[2, 2] - p[0, 2]
    gy[x, y] = p[0, 2] - p[0, 0] + 2 * (p[1, 2] - p[1, 0]) + p[2, 2] - p[2, 0]
    edges[x, y] = hl.u8_sat(hl.abs(gx[x, y]) + hl.abs(gy[x, y]))
    return edges, [12, 8]
