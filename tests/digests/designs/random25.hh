// port_bits=28
ImageParam image(Int(7), 3);

Var x, y, k, ko0, ki0;
RDom r(0, 3, 0, 1);

Func pool(Int(7), 3);
pool(x, y, k) = cast(Int(7), -64);
pool(x, y, k) = max(pool(x, y, k), image(x * 1 + r.x, y * 1 + r.y, k));

pool.bound(x, -2, 3).bound(y, 0, 6).bound(k, 0, 4);
pool.update()
    .split(k, ko0, ki0, 3)
    .reorder(y, r.y, r.x, ko0, x, ki0)
    .unroll(y, 4)
    .unroll(r.x, 3)
    .unroll(ko0, 2)
    .systolic({y});
image.in().compute_root();
