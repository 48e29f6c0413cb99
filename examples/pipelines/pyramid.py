"""A Gaussian pyramid of three levels, down and up again: what each level adds is halved on the way up.

A pixel of the output is (4 * x + 2 * i + p, 4 * y + 2 * j + q): its place among those that share a pixel of the
coarsest level is dimensions of their own. In NumPy the output is [y, j, q, x, i, p], which is the picture as it lies in
memory.
"""

import halidehw as hl


def pyramid(width: int = 4, height: int = 2) -> hl.Func:
    """Of width x height pixels at the coarsest level; the image has four times as many along each side."""
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    fine, middle, coarse, up = hl.Func("fine"), hl.Func("middle"), hl.Func("coarse"), hl.Func("up")
    x, y, i, j, p, q = hl.vars("x y i j p q")

    def halved(source: hl.Func) -> hl.Expr:
        along = [sum(w * hl.i16(source[2 * x + dx, 2 * y + dy]) for dx, w in WEIGHTS) for dy, _ in WEIGHTS]
        return hl.i16((along[0] + 2 * along[1] + along[2]) >> 4)

    fine[x, y] = hl.i16(image[x, y])
    middle[x, y] = halved(fine)
    coarse[x, y] = halved(middle)
    at_middle = middle[2 * x + i, 2 * y + j]
    added = (at_middle - coarse[x, y]) / 2 + (fine[4 * x + 2 * i + p, 4 * y + 2 * j + q] - at_middle) / 2
    up[p, i, x, q, j, y] = hl.u8_sat(coarse[x, y] + added)
    up.set_bounds([(0, 2), (0, 2), (1, width), (0, 2), (0, 2), (1, height)])

    for level in (coarse, middle, fine):
        level.compute_root()
    return up.accelerate([image])


WEIGHTS = ((-1, 1), (0, 2), (1, 1))

design = pyramid()
