"""Two ways to count the accesses of a layer's mappings, vectorised over tile sizes.

`exact` counts what the generated hardware does; `paper` is the convention behind Interstellar's numbers. Both
take a Tiling and the number of levels inside a PE, and are all that the cost of a mapping depends on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np

from halidehw.errors import CostError
from halidehw.mapping.layer import DIMS, RELEVANT, Layer
from halidehw.mapping.mapping import Axes, Tiling

INPUT, WEIGHT, OUTPUT = range(3)
WINDOWS = tuple((DIMS.index(out), DIMS.index(tap)) for out, tap in (("Z", "FZ"), ("Y", "FY"), ("X", "FX")))
OUTS, TAPS = (tuple(window[at] for window in WINDOWS) for at in range(2))
TAP_OF = dict(WINDOWS)


@dataclass(frozen=True)
class Counts:
    """Words, as int64 arrays: `reads`, `writes` (levels, 3, n) by level and tensor, `hops` (3, n); `macs`.

    `operations`: multiply-accumulates that are charged (none in the paper's convention). What a word of each tensor is
    charged as, `evaluate.charges` has.
    """

    reads: np.ndarray
    writes: np.ndarray
    hops: np.ndarray
    macs: int
    operations: int


CountingFunction = Callable[[Tiling, int], Counts]


def convention(name: str) -> CountingFunction:
    """The counting function of a name. Raises CostError on an unknown one."""
    known: dict[str, CountingFunction] = {"exact": exact, "paper": paper}
    if name not in known:
        raise CostError(f"unknown convention {name!r}", legal=[f'convention="{each}"' for each in known])
    return known[name]


def footprint(layer: Layer, tiles: np.ndarray, counting: str = "paper", sum_width: float = 1.0) -> np.ndarray:
    """Words of the three tensors together in tiles (dims, n) of DIMS: int64 (n,)."""
    return np.asarray(footprints(layer, tiles, counting, sum_width).sum(axis=0))


def footprints(layer: Layer, tiles: np.ndarray, counting: str, sum_width: float) -> np.ndarray:
    """Words of each of the three tensors in tiles (dims, n) of DIMS: int64 (3, n).

    An input's tile is a box. The `exact` one leaves out what strides and dilations skip, and a sum takes `sum_width`
    words.
    """
    b, g, k, c = tiles[:4]
    sums = b * g * k * tiles[list(OUTS)].prod(axis=0)
    if counting == "exact":
        sums = np.ceil(sums * sum_width).astype(np.int64)
    spots = b
    for out, tap in WINDOWS:
        spots = spots * box(layer, out, tiles[out], tiles[tap], counting)
    return np.stack([g * c * spots, g * c * k * tiles[list(TAPS)].prod(axis=0), sums])


def parts(layer: Layer, tiles: np.ndarray, buffers: int) -> np.ndarray:
    """int64 (3, n): how many tiles of each tensor the outermost memory on the chip has room for, whose tiles (dims, n)
    are those: `buffers`, but one where a tile has all of the tensor, as no other tile of it ever comes in."""
    whole = tiles >= np.array(layer.extents)[:, None]
    return np.stack([np.where(whole[list(moved)].all(axis=0), 1, buffers) for moved in RELEVANT])


def outermost_words(layer: Layer, tiles: np.ndarray, sum_width: float, buffers: int) -> np.ndarray:
    """Words that the outermost memory on the chip needs for tiles (dims, n), by the exact counts, int64 (n,)."""
    return np.asarray((footprints(layer, tiles, "exact", sum_width) * parts(layer, tiles, buffers)).sum(axis=0))


def box(layer: Layer, out: int, outs: np.ndarray, taps: np.ndarray, counting: str = "exact") -> np.ndarray:
    """Input words along one dimension under `outs` neighbouring outputs and `taps` taps: int64 (n,)."""
    stride, dilation = layer.steps(DIMS[out])
    if counting != "exact":
        return np.asarray(stride * (outs - 1) + dilation * (taps - 1) + 1)
    if layer.extents[TAP_OF[out]] == 1:
        return np.asarray(outs)
    if layer.extents[out] == 1:
        return np.asarray(taps)
    step = gcd(stride, dilation)
    both = (stride * (outs - 1) + dilation * (taps - 1)) // step + 1
    return np.where(taps == 1, outs, np.where(outs == 1, taps, both))


def window_words(layer: Layer, out: int, tap: int, tiles: np.ndarray) -> np.ndarray:
    """Input words along one dimension in all tiles (dims, n) of the output's dim `out` and the filter's dim `tap`."""
    outs, taps = layer.extents[out], layer.extents[tap]
    if outs == 1 or taps == 1:
        return np.full(tiles.shape[1], outs * taps)
    stride, dilation = layer.steps(DIMS[out])
    step = gcd(stride, dilation)
    out_tiles, tap_tiles = -(-outs // tiles[out]), -(-taps // tiles[tap])
    boxes = stride // step * tap_tiles * (outs - out_tiles) + dilation // step * out_tiles * (taps - tap_tiles)
    alone = (tiles[tap] == 1) | (tiles[out] == 1)
    return np.where(alone, outs * taps, boxes + out_tiles * tap_tiles)


def touched(layer: Layer) -> tuple[int, int, int]:
    """Words of input, weight and output that the layer's iterations read or write."""
    inputs, weight = (int(read(layer, np.array(layer.extents)[:, None], each)[0]) for each in (INPUT, WEIGHT))
    return inputs, weight, layer.words[OUTPUT]


def read(layer: Layer, tiles: np.ndarray, operand: int) -> np.ndarray:
    """Words of an operand that the iterations of `tiles` (dims, n) read, int64 (n,): of the input no more than one for
    each output and tap, where windows leave out words between them."""
    b, g, k, c = tiles[:4]
    words = g * c * (b if operand == INPUT else k)
    for out, tap in WINDOWS:
        spots = np.minimum(tiles[out] * tiles[tap], box(layer, out, tiles[out], tiles[tap]))
        words = words * (spots if operand == INPUT else tiles[tap])
    return np.asarray(words)


def exact(tiling: Tiling, pe_levels: int) -> Counts:
    """What the hardware does.

    All lanes take part in every step, those without work too; one PE alone reads only the operands that change. A tile
    is loaded again for each combination of the loops outside it, but for those inside all of the loops that move it. A
    word for several PEs is read once and written in each; only where input tiles overlap, a word is read for each of
    the tiles. Operands pass by a level that does not exist. A word of the output is summed over the PEs of a reduction
    in every step, then added to its partial sum.

    A tile of partial sums starts anew on every visit; when it is done, each of its words is read once more and added to
    the sums of the next level out. So a level's sums are written as often as words arrive, and read as often: all but
    the first of a visit to be added to, and once to leave. A level none of whose loops moves the output would hold what
    the next one in does: sums pass it by.
    """
    layer, tiles, array = tiling.layer, tiling.tiles, tiling.array_tiles
    reads = np.zeros((len(tiles), 3, tiles.shape[-1]), np.int64)
    writes = np.zeros_like(reads)
    hops = np.zeros_like(reads[0])
    slots = array_steps(layer, tiles[pe_levels - 1], tiling.lanes).prod(axis=0) * tiling.lanes.prod(axis=0)
    sums = slots // _copies(tiling, OUTPUT)
    built, step = exists(tiling, pe_levels), np.ones_like(tiling.lanes)
    for tensor in (INPUT, WEIGHT):
        changing = _moved(tiling, tensor, step, _stays(tiling, tensor, 0, through=True))
        reads[0, tensor] = np.where(tiling.lanes.prod(axis=0) == 1, changing, slots)
    reads[0, OUTPUT] = writes[0, OUTPUT] = sums
    hops[OUTPUT] = sums * spread(tiling.axes, tiling.lanes, OUTPUT, tree)
    for level in range(1, len(tiles)):
        per_pe = level <= pe_levels
        for tensor in (INPUT, WEIGHT):
            stays = _stays(tiling, tensor, level, through=True)
            sent = _moved(tiling, tensor, tiles[level - 1] if per_pe else array[level - 1], stays)
            loaded = sent * _copies(tiling, tensor) if per_pe else sent
            if level == pe_levels:
                hops[tensor] = sent * spread(tiling.axes, tiling.lanes, tensor, tree)
            writes[level - 1, tensor] = loaded * built[level - 1]
            reads[level, tensor] += (sent if level == pe_levels else loaded) * built[level]
        visits = _moved(tiling, OUTPUT, array[level - 1], _stays(tiling, OUTPUT, level, through=True))
        kept = level == len(tiles) - 1 or (array[level] > array[level - 1])[list(RELEVANT[OUTPUT])].any(axis=0)
        reads[level, OUTPUT] = writes[level, OUTPUT] = visits * kept
    reads[-1, OUTPUT] -= layer.words[OUTPUT]
    return Counts(reads, writes, hops, layer.macs, layer.macs)


def exists(tiling: Tiling, pe_levels: int) -> np.ndarray:
    """bool (levels, n): whether a level has memories of operands of its own: one without loops would hold what the next
    one in does, unless that is in every PE and it is not."""
    grows = np.asarray((tiling.tiles[1:] > tiling.tiles[:-1]).any(axis=1))
    grows[pe_levels - 1] |= tiling.lanes.prod(axis=0) > 1
    grows[-1] = True
    return np.concatenate([np.ones_like(grows[:1]), grows])


def array_steps(layer: Layer, tile: np.ndarray, lanes: np.ndarray) -> np.ndarray:
    """int64 (dims, n): the array's steps over each loop, with tiles `tile` (dims, n) in its PEs.

    The lanes of a loop have one tile each, side by side; where the last ones are cut off, the first lane sets the pace.
    """
    extents = np.array(layer.extents, np.int64)[:, None]
    together = tile * lanes
    return extents // together * tile + np.minimum(tile, extents % together)


def paper(tiling: Tiling, pe_levels: int) -> Counts:
    """Interstellar's convention: accesses (all in `reads`) are each tensor's size times the loops it does not depend
    on, at a level and outside it, but for that level's own that lie inside all of the tensor's; n is 2n - 1 for the
    output. The filter's loops count as not moving the input. Every level of register files lies in all PEs, so lanes
    count outside it.
    """
    layer, tiles = tiling.layer, tiling.tiles
    reads = np.zeros((len(tiles), 3, tiles.shape[-1]), np.int64)
    hops = np.zeros_like(reads[0])
    for level in range(len(tiles)):
        for tensor in range(3):
            relevant = paper_relevant(tensor)
            start = np.ones_like(tiling.lanes) if level == 0 else _stays(tiling, tensor, level, through=False)
            times = _times(tiling, tensor, start, relevant)
            if 0 < level < pe_levels:
                times = times * tiling.lanes[[dim for dim in range(len(DIMS)) if not relevant[dim]]].prod(axis=0)
            reads[level, tensor] = layer.words[tensor] * (2 * times - 1 if tensor == OUTPUT else times)
            if level == pe_levels:
                hops[tensor] = layer.words[tensor] * times * spread(tiling.axes, tiling.lanes, tensor, nearest)
    return Counts(reads, np.zeros_like(reads), hops, layer.macs, 0)


def paper_relevant(tensor: int) -> tuple[bool, ...]:
    """RELEVANT as the paper sees it."""
    return tuple(depends and not (tensor == INPUT and dim in TAPS) for dim, depends in enumerate(RELEVANT[tensor]))


def spread(axes: Axes, lanes: Any, tensor: int, rule: Callable[[list[tuple[Any, Any, bool]]], Any]) -> Any:
    """Hops of one word of `tensor` over the array, by `rule` from its loops (lanes, distance, nearest).

    `lanes[dim]`: an integer or an array of them, as is the result.
    """
    relevant = paper_relevant(tensor) if rule is nearest else RELEVANT[tensor]
    loops = []
    for axis in axes:
        distance = 1
        for position, dim in enumerate(axis):
            if not relevant[dim]:
                loops.append((lanes[dim], distance, position == 0))
            distance = distance * lanes[dim]
    return rule(loops)


def tree(loops: list[tuple[Any, Any, bool]]) -> Any:
    """Along the farthest loop once, then from each of its PEs along the next nearer one."""
    total, reached = 0, 1
    for lanes, distance, _ in reversed(loops):
        total = total + reached * (lanes - 1) * distance
        reached = reached * lanes
    return total


def nearest(loops: list[tuple[Any, Any, bool]]) -> Any:
    """The paper's: all nearest-neighbour loops multiply; a replicated loop adds its lanes times its distance."""
    total = 1
    for lanes, _, next_door in loops:
        total = total * lanes if next_door else total
    return total + sum((lanes - 1) * distance for lanes, distance, next_door in loops if not next_door)


def _stays(tiling: Tiling, tensor: int, level: int, through: bool) -> np.ndarray:
    """(dims, n): the extent over which the tile below `level` (of 0: a step's) stays: its own, grown by the loops not
    moving it that lie inside all loops that do; within `level`, or (`through`) in all levels outside it.
    """
    levels = len(tiling.tiles)
    tiles = np.concatenate([np.ones_like(tiling.tiles[:1]), tiling.array_tiles])
    relevant = RELEVANT[tensor] if through else paper_relevant(tensor)
    stays = tiles[level].copy()
    moved = np.zeros(tiles.shape[-1], bool)
    for outer in range(level, levels if through else level + 1):
        for dim in tiling.orders[outer]:
            if relevant[dim]:
                moved |= tiles[outer + 1, dim] > tiles[outer, dim]
            else:
                stays[dim] = np.where(moved, stays[dim], tiles[outer + 1, dim])
    return stays


def _times(tiling: Tiling, tensor: int, stays: np.ndarray, relevant: tuple[bool, ...]) -> np.ndarray:
    """How often each word is delivered: the tiles of size `stays` along the loops that are not relevant."""
    total = np.ones_like(stays[0])
    for dim, extent in enumerate(tiling.layer.extents):
        if not relevant[dim]:
            total = total * -(-extent // stays[dim])
    return total


def _moved(tiling: Tiling, tensor: int, box: np.ndarray, stays: np.ndarray) -> np.ndarray:
    """Words of all tiles `box` of `tensor`, each delivered once per `stays`; tiles are clipped to the layer."""
    layer = tiling.layer
    total = _times(tiling, tensor, stays, RELEVANT[tensor])
    for dim, extent in enumerate(layer.extents):
        if RELEVANT[tensor][dim] and not (tensor == INPUT and dim in OUTS + TAPS):
            total = total * extent
    if tensor == INPUT:
        for out, tap in WINDOWS:
            total = total * window_words(layer, out, tap, box)
    return total


def _copies(tiling: Tiling, tensor: int) -> np.ndarray:
    """PEs that get the same word."""
    others = [dim for dim in range(len(DIMS)) if not RELEVANT[tensor][dim]]
    return np.asarray(tiling.lanes[others].prod(axis=0))
