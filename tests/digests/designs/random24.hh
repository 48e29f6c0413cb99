// port_bits=256
ImageParam a(Int(2), 3);

Var x, u;
RDom r(-2, 3);

Func constant_exterior_a = BoundaryConditions::constant_exterior(a, 0, {{0, 5}, {0, 4}, {2, 5}});

Func f(Int(13), 1);
f(x) += cast(Int(13), constant_exterior_a(2, -2 + r.x * 2, 0 + r.x * 1));

Func g(Int(32), 1);
g(u) = max(cast<int32_t>(f(u)), 0);

g.bound(u, -2, 8);
f.update().split(r.x, "r.xo0", "r.xi0", 6).reorder(x, "r.xi0", "r.xo0").unroll("r.xi0", 3);
a.in().compute_at(f, "r.xo0").single_buffer();
