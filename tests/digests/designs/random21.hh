// port_bits=8
ImageParam bias(Int(7), 2);
ImageParam u(UInt(8), 2);
ImageParam w(Bool(), 3);
ImageParam h(UInt(8), 2);
ImageParam v(UInt(11), 3);

Var i0, i1, n, g, b, no0, ni0, no0o2, no0i2, no0o2o3, no0o2i3;
RDom c(0, 4);

Func bias_stage(Int(7), 2);
bias_stage(i0, i1) = min(bias(i0, i1), bias(i0 + 1, i1));

Func cell(UInt(16), 3);
cell(n, g, b) = cast<uint16_t>(bias_stage(n, g));
cell(n, g, b) += cast<uint16_t>(u(c.x, b)) * cast<uint16_t>(w(c.x, n, g)) + cast<uint16_t>(h(c.x, b)) * cast<uint16_t>(v(n, c.x, g));

Func gate(Int(8), 3);
gate(n, g, b) = cast<int8_t>(min(max(min((cell(n, g, b) >> 2) + 3, cast<uint16_t>(6)), cast<uint16_t>(0)), cast<uint16_t>(127)));

gate.bound(n, 0, 6).bound(g, 0, 1).bound(b, 0, 3);
v.in().compute_root();
cell.update()
    .split(n, no0, ni0, 3)
    .split(no0, no0o2, no0i2, 5)
    .split(no0o2, no0o2o3, no0o2i3, 6)
    .reorder(b, g, c.x, ni0, no0o2i3, no0i2, no0o2o3);
bias.in().compute_at(cell, ni0);
u.in().compute_at(cell, c.x);
w.in().compute_at(cell, no0o2i3).single_buffer();
w.in().in().compute_at(cell, b);
h.in().compute_at(cell, no0o2i3);
h.in().in().compute_at(cell, c.x);
v.in().in().compute_at(cell, ni0);
v.in().in().in().compute_at(cell, g);
bias.in().store_at(cell, no0i2);
u.in().store_at(cell, no0o2i3);
w.in().store_root();
w.in().in().store_at(cell, no0o2i3);
v.in().in().store_at(cell, no0o2o3);
v.in().in().in().store_at(cell, ni0);
