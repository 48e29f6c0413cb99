// port_bits=12
ImageParam image(UInt(4), 3);

Var i0, i1, i2, x, y, k, ko0, ki0, xo1, xi1, xo1o2, xo1i2;
RDom r(0, 2, 0, 1);

Func image_stage(UInt(6), 3);
image_stage(i0, i1, i2) = cast(UInt(6), max(min(cast(Int(40), image(i0, i1, i2)) * 3 - 5, cast(Int(40), 63)), cast(Int(40), 0)));

Func pool(Int(24), 3);
pool(x, y, k) += cast(Int(24), image_stage(x * 3 + r.x, y * 3 + r.y, k));

Func average(UInt(6), 3);
average(x, y, k) = cast(UInt(6), pool(x, y, k) / 2);

average.bound(x, 0, 1).bound(y, 0, 3).bound(k, -2, 1);
pool.update()
    .split(k, ko0, ki0, 4)
    .split(x, xo1, xi1, 4)
    .split(xo1, xo1o2, xo1i2, 5)
    .reorder(r.y, y, xo1o2, ki0, r.x, xi1, xo1i2, ko0);
image.in().compute_at(pool, xo1i2).single_buffer();
image.in().in().compute_at(pool, ki0).single_buffer();
image.in().in().in().compute_at(pool, r.y).store_at(pool, xo1o2).capacity(4);
