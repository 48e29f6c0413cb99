"""The demonstration: 5x5x3 filters over a photograph, on the systolic array of the worked example."""

from __future__ import annotations

import numpy as np

from halidehw.frontend import BoundaryConditions, Func, ImageParam, Int, RDom, UInt, Var, abs, clamp, i32, u8

SHIFT = 8
NAMES = ("blur", "sharpen", "vertical edges", "horizontal edges")


def filters(width: int, height: int) -> Func:
    """`picture`: four filters k of an RGB image(x, y, channel), each pixel the sum over 5x5x3 scaled to 0 .. 255.

    Tiles of 8x8 outputs, operands in double-buffered memories, four outputs of a row side by side on a 1-D systolic
    array through which the weights travel; scaling and saturation at write-back.
    """
    x, y, k, xo, yo, xi, yi = map(Var, ("x", "y", "k", "xo", "yo", "xi", "yi"))
    r = RDom([(-2, 5), (-2, 5), (0, 3)], "r")
    image, w = ImageParam(UInt(8), 3, "image"), ImageParam(Int(16), 4, "w")
    for dimension, extent in enumerate((width, height, 3)):
        image.dim(dimension).set_bounds(0, extent)
    whole = BoundaryConditions.repeat_edge(image)
    sums, picture = Func("sums"), Func("picture")
    sums[x, y, k] += i32(whole[x + r.x, y + r.y, r.z]) * i32(w[r.x + 2, r.y + 2, r.z, k])
    picture[x, y, k] = u8(clamp(abs(sums[x, y, k]) >> SHIFT, 0, 255))
    picture.set_bounds([(0, width), (0, height), (0, len(NAMES))])
    sums.update().split(x, xo, xi, 8).split(y, yo, yi, 8).reorder(xi, yi, xo, yo).unroll(xi, 4).systolic(xi)
    image.in_().compute_at(sums, xo)
    w.in_().compute_at(sums, xo)
    return picture.accelerate([image, w])


def weights() -> np.ndarray:
    """The filters, shape (4, 3, 5, 5): filter, channel, y, x; int16, in units of 2**-SHIFT."""
    smooth, slope = np.array([1, 4, 6, 4, 1]), np.array([-1, -2, 0, 2, 1])
    blur = np.outer(smooth, smooth)
    center = np.zeros_like(blur)
    center[2, 2] = 2 * blur.sum()
    planes = np.stack([blur, center - blur, 12 * np.outer(smooth, slope), 12 * np.outer(slope, smooth)])
    return np.repeat((planes // 3)[:, None], 3, axis=1).astype(np.int16)


def expected(image: np.ndarray, kernels: np.ndarray) -> np.ndarray:
    """The same in NumPy, written without the package: shape (filter, y, x), uint8.

    image: shape (channel, y, x), uint8. kernels: as `weights` gives them.
    """
    padded = np.pad(image.astype(np.int64), ((0, 0), (2, 2), (2, 2)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (5, 5), axis=(1, 2))
    sums = np.einsum("cyxij,kcij->kyx", windows, kernels.astype(np.int64))
    return np.clip(np.abs(sums) >> SHIFT, 0, 255).astype(np.uint8)
