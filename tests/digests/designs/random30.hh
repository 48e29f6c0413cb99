// port_bits=64
ImageParam image(Int(4), 4);
ImageParam w(Int(2), 4);
ImageParam shift(UInt(4), 1);

Var x, y, k, b, i0, w_1("w"), v, u, t, ko2, ki2;
RDom r(0, 1, 0, 3, 0, 1);

Func f(Int(8), 4);
f(x, y, k, b) += cast<int8_t>(image(x * 3 + r.x * 1, y * 3 + r.y * 1, r.z, b)) * cast<int8_t>(w(k, r.x, r.z, r.y));

Func shift_stage(Int(9), 1);
shift_stage(i0) = cast(Int(9), max(min(cast(Int(40), shift(i0)) * 3 - 5, cast(Int(40), 255)), cast(Int(40), -256)));

Func g(Int(16), 4);
g(w_1, v, u, t) = cast<int16_t>(f(w_1, u, v, t)) + cast<int16_t>(shift_stage(w_1));

g.bound(w_1, 0, 7).bound(v, 0, 5).bound(u, 0, 6).bound(t, 0, 1);
f.update()
    .split(r.z, "r.zo1", "r.zi1", 5)
    .split(k, ko2, ki2, 2)
    .reorder("r.zo1", ki2, b, y, x, r.x, "r.zi1", r.y, ko2)
    .unroll(ko2, 2)
    .unroll(x, 4)
    .systolic({ko2})
    .systolic({x});
w.in().compute_at(f, "r.zo1").single_buffer();
