"""A convolution, ReLU with requantisation, and maxima of 2 x 2: the layer's result never lies in memory."""

import halidehw as hl


def conv_pool(width: int = 4, height: int = 3, filters: int = 4, channels: int = 3) -> hl.Func:
    """width x height maxima of so many filters of 3 x 3, four filters side by side."""
    image, w = hl.ImageParam(hl.Int(8), 3, "image"), hl.ImageParam(hl.Int(8), 4, "w")
    conv, relu, pool = hl.Func("conv"), hl.Func("relu"), hl.Func("pool")
    k, x, y, ki = hl.vars("k x y ki")
    r, p = hl.RDom([(0, channels), (0, 3), (0, 3)], "r"), hl.RDom([(0, 2), (0, 2)], "p")
    conv[k, x, y] += hl.i32(image[r.x, x + r.y, y + r.z]) * hl.i32(w[k, r.x, r.y, r.z])
    relu[k, x, y] = hl.i8_sat(hl.max(conv[k, x, y], 0) >> 6)
    pool[k, x, y] = hl.Int(8).min
    pool[k, x, y] = hl.max(pool[k, x, y], relu[k, 2 * x + p.x, 2 * y + p.y])
    pool.set_bounds([(0, filters), (0, width), (0, height)])

    conv.update().split(k, k, ki, 4).reorder(ki, r.x, r.y, r.z, k, x, y).unroll(ki)
    relu.compute_at(pool, y)
    w.in_().compute_root()
    image.in_().compute_at(conv, y)
    return pool.accelerate([image, w])


design = conv_pool()
