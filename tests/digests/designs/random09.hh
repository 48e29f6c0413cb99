// port_bits=64
ImageParam bias(UInt(4), 2);
ImageParam u(UInt(8), 2);
ImageParam w(Int(7), 3);
ImageParam h(Int(16), 2);
ImageParam v(UInt(4), 3);

Var n, g, b, fused0;
RDom c(0, 9);

Func cell(Int(13), 3);
cell(n, g, b) = cast(Int(13), bias(n, g));
cell(n, g, b) += cast(Int(13), u(c.x, b)) * cast(Int(13), w(c.x, n, g)) + cast(Int(13), h(c.x, b)) * cast(Int(13), v(n, c.x, g));

Func gate(Int(8), 3);
gate(n, g, b) = cast<int8_t>(max(min(max(min((cell(n, g, b) >> 2) + 3, cast(Int(13), 6)), cast(Int(13), 0)), cast(Int(13), 127)), cast(Int(13), -128)));

gate.bound(n, 1, 6).bound(g, 1, 2).bound(b, -2, 3);
h.in().compute_root();
cell.update()
    .fuse(g, b, fused0)
    .split(c.x, "c.xo1", "c.xi1", 6)
    .reorder("c.xo1", n, "c.xi1", fused0)
    .unroll("c.xi1", 4)
    .unroll("c.xo1", 2)
    .unroll(n, 6)
    .systolic({"c.xo1"});
bias.in().compute_at(cell, fused0).single_buffer();
w.in().compute_at(cell, "c.xi1");
w.in().in().compute_at(cell, n);
h.in().in().compute_at(cell, fused0).single_buffer();
bias.in().store_root();
h.in().in().store_root();
