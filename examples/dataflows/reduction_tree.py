"""A 1-D reduction tree over C (Figure 6 c): eight products meet in an adder tree every cycle.

halidehw simulate examples/dataflows/reduction_tree.py
"""

import halidehw as hl

x, y, k = map(hl.Var, ("x", "y", "k"))
c, co = map(hl.RVar, ("c", "co"))
f = hl.RDom([(0, 3), (0, 3), (0, 16)], "f")
image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 4, "weights")
output = hl.Func(hl.Int(32), 3, "output")

output[x, y, k] += hl.i32(image[x + f.x, y + f.y, f.z]) * hl.i32(weights[f.x, f.y, f.z, k])
output.set_bounds([(0, 8), (0, 8), (0, 8)])

# Without systolic, the operands of all PEs come in one cycle and their products are summed by a tree.
output.update().split(f.z, co, c, 8).reorder(c, f.x, f.y, co, k, x, y).dataflow("C")
image.in_().compute_at(output, y)
weights.in_().compute_at(output, y)

output.accelerate([image, weights])
