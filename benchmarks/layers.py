"""Layers with a schedule each, for the efficiency table."""

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
    name: str, *, x: int, y: int, c: int, k: int, f: int, stride: int = 1, rows: int = 16, cols: int = 16, bits: int = 16,
    port_bits: int = 256,
) -> Case:  # fmt: skip
    """Dataflow C | K, weight stationary: the pixels run innermost, channels last in memory."""
    X, Y, K, ko, ki, co, ci = (hl.Var(n) for n in ("x", "y", "k", "ko", "ki", "co", "ci"))
    r = hl.RDom([(0, c), (0, f), (0, f)], "r")
    image = hl.ImageParam(hl.Int(bits), 3, "image")
    weights = hl.ImageParam(hl.Int(bits), 4, "weights")
    out = hl.Func("out")
    out[K, X, Y] = hl.i32(0)
    out[K, X, Y] += hl.i32(image[r.x, stride * X + r.y, stride * Y + r.z]) * hl.i32(weights[r.x, K, r.y, r.z])
    out.set_bounds([(0, k), (0, x), (0, y)])
    stage = out.update().split(K, ko, ki, cols).split(r.x, co, ci, rows)
    inner = [ci, ki, X, Y] + ([r.y, r.z] if f > 1 else [])
    stage.reorder(*inner, co, ko).unroll(ci).unroll(ki).systolic(ci, ki)
    image.in_().compute_at(out, co)
    weights.in_().compute_at(out, co)
    out.accelerate([image, weights])
    return Case(name, out, port_bits)


def gemm(name: str, *, m: int, n: int, k: int, rows: int, cols: int, tile: int, bits: int, port_bits: int) -> Case:
    """Weight stationary: rows of A stream past a tile of B; A is kept for `tile` rows."""
    M, N, mo, mi, no, ni, ko, ki = (hl.Var(v) for v in ("m", "n", "mo", "mi", "no", "ni", "ko", "ki"))
    r = hl.RDom([(0, k)], "r")
    a, b = hl.ImageParam(hl.Int(bits), 2, "a"), hl.ImageParam(hl.Int(bits), 2, "b")
    out = hl.Func("c")
    out[N, M] = hl.i32(0)
    out[N, M] += hl.i32(a[r.x, M]) * hl.i32(b[N, r.x])
    out.set_bounds([(0, n), (0, m)])
    stage = out.update().split(M, mo, mi, tile).split(N, no, ni, cols).split(r.x, ko, ki, rows)
    stage.reorder(ki, ni, mi, ko, no, mo).unroll(ki).unroll(ni).systolic(ki, ni)
    out.accelerate([a, b])
    return Case(name, out, port_bits)


def depthwise(name: str, *, x: int, y: int, c: int, f: int, lanes: int, port_bits: int) -> Case:
    """One channel a lane, the filter innermost."""
    X, Y, C, co, ci = (hl.Var(n) for n in ("x", "y", "c", "co", "ci"))
    r = hl.RDom([(0, f), (0, f)], "r")
    image, weights = hl.ImageParam(hl.Int(16), 3, "image"), hl.ImageParam(hl.Int(16), 3, "weights")
    out = hl.Func("out")
    out[C, X, Y] = hl.i32(0)
    out[C, X, Y] += hl.i32(image[C, X + r.x, Y + r.y]) * hl.i32(weights[C, r.x, r.y])
    out.set_bounds([(0, c), (0, x), (0, y)])
    stage = out.update().split(C, co, ci, lanes)
    stage.reorder(ci, r.x, r.y, X, Y, co).unroll(ci)
    image.in_().compute_at(out, co)
    weights.in_().compute_at(out, co)
    out.accelerate([image, weights])
    return Case(name, out, port_bits)


def cases() -> list[Case]:
    return [
        convolution("AlexNet CONV3 13x13, c 256, k 384, 3x3", x=13, y=13, c=256, k=384, f=3),
        convolution("1x1 14x14, c 512, k 128", x=14, y=14, c=512, k=128, f=1),
        convolution("strided 3x3/2 14x14, c 64, k 128", x=14, y=14, c=64, k=128, f=3, stride=2),
        gemm("GEMM 256x256x256", m=256, n=256, k=256, rows=16, cols=16, tile=64, bits=16, port_bits=256),
        depthwise("depthwise 3x3 28x28, c 128, 16 lanes", x=28, y=28, c=128, f=3, lanes=16, port_bits=256),
        gemm("GEMM 128 int8, 16x16", m=128, n=128, k=128, rows=16, cols=16, tile=32, bits=8, port_bits=128),
        gemm("GEMM 128 int8, 8x8", m=128, n=128, k=128, rows=8, cols=8, tile=32, bits=8, port_bits=128),
    ]
