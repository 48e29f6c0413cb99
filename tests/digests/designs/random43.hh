// port_bits=5
ImageParam image(Int(7), 3);
ImageParam w(Int(2), 4);

Var x, y, k, u, v, w_1("w");
RDom r(-2, 4, 0, 3, 0, 1);

Func f(Int(32), 3);
f(x, y, k) = 5;
f(x, y, k) *= cast<int32_t>(image(x * 1 + r.x * 1, y * 1 + r.y * 1, r.z)) * cast<int32_t>(w(r.z, r.x, k, r.y));

Func g(Int(5), 3);
g(u, v, w_1) = cast(Int(5), max(min(f(w_1, v, u) >> 3, 15), -16));

g.bound(u, 0, 4).bound(v, -2, 3).bound(w_1, 1, 1);
image.in().compute_root();
w.in().compute_root();
f.update()
    .reorder(k, r.x, r.z, y, r.y, x)
    .unroll(r.x, 3)
    .unroll(r.y, 2)
    .unroll(y, 2)
    .systolic({r.x});
