// port_bits=0
ImageParam a(UInt(11), 2);
ImageParam w(Int(2), 2);

Var x, y, yo0, yi0, yi0o1, yi0i1;
RDom k(0, 5);

Func f(Int(13), 2);
f(x, y) -= cast(Int(13), a(k.x, y)) * cast(Int(13), w(k.x, x));

f.bound(x, 0, 12).bound(y, 0, 4);
f.update()
    .split(y, yo0, yi0, 2)
    .split(yi0, yi0o1, yi0i1, 6)
    .reorder(x, yo0, yi0o1, k.x, yi0i1)
    .unroll(yi0i1, 2)
    .unroll(yo0, 2)
    .systolic({yi0i1});
w.in().compute_root();
a.in().compute_at(f, k.x);
f.in().compute_at(f, yo0).single_buffer();
f.in().in().compute_at(f, x);
