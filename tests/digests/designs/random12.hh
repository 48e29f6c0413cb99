// port_bits=20
ImageParam a(Int(4), 2);
ImageParam w(Int(16), 2);

Var x, y, u, v, yo0, yi0, fused1;
RDom k(0, 6);

Func f(Int(8), 2);
f(x, y) = cast<int8_t>(5);
f(x, y) = f(x, y) ^ cast<int8_t>(a(k.x, y)) * cast<int8_t>(w(x, k.x));

Func g(Int(5), 2);
g(u, v) = cast(Int(5), max(min(f(u, v) >> 1, cast<int8_t>(15)), cast<int8_t>(-16)));

g.bound(u, 0, 11).bound(v, -2, 2);
f.update()
    .split(y, yo0, yi0, 3)
    .fuse(yi0, yo0, fused1)
    .split(k.x, "k.xo2", "k.xi2", 4)
    .split("k.xo2", "k.xo2o3", "k.xo2i3", 5)
    .reorder("k.xo2o3", "k.xi2", fused1, x, "k.xo2i3")
    .dataflow("k.xo2o3 | fused1", 5, 3);
w.in().compute_at(f, "k.xo2i3");
