// port_bits=8
ImageParam image(Int(2), 3);

Var x, y, k, fused0;
RDom r(0, 2, 0, 3);

Func pool(Int(2), 3);
pool(x, y, k) = cast(Int(2), -2);
pool(x, y, k) = max(pool(x, y, k), image(x * 2 + r.x, y * 2 + r.y, k));

pool.bound(x, -2, 5).bound(y, 0, 7).bound(k, 0, 3);
pool.update()
    .fuse(x, y, fused0)
    .split(r.y, "r.yo1", "r.yi1", 2)
    .split("r.yo1", "r.yo1o2", "r.yo1i2", 5)
    .reorder("r.yi1", r.x, fused0, k, "r.yo1o2", "r.yo1i2")
    .unroll("r.yo1i2", 2);
image.in().compute_root();
