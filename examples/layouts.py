"""One convolution whose tensors lie in memory in four ways: the same algorithm and schedule, other words a cycle.

halidehw simulate examples/layouts.py --port-bits 64      # the last of them
python examples/layouts.py                                # all, with the words and cycles of each
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import halidehw as hl

WIDTH, HEIGHT, CHANNELS, FILTERS, KERNEL, PORT = 14, 14, 16, 32, 1, 64

x, y, k, ko, ki, ci, co = hl.vars("x y k ko ki ci co")


def nchw(image: hl.ImageParam, w: hl.ImageParam, out: hl.OutputImageParam) -> None:
    """Nothing is said: dimension 0 is the fastest, x, then y, then the channels; weights r.x, r.y, c, k."""


def nhwc(image: hl.ImageParam, w: hl.ImageParam, out: hl.OutputImageParam) -> None:
    """Channels first, and of the weights too."""
    image.reorder_storage(2, 0, 1)
    w.reorder_storage(2, 0, 1, 3)
    out.reorder_storage(2, 0, 1)


def hwcn(image: hl.ImageParam, w: hl.ImageParam, out: hl.OutputImageParam) -> None:
    """Channels first; of the weights the filters first, then the channels."""
    image.reorder_storage(2, 0, 1)
    w.reorder_storage(3, 2, 0, 1)
    out.reorder_storage(2, 0, 1)


def nchwc(image: hl.ImageParam, w: hl.ImageParam, out: hl.OutputImageParam) -> None:
    """Blocks of 8 channels and of 16 filters, as many as the array has."""
    image.dim(2).set_block(8)
    w.dim(2).set_block(8)
    w.dim(3).set_block(16)
    out.dim(2).set_block(16)


Lay = Callable[[hl.ImageParam, hl.ImageParam, hl.OutputImageParam], None]

LAYOUTS: dict[str, Lay] = {"NCHW": nchw, "NHWC": nhwc, "HWCN": hwcn, "NCHWc": nchwc}


def conv(lay: Lay) -> hl.Func:
    """A convolution on an array of 16 filters by 4 channels; a tile is the channels of a row of pixels."""
    r = hl.RDom([(0, KERNEL), (0, KERNEL), (0, CHANNELS)], "r")
    image, w = hl.ImageParam(hl.Int(8), 3, "image"), hl.ImageParam(hl.Int(8), 4, "w")
    f, out = hl.Func("f"), hl.Func("out")
    f[x, y, k] += hl.i32(image[x + r.x, y + r.y, r.z]) * hl.i32(w[r.x, r.y, r.z, k])
    out[x, y, k] = hl.cast(hl.Int(8), hl.clamp(f[x, y, k] >> 8, -128, 127))
    out.bound(x, 0, WIDTH).bound(y, 0, HEIGHT).bound(k, 0, FILTERS)
    f.update().split(k, ko, ki, 16).split(r.z, co, ci, 4).reorder(ci, ki, r.x, r.y, co, ko, x, y).unroll(ki).unroll(ci)
    image.in_().compute_at(f, y)
    w.in_().compute_root()
    lay(image, w, out.output_buffer())
    return out.accelerate([image, w])


design = conv(nchwc)

if __name__ == "__main__":
    draw = np.random.default_rng(1)
    values = {
        "image": draw.integers(-128, 128, (CHANNELS, HEIGHT + KERNEL - 1, WIDTH + KERNEL - 1)),
        "w": draw.integers(-128, 128, (FILTERS, CHANNELS, KERNEL, KERNEL)),
    }
    print("layout   cycles   words a cycle of each port   right")
    for name, lay in LAYOUTS.items():
        compiled = hl.compile(conv(lay), port_bits=PORT)
        result = hl.simulate(compiled, values, memory=hl.Memory(latency=20))
        lanes = ", ".join(f"{port.name} {port.lanes}" for port in compiled.interface.ports)
        print(f"{name:8} {result.cycles:6}   {lanes:26}   {result.match}")
