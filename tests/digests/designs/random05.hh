// port_bits=64
ImageParam image(Bool(), 3);
ImageParam w(Int(2), 4);
ImageParam scale(Int(16), 1);

Var x, y, k, u, v, w_1("w"), xo0, xi0, yo1, yi1, xo0o2, xo0i2, xo0i2o3, xo0i2i3;
RDom r(-2, 4, 0, 2, 0, 4);

Func f(UInt(16), 3);
f(x, y, k) -= cast<uint16_t>(image(x * 1 + r.x * 2, y * 1 + r.y * 2, r.z)) * cast<uint16_t>(w(r.x, r.y, r.z, k));

Func g(Int(8), 3);
g(u, v, w_1) = cast<int8_t>(max(min((cast(Int(48), f(w_1, v, u)) * cast(Int(48), scale(w_1)) + 8 >> 4) + 1, cast(Int(48), 127)), cast(Int(48), -128)));

g.bound(u, -2, 2).bound(v, 1, 1).bound(w_1, 0, 4);
f.update()
    .split(x, xo0, xi0, 2)
    .split(y, yo1, yi1, 3)
    .split(xo0, xo0o2, xo0i2, 5)
    .split(xo0i2, xo0i2o3, xo0i2i3, 6)
    .reorder(xo0i2i3, r.y, xi0, yo1, k, r.z, xo0o2, xo0i2o3, yi1, r.x)
    .unroll(k, 2)
    .systolic({k});
image.in().compute_at(f, r.x).single_buffer();
w.in().compute_at(f, r.x).single_buffer();
w.in().in().compute_at(f, yi1);
w.in().in().in().compute_at(f, xo0o2).single_buffer();
image.in().store_root();
w.in().in().store_at(f, r.x);
f.in().compute_at(f, xo0i2o3);
f.in().in().compute_at(f, xi0);
