"""A separable blur: three pixels along x, then three along y. Rows pass through a line buffer of the second stage."""

import halidehw as hl


def blur(width: int = 24, height: int = 10, lanes: int = 1) -> hl.Func:
    """The means of 3 x 3 pixels of an image of (width + 2) x (height + 2), `lanes` side by side."""
    image, h, blur = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Func("h"), hl.Func("blur")
    x, y = hl.vars("x y")
    h[x, y] = hl.u16(image[x, y]) + image[x + 1, y] + image[x + 2, y]
    blur[x, y] = hl.u8((h[x, y] + h[x, y + 1] + h[x, y + 2]) / 9)
    blur.bound(x, 0, width).bound(y, 0, height).vectorize(x, lanes)

    h.store_root().compute_at(blur, y).vectorize(x, lanes)
    return blur.accelerate([image])


design = blur()
