"""The grid of a bilateral filter: pixels counted by place and brightness."""

import numpy as np

IMAGE = np.random.default_rng(1).integers(0, 256, (10, 14)).astype(np.uint8)


def program(hl):
    x, y, z, grid = hl.Var("x"), hl.Var("y"), hl.Var("z"), hl.Func("grid")
    r = hl.RDom([(0, 4), (0, 4)], "r")
    pixel = hl.Buffer(IMAGE, "image")[4 * x + r.x, 4 * y + r.y]
    grid[x, y, z] = 0
    grid[x, y, hl.cast(hl.Int(32), pixel) / 32] += 1
    return grid, [3, 2, 8]
