"""A convolution by channel-first implicit im2col on a weight-stationary S x S array, as an algorithm and a schedule.

A filter position is a 1x1 convolution of all channels, so nothing is lowered: rows of the array are the channels of
`tile` positions side by side, columns are output channels, and a group of positions is a pass over the input.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

import halidehw as hl

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
            least = 2 if name == "array" else 1
            if (size := getattr(self, name)) < least:
                raise hl.HalideHWError(f"--{name} {size}: it must be at least {least}", legal=(f"--{name} {least}",))
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
    def groups(self) -> tuple[tuple[Offset, ...], ...]:
        """The filter positions of each pass."""
        rows = [[(s, r) for s in range(self.filter)] for r in range(self.filter)]
        runs = rows if self.within else [[place for row in rows for place in row]]
        return tuple(tuple(run[at : at + self.tile]) for run in runs for at in range(0, len(run), self.tile))

    @property
    def ci_tiles(self) -> int:
        return -(-self.ci // self.array)

    @property
    def co_tiles(self) -> int:
        return -(-self.co // self.array)

    @property
    def passes(self) -> int:
        return self.co_tiles * len(self.groups) * self.ci_tiles

    @property
    def macs(self) -> int:
        return self.m * self.co * self.ci * self.filter**2

    @property
    def box(self) -> tuple[int, int, int, int] | None:
        """Where the groups are a box of positions each: how many along x and y, and how far apart; else None."""
        f, t = self.filter, self.tile
        if self.within or f % t == 0:
            return -(-f // t), f, t, 1
        if t % f == 0:
            return 1, -(-f * f // t), 1, t // f
        return None


@dataclass(frozen=True)
class Built:
    """`output` [output channel, n, x, y] reads image [n, channel, x, y], the layout HWCN, and weights [output channel,
    row, channel tile, group], dimension 0 first. Its channels, and the array's rows, are filled up with zero weights.
    With ports of `port_bits` a row of sums is written in a cycle."""

    layer: Layer
    output: hl.Func

    @property
    def port_bits(self) -> int:
        return max(512, 32 << (self.layer.array - 1).bit_length())


def conv(layer: Layer, lanes: int = 1, hidden: bool = True) -> Built:
    """The algorithm, and its schedule. `rows` is the input as the memories of the rows hold it, `tile` times: each
    channel beginning at its own position of a group. `lanes`: elements of a word that its memories are filled with; not
    `hidden`: weights of the next pass wait until the present one is over.
    """
    n, i, x, y, c, k, ko, ki, xo, xi = hl.vars("n i x y c k ko ki xo xi")
    image, weights = hl.ImageParam(hl.Int(8), 4, "image"), hl.ImageParam(hl.Int(8), 4, "weights")
    rows, output = hl.Func("rows"), hl.Func("output")
    size = layer.array
    box = [(0, layer.n), (0, layer.ci), (0, layer.h), (0, layer.h)]
    image.dim(0).set_bounds(0, layer.n)
    every = hl.BoundaryConditions.constant_exterior(image, 0, box)
    begins = layer.groups[0] if layer.box else [(0, 0)] * layer.tile
    pixels = [(x + layer.dilation * s - layer.padding, y + layer.dilation * r - layer.padding) for s, r in begins]
    rows[n, i, x, y, c] = sum((every[n, i + size * c - layer.ci * j, *pixel] for j, pixel in enumerate(pixels[1:], 1)),
                              every[n, i + size * c, *pixels[0]])

    groups = layer.box[:2] if layer.box else (len(layer.groups), 1)
    r = hl.RDom([(0, size), (0, layer.ci_tiles), *((0, count) for count in groups)], "r")
    output[k, n, x, y] += hl.i32(_read(layer, rows, r, (n, x, y))) * hl.i32(weights[k, r.x, r.y, r.z + groups[0] * r.w])
    output.set_bounds([(0, layer.co_tiles * size), (0, layer.n), (0, layer.out), (0, layer.out)])

    sums = output.update()
    sums.split(k, ko, ki, size).reorder(r.x, ki, n, x, y, r.y, r.z, r.w, ko)
    apart = -(-layer.reach // layer.stride)
    if not layer.box and layer.n == 1 and apart < layer.out:
        sums.split(x, xo, xi, apart).reorder(xo, xi)
    sums.unroll(r.x).unroll(ki).systolic(r.x, ki)
    output.in_().compute_at(output, ko)
    rows.compute_root()
    if lanes > 1:
        rows.vectorize(n, lanes)
    weights.in_().compute_root()
    weights.in_().in_().compute_at(output, r.x).vectorize(size)
    if not hidden:
        weights.in_().in_().single_buffer()
    return Built(layer, output.accelerate([image, weights]))


def _read(layer: Layer, rows: hl.Func, r: hl.RDom, at: tuple[hl.Var, hl.Var, hl.Var]) -> hl.Expr:
    """What a row takes in a step. A group that is a box is one more place of the counters. Of any other one, a row
    takes the position whose turn it is: row i has number i + ci * tile * group in the order of all positions and
    channels."""
    n, x, y = at
    step, far = layer.stride, layer.dilation
    if layer.box:
        _, _, across, down = layer.box
        return rows[n, r.x, step * x + far * across * r.z, step * y + far * down * r.w, r.y]
    number = r.x + layer.ci * layer.tile * r.z
    order = [place for group in layer.groups for place in group]
    found = [rows[n, r.x, step * x + far * s, step * y + far * q, r.y] for s, q in order]
    chosen = found[-1]
    for turn, read in reversed(list(enumerate(found[:-1], 1))):
        chosen = hl.select(number < layer.ci * turn, read, chosen)
    return chosen


def packed(layer: Layer, filters: np.ndarray) -> np.ndarray:
    """Filters [co, ci, y, x] as the array's passes take them, [group, channel tile, row, column], zero elsewhere."""
    size = layer.array
    found = np.zeros((len(layer.groups), layer.ci_tiles, size, layer.co_tiles * size), filters.dtype)
    for g, group in enumerate(layer.groups):
        for j, (s, r) in enumerate(group):
            for c in range(layer.ci):
                row = j * layer.ci + c if layer.tile > 1 else c % size
                found[g, c // size if layer.tile == 1 else 0, row, : layer.co] = filters[:, c, r, s]
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
