"""Two stages of butterflies of a transform of four points."""

import numpy as np

IMAGE = np.random.default_rng(1).integers(0, 256, 4).astype(np.uint8)


def program(hl):
    x, even, output = hl.Var("x"), hl.Func("even"), hl.Func("output")
    signal = hl.Buffer(IMAGE, "signal")
    low, high = hl.i32(signal[x % 2]), hl.i32(signal[x % 2 + 2])
    even[x] = hl.select(x < 2, low + high, low - high)
    output[x] = hl.select(x % 2 == 0, even[x / 2 * 2] + even[x / 2 * 2 + 1], even[x / 2 * 2] - even[x / 2 * 2 + 1])
    even.compute_root()
    return output, [4]
