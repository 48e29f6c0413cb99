// port_bits=0
ImageParam image(UInt(11), 4);
ImageParam w(UInt(11), 5);

Var x, y, k, g, go0, gi0, kt1, yt1, xo2, xi2;
RDom r(-1, 4, 0, 1, 0, 1);

Func f(Int(16), 4);
f(x, y, k, g) -= cast<int16_t>(image(x * 1 + r.x * 1, y * 1 + r.y * 1, r.z, g)) * cast<int16_t>(w(g, r.y, k, r.z, r.x));

f.bound(x, 0, 6).bound(y, 0, 7).bound(k, 0, 4).bound(g, 1, 2);
f.update()
    .split(g, go0, gi0, 4)
    .tile(k, y, k, y, kt1, yt1, 3, 4)
    .split(x, xo2, xi2, 2)
    .reorder(yt1, gi0, r.x, xo2, k, go0, r.y, r.z, kt1, xi2, y)
    .unroll(kt1, 3)
    .systolic({kt1});
image.in().compute_at(f, xi2).single_buffer();
w.in().compute_at(f, k).single_buffer();
f.in().compute_at(f, kt1);
