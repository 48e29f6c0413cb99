"""Replication, CX | K (Figure 2): three channels leave most of the rows idle, so four pixels lie beside them.

halidehw simulate examples/dataflows/replicated_rows.py
"""

import halidehw as hl

x, y, k, xo, ko = map(hl.Var, ("x", "y", "k", "xo", "ko"))
f = hl.RDom([(0, 3), (0, 3), (0, 3)], "f")
image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 4, "weights")
output = hl.Func(hl.Int(32), 3, "output")

output[x, y, k] += hl.i32(image[x + f.x, y + f.y, f.z]) * hl.i32(weights[f.x, f.y, f.z, k])
output.set_bounds([(0, 8), (0, 8), (0, 32)])

# C is the nearest, so sums travel one hop, and operands of neighbouring pixels are three PEs apart.
output.update().split(x, xo, x, 4).split(k, ko, k, 4)
output.update().reorder(f.z, x, k, f.x, f.y, xo, y, ko).dataflow("f.z x | k", rows=12).systolic(k)
image.in_().compute_at(output, ko)
weights.in_().compute_at(output, ko)

output.accelerate([image, weights])
