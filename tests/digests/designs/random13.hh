// port_bits=32
ImageParam a(Bool(), 1);
ImageParam b(UInt(11), 1);

Var x, y, z, u, v, w, xo0, xi0, xo0o1, xo0i1, xo0i1o2, xo0i1i2, fused3;

Func constant_exterior_a = BoundaryConditions::constant_exterior(a, 1, {{-1, 3}});

Func repeat_image_b = BoundaryConditions::repeat_image(b, {{-1, 4}});

Func f(Int(16), 3);
f(x, y, z) -= cast<int16_t>(constant_exterior_a(2 + x * 2)) + cast<int16_t>(repeat_image_b(-2));

Func g(Int(32), 3);
g(u, v, w) = max(cast<int32_t>(f(w, u, v)), 0);

g.bound(u, 0, 4).bound(v, -2, 4).bound(w, 1, 4);
f.update()
    .split(x, xo0, xi0, 4)
    .split(xo0, xo0o1, xo0i1, 6)
    .split(xo0i1, xo0i1o2, xo0i1i2, 5)
    .fuse(xo0i1o2, xo0o1, fused3)
    .reorder(y, fused3, xo0i1i2, z, xi0)
    .unroll(y, 4)
    .unroll(fused3, 7)
    .systolic({fused3})
    .systolic({y});
a.in().compute_at(f, xo0i1i2).single_buffer();
b.in().compute_at(f, xi0);
a.in().store_at(f, z);
b.in().store_root();
