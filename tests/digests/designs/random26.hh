// port_bits=0
ImageParam bias(Int(4), 1);
ImageParam image(Bool(), 3);
ImageParam w(Int(8), 4);

Var i0, x, y, k, yo0, yi0;
RDom r(-2, 4, 0, 3, 0, 2);

Func bias_stage(UInt(6), 1);
bias_stage(i0) = cast(UInt(6), max(min(cast(Int(40), bias(i0)) * 3 - 5, cast(Int(40), 63)), cast(Int(40), 0)));

Func f(Int(40), 3);
f(x, y, k) = cast(Int(40), bias_stage(x));
f(x, y, k) += max(min(cast(Int(40), image(x * 1 + r.x * 2, y * 1 + r.y * 2, r.z)), cast(Int(40), 20)), cast(Int(40), -3)) * cast(Int(40), w(r.z, k, r.x, r.y));

f.bound(x, 0, 6).bound(y, -2, 5).bound(k, 0, 1);
f.update()
    .split(y, yo0, yi0, 4)
    .reorder(yi0, r.x, yo0, x, r.z, k, r.y)
    .dataflow("r.y | r.x", 6, 5)
    .systolic({r.y})
    .systolic({r.x});
bias.in().compute_root();
image.in().compute_root();
image.in().in().compute_at(f, x).single_buffer();
image.in().in().in().compute_at(f, r.x);
image.in().in().in().in().compute_at(f, yi0).single_buffer();
f.in().compute_at(f, r.z);
f.in().in().compute_at(f, r.x).single_buffer();
