// port_bits=16
ImageParam bias(Int(4), 1);
ImageParam a(Bool(), 2);
ImageParam w(Int(4), 2);
ImageParam scale(UInt(8), 1);

Var x, y, u, v, fused0;
RDom k(0, 2);

Func f(Int(16), 2);
f(x, y) = cast<int16_t>(bias(x));
f(x, y) *= cast<int16_t>(a(y, k.x)) * cast<int16_t>(w(k.x, x));

Func g(Int(8), 2);
g(u, v) = cast<int8_t>(max(min((cast(Int(48), f(v, u)) * cast(Int(48), scale(v)) + 8 >> 4) + 1, cast(Int(48), 127)), cast(Int(48), -128)));

g.bound(u, 0, 4).bound(v, 0, 6);
scale.in().compute_root();
f.update().fuse(x, y, fused0).reorder(k.x, fused0).unroll(fused0, 4);
bias.in().compute_at(f, fused0);
f.in().compute_at(f, fused0);
