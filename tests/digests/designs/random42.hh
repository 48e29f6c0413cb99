// port_bits=256
ImageParam image(UInt(8), 4);
ImageParam w(Int(32), 5);

Var x, y, k, g_1("g"), w_1("w"), v, t, u, fused0;
RDom r(0, 1, 0, 3, 0, 2);

Func repeat_edge_image = BoundaryConditions::repeat_edge(image, {{0, 14}, {0, 12}, {0, 2}, {0, 2}});

Func f(Int(24), 4);
f(x, y, k, g_1) += cast(Int(24), repeat_edge_image(x * 2 + r.x * 2, y * 2 + r.y * 2, r.z, g_1)) * cast(Int(24), w(g_1, r.x, r.y, r.z, k));

Func g(Int(32), 4);
g(w_1, v, t, u) = max(cast<int32_t>(f(u, w_1, v, t)), 0);

g.bound(w_1, 0, 6).bound(v, 0, 2).bound(t, 1, 2).bound(u, 0, 7);
f.update()
    .fuse(x, y, fused0)
    .split(r.y, "r.yo2", "r.yi2", 2)
    .tile(r.x, "r.yo2", r.x, "r.yo2", "r.xt3", "r.yo2t3", 2, 5)
    .reorder(g_1, r.x, r.z, fused0, "r.xt3", "r.yi2", "r.yo2t3", k, "r.yo2");
w.in().compute_at(f, fused0);
w.in().in().compute_at(f, g_1).store_at(f, r.x).capacity(4);
