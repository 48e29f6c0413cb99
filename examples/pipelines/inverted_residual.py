"""MobileNetV2's block: channels are expanded, filtered each by itself, and projected; the image is added in the end.

The image reaches the output past three layers; what these still need of it waits in the output's memory.
"""

import halidehw as hl


def inverted_residual(width: int = 5, height: int = 4, channels: int = 3, expanded: int = 6) -> hl.Func:
    """width x height pixels of so many channels, filtered as `expanded` ones."""
    image, ew, dw, pw = (
        hl.ImageParam(hl.Int(8), n, name) for name, n in (("image", 3), ("ew", 2), ("dw", 3), ("pw", 2))
    )
    names = ("pixels", "expand", "wide", "depth", "between", "project", "output")
    pixels, expand, wide, depth, between, project, output = map(hl.Func, names)
    c, k, x, y = hl.vars("c k x y")
    e, q = hl.RDom([(0, channels)], "e"), hl.RDom([(0, expanded)], "q")
    r = hl.RDom([(-1, 3), (-1, 3)], "r")
    pixels[c, x, y] = image[c, x, y]
    expand[k, x, y] += hl.i32(pixels[e, x, y]) * hl.i32(ew[k, e])
    wide[k, x, y] = hl.i8_sat(hl.clamp(expand[k, x, y] >> 4, 0, 96))
    depth[k, x, y] += hl.i32(wide[k, x + r.x, y + r.y]) * hl.i32(dw[k, r.x, r.y])
    between[k, x, y] = hl.i8_sat(hl.clamp(depth[k, x, y] >> 6, 0, 96))
    project[c, x, y] += hl.i32(between[q, x, y]) * hl.i32(pw[c, q])
    output[c, x, y] = hl.i8_sat((project[c, x, y] >> 6) + hl.i32(pixels[c, x, y]))
    output.set_bounds([(0, channels), (1, width), (1, height)])

    expand.update().reorder(e.x, k, x, y).unroll(k, 2)
    project.update().reorder(q.x, c, x, y)
    depth.update().reorder(r.x, r.y, k, x, y)
    for stage in (between, wide, pixels):
        stage.compute_at(project, y)
    for weights in (ew, dw, pw):
        weights.in_().compute_root()
    return output.accelerate([image, ew, dw, pw])


design = inverted_residual()
