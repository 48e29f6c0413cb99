// port_bits=128
ImageParam a(Int(8), 3);
ImageParam b(UInt(4), 3);
ImageParam c(Int(8), 2);

Var i0, i1, x, y, z;

Func c_stage(UInt(6), 2);
c_stage(i0, i1) = cast(UInt(6), max(min(cast(Int(40), c(i0, i1)) * 3 - 5, cast(Int(40), 63)), cast(Int(40), 0)));

Func c_stage_stage(UInt(6), 2);
c_stage_stage(i0, i1) = select((i0 & 1) == 0, c_stage(i0, i1), c_stage(i0, i1) ^ 1);

Func f(UInt(16), 3);
f(x, y, z) = (max(cast<uint16_t>(a(y, x, z)), cast<uint16_t>(b(z + 1, y + 1, x + -1))) - min(cast<uint16_t>(a(y, x, z)), cast<uint16_t>(b(z + 1, y + 1, x + -1)))) * cast<uint16_t>(c_stage_stage(y + 0, x + 1));

f.bound(x, 0, 8).bound(y, 0, 1).bound(z, 1, 4).reorder(x, z, y).unroll(z, 4).unroll(x, 3);
