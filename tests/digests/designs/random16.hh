// port_bits=0
ImageParam a(Int(16), 3);
ImageParam b(Int(16), 1);
ImageParam c(UInt(11), 3);

Var i0, i1, i2, x, y, z, xo0, xi0, yo1, yi1;

Func a_stage(Int(16), 3);
a_stage(i0, i1, i2) = min(a(i0, i1, i2), a(i0 + 1, i1, i2));

Func a_stage_stage(Int(32), 3);
a_stage_stage(i0, i1, i2) = max(cast<int32_t>(a_stage(i0, i1, i2)), 16383);

Func a_stage_stage_stage(Int(32), 3);
a_stage_stage_stage(i0, i1, i2) = min(a_stage_stage(i0, i1, i2), a_stage_stage(i0 + 1, i1, i2));

Func a_stage_stage_stage_stage(Int(32), 3);
a_stage_stage_stage_stage(i0, i1, i2) = max(a_stage_stage_stage(i0, i1, i2), 1073741823);

Func f(UInt(16), 3);
f(x, y, z) = max(cast<uint16_t>(a_stage_stage_stage_stage(y, z, x)) << 1 ^ cast<uint16_t>(b(y + 0)) >> 3, cast<uint16_t>(c(x + 0, z + -1, y + 1))) - min(cast<uint16_t>(a_stage_stage_stage_stage(y, z, x)) << 1 ^ cast<uint16_t>(b(y + 0)) >> 3, cast<uint16_t>(c(x + 0, z + -1, y + 1)));

f
    .bound(x, -2, 10)
    .bound(y, 0, 3)
    .bound(z, 0, 5)
    .split(x, xo0, xi0, 5)
    .split(y, yo1, yi1, 4)
    .reorder(z, xo0, yo1, yi1, xi0);
c.in().compute_root();
a.in().compute_at(f, yi1).single_buffer();
a.in().in().compute_at(f, z);
b.in().compute_at(f, xo0);
c.in().in().compute_at(f, yo1);
c.in().in().in().compute_at(f, z).single_buffer();
a.in().in().store_at(f, yo1);
b.in().store_at(f, xi0);
c.in().in().store_at(f, yi1);
c.in().in().in().store_at(f, xo0);
