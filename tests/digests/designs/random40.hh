// port_bits=5
ImageParam image(Int(2), 3);
ImageParam w(Int(4), 4);

Var x, y, k, v, w_1("w"), u, ko0, ki0;
RDom r(-1, 4, 0, 1, 0, 1);

Func constant_exterior_image = BoundaryConditions::constant_exterior(image, 0, {{0, 2}, {0, 6}, {0, 1}});

Func f(Int(13), 3);
f(x, y, k) = cast(Int(13), 5);
f(x, y, k) -= cast(Int(13), constant_exterior_image(x * 2 + r.x * 1, y * 2 + r.y * 1, r.z)) * cast(Int(13), w(r.y, k, r.x, r.z));

Func g(Int(5), 3);
g(v, w_1, u) = cast(Int(5), max(min(f(v, w_1, u) >> 2, cast(Int(13), 15)), cast(Int(13), -16)));

g.bound(v, 1, 1).bound(w_1, 0, 3).bound(u, 0, 6);
f.update().split(k, ko0, ki0, 6).reorder(ko0, r.z, x, r.x, ki0, y, r.y);
image.in().compute_at(f, r.y);
image.in().in().compute_at(f, ko0);
w.in().compute_at(f, r.z);
image.in().store_root();
image.in().in().store_at(f, r.x);
f.in().compute_at(f, y).single_buffer();
f.in().in().compute_at(f, r.z);
