// port_bits=10
ImageParam image(UInt(11), 3);
ImageParam w(Int(16), 4);

Var x, y, k, w_1("w"), v, u;
RDom r(-2, 2, 0, 2, 0, 2);

Func constant_exterior_image = BoundaryConditions::constant_exterior(image, 0, {{0, 9}, {0, 6}, {0, 2}});

Func f(Int(8), 3);
f(x, y, k) = cast<int8_t>(5);
f(x, y, k) += cast<int8_t>(constant_exterior_image(x * 3 + r.x * 1, y * 3 + r.y * 1, r.z)) * cast<int8_t>(w(r.z, r.x, r.y, k));

Func g(Int(5), 3);
g(w_1, v, u) = cast(Int(5), max(min(f(w_1, v, u) >> 1, cast<int8_t>(15)), cast<int8_t>(-16)));

g.bound(w_1, -2, 3).bound(v, 1, 2).bound(u, 0, 6);
f.update().reorder(r.x, r.z, k, y, r.y, x).dataflow("r.z | x", 8, 5).unroll(r.z, 2).systolic({r.z});
w.in().compute_at(f, r.z).capacity(5);
f.in().compute_at(f, r.y);
f.in().in().compute_at(f, k).single_buffer();
