"""Histogram equalisation: brightness spread evenly, by a table that the image's own histogram gives.

The image crosses its port twice, since no pixel is known before the last one is counted.
"""

import halidehw as hl


def histogram_equalisation(width: int = 16, height: int = 12, bits: int = 5) -> hl.Func:
    """Of width x height pixels of so many bits."""
    image, levels = hl.ImageParam(hl.UInt(bits), 2, "image"), 1 << bits
    histogram, running, equal = hl.Func("histogram"), hl.Func("running"), hl.Func("equal")
    x, y = hl.vars("x y")
    r, b = hl.RDom([(0, width), (0, height)], "r"), hl.RDom([(0, levels)], "b")
    histogram[x] = 0
    histogram[hl.i32(image[r.x, r.y])] += 1
    running[x] += hl.select(b.x <= x, histogram[b.x], 0)
    equal[x, y] = hl.cast(image.type, running[hl.i32(image[x, y])] * (levels - 1) / (width * height))
    equal.bound(x, 0, width).bound(y, 0, height)

    histogram.compute_root()
    running.compute_root()
    return equal.accelerate([image])


design = histogram_equalisation()
