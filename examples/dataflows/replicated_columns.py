"""Replication, C | KX: two loops share the columns, which three output channels alone would leave idle.

halidehw simulate examples/dataflows/replicated_columns.py
"""

import halidehw as hl

x, y, k, xo, ko = map(hl.Var, ("x", "y", "k", "xo", "ko"))
c, co = map(hl.RVar, ("c", "co"))
f = hl.RDom([(0, 3), (0, 3), (0, 8)], "f")
image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 4, "weights")
output = hl.Func(hl.Int(32), 3, "output")

output[x, y, k] += hl.i32(image[x + f.x, y + f.y, f.z]) * hl.i32(weights[f.x, f.y, f.z, k])
output.set_bounds([(0, 8), (0, 8), (0, 12)])

# K is the nearest: partial sums lie next to each other, pixels three PEs apart.
output.update().split(f.z, co, c, 4).split(x, xo, x, 2).split(k, ko, k, 3)
output.update().reorder(c, k, x, f.x, f.y, xo, y, ko, co).dataflow("C | KX", rows=4, cols=6).systolic(c)
image.in_().compute_at(output, co)
weights.in_().compute_at(output, co)

output.accelerate([image, weights])
