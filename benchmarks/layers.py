"""Layers of the efficiency table, each with its schedule.

A tile of operands must be used for longer than it takes to load the next one, the memory's latency included; and
little must be loaded before the first step and stored after the last.
"""

from __future__ import annotations

from dataclasses import dataclass

import halidehw as hl


@dataclass(frozen=True)
class Case:
    """A design, the width of its memory ports, and what it is."""

    name: str
    output: hl.Func
    port_bits: int


def convolution(
    name: str, *, x: int, y: int, c: int, k: int, f: int, stride: int = 1, rows: int = 16, cols: int = 16,
    groups: int = 1, bits: int = 16, port_bits: int = 256,
) -> Case:  # fmt: skip
    """Dataflow C | K, weight stationary: the pixels run innermost, channels last in memory.

    A tile of the image serves `groups` groups of `cols` output channels.
    """
    X, Y, K, ko, kj, ki, co, ci = (hl.Var(n) for n in ("x", "y", "k", "ko", "kj", "ki", "co", "ci"))
    r = hl.RDom([(0, c), (0, f), (0, f)], "r")
    image = hl.ImageParam(hl.Int(bits), 3, "image")
    weights = hl.ImageParam(hl.Int(bits), 4, "weights")
    out = hl.Func("out")
    out[K, X, Y] += hl.i32(image[r.x, stride * X + r.y, stride * Y + r.z]) * hl.i32(weights[r.x, K, r.y, r.z])
    out.set_bounds([(0, k), (0, x), (0, y)])
    stage = out.update().split(K, ko, ki, cols).split(r.x, co, ci, rows)
    taps, again = [r.y, r.z] if f > 1 else [], []
    if groups > 1:
        stage.split(ko, ko, kj, groups)
        again = [kj]
    stage.reorder(ci, ki, X, Y, *taps, *again, co, ko).unroll(ci).unroll(ki).systolic(ci, ki)
    image.in_().compute_at(out, co)
    weights.in_().compute_at(out, co)
    out.accelerate([image, weights])
    return Case(name, out, port_bits)


def gemm(
    name: str, *, m: int, n: int, k: int, rows: int, cols: int, tile: int, groups: int = 1, bits: int, port_bits: int
) -> Case:  # fmt: skip
    """Weight stationary: `tile` rows of A stream past a tile of B.

    With one group of `cols` columns both come straight from memory; with more, a tile of A is kept for all of them.
    """
    M, N, mo, mi, no, nj, ni, ko, ki = (hl.Var(v) for v in ("m", "n", "mo", "mi", "no", "nj", "ni", "ko", "ki"))
    r = hl.RDom([(0, k)], "r")
    a, b = hl.ImageParam(hl.Int(bits), 2, "a"), hl.ImageParam(hl.Int(bits), 2, "b")
    out = hl.Func("c")
    out[N, M] += hl.i32(a[r.x, M]) * hl.i32(b[N, r.x])
    out.set_bounds([(0, n), (0, m)])
    stage = out.update().split(M, mo, mi, tile).split(N, no, ni, cols).split(r.x, ko, ki, rows)
    if groups > 1:
        stage.split(no, no, nj, groups).reorder(ki, ni, mi, nj, ko, no, mo)
        a.in_().compute_at(out, ko)
        b.in_().compute_at(out, ko)
    else:
        stage.reorder(ki, ni, mi, ko, no, mo)
    stage.unroll(ki).unroll(ni).systolic(ki, ni)
    out.accelerate([a, b])
    return Case(name, out, port_bits)


def depthwise(name: str, *, x: int, y: int, c: int, f: int, lanes: int, port_bits: int) -> Case:
    """One channel a lane, the filter innermost."""
    X, Y, C, co, ci = (hl.Var(n) for n in ("x", "y", "c", "co", "ci"))
    r = hl.RDom([(0, f), (0, f)], "r")
    image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 3, "weights")
    out = hl.Func("out")
    out[C, X, Y] += hl.i32(image[C, X + r.x, Y + r.y]) * hl.i32(weights[C, r.x, r.y])
    out.set_bounds([(0, c), (0, x), (0, y)])
    stage = out.update().split(C, co, ci, lanes)
    stage.reorder(ci, r.x, r.y, X, Y, co).unroll(ci)
    image.in_().compute_at(out, co)
    weights.in_().compute_at(out, co)
    out.accelerate([image, weights])
    return Case(name, out, port_bits)


def replication(dataflow: str, rows: int = 16) -> Case:
    """Figure 2: three channels f.z and five columns x of outputs on a 1-D array."""
    x, y, k = hl.Var("x"), hl.Var("y"), hl.Var("k")
    f = hl.RDom([(0, 3), (0, 3), (0, 3)], "f")
    image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 4, "weights")
    out = hl.Func("out")
    out[x, y, k] += hl.i32(image[x + f.x, y + f.y, f.z]) * hl.i32(weights[f.x, f.y, f.z, k])
    out.set_bounds([(0, 5), (0, 16), (0, 32)])
    out.update().dataflow(dataflow, rows=rows)
    image.in_().compute_at(out, k)
    weights.in_().compute_at(out, k)
    out.accelerate([image, weights])
    return Case(dataflow, out, 64)


def layers() -> list[Case]:
    """What must stay within a few percent of the roofline."""
    return [
        convolution("AlexNet CONV3: 13x13, c 256, k 384, 3x3; 16x16 PEs", x=13, y=13, c=256, k=384, f=3),
        convolution("1x1: 14x14, c 512, k 128; 16x16 PEs", x=14, y=14, c=512, k=128, f=1, groups=2),
        convolution("strided 3x3/2: 14x14, c 64, k 128; 16x16 PEs", x=14, y=14, c=64, k=128, f=3, stride=2),
        gemm(
            "GEMM 256x256x256; 16x16 PEs", m=256, n=256, k=256, rows=16, cols=16, tile=32, groups=8, bits=16,
            port_bits=256,
        ),
        depthwise("depthwise 3x3: 28x28, c 128; 16 PEs", x=28, y=28, c=128, f=3, lanes=16, port_bits=256),
    ]  # fmt: skip


def products() -> list[tuple[Case, int]]:
    """GEMM 128x128x128 of int8 into int32 on 128-bit ports, and the cycles it may take."""
    return [
        (gemm(f"{size}x{size}", m=128, n=128, k=128, rows=size, cols=size, tile=32, bits=8, port_bits=128), most)
        for size, most in ((16, 8_600), (8, 33_600))
    ]
