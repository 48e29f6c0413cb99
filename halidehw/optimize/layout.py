"""Which dimension of each tensor is the one along which words are neighbours in memory: a port of several words takes
them together along that one only.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import prod

import numpy as np

from halidehw.mapping.architecture import Architecture
from halidehw.mapping.counts import INPUT, OUTPUT, OUTS, TAPS, WEIGHT, box
from halidehw.mapping.counts import WINDOWS as PAIRS
from halidehw.mapping.layer import DIMS, Layer
from halidehw.mapping.mapping import Mapping

WINDOWS = {"X": "FX", "Y": "FY", "Z": "FZ"}
"""The loops that move along a dimension of the input with those of the filter."""

INPUTS, WEIGHTS = ("X", "Y", "Z", "C", "G", "B"), ("FX", "FY", "FZ", "C", "K", "G")
"""The loops of each dimension of the operands, the first along which a port of one word moves."""

PURE = ("X", "Y", "Z", "K", "G", "B")


def neighbours(layer: Layer, arch: Architecture, mapping: Mapping) -> tuple[str, ...]:
    """The loops whose lanes are neighbours in the output, so that its port takes them together: of the last one some,
    of those before it all there are. Each has one step in the PEs; or it moves no window and divides into equal tiles,
    so that whose words lie where is all the same.
    """
    lanes, able = np.ones((len(DIMS), 1), np.int64), list[str]()
    for dim, own in (loop for axis in mapping.spatial for loop in axis if loop[0] in PURE):
        inside = prod(dict(loops).get(dim, 1) for loops in mapping.temporal[: arch.pe_levels])
        lanes[DIMS.index(dim)] = own
        if inside == 1 or (dim not in WINDOWS and layer.extents[DIMS.index(dim)] % (own * inside) == 0):
            able.append(dim)
    best, most = tuple[str, ...](), 1
    for order, words in beats(layer, lanes, arch.port_words[OUTPUT], tuple(dim for dim in PURE if dim in able)):
        if words[0] > most:
            best, most = order, int(words[0])
    return best


def stored(layer: Layer, lanes: np.ndarray, port: int) -> np.ndarray:
    """int64 (n,): words of the output that leave in a cycle at most, of `lanes` (dims, n), through a port of so
    many."""
    most = np.ones(lanes.shape[1], np.int64)
    for _, words in beats(layer, lanes, port, PURE):
        most = np.maximum(most, words)
    return most


def beats(
    layer: Layer, lanes: np.ndarray, port: int, dims: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], np.ndarray]]:
    """For each choice of the loops, of `dims`, that are neighbours, the words that a port of so many takes together,
    int64 (n,), of `lanes` (dims, n): those of loops of which the lanes are all there is, and some of one more, so many
    as divide it then, or some would be cut off."""
    table, extents = most_of(int(lanes.max(initial=1)), port), dict(zip(DIMS, layer.extents, strict=True))
    own = {dim: lanes[DIMS.index(dim)] for dim in dims}
    whole = [dim for dim in dims if 1 < extents[dim] <= port and (own[dim] == extents[dim]).any()]
    for many in range(len(whole) + 1):
        for first in combinations(whole, many):
            words = prod(extents[dim] for dim in first)
            at = np.logical_and.reduce([own[dim] == extents[dim] for dim in first]) if first else True
            if words > port or not np.any(at):
                continue
            for last in (dim for dim in dims if dim not in first):
                more = table[own[last], port // words]
                fits = at & (extents[last] % more == 0) if first else True
                yield (*first, last), np.where(fits, words * more, 1)


@cache
def most_of(lanes: int, port: int) -> np.ndarray:
    """int64 (lanes + 1, port + 1): `most_lanes` of all up to these."""
    table = np.ones((lanes + 1, port + 1), np.int64)
    for some in range(2, min(lanes, port) + 1):
        table[some::some, some:] = some
    return table


def operands(
    layer: Layer, arch: Architecture, held: tuple[np.ndarray, ...], joined: tuple[bool, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The loops of each dimension of input and weight: that one first along which most words of what comes in at once,
    `held` (dims, 1) of each, pass the port in a cycle; or, of an operand of which dimensions that a tile has whole are
    `joined`, those before it."""
    found = []
    for (tensor, dims), own, all_first in zip(((INPUT, INPUTS), (WEIGHT, WEIGHTS)), held, joined, strict=True):
        extents, whole, straight = (each[:, 0] for each in runs(layer, own, tensor))
        lengths = np.where(straight, extents, 1)
        first = np.flatnonzero(whole & (lengths > 1) & all_first).tolist()
        before = prod(lengths[first].tolist())
        pace = _moved(before * np.where(np.isin(np.arange(len(dims)), first), 1, lengths), arch.port_words[tensor])
        first += [at for at in [int(np.argmax(pace))] if at not in first]
        found.append(tuple(dims[at] for at in (*first, *(at for at in range(len(dims)) if at not in first))))
    return found[0], found[1]


