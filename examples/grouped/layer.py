"""A grouped convolution by spatial packing (GSPC): what a layer should take on an array, what it takes, and why.

python examples/grouped/layer.py --channels 64 --filter 3 --out 16 --groups 16 --array 8 --unroll groups --json

Its work is 1/g of a dense layer's, and an array that is unrolled over channels is no faster for it: channels of one
group do not fill its lanes. Unrolled over groups as well it is. Between the two lies one line of the schedule.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from itertools import product
from math import gcd

import numpy as np

import halidehw as hl
from halidehw.energy_model.cycles import StageCycles
from halidehw.mapping.layer import Layer
from halidehw.microarch.derive import WIDEST

PORT_BITS = 512
"""64 words of the image or of weights, 16 of the output."""

BANKS = 256
"""A store between stages has a bank for each pair of a lane of its writer and one of its reader; at most so many."""

LONGEST = 1 << 24
"""Cycles that are simulated: some minutes."""


@dataclass(frozen=True)
class Tiles:
    """What is packed side by side: `t_o` output and `t_i` input channels of a group, and `t_g` groups."""

    t_o: int
    t_i: int
    t_g: int = 1

    @property
    def groups_first(self) -> bool:
        """Whether sums of neighbouring groups are neighbours in memory, not of channels: a writer takes a power of two
        of neighbours together."""
        return gcd(self.t_g, WIDEST) > gcd(self.t_o, WIDEST)

    def split(self, z: hl.Expr) -> tuple[hl.Expr, hl.Expr]:
        """Channel and group of place `z` in a tile of sums."""
        return (z / self.t_g, z % self.t_g) if self.groups_first else (z % self.t_o, z / self.t_o)

    def place(self, channel: hl.Expr, group: hl.Expr) -> hl.Expr:
        """The inverse of `split`."""
        return channel * self.t_g + group if self.groups_first else group * self.t_o + channel


@dataclass(frozen=True)
class Lanes:
    """How many output and input channels, and groups, an array takes in a step."""

    outputs: int
    inputs: int
    groups: int = 1

    @property
    def tiles(self) -> Tiles:
        """With as many packed side by side as it takes in a step."""
        return Tiles(self.outputs, self.inputs, self.groups)

    def fitting(self, tiles: Tiles) -> Lanes:
        """As many of these as divide the tiles of sums, so that a lane has one place in all of them, and no more than
        a tile of inputs."""
        outputs = max(n for n in range(1, self.outputs + 1) if tiles.t_o % n == 0)
        groups = max(n for n in range(1, self.groups + 1) if tiles.t_g % n == 0)
        return Lanes(outputs, min(self.inputs, tiles.t_i), groups)


@dataclass(frozen=True)
class Packed:
    """A grouped convolution in stages: `pack` arranges the image, `conv` sums, `output` arranges the result.

    `weights` is arranged ahead of time, by a Func of its own; `w` is what the hardware gets of it.
    """

    layer: Layer
    tiles: Tiles
    image: hl.ImageParam
    filters: hl.ImageParam
    w: hl.ImageParam
    weights: hl.Func
    pack: hl.Func
    conv: hl.Func
    output: hl.Func
    r: hl.RDom


@dataclass(frozen=True)
class Report:
    """Cycles from the array's first step to its last sum: with all PEs at work, by the model, by the hardware's own
    counters; whether every bit is that of a direct convolution; what lost the rest; what packing takes besides."""

    ideal: float
    predicted: int
    cycles: int
    match: bool
    cause: str
    excess: float
    lanes: Lanes
    tiles: Tiles
    loading: int
    unpacking: int
    packed_words: dict[str, int]


def up(number: int, step: int) -> int:
    return -(-number // step)


def gspc(layer: Layer, tiles: Tiles, bits: int = 8) -> Packed:
    """The algorithm. Arrays, the fastest dimension first: image [x, y, channel of a group, item, group], filters
    [x, y, input channel, output channel, group], output [x, y, output channel, item, group]: those of a direct
    convolution, as they lie in memory.

    Words have so many `bits`. A tile of channels that does not divide a group's is left out of the sum (`where`) or is
    zero; so is one of groups.
    """
    names = "x y n g z ti kx ky ct kt k gb"
    x, y, n, g, z, ti, kx, ky, ct, kt, k, gb = hl.vars(names)
    _, groups, k_pg, c_pg, *_ = layer.extents
    t_o, t_i, t_g = tiles.t_o, tiles.t_i, tiles.t_g
    (down, _), (across, _) = layer.steps("Y"), layer.steps("X")
    width, height = across * (layer.ox - 1) + layer.fx, down * (layer.oy - 1) + layer.fy
    image, filters = hl.ImageParam(hl.Int(bits), 5, "image"), hl.ImageParam(hl.Int(bits), 5, "filters")
    w = hl.ImageParam(hl.Int(bits), 7, "w")
    image_box = [(0, width), (0, height), (0, c_pg), (0, layer.b), (0, groups)]
    filter_box = [(0, layer.fx), (0, layer.fy), (0, c_pg), (0, k_pg), (0, groups)]
    every, each = (hl.BoundaryConditions.constant_exterior(a, 0, box) for a, box in
                   ((image, image_box), (filters, filter_box)))  # fmt: skip
    weights, pack, conv, output = map(hl.Func, ("weights", "pack", "conv", "output"))
    blocks, k_tiles, c_tiles = up(groups, t_g), up(k_pg, t_o), up(c_pg, t_i)

    to, gi = tiles.split(z)
    weights[z, ti, kx, ky, ct, kt, gb] = each[kx, ky, ct * t_i + ti, kt * t_o + to, gb * t_g + gi]
    weights.set_bounds([(0, n) for n in (t_g * t_o, t_i, layer.fx, layer.fy, c_tiles, k_tiles, blocks)])
    pack[x, ti, y, ct, n, g] = every[x, y, ct * t_i + ti, n, g]

    r = hl.RDom([(0, layer.fx), (0, layer.fy), (0, t_i), (0, c_tiles)], "r")
    if c_pg % t_i:
        r.where(r.z + t_i * r.w < c_pg)
    pixel = pack[across * x + r.x, r.z, down * y + r.y, r.w, n, gb * t_g + gi]
    conv[z, x, y, kt, n, gb] += hl.i32(pixel) * hl.i32(w[z, r.z, r.x, r.y, r.w, kt, gb])
    conv.set_bounds([(0, n) for n in (t_g * t_o, layer.ox, layer.oy, k_tiles, layer.b, blocks)])
    output[x, y, k, n, g] = conv[tiles.place(k % t_o, g % t_g), x, y, k / t_o, n, g / t_g]
    output.set_bounds([(0, n) for n in (layer.ox, layer.oy, k_pg, layer.b, groups)])
    return Packed(layer, tiles, image, filters, w, weights, pack, conv, output, r)


def schedule(packed: Packed, lanes: Lanes) -> hl.Func:
    """Lanes of the array, and everything in its memories before it begins, so that only the array's own loops are seen.
    What is unrolled is the last three lines.
    """
    tiles, (r, conv, output) = packed.tiles, (packed.r, packed.conv, packed.output)
    k, kt, g, gb, gi, to, go, gl, too, tii, tio, x, y, n, z = hl.vars("k kt g gb gi to go gl too tii tio x y n z")
    packed.pack.compute_root()
    packed.pack.vectorize(x, _across(lanes.inputs * lanes.groups))
    conv.compute_root()
    output.split(k, kt, to, tiles.t_o).split(g, gb, gi, tiles.t_g).reorder(x, y, to, kt, n, gi, gb)
    output.vectorize(x, _across(lanes.outputs * lanes.groups))
    packed.w.in_().compute_root()

    sums = conv.update()
    sums.split(z, to, gi, tiles.t_g) if tiles.groups_first else sums.split(z, gi, to, tiles.t_o)
    sums.split(gi, go, gl, lanes.groups).split(to, too, to, lanes.outputs).split(r.z, tio, tii, lanes.inputs)
    sums.reorder(tii, to, gl, tio, r.x, r.y, r.w, x, y, n, too, kt, go, gb)
    sums.unroll(tii)
    sums.unroll(to)
    sums.unroll(gl)
    return output.accelerate([packed.image, packed.w])


def _across(lanes: int) -> int:
    """Pixels that a layout change takes together: as many as ports and banks allow."""
    return max(1, min(16, BANKS // lanes))


def over_channels(layer: Layer, array: int) -> Lanes:
    """Output and input channels of one group on the two sides of the array."""
    _, _, k_pg, c_pg, *_ = layer.extents
    return Lanes(min(array, k_pg), min(array, c_pg))


def over_groups(layer: Layer, array: int) -> Lanes:
    """Of all lanes that the array's PEs can be arranged as, those of the fewest cycles; of these the fewest groups."""
    _, groups, k_pg, c_pg, *_ = layer.extents
    pes = array * array
    every = (
        Lanes(outputs, inputs, min(groups, pes // (outputs * inputs)))
        for inputs, outputs in product(range(1, min(c_pg, pes) + 1), range(1, min(k_pg, pes) + 1))
        if outputs * inputs <= pes
    )
    cost = {lanes: cycles(layer, lanes.tiles, lanes) for lanes in every}
    return min(cost, key=lambda lanes: (cost[lanes], lanes.groups, max(lanes.outputs, lanes.inputs)))


def tiles_for(layer: Layer, array: int, lanes: Lanes) -> Tiles:
    """A packing for these lanes: the one of an array that is unrolled over groups wherever it serves both as well."""
    packings = [tiles for tiles in (over_groups(layer, array).tiles, lanes.tiles) if lanes.fitting(tiles) == lanes]
    return min(packings, key=lambda tiles: cycles(layer, tiles, lanes))


def cycles(layer: Layer, tiles: Tiles, lanes: Lanes) -> int:
    """What the array needs at least: its steps, or the writer's to take the sums."""
    return max(steps(layer, tiles, lanes), written(layer, tiles, lanes))


def written(layer: Layer, tiles: Tiles, lanes: Lanes) -> int:
    """Cycles of the writer, which takes a power of two of neighbouring sums together."""
    _, groups, k_pg, *_ = layer.extents
    places = (up(groups, tiles.t_g) * tiles.t_g) * (up(k_pg, tiles.t_o) * tiles.t_o)
    return places * layer.b * layer.oy * layer.ox // _beside(tiles, lanes)


def _beside(tiles: Tiles, lanes: Lanes) -> int:
    """Neighbouring sums that are written together."""
    return gcd(min(lanes.groups, tiles.t_g) if tiles.groups_first else min(lanes.outputs, tiles.t_o), WIDEST)


def steps(layer: Layer, tiles: Tiles, lanes: Lanes) -> int:
    """Of the array, for the whole layer."""
    _, groups, k_pg, c_pg, *_ = layer.extents
    full, rest = divmod(c_pg, tiles.t_i)
    inputs = full * up(tiles.t_i, lanes.inputs) + up(rest, lanes.inputs)
    outputs = up(k_pg, tiles.t_o) * up(tiles.t_o, lanes.outputs)
    blocks = up(groups, tiles.t_g) * up(tiles.t_g, lanes.groups)
    return blocks * outputs * inputs * layer.b * layer.oy * layer.ox * layer.fy * layer.fx


def direct(layer: Layer, image: np.ndarray, filters: np.ndarray) -> np.ndarray:
    """The convolution as it is defined, without packing. Arrays as in `gspc`, dimension 0 last; int32 that wraps."""
    (down, _), (across, _) = layer.steps("Y"), layer.steps("X")
    _, groups, k_pg, *_ = layer.extents
    found = np.zeros((groups, layer.b, k_pg, layer.oy, layer.ox), np.int64)
    for fy, fx in product(range(layer.fy), range(layer.fx)):
        rows = image[:, :, :, fy : fy + down * layer.oy : down, fx : fx + across * layer.ox : across]
        found += np.einsum("gncyx,gkc->gnkyx", rows.astype(np.int64), filters[..., fy, fx].astype(np.int64))
    return found.astype(np.int32)


def operands(packed: Packed, seed: int) -> dict[str, np.ndarray]:
    """Random words for image and filters."""
    layer, random = packed.layer, np.random.default_rng(seed)
    _, groups, k_pg, c_pg, *_ = layer.extents
    (down, _), (across, _) = layer.steps("Y"), layer.steps("X")
    height, width = down * (layer.oy - 1) + layer.fy, across * (layer.ox - 1) + layer.fx
    shapes = {"image": (groups, layer.b, c_pg, height, width), "filters": (groups, k_pg, c_pg, layer.fy, layer.fx)}
    return {name: random.integers(-128, 128, shape, np.int8) for name, shape in shapes.items()}


def report(layer: Layer, array: int, lanes: Lanes, tiles: Tiles | None = None, seed: int = 0) -> Report:
    """The layer's model and hardware. Raises what `hl.compile` and `hl.simulate` raise."""
    tiles = tiles or tiles_for(layer, array, lanes)
    packed = gspc(layer, tiles)
    compiled = hl.compile(schedule(packed, lanes), port_bits=PORT_BITS, counters="all")
    found = {stage.name: stage for stage in hl.estimate(compiled).cycles.stages}
    given = operands(packed, seed)
    packed.filters.set(hl.Buffer(given["filters"], "filters"))
    words = packed.weights.realize().array
    result = hl.simulate(compiled, {"image": given["image"], "w": words})
    conv, ideal = found["conv"], layer.macs / array**2
    predicted = conv.busy + sum(conv.stalls.values())
    counted = result.cycles - result.counters["conv_fill_cycles"] - result.counters["conv_drain_cycles"]
    return Report(
        int(ideal) if ideal == int(ideal) else ideal, predicted, counted,
        result.match and np.array_equal(result.outputs, direct(layer, given["image"], given["filters"])),
        cause(layer, array, lanes, tiles, conv), predicted / ideal - 1, lanes, tiles, conv.fill,
        found["output"].busy + found["output"].drain,
        {"w": words.size, "pack": given["image"].size, "output": result.outputs.size},
    )  # fmt: skip


def cause(layer: Layer, array: int, lanes: Lanes, tiles: Tiles, conv: StageCycles) -> str:
    """What of the array's cycles beyond the ideal is lost where, and what to change."""
    ideal, pes = layer.macs / array**2, array * array
    lost: list[str] = []
    if conv.busy > ideal:
        _, groups, k_pg, c_pg, *_ = layer.extents
        best = over_groups(layer, array)
        least = steps(layer, best.tiles, best)
        advice = f"; unrolled over groups it takes {least}" if least < conv.busy else ""
        if written(layer, tiles, lanes) >= conv.busy:
            advice += f"; more lanes would wait, as sums are written {_beside(tiles, lanes)} a cycle"
        lost.append(
            f"idle lanes: {lanes.inputs} of {c_pg} input and {lanes.outputs} of {k_pg} output channels in "
            f"{lanes.groups} of {groups} groups use {layer.macs / conv.busy / pes:.1%} of {pes} PEs, "
            f"{conv.busy - ideal:g} cycles{advice}"
        )
    lost += [f"waits for {name}, {cycles} cycles" for name, cycles in conv.stalls.items() if cycles]
    return "; ".join(lost) or "none: all PEs are at work in every cycle"


SIZES = ("channels", "filters", "filter", "out", "groups", "stride", "batch", "array", "t_o", "t_i", "seed")


def checked(args: argparse.Namespace, **most: int) -> None:
    """Raises HalideHWError for a size that is not positive, or larger than in `most`."""
    for name in SIZES:
        size, option, least = getattr(args, name, None), f"--{name.replace('_', '-')}", int(name != "seed")
        if size is not None and size < least:
            raise hl.HalideHWError(f"{option} {size}: it must be at least {least}", legal=(f"{option} 8",))
        if size is not None and size > most.get(name, size):
            raise hl.HalideHWError(f"{option} {size}: a group has {most[name]}", legal=(f"{option} {most[name]}",))


def layer_of(args: argparse.Namespace) -> Layer:
    """Raises HalideHWError for sizes that are not positive, and groups that do not divide the channels."""
    checked(args)
    sizes = {"c": args.channels, "k": args.filters or args.channels, "fx": args.filter, "fy": args.filter}
    return Layer(b=args.batch, ox=args.out, oy=args.out, stride=args.stride, groups=args.groups, **sizes)


def main() -> None:
    parser = argparse.ArgumentParser(description="A grouped convolution on an array: expected and achieved.")
    for name, what, default in (
        ("channels", "input channels, of all groups", 64), ("filters", "output channels; as many as input", None),
        ("filter", "width and height of a filter", 3), ("out", "width and height of the output", 16),
        ("groups", "", 1), ("stride", "", 1), ("batch", "", 1), ("array", "PEs on each side", 8),
        ("seed", "of the random words", 0),
        ("t-o", "output channels packed side by side", None), ("t-i", "input channels packed side by side", None),
    ):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=default, help=what)
    parser.add_argument("--unroll", choices=("channels", "groups"), default="channels")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    try:
        found = asked(args)
    except hl.HalideHWError as error:
        options = ("--" + text.replace("=", " ").removeprefix("--") for text in error.proposed)
        print(error.message, *options, sep="\n    ", file=sys.stderr)
        sys.exit(2)
    if args.json:
        print(json.dumps(asdict(found)))
    else:
        for name, value in asdict(found).items():
            print(f"{name:13} {value}")
    sys.exit(0 if found.match else 1)


def asked(args: argparse.Namespace) -> Report:
    """The report that the command line asks for."""
    layer = layer_of(args)
    _, _, k_pg, c_pg, *_ = layer.extents
    checked(args, t_o=k_pg, t_i=c_pg)
    lanes = (over_groups if args.unroll == "groups" else over_channels)(layer, args.array)
    tiles = tiles_for(layer, args.array, lanes)
    tiles = Tiles(args.t_o or tiles.t_o, args.t_i or tiles.t_i, tiles.t_g)
    if (least := cycles(layer, tiles, lanes.fitting(tiles))) > LONGEST:
        out = max(1, int(args.out * (LONGEST / least) ** 0.5))
        raise hl.HalideHWError(f"{least} cycles are more than are simulated, {LONGEST}", legal=(f"--out {out}",))
    return report(layer, args.array, lanes.fitting(tiles), tiles, args.seed)


if __name__ == "__main__":
    main()
