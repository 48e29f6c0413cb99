"""Tutorial, lesson 5: one gradient, with its loops split, fused, tiled, vectorized and unrolled."""


def program(hl):
    x, y, gradient = hl.Var("x"), hl.Var("y"), hl.Func("gradient")
    xo, yo, xi, yi, tiles = hl.Var("xo"), hl.Var("yo"), hl.Var("xi"), hl.Var("yi"), hl.Var("tiles")
    gradient[x, y] = x + 3 * y
    gradient.tile(x, y, xo, yo, xi, yi, 4, 4).fuse(xo, yo, tiles).unroll(yi, 2).vectorize(xi, 2)
    return gradient, [8, 8]
