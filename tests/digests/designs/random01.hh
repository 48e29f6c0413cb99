// port_bits=32
ImageParam bias(UInt(8), 2);
ImageParam u(Int(8), 2);
ImageParam w(Bool(), 3);
ImageParam h(Int(32), 2);
ImageParam v(Int(2), 3);

Var n, g, b, nt0, bt1, gt2;
RDom c(0, 10);

Func cell(Int(16), 3);
cell(n, g, b) = cast<int16_t>(bias(n, g));
cell(n, g, b) += cast<int16_t>(u(c.x, b)) * cast<int16_t>(w(c.x, n, g)) + cast<int16_t>(h(c.x, b)) * cast<int16_t>(v(n, c.x, g));

Func gate(Int(8), 3);
gate(n, g, b) = cast<int8_t>(max(min(max(min((cell(n, g, b) >> 2) + 3, cast<int16_t>(6)), cast<int16_t>(0)), cast<int16_t>(127)), cast<int16_t>(-128)));

gate.bound(n, -2, 5).bound(g, 0, 4).bound(b, -2, 3);
bias.in().compute_root();
cell.update()
    .tile(c.x, n, c.x, n, "c.xt0", nt0, 3, 5)
    .tile(b, c.x, b, c.x, bt1, "c.xt1", 2, 4)
    .tile(g, "c.xt0", g, "c.xt0", gt2, "c.xt0t2", 2, 4)
    .reorder("c.xt1", "c.xt0t2", "c.xt0", c.x, g, bt1, nt0, n, gt2, b)
    .unroll(g, 2)
    .unroll("c.xt1", 4)
    .systolic({"c.xt1"});
bias.in().in().compute_at(cell, nt0);
u.in().compute_at(cell, gt2);
u.in().in().compute_at(cell, n);
u.in().in().in().compute_at(cell, nt0);
v.in().compute_at(cell, n);
v.in().in().compute_at(cell, nt0);
v.in().in().in().compute_at(cell, bt1).single_buffer();
u.in().in().in().store_at(cell, n);
