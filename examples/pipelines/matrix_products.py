"""Two chained matrix products: a row of the first one is all that the second one needs for a row of its own."""

import halidehw as hl


def matrix_products(rows: int = 5, inner: int = 6, middle: int = 8, columns: int = 7, lanes: int = 4) -> hl.Func:
    """(a * b) * d, requantised between them, with so many columns of the first product side by side."""
    a, b, d = (hl.ImageParam(hl.Int(8), 2, name) for name in "abd")
    first, narrow, second = hl.Func("first"), hl.Func("narrow"), hl.Func("second")
    x, y, xi = hl.vars("x y xi")
    r, q = hl.RDom([(0, inner)], "r"), hl.RDom([(0, middle)], "q")
    first[x, y] += hl.i32(a[r, y]) * hl.i32(b[x, r])
    narrow[x, y] = hl.i8_sat(first[x, y] >> 6)
    second[x, y] += hl.i32(narrow[q, y]) * hl.i32(d[x, q])
    second.bound(x, 0, columns).bound(y, 0, rows)

    second.update().reorder(x, q.x, y)
    first.update().split(x, x, xi, lanes).reorder(xi, r.x, x, y).unroll(xi).systolic(xi)
    narrow.compute_at(second, y)
    b.in_().compute_root()
    d.in_().compute_root()
    return second.accelerate([a, b, d])


design = matrix_products()
