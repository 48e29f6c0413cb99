"""What the hardware of a chain takes at least, of all tilings at once: cycles and energy below which none stays.

They leave out what needs the hardware itself, as banks that are larger than their tiles, waits, accumulators and hops,
so that what is left decides in which order tilings are measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from halidehw.energy_model.costs.table import CostTable
from halidehw.optimize.fusion.chain import Counts, lanes
from halidehw.optimize.fusion.ways import ROWS, Way, total

SUMS = 4
"""Words that a sum takes."""


@dataclass(frozen=True)
class Work:
    """Steps and places of the stages of a way, with so many PEs in all, for each tiling that is tried."""

    way: Way
    pes: int

    @cached_property
    def side(self) -> tuple[Counts, ...]:
        """Channels of each layer's result side by side."""
        tried = self.way.tilings
        found = [lanes(tried.chain, int(filters), self.pes) for filters in tried.filters]
        return tuple(np.array(each)[:, None, None] for each in zip(*found, strict=True))

    def _taken(self, at: int, channels: Counts) -> Counts:
        """Steps for so many channels of a place of tensor `at`."""
        return -(-channels // self.side[at - 1]) * self.way.tilings.chain.nodes[at - 1].filter

    def _last(self, at: int) -> Counts:
        """Channels of tensor `at` in the last tile."""
        tried = self.way.tilings
        if not tried.chain.sliced[at]:
            return tried.width(at)
        return tried.chain.channels[at] - (tried.slices - 1)[:, None, None] * tried.width(at)

    def _waves(self, at: int, side: Counts) -> Counts:
        """How often so many channels of tensor `at` side by side are all that are needed of it at a place."""
        tried = self.way.tilings
        whole, last = -(-tried.width(at) // side), -(-self._last(at) // side)
        return whole * (tried.slices - 1)[:, None, None] + last if tried.chain.sliced[at] else self.way.made[at] * whole

    def steps(self, at: int) -> Counts:
        """Of the layer that makes tensor `at`."""
        tried = self.way.tilings
        return tried.places(at) * self._waves(at, self.side[at - 1]) * tried.chain.nodes[at - 1].filter

    def ports(self, port: int) -> Iterator[Counts]:
        """Cycles of each port of so many words: of the input, of weights, and of the result. A tile of some channels
        comes in place by place, and leaves as wide as its lanes are and as all tiles begin at."""
        tried, chain = self.way.tilings, self.way.tilings.chain
        words = tried.pixels(0) * chain.channels[0] * self.way.made[0] // port
        parts = (tried.slices > 1)[:, None, None]
        yield np.where(parts & chain.sliced[0], tried.places(0) * self._waves(0, np.array(port)), words)
        yield from (weights // port for weights in self.way.weights)
        begin = np.where(parts, tried.width(len(chain.nodes)), port)
        wide = np.minimum(np.minimum(port, begin & -begin), self.side[-1])
        yield tried.places(len(chain.nodes)) * self._waves(len(chain.nodes), wide)

    def macs(self, at: int) -> Counts:
        chain = self.way.tilings.chain
        return self.way.tilings.places(at) * self.way.made[at] * chain.weights(at)

    def lanes(self, at: int) -> Counts:
        """Channels of tensor `at` that are computed in a step, those of a ragged tile's last one too."""
        return np.minimum(self.side[at - 1], self.way.tilings.width(at))

    def banked(self, of: int, side: Counts, elements: Counts) -> Counts:
        """Elements of a memory that has channels of tensor `of` in `side` banks."""
        width = self.way.tilings.width(of)
        return elements // width * (-(-width // side) * side)

    def first(self, at: int) -> Counts:
        """Steps of the layer that makes tensor `at` before the next one can begin: its first tile, or the rows that the
        first one of the next tensor needs."""
        tried, each = self.way.tilings, self._taken(at, self.way.tilings.width(at))
        if self.way.name == ROWS:
            return tried.y.window[at] * tried.x.box[at][None, None, :] * each
        return tried.box(at) * each

    def final(self, at: int) -> Counts:
        """Steps of that layer when the one before it is done: its last tile, or row."""
        tried = self.way.tilings
        rows = np.ones(1, int) if self.way.name == ROWS else tried.y.end[at]
        return rows[None, :, None] * tried.x.end[at][None, None, :] * self._taken(at, self._last(at))

    def loaded(self) -> Counts:
        """Words of the input without which nothing begins."""
        tried = self.way.tilings
        return tried.y.start[0][None, :, None] * tried.x.start[0][None, None, :] * tried.width(0)


def least_cycles(way: Way, pes: int, port: int) -> Counts:
    """With ports of so many words: of each layer, what comes before its first step, its steps, and what comes after."""
    work, chain = Work(way, pes), way.tilings.chain
    layers = range(1, len(chain.channels))
    after = [total([np.zeros((1, 1, 1), int), *(work.final(later) for later in layers[at:])]) for at in layers]
    start, found = work.loaded() // port, np.zeros((1, 1, 1), int)
    for at, rest in zip(layers, after, strict=True):
        weights = np.minimum(way.weights[at - 1], chain.nodes[at - 1].filter * work.way.tilings.width(at)) // port
        found = np.maximum(found, np.maximum(start, weights) + work.steps(at) + rest)
        if at < len(layers):
            start = start + work.first(at)
    for beats in work.ports(port):
        found = np.maximum(found, beats)
    return np.broadcast_to(found, way.shape)


def least_energy(way: Way, pes: int, bits: int, costs: CostTable) -> Counts:
    """pJ: words at the ports, multiply-accumulates, what they read of the memories of weights and of tensors, and their
    sums."""
    work, chain, width = Work(way, pes), way.tilings.chain, bits / costs.word_bits

    def access(elements: Counts) -> Counts:
        sizes, places = np.unique(elements, return_inverse=True)
        prices = np.array([costs.access("sram", max(int(size), 1) * bits / 8) for size in sizes])
        return prices[places].reshape(elements.shape) * width

    sums = SUMS * width * costs.access("register_file", 2 * SUMS * bits / 8)
    found = way.words * costs.dram * width
    for at, node in enumerate(chain.nodes, 1):
        macs, steps, lanes = work.macs(at), work.steps(at), work.lanes(at)
        weights = access(work.banked(at, lanes, way.filters[at - 1]))
        alike = np.minimum(lanes, node.multiplier)
        store = way.stores[at - 1]
        store = access(work.banked(at - 1, lanes // alike, store) if node.depthwise else store)
        found = found + macs * costs.mac + way.weights[at - 1] * weights
        if node.filter > 1:
            found = found + steps * lanes * weights + (macs // alike if node.depthwise else steps) * store
        if not node.depthwise:
            found = found + np.where(lanes > 1, macs, 0) * costs.hop * width
        found = found + (2 * macs - macs // node.filter) * sums
        found = found + way.tilings.places(at - 1) * way.made[at - 1] * chain.channels[at - 1] * store
    return np.broadcast_to(found, way.shape)
