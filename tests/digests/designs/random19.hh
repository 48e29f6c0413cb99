// port_bits=0
ImageParam bias(Int(7), 3);
ImageParam image(Bool(), 3);
ImageParam w(Bool(), 4);

Var x, y, k;
RDom r(-2, 1, 0, 1, 0, 4);

Func f(Int(40), 3);
f(x, y, k) = cast(Int(40), bias(x, k, y));
f(x, y, k) = min(cast(Int(40), image(x * 2 + r.x * 2, y * 2 + r.y * 2, r.z)) * cast(Int(40), w(k, r.x, r.y, r.z)), f(x, y, k));

f.bound(x, 0, 1).bound(y, 0, 8).bound(k, 1, 6);
f.update()
    .tile(r.x, r.y, r.x, r.y, "r.xt0", "r.yt0", 4, 4)
    .reorder(r.x, r.y, k, r.z, "r.yt0", y, "r.xt0", x)
    .dataflow("r.yt0 | r.x", 2, 6)
    .unroll(k, 6);
bias.in().compute_at(f, x);
image.in().compute_at(f, r.z);
w.in().compute_at(f, x);
image.in().store_at(f, y);
