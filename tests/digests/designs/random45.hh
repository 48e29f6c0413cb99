// port_bits=104
ImageParam a(Int(16), 3);

Var i0, i1, i2, x, y, z, xo0, xi0, xo0o1, xo0i1, xo0i1o2, xo0i1i2;

Func a_stage(Int(9), 3);
a_stage(i0, i1, i2) = cast(Int(9), max(min(cast(Int(40), a(i0, i1, i2)) * 3 - 5, cast(Int(40), 255)), cast(Int(40), -256)));

Func f(Int(13), 3);
f(x, y, z) = cast(Int(13), a_stage(y, z, x));

f
    .bound(x, 0, 9)
    .bound(y, 1, 4)
    .bound(z, 0, 5)
    .split(x, xo0, xi0, 6)
    .split(xo0, xo0o1, xo0i1, 4)
    .split(xo0i1, xo0i1o2, xo0i1i2, 2)
    .reorder(xo0o1, xi0, y, z, xo0i1i2, xo0i1o2)
    .unroll(xo0i1i2, 2)
    .systolic({xo0i1i2});
a.in().compute_root();
a.in().in().compute_at(f, xo0i1o2).single_buffer().store_root();
