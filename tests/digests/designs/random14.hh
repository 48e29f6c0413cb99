// port_bits=128
ImageParam bias(Int(2), 3);
ImageParam image(Int(4), 3);
ImageParam w(Int(2), 3);
ImageParam shift(UInt(11), 1);

Var i0, i1, i2, x, y, k, b, u, t, w_1("w"), v;
RDom r(-2, 1, 0, 1, 0, 2);

Func bias_stage(Int(2), 3);
bias_stage(i0, i1, i2) = select((i0 & 1) == 0, bias(i0, i1, i2), bias(i0, i1, i2) ^ 1);

Func constant_exterior_image = BoundaryConditions::constant_exterior(image, 7, {{0, 4}, {0, 8}, {0, 2}});

Func f(Int(16), 4);
f(x, y, k, b) = cast<int16_t>(bias_stage(x, k, b));
f(x, y, k, b) *= select((cast<int16_t>(constant_exterior_image(x * 2 + r.x * 2, y * 2 + r.y * 2, b)) & 1) == 0, cast<int16_t>(constant_exterior_image(x * 2 + r.x * 2, y * 2 + r.y * 2, b)) - cast<int16_t>(w(k, r.x, r.y)), cast<int16_t>(w(k, r.x, r.y)));

Func g(Int(16), 4);
g(u, t, w_1, v) = f(t, u, v, w_1) + cast<int16_t>(shift(t));

g.bound(u, 0, 4).bound(t, 0, 2).bound(w_1, -2, 1).bound(v, 0, 3);
bias.in().compute_root();
shift.in().compute_root();
f.update().reorder(r.z, r.y, r.x, x, k, y, b).unroll(x, 2).unroll(k, 2).systolic({x});
image.in().compute_at(f, y);
w.in().compute_at(f, y).single_buffer();
