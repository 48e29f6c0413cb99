// port_bits=8
ImageParam bias(UInt(8), 2);
ImageParam u(Int(32), 2);
ImageParam w(UInt(8), 3);
ImageParam h(UInt(8), 2);
ImageParam v(Int(7), 3);

Var i0, i1, n, g, b, go0, gi0;
RDom c(0, 5);

Func bias_stage(UInt(8), 2);
bias_stage(i0, i1) = min(bias(i0, i1), bias(i0 + 1, i1));

Func cell(Int(32), 3);
cell(n, g, b) = cast<int32_t>(bias_stage(n, g));
cell(n, g, b) += u(c.x, b) * cast<int32_t>(w(c.x, n, g)) + cast<int32_t>(h(c.x, b)) * cast<int32_t>(v(n, c.x, g));

Func gate(Int(8), 3);
gate(n, g, b) = cast<int8_t>(max(min(max(min((cell(n, g, b) >> 2) + 3, 6), 0), 127), -128));

gate.bound(n, 1, 4).bound(g, 0, 3).bound(b, -2, 1);
u.in().compute_root();
v.in().compute_root();
cell.update().split(g, go0, gi0, 3).reorder(gi0, go0, b, n, c.x).unroll(n, 2);
w.in().compute_at(cell, c.x);
h.in().compute_at(cell, c.x);
v.in().in().compute_at(cell, gi0);
w.in().store_root();
h.in().store_root();
v.in().in().capacity(60);
