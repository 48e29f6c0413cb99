// port_bits=0
ImageParam image(Int(16), 3);

Var i0, i1, i2, x, y, k, xt0, ko1, ki1;
RDom r(0, 4, 0, 4);

Func image_stage(UInt(6), 3);
image_stage(i0, i1, i2) = cast(UInt(6), max(min(cast(Int(40), image(i0, i1, i2)) * 3 - 5, cast(Int(40), 63)), cast(Int(40), 0)));

Func pool(Int(40), 3);
pool(x, y, k) += cast(Int(40), image_stage(x * 1 + r.x, y * 1 + r.y, k));

Func average(UInt(6), 3);
average(x, y, k) = cast(UInt(6), pool(x, y, k) / 16);

average.bound(x, 0, 5).bound(y, 0, 1).bound(k, 0, 1);
pool.update()
    .tile(r.x, x, r.x, x, "r.xt0", xt0, 2, 2)
    .split(k, ko1, ki1, 5)
    .split(r.y, "r.yo3", "r.yi3", 3)
    .reorder("r.xt0", "r.yi3", x, "r.yo3", xt0, y, ki1, r.x, ko1)
    .unroll("r.yo3", 2);
image.in().compute_at(pool, ko1).single_buffer().capacity(32);
