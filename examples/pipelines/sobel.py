"""Sobel's operator: the magnitude of the gradient, by two stages that read the same rows of an image."""

import halidehw as hl


def sobel(width: int = 20, height: int = 9, lanes: int = 1) -> hl.Func:
    """width x height pixels of an image with one more on each side, `lanes` side by side."""
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    gx, gy, magnitude = hl.Func("gx"), hl.Func("gy"), hl.Func("magnitude")
    x, y = hl.vars("x y")

    def column(at: hl.Expr) -> hl.Expr:
        return hl.i16(image[at, y - 1]) + 2 * hl.i16(image[at, y]) + hl.i16(image[at, y + 1])

    def row(at: hl.Expr) -> hl.Expr:
        return hl.i16(image[x - 1, at]) + 2 * hl.i16(image[x, at]) + hl.i16(image[x + 1, at])

    gx[x, y] = column(x + 1) - column(x - 1)
    gy[x, y] = row(y + 1) - row(y - 1)
    magnitude[x, y] = hl.u8_sat(hl.absd(gx[x, y], 0) + hl.absd(gy[x, y], 0))
    magnitude.bound(x, 1, width).bound(y, 1, height).vectorize(x, lanes)

    for stage in (gx, gy):
        stage.compute_at(magnitude, y).vectorize(x, lanes)
    image.in_().store_root().compute_at(magnitude, y)
    return magnitude.accelerate([image])


design = sobel()
