"""What a plan is made for: what fused layers move there, and which memory a tile takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import takewhile

import numpy as np

from halidehw.optimize.fusion.chain import Chain, Counts, Tilings, tilings

KB = 1024

NEVER = 2**62
"""Words of what does not fit."""

TILES, FILTERS_OUTSIDE, FILTERS_INSIDE, ROWS = "tiles", "filters outside", "filters inside", "rows"
"""Ways to go through tiles: of a GPU; of our own hardware tile by tile, with the loop over slices of the channels
outside those over pixels or inside them; and row by row."""

GPUS = {"gtx1660": (22, 96), "rtxa4000": (48, 128), "orin": (16, 192)}
"""Multiprocessors and KB of L1 cache. Source: the data sheets, as the paper on fused modules gives them."""


@dataclass(frozen=True)
class Group:
    """Layers that are computed together: a tile of the result at a time, of so many `filters` (channels), `rows` and
    `columns`. `way`: the loops over tiles; `kept`: whether an input that is added later waits on chip; `words` that
    pass the ports, `capacity` in bytes that they need."""

    chain: Chain
    way: str
    kept: bool
    filters: int
    rows: int
    columns: int
    tiles: int
    words: int
    capacity: int


@dataclass(frozen=True)
class Way:
    """A way to go through the tiles: the words it moves and the elements it holds, of each tiling that is tried."""

    name: str
    kept: bool
    tilings: Tilings
    words: Counts
    held: Counts

    @staticmethod
    def of(name: str, kept: bool, tilings: Tilings, words: Counts, held: Counts) -> Way:
        """With an entry for each tiling."""
        shape = tilings.tiles.shape
        return Way(name, kept, tilings, np.broadcast_to(words, shape), np.broadcast_to(held, shape))

    def group(self, at: tuple[np.intp, ...], size: int) -> Group:
        """The tiling at some place of the arrays, with elements of so many bytes."""
        tried = self.tilings
        sizes = (int(each[index]) for each, index in zip((tried.filters, tried.y.tile, tried.x.tile), at, strict=True))
        counts = (int(each[at]) for each in (tried.tiles, self.words, self.held * size))
        return Group(tried.chain, self.name, self.kept, *sizes, *counts)


@dataclass(frozen=True)
class Target:
    """`capacity` in bytes; `bytes` of an element; `min_tiles` that there must be; `gpu`: whether tiles are computed
    side by side, each with weights of its own, or by our own hardware, one after the other."""

    name: str
    capacity: int
    bytes: int = 1
    min_tiles: int = 1
    gpu: bool = False

    def sizes(self, chain: Chain) -> Sequence[Sequence[int]]:
        """The filters, rows and columns of a tile that are tried: of our own hardware the smallest of each number of
        tiles, of a GPU powers of two, and all."""
        last = chain.last.layer
        tried = _powers if self.gpu else _smallest
        return [tried(size) for size in (last.k, last.oy, last.ox)]

    def allows(self, chain: Chain) -> bool:
        """Whether layers can be computed together, with memory enough. Our own hardware writes one result, makes all of
        what lies between, and has no schedule for groups of channels."""
        if self.gpu or len(chain.nodes) == 1:
            return True
        strided = any(side.taps < side.stride for node in chain.nodes[1:] for side in (node.y, node.x))
        return not (chain.written or strided or any(node.grouped for node in chain.nodes))

    def ways(self, chain: Chain) -> Iterator[Way]:
        """All ways to compute a chain."""
        found = tilings(chain, self.sizes(chain))
        if self.gpu:
            yield _gpu(found)
            return
        yield from own_ways(found, tilings(chain, [self.sizes(chain)[0], [chain.last.layer.oy], self.sizes(chain)[2]]))

    def best(self, chain: Chain) -> tuple[Group | None, int]:
        """The tiles of a chain that move the fewest words (None: none fit, or there are too few), and the bytes that
        any tile needs. Of equal ones a GPU's hold least; our own hardware's are few, so that they fill an array."""
        ways = tuple(self.ways(chain))
        found = [group for way in ways if (group := self._best(way))]
        least = min(int(way.held.min()) for way in ways) * self.bytes
        return min(found, key=self._rank, default=None), least

    def _rank(self, group: Group) -> tuple[int, ...]:
        return (group.words, *((group.capacity, group.tiles) if self.gpu else (group.tiles, group.capacity)))

    def _best(self, way: Way) -> Group | None:
        held, tiles = way.held * self.bytes, way.tilings.tiles
        words = np.where((held <= self.capacity) & (tiles >= self.min_tiles), way.words, NEVER)
        if words.min() == NEVER:
            return None
        for rank in (held, tiles) if self.gpu else (tiles, held):
            fewest = words == words.min()
            words = np.where(fewest & (rank == rank[fewest].min()), words, NEVER)
        return way.group(np.unravel_index(words.argmin(), words.shape), self.bytes)

    def least(self, chain: Chain) -> int:
        """The bytes without which no tiles of a chain fit, or too few."""
        found = (np.where(way.tilings.tiles >= self.min_tiles, way.held, NEVER).min() for way in self.ways(chain))
        return int(min(found)) * self.bytes

    def most_tiles(self, chain: Chain) -> int:
        """How many tiles a chain has at most."""
        return max(int(way.tilings.tiles.max()) for way in self.ways(chain))


def total(counts: Iterable[Counts]) -> Counts:
    """The sum of counts of the same tilings."""
    return reduce(np.add, counts)


def _powers(size: int) -> list[int]:
    return [*takewhile(lambda power: power < size, (2**exponent for exponent in range(size.bit_length()))), size]


def _smallest(size: int) -> list[int]:
    return sorted({-(-size // count) for count in range(1, size + 1)})


def _gpu(tried: Tilings) -> Way:
    """Each tile loads all that it needs, weights too; what lies between two layers stays on chip."""
    chain, tensors = tried.chain, range(len(tried.chain.channels))
    words = tried.pixels(0) * chain.channels[0] * tried.again(0) + chain.last.result
    words = words + sum(tried.pieces * chain.weights(at) * tried.again(at) for at in tensors[1:])
    words = words + sum(tried.pixels(at) * chain.channels[at] * tried.again(at) for at in chain.fetched(True))
    words = words + sum(node.result for node in chain.written)
    held = sum(tried.largest(at) * tried.width(at) for at in (*tensors, *chain.fetched(True)))
    held = held + sum(tried.width(at) * chain.nodes[at - 1].filter for at in tensors[1:])
    return Way.of(TILES, True, tried, words, held)


def own_ways(tiles: Tilings, rows: Tilings) -> Iterator[Way]:
    """All ways of our own hardware, tile by tile and row by row; where the input is added later, it waits for that on
    chip, or it is read again."""
    chain = tiles.chain
    for kept in (False, True) if chain.fetched(False) != chain.fetched(True) else (True,):
        yield from (_tiles(tiles, kept, outside=True), _tiles(tiles, kept, outside=False), _rows(rows, kept))


def _tiles(tried: Tilings, kept: bool, outside: bool) -> Way:
    """Our own hardware, tile by tile. A memory is filled again only when its tile moves, and has two halves then; with
    the loop over slices `outside` those over pixels weights stay, else what is read."""
    chain, last = tried.chain, len(tried.chain.nodes)

    def times(at: int) -> Counts:
        """How often all of a tensor is made, or read."""
        return np.where(tried.pieces > 1, tried.again(at), 1) if outside else np.ones((1, 1, 1), int)

    def halves(at: int, several: int) -> Counts:
        loads = tried.tiles if chain.sliced[at] else tried.pieces
        return np.where(loads > 1, several, 1)

    words = sum(tried.pixels(at) * chain.channels[at] * times(at) for at in (0, *chain.fetched(kept)))
    words = words + _weights(tried, again=not outside) + chain.last.result
    held = sum(tried.box(at) * tried.width(at) * halves(at, 2) for at in range(last))
    held = held + sum(tried.box(s) * tried.width(s) * halves(s, 1 + at - s) for at, s in chain.held(kept))
    held = held + _filters(tried) + _apart(tried, kept, slices=outside)
    return Way.of(FILTERS_OUTSIDE if outside else FILTERS_INSIDE, kept, tried, words, held)


def _rows(tried: Tilings, kept: bool) -> Way:
    """Our own hardware, row by row: line buffers keep what consecutive rows have in common, of a strip of columns."""
    chain, last, y = tried.chain, len(tried.chain.nodes), tried.y
    words = sum(tried.pixels(at) * chain.channels[at] * tried.again(at) for at in (0, *chain.fetched(kept)))
    words = words + _weights(tried, again=False) + chain.last.result
    waiting = {source for _, source in chain.held(kept)}
    rows = [(at, y.window[at] + y.move[at] * max(1, y.more(at) if at in waiting else 1)) for at in range(last)]
    rows += [(s, y.field(s, at) + max(at - s, y.field(s, last) - y.field(s, at))) for at, s in chain.held(kept)]
    held = sum(count * tried.x.box[at][None, None, :] * tried.width(at) for at, count in rows)
    held = held + _filters(tried) + _apart(tried, kept, slices=True, rows=True)
    return Way.of(ROWS, kept, tried, words, held)


def _weights(tried: Tilings, again: bool) -> Counts:
    """Words of weights; `again`: those of a slice are read for each tile of pixels."""
    chain = tried.chain
    times = np.where((tried.slices > 1)[:, None, None], tried.pieces, 1)
    layers = range(1, len(chain.channels))
    words = (chain.weights(at) * (times if again and chain.sliced[at] else np.ones_like(times)) for at in layers)
    return total(words)


def _filters(tried: Tilings) -> Counts:
    """Weights that are held: all of a layer's, or a slice twice."""
    chain, several = tried.chain, (tried.slices > 1)[:, None, None]
    layers = range(1, len(chain.channels))
    slices = (2 * tried.width(at) * chain.nodes[at - 1].filter for at in layers)
    return total(
        np.where(several & chain.sliced[at], part, chain.weights(at)) for at, part in zip(layers, slices, strict=True)
    )


def _apart(tried: Tilings, kept: bool, slices: bool, rows: bool = False) -> Counts:
    """More than there is, where a tensor that waits to be added cannot: for the layer that reads it; or where its two
    readers do not need the same of it at a time, but a slice and all, or rows at paces of their own."""
    chain, y, held = tried.chain, tried.y, tried.chain.held(kept)
    sources, last = {source for _, source in held}, len(chain.nodes)
    uneven = {at for at in range(last) if at in sources or (y.window[at], y.move[at]) != (1, 1)}
    if any(at == source + 1 or (rows and at in uneven) for at, source in held):
        return np.full((1, 1, 1), NEVER // 2)
    whole = slices and any(chain.sliced[at] and not chain.sliced[source] for at, source in held)
    return np.where(whole & (tried.slices > 1), NEVER // 2, 0)[:, None, None]
