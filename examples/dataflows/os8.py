"""OS8 (Table 4): eight PEs in a line, dataflow X, 64 B of registers each, 64 KB of memory, 16-bit arithmetic.

halidehw simulate examples/dataflows/os8.py
"""

import halidehw as hl

x, y, k, xo, ko, kj = map(hl.Var, ("x", "y", "k", "xo", "ko", "kj"))
f = hl.RDom([(0, 3), (0, 3), (0, 16)], "f")
image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 4, "weights")
output = hl.Func(hl.Int(16), 3, "output")

output[x, y, k] += image[x + f.x, y + f.y, f.z] * weights[f.x, f.y, f.z, k]
output.set_bounds([(0, 32), (0, 8), (0, 40)])

output.update().split(k, ko, k, 20).split(k, kj, k, 2).split(x, xo, x, 8)
output.update().reorder(f.x, k, xo, f.y, x, f.z, kj, y, ko).dataflow("X").systolic(x)

# Shared memory, in two halves: a tile of 20 output channels, 32.5 KB.
image.in_().compute_at(output, ko)
weights.in_().compute_at(output, ko)

# Registers of a PE, in two halves: six weights, 24 B, for four columns of two outputs, whose sums take 32 B.
weights.in_().in_().compute_at(output, f.y)

output.accelerate([image, weights])
