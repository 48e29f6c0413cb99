"""A filter in each channel, and a sum over the channels for each output channel."""

import numpy as np

RNG = np.random.default_rng(1)
IMAGE = RNG.integers(-128, 128, (4, 5, 8)).astype(np.int8)
TAPS = RNG.integers(-128, 128, (4, 3)).astype(np.int8)
WEIGHTS = RNG.integers(-128, 128, (3, 4)).astype(np.int8)


def program(hl):
    x, y, c, k = (hl.Var(name) for name in "xyck")
    each, output = hl.Func("each"), hl.Func("output")
    image, taps, weights = hl.Buffer(IMAGE, "image"), hl.Buffer(TAPS, "taps"), hl.Buffer(WEIGHTS, "weights")
    terms = [hl.i32(image[x + dx, y, c]) * hl.i32(taps[dx, c]) for dx in range(3)]
    each[x, y, c] = terms[0] + terms[1] + terms[2]
    r = hl.RDom([(0, 4)], "r")
    output[x, y, k] += (each[x, y, r] >> 4) * weights[r, k]
    return output, [6, 5, 3]
