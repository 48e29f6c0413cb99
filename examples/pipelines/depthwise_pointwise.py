"""A depthwise layer and a pointwise one, requantised between them: MobileNet's block, as one piece of hardware.

The words between the layers pass from one array to the other, row by row.
"""

import halidehw as hl


def depthwise_pointwise(width: int = 5, height: int = 4, channels: int = 6, filters: int = 4) -> hl.Func:
    """width x height pixels: 3 x 3 weights for each of the channels, then so many filters over all of them."""
    image, dw, pw = (hl.ImageParam(hl.Int(8), n, name) for name, n in (("image", 3), ("dw", 3), ("pw", 2)))
    depth, between, point, output = hl.Func("depth"), hl.Func("between"), hl.Func("point"), hl.Func("output")
    c, k, x, y = hl.vars("c k x y")
    r, q = hl.RDom([(0, 3), (0, 3)], "r"), hl.RDom([(0, channels)], "q")
    depth[c, x, y] += hl.i32(image[c, x + r.x, y + r.y]) * hl.i32(dw[c, r.x, r.y])
    between[c, x, y] = hl.i8_sat(hl.max(depth[c, x, y], 0) >> 6)
    point[k, x, y] += hl.i32(between[q, x, y]) * hl.i32(pw[k, q])
    output[k, x, y] = hl.i8_sat(point[k, x, y] >> 6)
    output.set_bounds([(0, filters), (0, width), (0, height)])

    point.update().reorder(k, q.x, x, y).unroll(k, 2)
    depth.update().reorder(c, r.x, r.y, x, y).unroll(c, 2)
    between.compute_at(point, y)
    dw.in_().compute_root()
    pw.in_().compute_root()
    image.in_().store_root().compute_at(depth, y)
    return output.accelerate([image, dw, pw])


design = depthwise_pointwise()
