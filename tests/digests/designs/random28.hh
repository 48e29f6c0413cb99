// port_bits=256
ImageParam bias(Int(4), 2);
ImageParam image(UInt(4), 2);
ImageParam w(Int(2), 3);

Var x, y, k;
RDom r(0, 1, 0, 1, 0, 2);

Func f(Int(64), 3);
f(x, y, k) = cast<int64_t>(bias(x, k));
f(x, y, k) += cast<int64_t>(image(x * 1 + r.x * 2, y * 1 + r.y * 2)) * cast<int64_t>(w(r.y, k, r.x));

f.bound(x, 0, 4).bound(y, 0, 4).bound(k, 0, 2);
f.update()
    .split(r.z, "r.zo0", "r.zi0", 5)
    .tile("r.zo0", "r.zi0", "r.zo0", "r.zi0", "r.zo0t1", "r.zi0t1", 2, 5)
    .split(r.y, "r.yo2", "r.yi2", 6)
    .split("r.yo2", "r.yo2o3", "r.yo2i3", 3)
    .reorder("r.yi2", "r.zi0", "r.yo2i3", "r.zo0t1", "r.zo0", y, "r.yo2o3", r.x, "r.zi0t1", k, x)
    .dataflow("r.zo0 | r.zo0t1", 7, 5)
    .unroll(y, 3);
bias.in().compute_at(f, x);
bias.in().in().compute_at(f, k);
w.in().compute_at(f, x).single_buffer();
w.in().in().compute_at(f, k).single_buffer();
w.in().in().in().compute_at(f, r.x).single_buffer();
bias.in().in().store_at(f, x);
w.in().store_root();
w.in().in().store_at(f, x);
bias.in().capacity(5);
