"""A Gaussian pyramid of three levels, down and up again: what each level adds is halved on the way up.

Rows pass through line buffers: for four rows of the output two of the middle level and one of the coarsest.
"""

import halidehw as hl


def pyramid(width: int = 4, height: int = 2) -> hl.Func:
    """Of width x height pixels at the coarsest level; the image has four times as many along each side."""
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    fine, middle, coarse, up = hl.Func("fine"), hl.Func("middle"), hl.Func("coarse"), hl.Func("up")
    x, y = hl.vars("x y")

    def halved(source: hl.Func) -> hl.Expr:
        along = [sum(w * hl.i16(source[2 * x + dx, 2 * y + dy]) for dx, w in WEIGHTS) for dy, _ in WEIGHTS]
        return hl.i16((along[0] + 2 * along[1] + along[2]) >> 4)

    fine[x, y] = hl.i16(image[x, y])
    middle[x, y] = halved(fine)
    coarse[x, y] = halved(middle)
    at_middle, at_coarse = middle[x / 2, y / 2], coarse[x / 4, y / 4]
    up[x, y] = hl.u8_sat(at_coarse + (at_middle - at_coarse) / 2 + (fine[x, y] - at_middle) / 2)
    up.set_bounds([(4, 4 * width), (4, 4 * height)])

    for level in (coarse, middle, fine):
        level.store_root().compute_at(up, y)
    return up.accelerate([image])


WEIGHTS = ((-1, 1), (0, 2), (1, 1))

design = pyramid()
