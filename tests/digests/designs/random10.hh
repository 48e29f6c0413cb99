// port_bits=32
ImageParam bias(Int(4), 1);
ImageParam a(Int(32), 2);
ImageParam b(Int(8), 1);
ImageParam scale(UInt(11), 1);

Var x, u;
RDom r(2, 2);

Func f(Int(13), 1);
f(x) = cast(Int(13), bias(x));
f(x) = max(f(x), select(cast(Int(13), a(-2 + r.x * 1 + x * 3, -1 + r.x * 1 + x * 1)) > cast(Int(13), b(-2 + r.x * 1)), cast(Int(13), b(-2 + r.x * 1)), cast(Int(13), a(-2 + r.x * 1 + x * 3, -1 + r.x * 1 + x * 1)) + 1));

Func g(Int(8), 1);
g(u) = cast<int8_t>(max(min((cast(Int(48), f(u)) * cast(Int(48), scale(u)) + 8 >> 4) + 1, cast(Int(48), 127)), cast(Int(48), -128)));

g.bound(u, 1, 8);
f.update().reorder(r.x, x);
bias.in().compute_at(f, x).single_buffer();
a.in().compute_at(f, r.x);
bias.in().store_root();
