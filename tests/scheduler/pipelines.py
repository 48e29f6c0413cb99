"""Small pipelines of several stages, on sizes that divide nothing, to be scheduled."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from halidehw import Func, ImageParam, Int, RDom, UInt, Var, i8_sat, i32, max, reference, u16
from halidehw.ir.graph import Graph
from halidehw.ir.stages import execute_graph
from halidehw.scheduler import lower_graph

x, y, k, xo, yo, xi, yi = map(Var, ("x", "y", "k", "xo", "yo", "xi", "yi"))


def blur(schedule: Callable[[Func, Func, ImageParam], object]) -> Func:
    """11 x 9 means of three by three: along x in `h`, then along y."""
    image, h, blur = ImageParam(UInt(8), 2, "image"), Func("h"), Func("blur")
    h[x, y] = u16(image[x, y]) + u16(image[x + 1, y]) + u16(image[x + 2, y])
    blur[x, y] = (h[x, y] + h[x, y + 1] + h[x, y + 2]) / 9
    blur.set_bounds([(0, 11), (0, 9)])
    schedule(blur, h, image)
    return blur


def layers(schedule: Callable[[Func, Func, Func], object]) -> Func:
    """A convolution `conv` of 3 x 3 over 2 channels with requantisation in `act`, then 2 x 2 maxima in `pool`."""
    image, w = ImageParam(Int(8), 3, "image"), ImageParam(Int(8), 4, "w")
    r, p = RDom([(0, 3), (0, 3), (0, 2)], "r"), RDom([(0, 2), (0, 2)], "p")
    conv, act, pool = Func("conv"), Func("act"), Func("pool")
    conv[x, y, k] += i32(image[x + r.x, y + r.y, r.z]) * i32(w[r.x, r.y, r.z, k])
    act[x, y, k] = i8_sat(max(conv[x, y, k], 0) >> 6)
    pool[x, y, k] = Int(8).min
    pool[x, y, k] = max(pool[x, y, k], act[2 * x + p.x, 2 * y + p.y, k])
    pool.set_bounds([(0, 5), (0, 3), (0, 3)])
    schedule(pool, act, conv)
    return pool


def chain(schedule: Callable[[Func, Func, Func, ImageParam], object]) -> Func:
    """Three stages, each of neighbours of the one before: `a` to `b` to `c`, 10 x 7."""
    image, a, b, c = ImageParam(Int(16), 2, "image"), Func("a"), Func("b"), Func("c")
    a[x, y] = image[x, y] - image[x + 1, y]
    b[x, y] = a[x, y] * 3 + a[x - 1, y + 1]
    c[x, y] = b[x, y] ^ b[x + 1, y + 2]
    c.set_bounds([(0, 10), (0, 7)])
    schedule(c, b, a, image)
    return c


def unsharp(schedule: Callable[[Func, Func, Func, Func], object]) -> Func:
    """11 x 9: what a 3 x 3 mean takes from an image `g`, which is read twice: by the mean along x in `h`, which `v`
    takes along y, and by `out`."""
    image, g, h, v, out = ImageParam(UInt(8), 2, "image"), Func("g"), Func("h"), Func("v"), Func("out")
    g[x, y] = i32(image[x, y]) * 2
    h[x, y] = g[x - 1, y] + g[x, y] + g[x + 1, y]
    v[x, y] = h[x, y - 1] + h[x, y] + h[x, y + 1]
    out[x, y] = g[x, y] * 9 - v[x, y]
    out.set_bounds([(0, 11), (0, 9)])
    schedule(out, v, h, g)
    return out


def inputs(graph: Graph, seed: int = 0) -> dict[str, np.ndarray]:
    """Random words for every input."""
    rng = np.random.default_rng(seed)
    return {
        tensor.name: rng.integers(tensor.type.min, tensor.type.max, tensor.extents[::-1], np.int64, endpoint=True)
        .astype(tensor.type.dtype)
        for tensor in graph.inputs
    }  # fmt: skip


def checked(func: Func) -> tuple[Graph, dict[str, int]]:
    """The graph, which gives what the algorithm gives, and how many words each stage makes."""
    graph = lower_graph(func)
    arrays = inputs(graph)
    for source in sources(func):
        tensor = next(each for each in graph.inputs if each.name == source.name)
        for dimension, pair in enumerate(zip(tensor.mins, tensor.extents, strict=True)):
            source.dim(dimension).set_bounds(*pair)
    found = execute_graph(graph, arrays)
    assert np.array_equal(found[func.name].output, reference(func, arrays))
    return graph, {name: stage.stored for name, stage in found.items()}


def sources(func: Func) -> set[ImageParam]:
    found: set[ImageParam] = set()
    for source in func.sources:
        found |= {source} if isinstance(source, ImageParam) else sources(source)
    return found
