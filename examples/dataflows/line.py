"""A 1-D systolic array, X: neighbouring pixels, the weights travelling from PE to PE.

halidehw simulate examples/dataflows/line.py
"""

import halidehw as hl

x, y, k = map(hl.Var, ("x", "y", "k"))
f = hl.RDom([(0, 3), (0, 3), (0, 8)], "f")
image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 4, "weights")
output = hl.Func(hl.Int(32), 3, "output")

output[x, y, k] += hl.i32(image[x + f.x, y + f.y, f.z]) * hl.i32(weights[f.x, f.y, f.z, k])
output.set_bounds([(0, 8), (0, 8), (0, 8)])

# The reduction runs in time, and the image is fetched once a window.
output.update().dataflow("X", rows=4).systolic(x)
image.in_().compute_at(output, k)
weights.in_().compute_at(output, k)

output.accelerate([image, weights])
