"""A 3x3 filter by rows: a line buffer keeps the two rows that each output row has in common with the next one.

halidehw show examples/line_buffer.py
python examples/line_buffer.py          # words from memory and cycles, with store_root and without
"""

import numpy as np

import halidehw as hl


def blur(keep: bool) -> hl.Func:
    """Four outputs of a row side by side, over an image of 66 x 50."""
    image, w = hl.ImageParam(hl.UInt(8), 2, "image"), hl.ImageParam(hl.Int(8), 2, "w")
    x, y, xo, xi = map(hl.Var, ("x", "y", "xo", "xi"))
    r = hl.RDom([(0, 3), (0, 3)], "r")
    output = hl.Func("output")
    output[x, y] += hl.i32(image[x + r.x, y + r.y]) * hl.i32(w[r.x, r.y])
    output.bound(x, 0, 64).bound(y, 0, 48)
    output.update().split(x, xo, xi, 4).unroll(xi).systolic(xi)

    # Three rows of the image for each row of the output. Kept outside the loop over y, only one of them is new.
    image.in_().compute_at(output, y)
    if keep:
        image.in_().store_root()
    return output.accelerate([image, w])


design = blur(keep=True)

if __name__ == "__main__":
    inputs = {"image": np.arange(50 * 66).reshape(50, 66) % 251, "w": np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]])}
    for keep, how in ((True, "kept"), (False, "loaded again")):
        result = hl.simulate(blur(keep), inputs)
        words = result.counters["image_words"]
        print(f"rows {how}: {words} words of the image, {result.cycles} cycles, {result.match}")
