// port_bits=32
ImageParam a(UInt(4), 3);

Var x, y, fused0;

Func repeat_edge_a = BoundaryConditions::repeat_edge(a, {{0, 8}, {0, 3}, {2, 2}});

Func f(UInt(16), 2);
f(x, y) = cast<uint16_t>(repeat_edge_a(-1 + x * 1, 1 + x * 1, 0 + x * 1 + y * 1));

f.bound(x, 0, 7).bound(y, 1, 2).fuse(x, y, fused0).reorder(fused0).unroll(fused0, 7);
