"""OS4 (Table 4): four PEs in a line, dataflow X, 32 B of registers each, 32 KB of memory, 16-bit arithmetic.

halidehw simulate examples/dataflows/os4.py
"""

import halidehw as hl

x, y, k, xo, ko = map(hl.Var, ("x", "y", "k", "xo", "ko"))
f = hl.RDom([(0, 3), (0, 3), (0, 16)], "f")
image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 4, "weights")
output = hl.Func(hl.Int(16), 3, "output")

output[x, y, k] += image[x + f.x, y + f.y, f.z] * weights[f.x, f.y, f.z, k]
output.set_bounds([(0, 16), (0, 8), (0, 32)])

output.update().split(k, ko, k, 16).split(x, xo, x, 4).reorder(f.x, xo, f.y, x, f.z, k, y, ko)
output.update().dataflow("X").systolic(x)

# Shared memory, in two halves: a tile of 16 output channels, 20.25 KB.
image.in_().compute_at(output, ko)
weights.in_().compute_at(output, ko)

# Registers of a PE, in two halves: three weights, 12 B, for four columns of outputs, whose sums take 16 B.
weights.in_().in_().compute_at(output, f.y)

output.accelerate([image, weights])
