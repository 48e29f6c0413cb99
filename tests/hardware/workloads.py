"""The workloads accelerators are built for, each in several tiles whose last ones are ragged in two dimensions."""

from __future__ import annotations

from halidehw import (
    BoundaryConditions,
    Expr,
    Func,
    ImageParam,
    Int,
    RDom,
    Type,
    UInt,
    Var,
    cast,
    clamp,
    i32,
    i64,
    max,
    saturating_cast,
)

x, y, k, b, g = map(Var, "xykbg")
I8, I16 = Int(8), Int(16)


def tiled(func: Func, core: Func, buffered: list[ImageParam], lanes: tuple[int, int] = (2, 2)) -> Func:
    """x and y in tiles of 4 x 3, buffers at the tiles, lanes over x (systolic) and y."""
    stage = core.update() if len(core.stages) > 1 else core.stages[0]
    stage.split(x, "xo", "xi", 4).split(y, "yo", "yi", 3)
    outer = [name for name in stage.loops.names if name in ("yo", "xo")]
    inner = [name for name in reversed(stage.loops.names) if name not in outer]
    stage.reorder(*inner, "xo", "yo").unroll("xi", lanes[0]).unroll("yi", lanes[1]).systolic("xi")
    for image in buffered:
        image.in_().compute_at(core, "xo")
    return func


def convolution(
    word: Type = I8,
    weight: Type = I8,
    *,
    stride: int = 1,
    dilation: int = 1,
    padding: str = "",
    groups: int = 0,
    depthwise: bool = False,
) -> Func:
    """7 x 5 outputs of 3 channels under 3 x 2 filters over 2 channels."""
    r = RDom([(0, 3), (0, 2), (0, 2)][: 2 if depthwise else 3], "r")
    depth = [k] if depthwise else [r.z]
    group = [g] if groups else []
    image, w = ImageParam(word, 3 + len(group), "image"), ImageParam(weight, 3 + len(group) + (not depthwise), "w")
    source = image
    shape = [(0, 7 * stride), (0, 5 * stride), (0, 3 if depthwise else 2), *((0, groups) for _ in group)]
    if padding == "zero":
        source = BoundaryConditions.constant_exterior(image, 0, shape)
    elif padding == "edge":
        source = BoundaryConditions.repeat_edge(image, shape)
    first = -1 if padding else 0
    place = (x * stride + r.x * dilation + first, y * stride + r.y * dilation + first)
    f = Func("f")
    value = i32(source[(*place, *depth, *group)]) * i32(w[(r.x, r.y, *([] if depthwise else depth), k, *group)])
    f[(x, y, k, *group)] += value
    f.bound(x, 0, 7).bound(y, 0, 5).bound(k, 0, 3)
    if groups:
        f.bound(g, 0, groups)
    return tiled(f, f, [image, w])


def product(left: Type = I8, right: Type = I8, sums: Type | None = None, batch: int = 0) -> Func:
    """A 5 x 7 product of depth 6, perhaps batched."""
    r = RDom([(0, 6)], "r")
    batched = [b] if batch else []
    a, w, f = ImageParam(left, 2 + len(batched), "a"), ImageParam(right, 2 + len(batched), "w"), Func("f")
    kind = sums or Int(32)
    f[(x, y, *batched)] += cast(kind, a[(r.x, y, *batched)]) * cast(kind, w[(x, r.x, *batched)])
    f.bound(x, 0, 7).bound(y, 0, 5)
    if batch:
        f.bound(b, 0, batch)
    return tiled(f, f, [a, w])


def gates() -> Func:
    """Four gates of 7 units for 5 vectors: two products, a bias, a hard sigmoid."""
    r = RDom([(0, 4)], "r")
    names = ("input", "hidden", "w", "u", "bias")
    data, hidden, w, u, bias = (ImageParam(I8, 2 if name in names[:2] else 3, name) for name in names)
    f, final = Func("cell"), Func("gates")
    f[x, y, k] = i32(bias[x, k, 0])
    f[x, y, k] += i32(data[r.x, y]) * i32(w[r.x, x, k]) + i32(hidden[r.x, y]) * i32(u[r.x, x, k])
    final[x, y, k] = cast(I8, clamp((f[x, y, k] >> 4) + 64, 0, 127))
    final.bound(x, 0, 7).bound(y, 0, 5).bound(k, 0, 4)
    return tiled(final, f, [data, hidden, w, u])


def pooling(average: bool) -> Func:
    r = RDom([(0, 2), (0, 2)], "r")
    image, f = ImageParam(I8, 3, "image"), Func("f")
    read = image[x * 2 + r.x, y * 2 + r.y, k]
    if not average:
        f[x, y, k] = cast(I8, -128)
        f[x, y, k] = max(f[x, y, k], read)
        return tiled(f.bound(x, 0, 7).bound(y, 0, 5).bound(k, 0, 2), f, [image])
    f[x, y, k] += cast(I16, read)
    final = Func("average")
    final[x, y, k] = cast(I8, (f[x, y, k] + 2) >> 2)
    return tiled(final.bound(x, 0, 7).bound(y, 0, 5).bound(k, 0, 2), f, [image])


def pointwise() -> Func:
    """A saturating sum of a row, a column, and an image: int8."""
    a, row, f = ImageParam(I8, 2, "a"), ImageParam(I8, 1, "row"), Func("f")
    f[x, y] = saturating_cast(I8, cast(I16, a[x, y]) - cast(I16, row[x]) * 2)
    return tiled(f.bound(x, 0, 7).bound(y, 0, 5), f, [a])


def requantised() -> Func:
    """A product, a bias and an int8 result as TFLite and ONNX have it: multiplier, rounding shift, saturation."""
    r = RDom([(0, 6)], "r")
    a, w = ImageParam(I8, 2, "a"), ImageParam(I8, 2, "w")
    bias, scale = ImageParam(Int(32), 1, "bias"), ImageParam(Int(32), 1, "scale")
    f, final = Func("f"), Func("quantised")
    f[x, y] = bias[x]
    f[x, y] += (i32(a[r.x, y]) + 3) * i32(w[x, r.x])
    scaled: Expr = i64(f[x, y]) * i64(scale[x])
    final[x, y] = saturating_cast(I8, ((scaled + (1 << 30)) >> 31) - 5)
    return tiled(final.bound(x, 0, 7).bound(y, 0, 5), f, [a, w])


def rectified() -> Func:
    """A convolution with a bias and a ReLU at write-back."""
    r = RDom([(0, 3), (0, 2)], "r")
    image, w, bias = ImageParam(UInt(8), 2, "image"), ImageParam(I8, 2, "w"), ImageParam(I16, 1, "bias")
    f, final = Func("f"), Func("rectified")
    f[x, y] = i32(bias[y])
    f[x, y] += i32(image[x + r.x, y + r.y]) * i32(w[r.x, r.y])
    final[x, y] = max(f[x, y], 0)
    return tiled(final.bound(x, 0, 7).bound(y, 0, 5), f, [image])
