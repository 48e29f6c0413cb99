"""Layers one after the other that are computed together, tile by tile, and what a tile of their result needs.

Tensor 0 is what the first layer reads, tensor i what layer i - 1 makes of tensor i - 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, takewhile
from math import gcd
from operator import mul

import numpy as np

from halidehw.optimize.fusion.network import Node, Side

Counts = np.ndarray
"""Whole numbers, for each of the tilings that are tried."""


@dataclass(frozen=True)
class Chain:
    """Each layer but the first one reads what the one before it makes."""

    nodes: tuple[Node, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(node.name for node in self.nodes)

    @property
    def last(self) -> Node:
        return self.nodes[-1]

    @property
    def channels(self) -> tuple[int, ...]:
        """Of each tensor."""
        return (self.nodes[0].layer.c, *(node.layer.k for node in self.nodes))

    @cached_property
    def sliced(self) -> tuple[bool, ...]:
        """Of each tensor, whether a slice of the result's channels needs no more than a slice of its own."""
        found = [True]
        for node in reversed(self.nodes):
            found.append(found[-1] and node.depthwise)
        return tuple(reversed(found))

    @property
    def unit(self) -> int:
        """What the channels of a slice of the result are a multiple of, so that it needs whole ones of each tensor."""
        return self.last.layer.k // self.channels[self.sliced.index(True)]

    def width(self, at: int, filters: Counts) -> Counts:
        """Channels of tensor `at` that so many channels of the result need, of which each slice has."""
        whole = self.channels[at]
        return filters * whole // self.last.layer.k if self.sliced[at] else np.full_like(filters, whole)

    @property
    def written(self) -> tuple[Node, ...]:
        """The layers before the last one whose results others need too."""
        return tuple(node for node in self.nodes[:-1] if node.read_by - set(self.names))

    @property
    def added(self) -> tuple[tuple[int, int | None], ...]:
        """(tensor that something is added to, the tensor of the chain that it is; None: it is made elsewhere)."""
        places = {name: at for at, name in enumerate(self.names, 1)}
        if self.nodes[0].source:
            places[self.nodes[0].source] = 0
        return tuple((at, places.get(name)) for at, node in enumerate(self.nodes, 1) for name in node.adds)

    @property
    def outside(self) -> frozenset[str]:
        """The layers whose results are added and are not made here."""
        return frozenset(name for node in self.nodes for name in node.adds) - set(self.names)

    def held(self, kept: bool) -> tuple[tuple[int, int], ...]:
        """(tensor, tensor that is added to it and waits on chip for that). `kept`: so does the input, where it may."""
        return tuple((at, source) for at, source in self.added if source or (source == 0 and kept))

    def fetched(self, kept: bool) -> tuple[int, ...]:
        """The tensors to which something is added that comes from outside for that."""
        return tuple(at for at, source in self.added if source is None or (source == 0 and not kept))

    @property
    def shape(self) -> tuple[object, ...]:
        """All that decides what it costs."""
        return tuple(node.shape for node in self.nodes), self.added, tuple(node.result for node in self.written)

    def weights(self, at: int) -> int:
        """Weights of the layer that makes tensor `at`."""
        return self.nodes[at - 1].filter * self.nodes[at - 1].layer.k


