"""A 5x5 filter written out: a line buffer of rows, a window of shift registers, one pixel a cycle.

halidehw show examples/stencil.py
python examples/stencil.py          # cycles a pixel, and what was fetched and shifted
"""

import numpy as np

import halidehw as hl

WIDTH, HEIGHT, TAPS = 124, 60, (1, 4, 6, 4, 1)

image = hl.ImageParam(hl.UInt(8), 2, "image")
x, y = hl.Var("x"), hl.Var("y")
blur = hl.Func("blur")
total = sum(hl.u16(image[x + i, y + j]) * (TAPS[i] * TAPS[j]) for j in range(5) for i in range(5))
blur[x, y] = hl.u8((total + 128) >> 8)
blur.bound(x, 0, WIDTH).bound(y, 0, HEIGHT)

# Five rows of the image for each row of the output, of which one is new. Each step fetches a column of five pixels.
image.in_().store_root().compute_at(blur, y)

design = blur.accelerate([image])

if __name__ == "__main__":
    picture = np.random.default_rng(1).integers(0, 256, (HEIGHT + 4, WIDTH + 4))
    result = hl.simulate(design, {"image": picture})
    print(f"{result.cycles / picture.size:.3f} cycles a pixel of the image, {result.match}")
    words = result.counters["image_words"]
    print(f"{words} of {picture.size} words fetched, once each; at {25 * WIDTH * HEIGHT} places one is read")
