"""Weight stationary, C | K (Table 1 and Figure 6 b), as in the TPU: a matrix product for every tap of the filter.

halidehw simulate examples/dataflows/channels.py
"""

import halidehw as hl

x, y, k, ko = map(hl.Var, ("x", "y", "k", "ko"))
c, co = map(hl.RVar, ("c", "co"))
f = hl.RDom([(0, 3), (0, 3), (0, 8)], "f")
image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 4, "weights")
output = hl.Func(hl.Int(32), 3, "output")

output[x, y, k] += hl.i32(image[x + f.x, y + f.y, f.z]) * hl.i32(weights[f.x, f.y, f.z, k])
output.set_bounds([(0, 8), (0, 8), (0, 8)])

# Channels of the image enter at the side; sums of four output channels come down.
output.update().split(f.z, co, c, 4).split(k, ko, k, 4).reorder(c, k, x, y, f.x, f.y, co, ko)
output.update().dataflow("C | K").systolic(c, k)
image.in_().compute_at(output, co)
weights.in_().compute_at(output, co)

output.accelerate([image, weights])
