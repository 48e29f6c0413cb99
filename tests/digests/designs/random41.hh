// port_bits=64
ImageParam a(UInt(11), 3);

Var i0, i1, i2, x, y, yo0, yi0, yo0o1, yo0i1;

Func constant_exterior_a = BoundaryConditions::constant_exterior(a, 2047, {{0, 4}, {0, 4}, {2, 5}});

Func constant_exterior_a_stage(UInt(11), 3);
constant_exterior_a_stage(i0, i1, i2) = min(constant_exterior_a(i0, i1, i2), constant_exterior_a(i0 + 1, i1, i2));

Func f(Int(64), 2);
f(x, y) = cast<int64_t>(constant_exterior_a_stage(-2 + y * 3, 0 + y * 1, 0 + y * 1 + x * 1)) + cast<int64_t>(x);

f
    .bound(x, 0, 1)
    .bound(y, 1, 4)
    .split(y, yo0, yi0, 2)
    .split(yo0, yo0o1, yo0i1, 4)
    .reorder(yo0o1, x, yi0, yo0i1)
    .dataflow("x | yo0o1", 7, 8)
    .unroll(yo0i1, 2);
