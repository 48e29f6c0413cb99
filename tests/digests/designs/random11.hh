// port_bits=0
ImageParam image(Int(8), 3);

Var x, y, k, ko0, ki0, fused3;
RDom r(0, 1, 0, 4);

Func pool(Int(16), 3);
pool(x, y, k) += cast<int16_t>(image(x * 2 + r.x, y * 2 + r.y, k));

Func average(Int(8), 3);
average(x, y, k) = cast<int8_t>(pool(x, y, k) / 4);

average.bound(x, 0, 4).bound(y, -2, 3).bound(k, 0, 1);
image.in().compute_root();
pool.update()
    .split(k, ko0, ki0, 2)
    .split(r.x, "r.xo1", "r.xi1", 2)
    .split("r.xo1", "r.xo1o2", "r.xo1i2", 5)
    .fuse("r.xo1o2", r.y, fused3)
    .reorder(x, ko0, "r.xi1", "r.xo1i2", fused3, y, ki0)
    .dataflow("r.xi1 | r.xo1i2", 2, 5);
