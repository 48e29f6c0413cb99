// port_bits=32
ImageParam image(Int(4), 3);

Var x, y, k;
RDom r(0, 4, 0, 3);

Func pool(Int(24), 3);
pool(x, y, k) += cast(Int(24), image(x * 2 + r.x, y * 2 + r.y, k));

Func average(Int(4), 3);
average(x, y, k) = cast(Int(4), pool(x, y, k) / 12);

average.bound(x, -2, 6).bound(y, -2, 4).bound(k, 0, 1);
pool.update().reorder(x, y, r.y, k, r.x).unroll(r.y, 3).unroll(r.x, 2).systolic({r.x});
