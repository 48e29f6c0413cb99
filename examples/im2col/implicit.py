"""A convolution by channel-first implicit im2col on a weight-stationary S x S array, as an algorithm and a schedule.

A filter position is a 1x1 convolution of all channels, so nothing is lowered: rows of the array are the channels of
`tile` positions side by side, columns are output channels, and a group of positions is a pass over the input.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

import halidehw as hl

WEIGHTS_TRIP = 8
"""Cycles, at most, from a weight's read until it can be read in the memory of a single PE."""

Offset = tuple[int, int]
"""Of a filter position, along x and y."""


@dataclass(frozen=True)
class Layer:
    """n images of h x h pixels and ci channels, co filters of `filter` x `filter`, an array of `array` x `array` PEs
    with `tile` filter positions on its rows: in the filter's order, or (`within`) all of a group from one of its rows.

    Raises HalideHWError for sizes that are not positive, and positions that do not fit the rows.
    """

    n: int
    ci: int
    h: int
    co: int
    filter: int
    array: int
    tile: int = 1
    stride: int = 1
    dilation: int = 1
    padding: int = 0
    within: bool = False

    def __post_init__(self) -> None:
        for name in ("n", "ci", "h", "co", "filter", "array", "tile", "stride", "dilation"):
            if (size := getattr(self, name)) < 1:
                raise hl.HalideHWError(f"--{name} {size}: it must be at least 1", legal=(f"--{name} 1",))
        if self.padding < 0:
            raise hl.HalideHWError(f"--padding {self.padding}: it must be at least 0", legal=("--padding 0",))
        if self.reach > self.h + 2 * self.padding:
            raise hl.HalideHWError(
                f"--filter {self.filter} --dilation {self.dilation} reaches over {self.reach} pixels of "
                f"{self.h} + 2 x {self.padding}",
                legal=(f"--h {self.reach - 2 * self.padding}", f"--padding {-(-(self.reach - self.h) // 2)}"),
            )
        if self.tile > 1 and self.tile * self.ci > self.array:
            raise hl.HalideHWError(
                f"--tile {self.tile}: {self.tile} positions x {self.ci} channels = {self.tile * self.ci} rows of "
                f"{self.array}",
                legal=(f"--tile {max(1, self.array // self.ci)}", f"--array {self.tile * self.ci}"),
            )
        most = self.filter if self.within else self.filter**2
        if self.tile > most:
            where = "a row of the filter" if self.within else "the filter"
            raise hl.HalideHWError(
                f"--tile {self.tile}: {where} has {most} positions", legal=(f"--tile {most}",)
            )

    @property
    def reach(self) -> int:
        """Pixels from a filter's first to its last one."""
        return self.dilation * (self.filter - 1) + 1

    @property
    def out(self) -> int:
        """Width and height of the output."""
        return (self.h + 2 * self.padding - self.reach) // self.stride + 1

    @property
    def m(self) -> int:
        """Rows of the lowered matrix: what streams through the array in a pass."""
        return self.n * self.out**2

    @property
    def slots(self) -> int:
        """Places for a position on the rows: as many as fill as few passes as `tile` do; where `tile` are enough, a
        whole number of them for a row of the filter."""
        if self.within:
            return self.tile
        return self.filter * self.parts if self.parts else -(-self.filter**2 // self.turns)

    @property
    def parts(self) -> int:
        """Into how many slots a row of the filter goes; 0: slots are for more, or go on in the next row."""
        found = -(-self.filter // self.turns)
        return found if not self.within and self.turns < self.filter and self.filter * found <= self.tile else 0

    @property
    def turns(self) -> int:
        """Passes in which all filter positions come by."""
        f, t = self.filter, self.tile
        return f * -(-f // t) if self.within else -(-f * f // t)

    @property
    def walk(self) -> tuple[int, int]:
        """The two loops over the turns, the inner one first; of the last iteration of the outer one not all may be."""
        inner = -(-self.filter // self.tile) if self.within else min(self.filter, self.turns)
        return inner, -(-self.turns // inner)

    @property
    def begins(self) -> tuple[Offset, ...]:
        """The position with which each slot begins. It goes on as the filter does, row by row, so that positions come
        in another order than on the rows; `within` a row of the filter by all slots."""
        if self.within:
            return tuple((slot, 0) for slot in range(self.slots))
        if self.parts:
            return tuple((slot % self.parts * self.turns, slot // self.parts) for slot in range(self.slots))
        return tuple((slot * self.turns % self.filter, slot * self.turns // self.filter) for slot in range(self.slots))

    @property
    def wraps(self) -> bool:
        """Whether a slot goes on in the filter's next row in an iteration of the inner loop."""
        return not self.within and not self.parts and any(s + self.walk[0] > self.filter for s, _ in self.begins)

    @property
    def groups(self) -> tuple[tuple[Offset | None, ...], ...]:
        """The filter position of each slot in each turn, None where there is none left."""
        f = self.filter
        numbers = range(f * f)
        if self.within:
            rows = [[s + slot if s + slot < f else None for slot in range(self.slots)] for s in range(0, f, self.tile)]
            return tuple(tuple(None if s is None else (s, r) for s in row) for r in range(f) for row in rows)
        if self.parts:
            return tuple(
                tuple((s + turn, r) if s + turn < f else None for s, r in self.begins) for turn in range(self.turns)
            )
        return tuple(
            tuple((p % f, p // f) if (p := slot * self.turns + turn) in numbers else None for slot in range(self.slots))
            for turn in range(self.turns)
        )

    @property
    def ci_tiles(self) -> int:
        return -(-self.ci // self.array)

    @property
    def co_tiles(self) -> int:
        return -(-self.co // self.array)

    @property
    def passes(self) -> int:
        return self.co_tiles * self.turns * self.ci_tiles

    @property
    def macs(self) -> int:
        return self.m * self.co * self.ci * self.filter**2


@dataclass(frozen=True)
class Built:
    """`output` [output channel, n, x, y] reads image [n, channel, x, y], the layout HWCN, and weights [output channel,
    row, channel tile, group], dimension 0 first. Its channels, and the array's rows, are filled up with zero weights.
    With ports of `port_bits` a row of sums is written in a cycle. `inputs`: these two; `rows`: what the array
    reads of the image."""

    layer: Layer
    output: hl.Func
    inputs: tuple[hl.ImageParam, hl.ImageParam]
    rows: hl.Func

    @property
    def port_bits(self) -> int:
        return max(512, 32 << (self.layer.array - 1).bit_length())


def conv(layer: Layer, lanes: int = 1, hidden: bool = True, ports: int = 0) -> Built:
    """The algorithm, and its schedule. `rows` is the input as the memories of the rows hold it, `slots` times: each
    channel beginning at its own position; where these are several, from the image on the chip. `lanes`: elements of a
    word that its memories are filled with; not `hidden`: weights of the next pass wait until the present one is over.
    `ports`: all memories have one port, and so many are the accumulators of a column.
    """
    n, x, y, k, ko, ki = hl.vars("n x y k ko ki")
    image, weights = hl.ImageParam(hl.Int(8), 4, "image"), hl.ImageParam(hl.Int(8), 4, "weights")
    output, size = hl.Func("output"), layer.array
    image.dim(0).set_bounds(0, layer.n)
    held = [_rows(layer, image, "rows", 0)] + ([_rows(layer, image, "others", layer.filter)] if layer.wraps else [])
    inner, outer = layer.walk
    r = hl.RDom([(0, size), (0, layer.ci_tiles), (0, inner), (0, outer)], "r")
    if inner * outer > layer.turns:
        r.where(r.z + inner * r.w < layer.turns)
    taken = hl.i32(_read(layer, held, r, (n, x, y)))
    output[k, n, x, y] += taken * hl.i32(weights[k, r.x, r.y, r.z + inner * r.w])
    output.set_bounds([(0, layer.co_tiles * size), (0, layer.n), (0, layer.out), (0, layer.out)])

    sums = output.update()
    sums.split(k, ko, ki, size).reorder(r.x, ki, n, x, y, r.y, r.z, r.w, ko)
    sums.unroll(r.x).unroll(ki).systolic(r.x, ki)
    sums_of_a_pass = output.in_().compute_at(output, ko)
    weights.in_().compute_root()
    weights.in_().in_().compute_at(output, r.x).vectorize(size)
    if not hidden:
        weights.in_().in_().single_buffer()
    elif size == 1:
        weights.in_().in_().ring_buffer(2 + WEIGHTS_TRIP // layer.m)
    copies = [weights.in_()] + ([image.in_().compute_root()] if layer.slots > 1 else [])
    for rows in held:
        rows.compute_root()
        if lanes > 1:
            rows.vectorize(rows.args[0], lanes)
    if ports:
        sums_of_a_pass.single_port(ports)
        for memory in (*held, *copies):
            memory.single_port()
    return Built(layer, output.accelerate([image, weights]), (image, weights), held[0])


def _rows(layer: Layer, image: hl.ImageParam, name: str, before: int) -> hl.Func:
    """The input for each row of the array, from the position with which its slot begins; or from that of the filter's
    next row which is so many (`before`) to its left."""
    n, i, x, y, c = hl.vars("n i x y c")
    rows, far = hl.Func(name), layer.dilation
    box = [(0, layer.n), (0, layer.ci), (0, layer.h), (0, layer.h)]
    every = hl.BoundaryConditions.constant_exterior(image, 0, box)
    reads = [
        every[n, i + layer.array * c - layer.ci * slot,
              x + far * (s - before) - layer.padding, y + far * (q + (before > 0)) - layer.padding]
        for slot, (s, q) in enumerate(layer.begins)
    ]  # fmt: skip
    rows[n, i, x, y, c] = sum(reads[1:], reads[0])
    return rows


def _read(layer: Layer, held: list[hl.Func], r: hl.RDom, at: tuple[hl.Var, hl.Var, hl.Var]) -> hl.Expr:
    """What a row takes in a step: the same place of the counters in all rows, of the one memory or, where its slot has
    come to the end of a row of the filter, of the other one."""
    n, x, y = at
    step, far = layer.stride, layer.dilation
    across = layer.tile if layer.within else 1
    reads = [rows[n, r.x, step * x + far * across * r.z, step * y + far * r.w, r.y] for rows in held]
    if len(reads) == 1:
        return reads[0]
    ends = [layer.filter - s for s, _ in layer.begins]
    here = hl.i32(ends[-1])
    for slot, end in reversed(list(enumerate(ends[:-1], 1))):
        here = hl.select(r.x < layer.ci * slot, end, here)
    return hl.select(r.z < here, reads[0], reads[1])


def packed(layer: Layer, filters: np.ndarray) -> np.ndarray:
    """Filters [co, ci, y, x] as the array's passes take them, [group, channel tile, row, column], zero elsewhere."""
    size = layer.array
    found = np.zeros((prod(layer.walk), layer.ci_tiles, size, layer.co_tiles * size), filters.dtype)
    for g, group in enumerate(layer.groups):
        for slot, place in enumerate(group):
            for c in range(layer.ci) if place else ():
                row = slot * layer.ci + c
                found[g, row // size, row % size, : layer.co] = filters[:, c, place[1], place[0]]
    return found


def direct(layer: Layer, image: np.ndarray, filters: np.ndarray) -> np.ndarray:
    """The convolution as it is defined: image [y, x, ci, n], filters [co, ci, y, x], output [y, x, n, co], int32."""
    pad, step, far = layer.padding, layer.stride, layer.dilation
    wide = np.pad(image.astype(np.int64), ((pad, pad), (pad, pad), (0, 0), (0, 0)))
    found = np.zeros((layer.out, layer.out, layer.n, layer.co), np.int64)
    for r, s in product(range(layer.filter), repeat=2):
        span = [slice(far * at, far * at + step * (layer.out - 1) + 1, step) for at in (r, s)]
        found += np.einsum("yxcn,kc->yxnk", wide[span[0], span[1]], filters[:, :, r, s].astype(np.int64))
    return found.astype(np.int32)


def operands(layer: Layer, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A random image [y, x, ci, n] and random filters [co, ci, y, x]."""
    random = np.random.default_rng(seed)
    shapes = (layer.h, layer.h, layer.ci, layer.n), (layer.co, layer.ci, layer.filter, layer.filter)
    image, filters = (random.integers(-128, 128, shape, np.int8) for shape in shapes)
    return image, filters
