// port_bits=16
ImageParam bias(Int(2), 2);
ImageParam u(UInt(4), 2);
ImageParam w(UInt(8), 3);
ImageParam h(Int(16), 2);
ImageParam v(Int(16), 3);

Var i0, i1, n, g, b, bt0, gt0;
RDom c(0, 10);

Func bias_stage(Int(32), 2);
bias_stage(i0, i1) = max(cast<int32_t>(bias(i0, i1)), 0);

Func u_stage(Int(32), 2);
u_stage(i0, i1) = max(cast<int32_t>(u(i0, i1)), 7);

Func bias_stage_stage(Int(9), 2);
bias_stage_stage(i0, i1) = cast(Int(9), max(min(cast(Int(40), bias_stage(i0, i1)) * 3 - 5, cast(Int(40), 255)), cast(Int(40), -256)));

Func cell(Int(24), 3);
cell(n, g, b) = cast(Int(24), bias_stage_stage(n, g));
cell(n, g, b) += cast(Int(24), u_stage(c.x, b)) * cast(Int(24), w(c.x, n, g)) + cast(Int(24), h(c.x, b)) * cast(Int(24), v(n, c.x, g));

Func gate(Int(8), 3);
gate(n, g, b) = cast<int8_t>(max(min(max(min((cell(n, g, b) >> 2) + 3, cast(Int(24), 6)), cast(Int(24), 0)), cast(Int(24), 127)), cast(Int(24), -128)));

gate.bound(n, 0, 6).bound(g, 0, 3).bound(b, 0, 3);
w.in().compute_root();
cell.update()
    .tile(b, g, b, g, bt0, gt0, 3, 2)
    .split(c.x, "c.xo1", "c.xi1", 6)
    .reorder(bt0, n, "c.xo1", "c.xi1", gt0, g, b);
bias.in().compute_at(cell, b).single_buffer();
bias.in().in().compute_at(cell, g).single_buffer();
u.in().compute_at(cell, "c.xo1");
u.in().in().compute_at(cell, n).single_buffer();
w.in().in().compute_at(cell, gt0);
h.in().compute_at(cell, bt0);
v.in().compute_at(cell, bt0).single_buffer().store_root();
