// port_bits=104
ImageParam image(Int(2), 3);
ImageParam w(Int(2), 4);

Var x, y, k, fused0;
RDom r(0, 2, 0, 2, 0, 2);

Func f(Int(13), 3);
f(x, y, k) += cast(Int(13), image(x * 2 + r.x * 1, y * 2 + r.y * 1, r.z)) * cast(Int(13), w(r.x, k, r.z, r.y));

f.bound(x, 1, 4).bound(y, 0, 3).bound(k, 0, 3);
f.update()
    .fuse(y, k, fused0)
    .split(r.x, "r.xo1", "r.xi1", 2)
    .reorder(x, r.z, fused0, "r.xo1", r.y, "r.xi1");
w.in().compute_at(f, "r.xi1");
w.in().in().compute_at(f, x);
