// A matrix product on a 4x4 systolic array, C | K: the reduction over c runs down the array as chains of partial
// sums, four columns n of the product lie across it, and the elements of a travel from PE to PE.

const int M = 32, N = 32, C = 32;

ImageParam a(Int(8), 2);
ImageParam b(Int(8), 2);

Var n, m, mo, mi;
RDom c(0, C);
Func product(Int(32), 2);

product(n, m) += cast<int32_t>(a(c, m)) * cast<int32_t>(b(n, c));

product.set_bounds({{0, N}, {0, M}});
product.update().split(m, mo, mi, 8).dataflow("c.x | n", 4, 4).systolic({c, n});

a.in().compute_at(product, mo);
b.in().compute_at(product, mo);

product.accelerate({a, b});
