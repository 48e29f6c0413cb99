"""A camera's pipeline: black level, demosaic, colours by a matrix, and a curve as a table.

A pixel is (2 * x + p, 2 * y + q): red at p = q = 0, blue at p = q = 1, else green. In NumPy the output is
[y, q, x, p, colour], which is the picture as it lies in memory. The curve goes from 10 bits to 8.
"""

import halidehw as hl

MATRIX = ((420, -130, -34), (-60, 380, -64), (-8, -160, 424))
"""Of red, green and blue to those of the screen, in 256ths."""


def camera(width: int = 8, height: int = 4) -> hl.Func:
    """Of width x height squares of 2 x 2 pixels, with one more square on each side."""
    raw, curve, black = hl.ImageParam(hl.UInt(10), 2, "raw"), hl.ImageParam(hl.UInt(8), 1, "curve"), hl.Func("black")
    picture, c, x, y, p, q = hl.Func("picture"), *hl.vars("c x y p q")
    black[x, y] = hl.i16(hl.max(raw[x, y], 16) - 16)

    def mean(*places: tuple[int, int]) -> hl.Expr:
        words = [black[2 * x + p + dx, 2 * y + q + dy] for dx, dy in places]
        return sum(words[1:], words[0]) / len(words)

    here, beside, above = mean((0, 0)), mean((-1, 0), (1, 0)), mean((0, -1), (0, 1))
    cross, corners = (beside + above) / 2, mean((-1, -1), (1, -1), (-1, 1), (1, 1))
    red = hl.select(q == 0, hl.select(p == 0, here, beside), hl.select(p == 0, above, corners))
    blue = hl.select(q == 0, hl.select(p == 0, corners, above), hl.select(p == 0, beside, here))
    green = hl.select(p == q, cross, here)
    seen = [hl.i32(colour) for colour in (red, green, blue)]
    shown = [sum(weight * colour for weight, colour in zip(row, seen, strict=True)) >> 8 for row in MATRIX]
    picture[c, p, x, q, y] = curve[hl.clamp(hl.mux(c, shown), 0, 1023)]
    picture.set_bounds([(0, 3), (0, 2), (1, width), (0, 2), (1, height)])

    black.store_root().compute_at(picture, q)
    return picture.accelerate([raw, curve])


design = camera()
