// port_bits=512
ImageParam a(UInt(8), 3);
ImageParam b(Bool(), 1);

Var i0, i1, i2, x, y, z;

Func a_stage(UInt(8), 3);
a_stage(i0, i1, i2) = select((i0 & 1) == 0, a(i0, i1, i2), a(i0, i1, i2) ^ 1);

Func f(Int(64), 3);
f(x, y, z) = cast<int64_t>(a_stage(x, z, y)) + cast<int64_t>(b(x + -1));

f
    .bound(x, 0, 12)
    .bound(y, 0, 2)
    .bound(z, -2, 4)
    .reorder(y, x, z)
    .unroll(x, 5)
    .unroll(y, 2)
    .systolic({x})
    .systolic({y});
a.in().compute_at(f, z).single_buffer();
b.in().compute_at(f, z);
