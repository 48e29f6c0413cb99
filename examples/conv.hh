// A convolution layer on a 1-D systolic array of four PEs (Interstellar, Listing 1):
// 64 filters of 5x5x3 over an image of three channels, 16x16 outputs each.

ImageParam input(Int(16), 3);
ImageParam w(Int(16), 4);

Var x, y, k, xo, yo, xi, yi;
RDom r(-2, 5, -2, 5, 0, 3);
Func output(Int(32), 3);

output(x, y, k) = 0;
output(x, y, k) += cast<int32_t>(input(x + r.x, y + r.y, r.z)) * cast<int32_t>(w(r.x + 2, r.y + 2, r.z, k));

output.bound(x, 0, 16).bound(y, 0, 16).bound(k, 0, 64);

// Loop blocking: 8x8 tiles of the output.
output.update().split(x, xo, xi, 8).split(y, yo, yi, 8).reorder(xi, yi, xo, yo);

// Memory hierarchy: one double-buffered level for each operand, filled for every tile.
input.in().compute_at(output, xo);
w.in().compute_at(output, xo);

// Dataflow: four outputs of a row side by side, the weights travelling from PE to PE.
output.update().unroll(xi, 4).systolic({xi});

output.accelerate({input, w});
