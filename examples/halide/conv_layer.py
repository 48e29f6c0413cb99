"""A convolution layer: 3x3 filters over channels, with bias, scale and rectifier."""

import numpy as np

RNG = np.random.default_rng(1)
IMAGE = RNG.integers(-128, 128, (2, 7, 8)).astype(np.int8)
WEIGHTS = RNG.integers(-128, 128, (3, 2, 3, 3)).astype(np.int8)
BIAS = RNG.integers(-5000, 5000, 3).astype(np.int16)


def program(hl):
    x, y, k, sums, layer = hl.Var("x"), hl.Var("y"), hl.Var("k"), hl.Func("sums"), hl.Func("layer")
    image, weights, bias = hl.Buffer(IMAGE, "image"), hl.Buffer(WEIGHTS, "weights"), hl.Buffer(BIAS, "bias")
    r = hl.RDom([(0, 3), (0, 3), (0, 2)], "r")
    sums[x, y, k] = hl.i32(bias[k])
    sums[x, y, k] += hl.i32(image[x + r.x, y + r.y, r.z]) * hl.i32(weights[r.x, r.y, r.z, k])
    layer[x, y, k] = hl.u8_sat(hl.rounding_shift_right(sums[x, y, k], 6))
    return layer, [6, 5, 3]
