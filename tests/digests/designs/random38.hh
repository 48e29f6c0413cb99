// port_bits=4
ImageParam image(Bool(), 3);

Var x, y, k, xo0, xi0, ko1, ki1;
RDom r(0, 3, 0, 2);

Func pool(Bool(), 3);
pool(x, y, k) = cast<bool>(0);
pool(x, y, k) = max(pool(x, y, k), image(x * 3 + r.x, y * 3 + r.y, k));

pool.bound(x, 0, 1).bound(y, -2, 7).bound(k, 0, 1);
pool.update().split(x, xo0, xi0, 5).split(k, ko1, ki1, 6).reorder(r.y, ki1, xi0, y, xo0, ko1, r.x);
pool.in().compute_at(pool, y);
