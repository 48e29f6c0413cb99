// port_bits=32
ImageParam a(Int(4), 1);

Var x, y;
RDom r(0, 1, -1, 1, -1, 1);

Func constant_exterior_a = BoundaryConditions::constant_exterior(a, 0, {{1, 7}});

Func f(Int(16), 2);
f(x, y) += cast<int16_t>(constant_exterior_a(-2 + r.y * 3));

f.bound(x, -2, 6).bound(y, 1, 3);
f.update().reorder(y, r.z, r.y, r.x, x);
a.in().compute_at(f, r.y).store_at(f, x);
f.in().compute_at(f, r.z);
