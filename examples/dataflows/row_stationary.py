"""Row stationary, FY | Y (Table 1 and Figure 6 a): rows of the filter meet rows of the image, which run diagonally.

halidehw simulate examples/dataflows/row_stationary.py
"""

import halidehw as hl

x, y, k, yo = map(hl.Var, ("x", "y", "k", "yo"))
f = hl.RDom([(0, 3), (0, 3), (0, 8)], "f")
image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 4, "weights")
output = hl.Func(hl.Int(32), 3, "output")

output[x, y, k] += hl.i32(image[x + f.x, y + f.y, f.z]) * hl.i32(weights[f.x, f.y, f.z, k])
output.set_bounds([(0, 8), (0, 8), (0, 8)])

# Down the array the rows of the filter, whose partial sums form chains; across it the rows of the output.
output.update().split(y, yo, y, 4).reorder(f.y, y, f.x, x, f.z, k, yo).dataflow("FY | Y").systolic(f.y, y)
image.in_().compute_at(output, yo)
weights.in_().compute_at(output, yo)

output.accelerate([image, weights])
