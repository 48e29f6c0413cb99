"""An unsharp mask: an image, and half of what a blur takes away from it.

The image reaches the output on two ways. It comes through its port once: a copy of it is a stage, and the output's
store of its rows has room for those that the blur still waits for.
"""

import halidehw as hl


def unsharp(width: int = 20, height: int = 9, lanes: int = 1) -> hl.Func:
    """width x height pixels of an image with one more on each side, `lanes` side by side."""
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    h, v, sharp = hl.Func("h"), hl.Func("v"), hl.Func("sharp")
    x, y = hl.vars("x y")
    h[x, y] = hl.u16(image[x - 1, y]) + image[x, y] * 2 + image[x + 1, y]
    v[x, y] = hl.i16((h[x, y - 1] + h[x, y] * 2 + h[x, y + 1]) >> 4)
    sharp[x, y] = hl.u8_sat(hl.i16(image[x, y]) + ((hl.i16(image[x, y]) - v[x, y]) >> 1))
    sharp.bound(x, 1, width).bound(y, 1, height).vectorize(x, lanes)

    for stage in (h, v):
        stage.store_root().compute_at(sharp, y).vectorize(x, lanes)
    image.in_().store_root().compute_at(sharp, y)
    return sharp.accelerate([image])


design = unsharp()