@dataclass(frozen=True)
class Along:
    """One dimension of the pixels, for each length of a tile of the result that is tried.

    `count`: tiles; of each tensor `total`: places that all tiles need, and `most`: that one of them needs, of those
    that are there, and `start`: that the first one does; `box`: that a whole tile needs, padding included, `computed`:
    that all tiles do, and `end`: that the last one does. Of rows one by one also of each tensor but the last one:
    `window`, `move`: the rows that are made for one step of the next layer, and how many of them are new in the next
    step, and `kept`: whether the others stay.
    """

    tile: Counts
    count: Counts
    total: Counts
    most: Counts
    start: Counts
    box: Counts
    computed: Counts
    end: Counts
    window: tuple[int, ...] = ()
    move: tuple[int, ...] = ()
    kept: tuple[bool, ...] = ()

    def field(self, at: int, to: int) -> int:
        """The places of tensor `at` that one place of tensor `to` needs."""
        found = 1
        for link in reversed(range(at, to)):
            found = self.window[link] + (found - 1) * self.move[link]
        return found

    def more(self, at: int) -> int:
        """How often tensor `at` moves on until the first place of the result has all that it needs of it."""
        return -(-(self.field(at, len(self.window)) - self.window[at]) // self.move[at])


def along(sides: Sequence[Side], tiles: Sequence[int], padded: bool) -> Along:
    """`sides`: of each layer, the first one first; `padded`: a layer also computes the zeros around its result that the
    next one reads, and needs for them what it does for others."""
    found = [_tiled(sides, tile, padded) for tile in tiles]
    total, most, start, box, computed, end = (np.array([each[at] for each in found]).T for at in range(6))
    count = np.array([-(-sides[-1].out // tile) for tile in tiles])
    return Along(np.array(tiles), count, total, most, start, box, computed, end)


def _step(side: Side, apart: int, several: bool) -> int:
    """The distance of the places that are needed of what a layer reads, where those of its result are so far `apart`,
    if there are `several`: strides and dilations leave some out."""
    return gcd(side.stride * apart if several else 0, side.dilation if side.taps > 1 else 0) or 1


def _tiled(sides: Sequence[Side], tile: int, padded: bool) -> list[list[int]]:
    """Of each tensor the places `total`, `most`, `start`, `box`, `computed` and `end` of `Along`."""
    first = np.arange(0, sides[-1].out, tile)
    last = np.minimum(first + tile, sides[-1].out) - 1
    there = whole = last - first + 1
    box, step = tile, 1
    found = [[int(size) for size in (there.sum(), there.max(), there[0], box, whole.sum(), whole[-1])]]
    for side in reversed(sides):
        first, last = first * side.stride - side.low, last * side.stride - side.low + side.window - 1
        reach, step = side.stride * step, _step(side, step, box > 1)
        whole = ((whole - 1) * reach + side.window - 1) // step + 1
        box = ((box - 1) * reach + side.window - 1) // step + 1
        begin = first + np.maximum(-(first // step), 0) * step
        end = last - np.maximum(-((side.size - 1 - last) // step), 0) * step
        there = np.maximum((end - begin) // step + 1, 0)
        found.append([int(size) for size in (there.sum(), there.max(), there[0], box, whole.sum(), whole[-1])])
        if not padded:
            first, last = begin, end
    return [list(each) for each in zip(*reversed(found), strict=True)]


def by_rows(sides: Sequence[Side]) -> Along:
    """As `along`, of the whole result in one tile, gone through row by row. What a layer reads for consecutive rows is
    kept, and made a row at a time, where it has places in common; else it is made anew, all that a row needs at once.
    """
    rows, links = np.arange(sides[-1].out)[:, None], list[tuple[int, int, bool]]()
    found = [(rows.size, 1, rows.size)]
    for side in reversed(sides):
        apart, inside = (int(np.diff(each[:2]).sum()) for each in (rows[:, 0], rows[0]))
        step = gcd(side.stride * inside, side.dilation if side.taps > 1 else 0) or 1
        span, further = side.stride * int(rows[0, -1] - rows[0, 0]) + side.window, side.stride * apart
        unit = gcd(step, further)
        kept = (span - 1) // step + 1 > further // unit and len(rows) > step // unit
        rows = rows[:, :1] * side.stride - side.low + np.arange(0, span, unit if kept else step)
        first, links = rows[0], [*links, (rows.shape[1], further // unit if kept else rows.shape[1], kept)]
        rows = np.unique(rows)[:, None] if kept else rows
        found.append((_there(side, rows), _there(side, first), rows.size))
    total, start, every = (np.array(each)[::-1, None] for each in zip(*found, strict=True))
    one = np.ones(1, int)
    counts = one * sides[-1].out, one, total, total, start, every, every, np.ones_like(total)
    return Along(*counts, *(tuple(each) for each in zip(*reversed(links), strict=True)))


def _there(side: Side, places: np.ndarray) -> int:
    """How many of some places of what a layer reads are there."""
    return int(((places >= 0) & (places < side.size)).sum())


@dataclass(frozen=True)
class Tilings:
    """All tilings of a chain that are tried, as arrays over (filters, rows, columns): `filters` channels of the result
    in a tile, `slices` of them in all, `y` and `x` as in `Along`; one array a tensor."""

    chain: Chain
    filters: Counts
    slices: Counts
    y: Along
    x: Along

    @property
    def pieces(self) -> Counts:
        """Tiles of the result's pixels."""
        return self.y.count[None, :, None] * self.x.count[None, None, :]

    @property
    def tiles(self) -> Counts:
        return self.slices[:, None, None] * self.pieces

    def pixels(self, at: int) -> Counts:
        """Of tensor `at` that all tiles of the result's pixels need together."""
        return self.y.total[at][None, :, None] * self.x.total[at][None, None, :]

    def largest(self, at: int) -> Counts:
        """Pixels of tensor `at` in the largest tile."""
        return self.y.most[at][None, :, None] * self.x.most[at][None, None, :]

    def box(self, at: int) -> Counts:
        """Pixels of tensor `at` for a whole tile, padding included."""
        return self.y.box[at][None, :, None] * self.x.box[at][None, None, :]

    def places(self, at: int) -> Counts:
        """Pixels of tensor `at` that are computed for all tiles of the result's pixels together, padding included."""
        return self.y.computed[at][None, :, None] * self.x.computed[at][None, None, :]

    def width(self, at: int) -> Counts:
        """Channels of tensor `at` in a tile."""
        width = self.chain.width(at, self.filters)[:, None, None]
        return width if self.chain.sliced[at] else width[:1]

    def again(self, at: int) -> Counts:
        """How often tensor `at` is needed as a whole when each slice of the result is computed by itself."""
        return np.ones((1, 1, 1), int) if self.chain.sliced[at] else self.slices[:, None, None]


def lanes(chain: Chain, filters: int, pes: int) -> tuple[int, ...]:
    """How many channels of each layer's result to compute side by side with so many PEs in all, `filters` of the last
    one's in a tile: powers of two, or of depthwise layers' multipliers divisors and multiples, more of them for the
    layer that takes longest. A step may leave some idle, but for what a depthwise layer reads: its lanes are banks,
    which only full steps go round."""
    width = [int(chain.width(at, np.array(filters))) for at in range(1, len(chain.channels))]
    banked = [node.depthwise for node in chain.nodes[1:]] + [False]
    most = [size if bank else 2 * size - 1 for size, bank in zip(width, banked, strict=True)]
    found = [1] * len(chain.nodes)
    while True:
        steps = [node.layer.macs // node.layer.b // count for node, count in zip(chain.nodes, found, strict=True)]
        slowest = max(range(len(found)), key=steps.__getitem__)
        more = _more(found[slowest], _multipliers(chain.nodes[: slowest + 1]))
        if sum(found) - found[slowest] + more > pes or more > most[slowest]:
            return tuple(found)
        found[slowest] = more


def _multipliers(nodes: Sequence[Node]) -> Iterator[int]:
    """Of the last layer and those right before it, as long as they are depthwise."""
    return (node.multiplier for node in takewhile(lambda node: node.depthwise, reversed(nodes)))


def _more(lanes: int, multipliers: Iterable[int]) -> int:
    """The next larger number of lanes: those that divide the product of the first few multipliers and no less, and when
    they are all of them twice as many."""
    for whole in accumulate(multipliers, mul):
        if lanes < whole:
            return next(more for more in range(2 * lanes, whole + 1, lanes) if whole % more == 0)
    return 2 * lanes


def tilings(chain: Chain, sizes: Sequence[Sequence[int]], padded: bool = True) -> Tilings:
    """`sizes`: the filters, rows and columns of a tile that are tried; `padded` as in `along`."""
    y = along([node.y for node in chain.nodes], sizes[1], padded)
    return _tilings(chain, sizes[0], y, along([node.x for node in chain.nodes], sizes[2], padded))


def row_tilings(chain: Chain, sizes: Sequence[Sequence[int]]) -> Tilings:
    """Of the same filters and columns, row by row."""
    x = along([node.x for node in chain.nodes], sizes[2], padded=True)
    return _tilings(chain, sizes[0], by_rows([node.y for node in chain.nodes]), x)


def _tilings(chain: Chain, filters: Sequence[int], y: Along, x: Along) -> Tilings:
    return Tilings(chain, np.array(filters), -(-chain.last.layer.k // np.array(filters)), y, x)
