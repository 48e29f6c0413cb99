"""A Bayer demosaic: red, green and blue of each pixel from a sensor that sees one of them, by means of neighbours.

A pixel is (2 * x + p, 2 * y + q): red at p = q = 0, blue at p = q = 1, else green. In NumPy the output is
[y, q, x, p, colour], which is the picture as it lies in memory.
"""

import halidehw as hl


def demosaic(width: int = 8, height: int = 4) -> hl.Func:
    """Of width x height squares of 2 x 2 pixels, with one more square on each side."""
    raw, black = hl.ImageParam(hl.UInt(10), 2, "raw"), hl.Func("black")
    rgb, c, x, y, p, q = hl.Func("rgb"), *hl.vars("c x y p q")
    black[x, y] = hl.u16(hl.max(raw[x, y], 16) - 16)

    def mean(*places: tuple[int, int]) -> hl.Expr:
        words = [black[2 * x + p + dx, 2 * y + q + dy] for dx, dy in places]
        return sum(words[1:], words[0]) / len(words)

    here, beside, above = mean((0, 0)), mean((-1, 0), (1, 0)), mean((0, -1), (0, 1))
    cross, corners = (beside + above) / 2, mean((-1, -1), (1, -1), (-1, 1), (1, 1))
    red = hl.select(q == 0, hl.select(p == 0, here, beside), hl.select(p == 0, above, corners))
    blue = hl.select(q == 0, hl.select(p == 0, corners, above), hl.select(p == 0, beside, here))
    green = hl.select(p == q, cross, here)
    rgb[c, p, x, q, y] = hl.u8(hl.mux(c, [red, green, blue]) >> 2)
    rgb.set_bounds([(0, 3), (0, 2), (1, width), (0, 2), (1, height)])

    black.store_root().compute_at(rgb, q)
    return rgb.accelerate([raw])


design = demosaic()
