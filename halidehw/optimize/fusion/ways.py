"""Ways to go through the tiles of a chain: what passes the ports, what is held, and how often each tensor is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from halidehw.optimize.fusion.chain import Chain, Counts, Tilings

NEVER = 2**62
"""Words of what does not fit."""

APART = NEVER // 2
"""Words of what cannot be, however large the memory."""

ROOMY = APART - 1
"""Bytes in which all fits that can be."""

TILES, FILTERS_OUTSIDE, FILTERS_INSIDE, ROWS = "tiles", "filters outside", "filters inside", "rows"
"""Ways to go through tiles: of a GPU; of our own hardware tile by tile, with the loop over slices of the channels
outside those over pixels or inside them; and row by row."""


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
    """A way to go through the tiles. Of each tiling that is tried: `words` that pass the ports, those of each layer's
    `weights` among them; `made`: how often all of each tensor is made, or read; `stores`: elements of each tensor's
    memory but the result's; `filters`: of that of each layer's weights; `more`: elements that are held besides."""

    name: str
    kept: bool
    tilings: Tilings
    words: Counts
    weights: tuple[Counts, ...]
    made: tuple[Counts, ...]
    stores: tuple[Counts, ...]
    filters: tuple[Counts, ...]
    more: Counts

    @property
    def shape(self) -> tuple[int, ...]:
        return self.tilings.tiles.shape

    @cached_property
    def held(self) -> Counts:
        """Elements on chip."""
        return np.broadcast_to(total((*self.stores, *self.filters, self.more)), self.shape)

    def group(self, at: tuple[np.intp, ...], size: int) -> Group:
        """The tiling at some place of the arrays, with elements of so many bytes."""
        tried, words = self.tilings, np.broadcast_to(self.words, self.shape)
        sizes = (int(each[index]) for each, index in zip((tried.filters, tried.y.tile, tried.x.tile), at, strict=True))
        counts = (int(each[at]) for each in (tried.tiles, words, self.held * size))
        return Group(tried.chain, self.name, self.kept, *sizes, *counts)


def total(counts: Iterable[Counts]) -> Counts:
    """The sum of counts of the same tilings."""
    return reduce(np.add, counts)


def gpu_way(tried: Tilings) -> Way:
    """Each tile loads all that it needs, weights too; what lies between two layers stays on chip."""
    chain, tensors = tried.chain, range(len(tried.chain.channels))
    words = tried.pixels(0) * chain.channels[0] * tried.again(0) + chain.last.result
    weights = tuple(tried.pieces * chain.weights(at) * tried.again(at) for at in tensors[1:])
    words = words + total(weights)
    words = words + sum(tried.pixels(at) * chain.channels[at] * tried.again(at) for at in chain.fetched(True))
    words = words + sum(node.result for node in chain.written)
    stores = tuple(tried.largest(at) * tried.width(at) for at in tensors)
    filters = tuple(tried.width(at) * chain.nodes[at - 1].filter for at in tensors[1:])
    more = sum((tried.largest(at) * tried.width(at) for at in chain.fetched(True)), np.zeros((1, 1, 1), int))
    return Way(TILES, True, tried, words, weights, tuple(map(tried.again, tensors)), stores, filters, more)


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
        return np.where(tried.pieces > 1, tried.again(at), 1) if outside else np.ones((1, 1, 1), int)

    def halves(at: int, several: int) -> Counts:
        loads = tried.tiles if chain.sliced[at] else tried.pieces
        return np.where(loads > 1, several, 1)

    stores = tuple(tried.box(at) * tried.width(at) * halves(at, 2) for at in range(last))
    more = _apart(tried, kept, slices=outside)
    more = more + sum(tried.box(s) * tried.width(s) * halves(s, 1 + at - s) for at, s in chain.held(kept))
    made = tuple(times(at) for at in range(last + 1))
    name, weights = FILTERS_OUTSIDE if outside else FILTERS_INSIDE, _weights(tried, again=not outside)
    return Way(name, kept, tried, _words(tried, kept, made, weights), weights, made, stores, _filters(tried), more)


def _rows(tried: Tilings, kept: bool) -> Way:
    """Our own hardware, row by row: line buffers keep what consecutive rows have in common, of a strip of columns."""
    chain, last, y = tried.chain, len(tried.chain.nodes), tried.y
    waiting = {source for _, source in chain.held(kept)}

    def store(at: int, count: int) -> Counts:
        return count * tried.x.box[at][None, None, :] * tried.width(at)

    rows = (y.window[at] + y.move[at] * max(1, y.more(at) if at in waiting else 1) for at in range(last))
    stores = tuple(store(at, count) for at, count in enumerate(rows))
    held = ((s, y.field(s, at) + max(at - s, y.field(s, last) - y.field(s, at))) for at, s in chain.held(kept))
    more = _apart(tried, kept, slices=True, rows=True) + sum(store(at, count) for at, count in held)
    made = tuple(tried.again(at) for at in range(last + 1))
    weights = _weights(tried, again=False)
    return Way(ROWS, kept, tried, _words(tried, kept, made, weights), weights, made, stores, _filters(tried), more)


def _words(tried: Tilings, kept: bool, made: tuple[Counts, ...], weights: tuple[Counts, ...]) -> Counts:
    """That pass the ports."""
    chain = tried.chain
    words = total(tried.pixels(at) * chain.channels[at] * made[at] for at in (0, *chain.fetched(kept)))
    return words + total(weights) + chain.last.result


def _weights(tried: Tilings, again: bool) -> tuple[Counts, ...]:
    """Words of each layer's weights; `again`: those of a slice are read for each tile of pixels."""
    chain = tried.chain
    times = np.where((tried.slices > 1)[:, None, None], tried.pieces, 1)
    layers = range(1, len(chain.channels))
    return tuple(chain.weights(at) * (times if again and chain.sliced[at] else np.ones_like(times)) for at in layers)


def _filters(tried: Tilings) -> tuple[Counts, ...]:
    """Weights that are held: all of a layer's, or a slice twice."""
    chain, several = tried.chain, (tried.slices > 1)[:, None, None]
    return tuple(
        np.where(several & chain.sliced[at], 2 * tried.width(at) * chain.nodes[at - 1].filter, chain.weights(at))
        for at in range(1, len(chain.channels))
    )


def _apart(tried: Tilings, kept: bool, slices: bool, rows: bool = False) -> Counts:
    """More than there is, where a tensor that waits to be added cannot: for the layer that reads it; or where its two
    readers do not need the same of it at a time, but a slice and all, or rows at paces of their own."""
    chain, y, held = tried.chain, tried.y, tried.chain.held(kept)
    sources, last = {source for _, source in held}, len(chain.nodes)
    uneven = {at for at in range(last) if at in sources or (y.window[at], y.move[at]) != (1, 1)} if rows else ()
    if (rows and chain.last.layer.oy == 1) or any(at == source + 1 or at in uneven for at, source in held):
        return np.full((1, 1, 1), APART)
    whole = slices and any(chain.sliced[at] and not chain.sliced[source] for at, source in held)
    return np.where(whole & (tried.slices > 1), APART, 0)[:, None, None]
