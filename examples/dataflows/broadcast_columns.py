"""Mixed, X | K: weights hop along the systolic rows of pixels, each pixel goes to all columns of channels at once.

halidehw simulate examples/dataflows/broadcast_columns.py
"""

import halidehw as hl

x, y, k, xo, ko = map(hl.Var, ("x", "y", "k", "xo", "ko"))
f = hl.RDom([(0, 3), (0, 3), (0, 8)], "f")
image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 4, "weights")
output = hl.Func(hl.Int(32), 3, "output")

output[x, y, k] += hl.i32(image[x + f.x, y + f.y, f.z]) * hl.i32(weights[f.x, f.y, f.z, k])
output.set_bounds([(0, 8), (0, 8), (0, 16)])

# Every PE sums one pixel of one channel. X is systolic, K is not: no skew along the columns.
output.update().split(x, xo, x, 4).split(k, ko, k, 4).reorder(x, k, f.x, f.y, f.z, xo, y, ko)
output.update().dataflow("X | K").systolic(x)
image.in_().compute_at(output, ko)
weights.in_().compute_at(output, ko)

output.accelerate([image, weights])
