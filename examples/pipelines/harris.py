"""Harris corners: two gradients, their products summed over 3 x 3 pixels, the determinant less the squared trace.

Both gradients are kept in line buffers of three rows; the image in those of two stages, and it is read once.
"""

import halidehw as hl


def harris(width: int = 16, height: int = 8, lanes: int = 1) -> hl.Func:
    """width x height pixels of an image with two more on each side, `lanes` side by side."""
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    gx, gy, corners = hl.Func("gx"), hl.Func("gy"), hl.Func("corners")
    x, y = hl.vars("x y")
    gx[x, y] = hl.i16(image[x + 1, y]) - hl.i16(image[x - 1, y])
    gy[x, y] = hl.i16(image[x, y + 1]) - hl.i16(image[x, y - 1])

    def windowed(a: hl.Func, b: hl.Func) -> hl.Expr:
        near = [(x + dx, y + dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
        products = [hl.i32(a[place]) * hl.i32(b[place]) for place in near]
        return sum(products[1:], products[0]) >> 6

    xx, yy, xy = windowed(gx, gx), windowed(gy, gy), windowed(gx, gy)
    trace = xx + yy
    corners[x, y] = xx * yy - xy * xy - (trace * trace >> 5)
    corners.bound(x, 2, width).bound(y, 2, height).vectorize(x, lanes)

    for stage in (gx, gy):
        stage.store_root().compute_at(corners, y).vectorize(x, lanes)
    image.in_().store_root().compute_at(corners, y)
    return corners.accelerate([image])


design = harris()
