"""A reduction tree as a node of a systolic array, C | K: four adder trees, each one cycle after its neighbour.

halidehw simulate examples/dataflows/systolic_trees.py
"""

import halidehw as hl

x, y, k, ko = map(hl.Var, ("x", "y", "k", "ko"))
c, co = map(hl.RVar, ("c", "co"))
f = hl.RDom([(0, 3), (0, 3), (0, 16)], "f")
image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 4, "weights")
output = hl.Func(hl.Int(32), 3, "output")

output[x, y, k] += hl.i32(image[x + f.x, y + f.y, f.z]) * hl.i32(weights[f.x, f.y, f.z, k])
output.set_bounds([(0, 8), (0, 8), (0, 16)])

# Eight channels meet in a tree, as C is not systolic; their pixels hop on to the tree of the next output channel.
output.update().split(f.z, co, c, 8).split(k, ko, k, 4).reorder(c, k, x, y, f.x, f.y, co, ko)
output.update().dataflow("C | K").systolic(k)
image.in_().compute_at(output, ko)
weights.in_().compute_at(output, ko)

output.accelerate([image, weights])
