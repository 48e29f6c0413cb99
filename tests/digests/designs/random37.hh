// port_bits=104
ImageParam bias(Int(32), 1);
ImageParam a(UInt(11), 2);
ImageParam w(Int(16), 2);

Var x, y, fused0, fused0t1, fused0t1o2, fused0t1i2;
RDom k(0, 6);

Func f(Int(13), 2);
f(x, y) = cast(Int(13), bias(x));
f(x, y) = max(f(x, y), cast(Int(13), a(k.x, y)) * cast(Int(13), w(k.x, x)));

f.bound(x, 0, 1).bound(y, -2, 2);
f.update()
    .fuse(x, y, fused0)
    .tile(fused0, k.x, fused0, k.x, fused0t1, "k.xt1", 3, 5)
    .split(fused0t1, fused0t1o2, fused0t1i2, 3)
    .reorder(k.x, "k.xt1", fused0, fused0t1i2, fused0t1o2)
    .unroll(k.x, 2)
    .systolic({k.x});
w.in().compute_root();
bias.in().compute_at(f, fused0t1i2).single_buffer();
w.in().in().compute_at(f, fused0t1o2);
w.in().in().in().compute_at(f, fused0t1i2);
bias.in().store_root();
w.in().in().store_root();
w.in().in().in().store_at(f, fused0t1o2);
