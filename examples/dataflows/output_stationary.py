"""Output stationary, X | Y (Table 1): every PE keeps the sum of one output pixel.

halidehw simulate examples/dataflows/output_stationary.py
"""

import halidehw as hl

x, y, k = map(hl.Var, ("x", "y", "k"))
f = hl.RDom([(0, 3), (0, 3), (0, 8)], "f")
image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 4, "weights")
output = hl.Func(hl.Int(32), 3, "output")

output[x, y, k] += hl.i32(image[x + f.x, y + f.y, f.z]) * hl.i32(weights[f.x, f.y, f.z, k])
output.set_bounds([(0, 8), (0, 8), (0, 16)])

# A tile of 4x4 outputs lies on the array; the reduction runs in time.
output.update().dataflow("X | Y", rows=4, cols=4)
image.in_().compute_at(output, k)
weights.in_().compute_at(output, k)

output.accelerate([image, weights])
