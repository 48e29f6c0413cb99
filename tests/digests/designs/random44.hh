// port_bits=0
ImageParam a(Int(2), 2);
ImageParam w(Int(8), 2);

Var x, y, yt1, fused3;
RDom k(0, 4);

Func f(Int(24), 2);
f(x, y) -= cast(Int(24), a(y, k.x)) * cast(Int(24), w(x, k.x));

f.bound(x, 0, 4).bound(y, 0, 7);
f.update()
    .split(k.x, "k.xo0", "k.xi0", 4)
    .tile(y, "k.xi0", y, "k.xi0", yt1, "k.xi0t1", 5, 3)
    .split("k.xo0", "k.xo0o2", "k.xo0i2", 4)
    .fuse("k.xi0t1", "k.xo0i2", fused3)
    .reorder(fused3, x, "k.xo0o2", y, "k.xi0", yt1)
    .dataflow("k.xo0o2 | k.xi0", 4, 4)
    .unroll(y, 2)
    .systolic({"k.xi0"})
    .systolic({y});
a.in().compute_root();
w.in().compute_at(f, yt1).store_root();
