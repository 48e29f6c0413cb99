// port_bits=64
ImageParam a(Bool(), 2);
ImageParam w(Int(2), 2);

Var x, y, xo0, xi0, xo0o1, xo0i1;
RDom k(0, 12);

Func f(UInt(16), 2);
f(x, y) -= cast<uint16_t>(a(y, k.x)) * cast<uint16_t>(w(x, k.x));

f.bound(x, 0, 10).bound(y, 0, 3);
f.update()
    .split(x, xo0, xi0, 5)
    .split(xo0, xo0o1, xo0i1, 4)
    .reorder(y, xo0o1, xo0i1, k.x, xi0)
    .dataflow("k.x | xi0", 5, 2)
    .systolic({k.x});
w.in().compute_root();
