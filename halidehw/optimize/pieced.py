"""What mappings without register files run at least with operands that come in by pieces as hardware brings them: each
as a whole, no step on it before that, and at the pace of a piece, whose neighbours are fewer than the tile's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np

from halidehw.mapping.counts import INPUT, OUTS, WINDOWS
from halidehw.mapping.layer import DIMS, RELEVANT, Layer
from halidehw.optimize.layout import rates
from halidehw.optimize.nest import Arrival, NestLoop
from halidehw.optimize.nests import TOGETHER, Nests
from halidehw.optimize.pieces import OPERANDS, apart

Dims = tuple[int, ...]
"""Loops of a tile, innermost first."""


@dataclass(frozen=True)
class Pieced(Nests):
    """Nests with pieces: which loops of a tile are inside a piece of each operand, and which if the next loop outside
    slides pieces and is so, too, `whole` and `slid`, bool (operands 2, dims, n)."""

    whole: np.ndarray
    slid: np.ndarray

    def _ordered(self, inner: Dims, outer: Dims, deep: int) -> np.ndarray:
        """Infinite where there are no such pieces."""
        able = [self._alone(tensor, self.whole[tensor]) | self._slides(tensor) for tensor in OPERANDS]
        return np.where(np.logical_and(*able), super()._ordered(inner, outer, deep), np.inf)

    def _arrivals(self, loops: list[NestLoop]) -> list[Arrival]:
        return [self._arrival(each) for each in super()._arrivals(loops)]

    def _arrival(self, each: Arrival) -> Arrival:
        whole, rate = self.whole[each.tensor], self._rate(each.tensor)
        alone = self._alone(each.tensor, whole)
        port, rate = (np.where(alone, rate, other) for other in (each.port, each.rate))
        return replace(each, port=port, rate=rate, whole=whole)

    def _alone(self, tensor: int, whole: np.ndarray) -> np.ndarray:
        """bool (n,): pieces of an operand, with some loops inside, have no words in common."""
        if tensor != INPUT:
            return np.ones(whole.shape[1], bool)
        return apart(self.layer, np.where(whole, self.tiles, self.lanes), ~whole & (self.tiles > self.lanes))

    def _slides(self, tensor: int) -> np.ndarray:
        """bool (n,): the next loop outside slides pieces, and those of all further ones have no words in common."""
        next_ = self.whole[tensor] != self.slid[tensor]
        able = next_[list(OUTS)].any(axis=0) & (tensor == INPUT)
        return np.asarray(able & self._alone(tensor, self.slid[tensor]))

    def _rate(self, tensor: int) -> np.ndarray:
        """float64 (n,): words of an operand that its port moves in a cycle at most, of pieces, also of those that are
        cut off: one dimension at a time, as neighbours lie along one besides those that a piece has whole."""
        port, pieces = self.arch.port_words[tensor], np.where(self.whole[tensor], self.tiles, self.lanes)
        found = rates(self.layer, pieces, tensor, port)
        cut = [np.minimum(self.ends, pieces), self.ends % pieces, self.tiles % pieces]
        for dim in np.flatnonzero(RELEVANT[tensor]):
            for size in (each[dim] for each in cut):
                box = pieces.copy()
                box[dim] = np.where(size > 0, size, pieces[dim])
                found = np.maximum(found, rates(self.layer, box, tensor, port))
        taps = [dim for pair in WINDOWS for dim in pair if tensor == INPUT and self.layer.extents[pair[1]] > 1]
        equal = np.logical_and.reduce([cut[0] == pieces, cut[1] == 0, cut[2] == 0])[taps]
        return np.where(equal.all(axis=0), found, port)


def in_pieces(nests: Nests, inner: Dims, outer: Dims, deep: int) -> np.ndarray:
    """float64 (n,): cycles that each runs at least, as `Nests.run`, with those pieces with which it runs least."""
    ways = [*product(*(_pieces(nests.layer, inner, tensor) for tensor in OPERANDS))]
    size, found = nests.lanes.shape[1], list[np.ndarray]()
    whole, slid = (np.array([[own[at] for own in way] for way in ways]).transpose(1, 2, 0) for at in range(2))
    for first in range(0, size, few := max(1, TOGETHER // len(ways))):
        lanes, tiles = nests.lanes[:, first : first + few], nests.tiles[:, first : first + few]
        many = lanes.shape[1]
        every = (np.tile(each, (1, len(ways))) for each in (lanes, tiles))
        cut = (np.repeat(each, many, axis=2) for each in (whole, slid))
        run = Pieced(nests.layer, nests.arch, *every, *cut).run(inner, outer, deep)
        found.append(run.reshape(len(ways), many).min(axis=0))
    return np.concatenate(found)


def _pieces(layer: Layer, inner: Dims, tensor: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Which loops of a tile may be inside a piece of an operand, and which with the next one that moves it, bool
    (dims,)."""
    moving = [at + 1 for at, dim in enumerate(inner) if RELEVANT[tensor][dim] and layer.extents[dim] > 1]
    masks = [np.isin(np.arange(len(DIMS)), inner[:end]) for end in (0, *moving)]
    return list(pairwise([*masks, masks[-1]]))
