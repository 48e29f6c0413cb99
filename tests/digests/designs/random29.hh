// port_bits=128
ImageParam image(Int(16), 3);

Var i0, i1, i2, x, y, k, fused1;
RDom r(0, 4, 0, 3);

Func image_stage(Int(16), 3);
image_stage(i0, i1, i2) = min(image(i0, i1, i2), image(i0 + 1, i1, i2));

Func pool(Int(16), 3);
pool(x, y, k) = cast<int16_t>(-32768);
pool(x, y, k) = max(pool(x, y, k), image_stage(x * 2 + r.x, y * 2 + r.y, k));

pool.bound(x, -2, 7).bound(y, 0, 1).bound(k, 0, 3);
pool.update()
    .split(r.x, "r.xo0", "r.xi0", 3)
    .fuse(x, y, fused1)
    .split("r.xo0", "r.xo0o2", "r.xo0i2", 6)
    .reorder(r.y, "r.xi0", "r.xo0i2", fused1, k, "r.xo0o2")
    .dataflow("r.xo0i2 | r.xo0o2", 4, 5)
    .unroll(k, 3)
    .unroll("r.xo0i2", 2)
    .systolic({k})
    .systolic({"r.xo0i2"});
image.in().compute_at(pool, "r.xo0o2").single_buffer();
