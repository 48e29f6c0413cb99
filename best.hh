// On eyeriss: K 24, C 10, Y 11, X 13, FY 3, FX 3

ImageParam input(Int(16), 3);
ImageParam weight(Int(16), 4);
Var x, y, k;
RDom r(0, 3, 0, 3, 0, 10);
Func output(Int(32), 3);

output(x, y, k) +=
    cast<int32_t>(input(x + r.x, y + r.y, r.z)) * cast<int32_t>(weight(r.x, r.y, r.z, k));
output.bound(x, 0, 13).bound(y, 0, 11).bound(k, 0, 24);

output.update().reorder(r.x, r.z, x, r.y, y, k);
output.update().dataflow("r.y | y", 16, 16).systolic({r.y, y});

input.in().compute_at(output, k);  // SRAM
input.in().single_buffer();
weight.in().compute_at(output, k);  // SRAM
input.in().in().compute_at(output, r.y);  // RF
input.in().in().single_buffer();
output.accelerate({input, weight});
