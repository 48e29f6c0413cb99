// port_bits=0
ImageParam a(Int(32), 3);
ImageParam w(Int(2), 3);

Var x, y, b, yo0, yi0;
RDom k(0, 7);

Func f(Int(8), 3);
f(x, y, b) += cast<int8_t>(a(y, k.x, b)) * cast<int8_t>(w(k.x, x, b));

f.bound(x, 0, 5).bound(y, 0, 1).bound(b, 1, 2);
f.update().split(y, yo0, yi0, 3).reorder(yo0, b, yi0, k.x, x);
a.in().compute_root();
f.in().compute_at(f, yo0);
