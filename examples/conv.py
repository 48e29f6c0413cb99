"""A convolution layer on a 1-D systolic array of four PEs (Interstellar, Listing 1): conv.hh in Python.

halidehw simulate examples/conv.py
"""

import halidehw as hl

input, w = hl.ImageParam(hl.Int(16), 3, "input"), hl.ImageParam(hl.Int(16), 4, "w")
x, y, k, xo, yo, xi, yi = map(hl.Var, ("x", "y", "k", "xo", "yo", "xi", "yi"))
r = hl.RDom([(-2, 5), (-2, 5), (0, 3)], "r")
output = hl.Func(hl.Int(32), 3, "output")

output[x, y, k] = 0
output[x, y, k] += hl.i32(input[x + r.x, y + r.y, r.z]) * hl.i32(w[r.x + 2, r.y + 2, r.z, k])

output.bound(x, 0, 16).bound(y, 0, 16).bound(k, 0, 64)

# Loop blocking: 8x8 tiles of the output.
output.update().split(x, xo, xi, 8).split(y, yo, yi, 8).reorder(xi, yi, xo, yo)

# Memory hierarchy: one double-buffered level for each operand, filled for every tile.
input.in_().compute_at(output, xo)
w.in_().compute_at(output, xo)

# Dataflow: four outputs of a row side by side, the weights travelling from PE to PE.
output.update().unroll(xi, 4).systolic(xi)

output.accelerate([input, w])