def held_words(layer: Layer, tiles: np.ndarray) -> np.ndarray:
    """float64 (3, n): words of each tensor in `tiles` (dims, n)."""
    b, g, k, c = tiles[:4].astype(float)
    spots = np.prod([box(layer, out, tiles[out], tiles[tap]) for out, tap in PAIRS], axis=0)
    outs, taps = (tiles[list(dims)].prod(axis=0) for dims in (OUTS, TAPS))
    return np.stack([b * g * c * spots, g * k * c * taps, b * g * k * outs])


def rates(layer: Layer, tiles: np.ndarray, tensor: int, port: int) -> np.ndarray:
    """float64 (n,): the most words of an operand's `tiles` (dims, n) a port of so many moves in a cycle, on average:
    dimensions that a tile has whole are joined with that of the others which suits the port best."""
    extents, whole, straight = runs(layer, tiles, tensor, _several(layer, tensor))
    every, part = np.where(whole & straight, extents, 1).prod(axis=0), ~whole & straight
    return np.asarray(_moved(every * np.where(part, extents, 1), port).max(axis=0))


def _moved(extents: np.ndarray, port: int) -> np.ndarray:
    """Words in a cycle, of so many neighbours."""
    width = np.minimum(port, 1 << np.ceil(np.log2(extents)).astype(np.int64))
    return np.asarray(extents / -(-extents // width))


@cache
def _several(layer: Layer, tensor: int) -> tuple[str, ...]:
    """The loops of the dimensions of an operand with several words, and of one with one, if there is any: all others
    are like that."""
    sizes = {name: layer.extents[DIMS.index(name)] for name in (INPUTS if tensor == INPUT else WEIGHTS)}
    if tensor == INPUT:
        sizes |= {name: sizes[name] * layer.extents[DIMS.index(tap)] for name, tap in WINDOWS.items()}
    alone = [name for name, size in sizes.items() if size == 1]
    return (*(name for name in sizes if name not in alone), *alone[:1])


def runs(
    layer: Layer, tiles: np.ndarray, tensor: int, names: tuple[str, ...] = ()
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Along each dimension of an operand, or those of the loops `names`, in `tiles` (dims, n): int64 (dims, n), its
    words; bool (dims, n), whether they are all there are, and whether they are neighbours."""
    extents, whole, straight = [], [], []
    for name in names or (INPUTS if tensor == INPUT else WEIGHTS):
        dim = DIMS.index(name)
        own, most, close = tiles[dim], layer.extents[dim], np.ones(tiles.shape[1], bool)
        if tensor == INPUT and name in WINDOWS:
            tap, (stride, dilation) = DIMS.index(WINDOWS[name]), layer.steps(name)
            most = int(box(layer, dim, np.array(most), np.array(layer.extents[tap])))
            close = np.gcd(np.where(own > 1, stride, 0), np.where(tiles[tap] > 1, dilation, 0)) < 2
            own = box(layer, dim, own, tiles[tap])
        extents.append(own)
        whole.append(own == most)
        straight.append(close)
    return np.stack(extents), np.stack(whole), np.stack(straight)
