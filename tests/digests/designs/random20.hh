// port_bits=128
ImageParam a(Int(32), 3);
ImageParam b(UInt(11), 3);
ImageParam c(Int(32), 1);

Var x, y, z, zo0, zi0;

Func f(Int(16), 3);
f(x, y, z) = max(cast<int16_t>(a(x, y, z)) * cast<int16_t>(b(y + 1, x + -1, z + 0)), cast<int16_t>(c(x + 1))) - min(cast<int16_t>(a(x, y, z)) * cast<int16_t>(b(y + 1, x + -1, z + 0)), cast<int16_t>(c(x + 1)));

f
    .bound(x, 1, 8)
    .bound(y, 1, 5)
    .bound(z, 0, 5)
    .split(z, zo0, zi0, 4)
    .reorder(zi0, y, x, zo0)
    .dataflow("zo0 | zi0", 5, 8)
    .unroll(y, 2)
    .systolic({zo0})
    .systolic({y});
c.in().compute_root();
c.in().in().compute_at(f, y).single_buffer();
c.in().in().in().compute_at(f, zi0).single_buffer();
