"""Two layers of a network as one piece of hardware: what lies between them never crosses a port.

Layers are depthwise ("dw", 3 x 3, zeros around the pixels) or pointwise ("pw", 1 x 1), of int8, and sums are
requantised to int8. The second layer is computed tile by tile, and the first one for each tile: where tiles of a
depthwise second layer need the same, again (PWDW_R). With `keep` it is computed row by row, and the rows that the next
one needs too are kept: no row is computed or read twice. Run as a program it prints what both move.
"""

from collections.abc import Sequence

import halidehw as hl

c, x, y, cl, ct, xt, yt = hl.vars("c x y cl ct xt yt")


def layer(name: str, kind: str, source: hl.Func, inputs: int, stride: int) -> tuple[hl.Func, hl.ImageParam, hl.RDom]:
    """Its sums, its weights, and what it sums over."""
    sums, depthwise = hl.Func(f"{name}_sum"), kind == "dw"
    w = hl.ImageParam(hl.Int(8), 3 if depthwise else 2, f"{name}_w")
    r = hl.RDom([(0, 3), (0, 3)] if depthwise else [(0, inputs)], f"{name}_r")
    if depthwise:
        edge = 1 if stride == 1 else 0
        pixel = hl.i32(source[c, x * stride + r.x - edge, y * stride + r.y - edge])
        sums[c, x, y] += pixel * hl.i32(w[c, r.x, r.y])
    else:
        sums[c, x, y] += hl.i32(source[r.x, x, y]) * hl.i32(w[c, r.x])
    return sums, w, r


def fused(
    kinds: str = "dwpw",
    channels: Sequence[int] = (4, 4, 6),
    size: int = 10,
    stride: int = 1,
    tile: Sequence[int] = (6, 4, 5),
    keep: bool = False,
    lanes: Sequence[int] = (2, 2),
) -> hl.Func:
    """`size`: rows and columns of the input; `stride`: of the depthwise layer, 2 for an even size; `tile`: channels,
    rows and columns of the result; `lanes`: channels of each layer's result side by side."""
    image, between, result = hl.ImageParam(hl.Int(8), 3, "image"), hl.Func("between"), hl.Func("result")
    padded = hl.BoundaryConditions.constant_exterior(image, 0, [(0, channels[0]), (0, size), (0, size)])
    middle = size // stride if kinds[:2] == "dw" else size
    first, first_w, r = layer("first", kinds[:2], padded, channels[0], stride)
    there = (x >= 0) & (y >= 0) & (x < middle) & (y < middle)
    word = hl.i8_sat(first[c, x, y] >> 6)
    between[c, x, y] = hl.select(there, word, hl.i8(0)) if kinds[2:] == "dw" else word
    second, second_w, q = layer("second", kinds[2:], between, channels[1], stride)
    result[c, x, y] = hl.i8_sat(second[c, x, y] >> 6)
    result.set_bounds([(0, channels[2]), (0, size // stride), (0, size // stride)])

    loops = second.update().split(c, ct, c, tile[0]).split(c, c, cl, lanes[1]).split(x, xt, x, tile[2])
    outer = [xt, ct] if keep else [xt, yt, ct]
    if not keep:
        loops.split(y, yt, y, tile[1])
    loops.reorder(cl, *loop_names(q), c, x, y, *outer).unroll(cl)
    first.update().split(c, c, cl, lanes[0]).reorder(cl, *loop_names(r), c, x, y).unroll(cl)
    for each in (between, padded.in_()):
        if keep:
            each.store_at(second, xt).compute_at(second, y)
        else:
            each.compute_at(second, xt)
    for weights in (first_w, second_w):
        weights.in_().compute_at(second, ct)
    return result.accelerate([image, first_w, second_w])


def loop_names(r: hl.RDom) -> list[hl.RVar]:
    """The loops of a reduction, the innermost first."""
    return [r.x] if len(r.ranges) == 1 else [r.x, r.y]


design = fused()

if __name__ == "__main__":
    for kinds, channels, stride in (("dwpw", (4, 4, 6), 1), ("pwdw", (3, 6, 6), 2), ("pwpw", (3, 4, 6), 1)):
        for keep in (False, True):
            found = hl.estimate(fused(kinds, channels, stride=stride, tile=(6, 2, 5), keep=keep))
            moved = sum(port.words for port in found.ports)
            print(f"{kinds}, {'row by row' if keep else 'in tiles'}: {moved} words, {found.cycles.total} cycles")
