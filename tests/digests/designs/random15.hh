// port_bits=128
ImageParam a(UInt(8), 3);
ImageParam b(Int(32), 3);

Var i0, i1, i2, x, y, yo0, yi0;

Func repeat_image_a = BoundaryConditions::repeat_image(a, {{1, 4}, {-1, 3}, {0, 1}});

Func repeat_image_a_stage(Int(32), 3);
repeat_image_a_stage(i0, i1, i2) = max(cast<int32_t>(repeat_image_a(i0, i1, i2)), 127);

Func f(Int(32), 2);
f(x, y) = max(repeat_image_a_stage(-2 + y * 2, -2 + x * 1 + y * 2, -1 + x * 1), b(1, -1 + y * 1, 1 + y * 2)) - min(repeat_image_a_stage(-2 + y * 2, -2 + x * 1 + y * 2, -1 + x * 1), b(1, -1 + y * 1, 1 + y * 2)) + y;

f.bound(x, 0, 1).bound(y, 0, 7).split(y, yo0, yi0, 5).reorder(yi0, yo0, x);
a.in().compute_at(f, x);
b.in().compute_at(f, x).single_buffer();
b.in().in().compute_at(f, yo0);
b.in().in().in().compute_at(f, yi0);
a.in().store_root();
b.in().store_root();
