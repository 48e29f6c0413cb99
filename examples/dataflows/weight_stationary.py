"""Weight stationary, FX | FY (Table 1): every PE keeps one tap of the filter, and sums travel along the taps.

halidehw simulate examples/dataflows/weight_stationary.py
"""

import halidehw as hl

x, y, k = map(hl.Var, ("x", "y", "k"))
f = hl.RDom([(0, 3), (0, 3), (0, 8)], "f")
image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 4, "weights")
output = hl.Func(hl.Int(32), 3, "output")

output[x, y, k] += hl.i32(image[x + f.x, y + f.y, f.z]) * hl.i32(weights[f.x, f.y, f.z, k])
output.set_bounds([(0, 8), (0, 8), (0, 8)])

# The filter's taps lie on the array, so an output pixel of a channel takes one step.
output.update().reorder(x, y, f.z, k).dataflow("FX | FY").systolic(f.x, f.y)
image.in_().compute_at(output, k)
weights.in_().compute_at(output, k)

output.accelerate([image, weights])
