// port_bits=16
ImageParam image(UInt(8), 3);
ImageParam w(UInt(4), 4);
ImageParam shift(Int(7), 1);

Var x, y, k, v, u, w_1("w"), yo0, yi0;
RDom r(0, 2, 0, 2, 0, 1);

Func constant_exterior_image = BoundaryConditions::constant_exterior(image, 0, {{0, 6}, {0, 6}, {0, 1}});

Func f(Int(24), 3);
f(x, y, k) = cast(Int(24), 5);
f(x, y, k) += select((cast(Int(24), constant_exterior_image(x * 1 + r.x * 1, y * 1 + r.y * 1, r.z)) & 1) == 0, cast(Int(24), constant_exterior_image(x * 1 + r.x * 1, y * 1 + r.y * 1, r.z)) - cast(Int(24), w(r.y, r.z, k, r.x)), cast(Int(24), w(r.y, r.z, k, r.x)));

Func g(Int(16), 3);
g(v, u, w_1) = cast<int16_t>(f(u, w_1, v)) + cast<int16_t>(shift(u));

g.bound(v, 0, 4).bound(u, -2, 6).bound(w_1, 1, 6);
f.update().split(y, yo0, yi0, 6).reorder(yo0, r.z, r.x, r.y, k, x, yi0);
w.in().compute_at(f, r.x);
