"""WS16 (Table 4): 4x4 PEs, dataflow C | K, 64 B of registers each, 32 KB of memory, 16-bit arithmetic.

halidehw simulate examples/dataflows/ws16.py
"""

import halidehw as hl

x, y, k, ko, kj, ki = map(hl.Var, ("x", "y", "k", "ko", "kj", "ki"))
c, co = map(hl.RVar, ("c", "co"))
f = hl.RDom([(0, 3), (0, 3), (0, 16)], "f")
image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 4, "weights")
output = hl.Func(hl.Int(16), 3, "output")

output[x, y, k] += image[x + f.x, y + f.y, f.z] * weights[f.x, f.y, f.z, k]
output.set_bounds([(0, 8), (0, 8), (0, 64)])

output.update().split(k, ko, k, 32).split(k, kj, ki, 4).split(f.z, co, c, 4)
output.update().reorder(x, y, f.x, f.y, c, ki, co, kj, ko).dataflow("C | KI").systolic(c, ki)

# Shared memory, in two halves: a tile of 32 output channels, 24.25 KB.
image.in_().compute_at(output, ko)
weights.in_().compute_at(output, ko)

# Registers of a PE, in two halves: the filter of one channel pair, 36 B; the sums lie at the array's edge.
weights.in_().in_().compute_at(output, c)

output.accelerate([image, weights])
