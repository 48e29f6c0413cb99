"""Two designs of one machine, and one that fits it."""

from __future__ import annotations

import halidehw as hl


def layer(name: str, width: int, height: int, channels: int, filters: int, kernel: int, stride: int) -> hl.Func:
    x, y, k, ko, ki = hl.vars("x y k ko ki")
    image, weights = hl.ImageParam(hl.Int(8), 3, "image"), hl.ImageParam(hl.Int(8), 4, "weights")
    r = hl.RDom([(0, channels), (0, kernel), (0, kernel)], "r")
    f = hl.Func(name)
    f[k, x, y] = hl.i8(0)
    f[k, x, y] += image[r.x, x * stride + r.y, y * stride + r.z] * weights[r.x, k, r.y, r.z]
    f.set_bounds([(0, filters), (0, width), (0, height)])
    co, ci = hl.RVar("co"), hl.RVar("ci")
    f.update().split(k, ko, ki, 4).split(r.x, co, ci, 4).reorder(ci, ki, x, r.y, r.z, co, y, ko).unroll(ci).unroll(ki)
    image.in_().compute_at(f, y)
    weights.in_().compute_at(f, y)
    return f


designs = [layer("first", 5, 5, 8, 8, 3, 1), layer("odd", 4, 4, 5, 6, 1, 1)]
second = layer("second", 2, 2, 8, 6, 3, 2)
