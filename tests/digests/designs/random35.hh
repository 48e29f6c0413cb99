// port_bits=4
ImageParam image(Int(2), 3);

Var x, y, k, kt0, xt0, xt0t1, kt1;
RDom r(0, 4, 0, 4);

Func pool(Int(2), 3);
pool(x, y, k) = cast(Int(2), -2);
pool(x, y, k) = max(pool(x, y, k), image(x * 1 + r.x, y * 1 + r.y, k));

pool.bound(x, 0, 3).bound(y, 1, 7).bound(k, 0, 2);
pool.update()
    .tile(k, x, k, x, kt0, xt0, 3, 5)
    .tile(xt0, k, xt0, k, xt0t1, kt1, 2, 4)
    .reorder(kt1, k, kt0, y, xt0t1, r.x, xt0, r.y, x)
    .unroll(r.y, 2);
image.in().compute_at(pool, x);
