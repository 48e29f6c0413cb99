"""Mappings without register files, by a closed form of how long their hardware runs.

Words go from the shared memory straight into the array, each read when a step wants it; what stays for several steps
lies in a register that the hardware has by itself. So the array need not wait for register files, and a run takes what
its busiest part takes, and the first tile's way in and the last sums' way out besides.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import count
from math import gcd, inf, prod

import numpy as np

from halidehw.mapping.counts import INPUT, OUTPUT
from halidehw.mapping.layer import DIMS, RELEVANT
from halidehw.mapping.mapping import Mapping
from halidehw.optimize.layout import held_words, rates, stored
from halidehw.optimize.nest import OUT
from halidehw.optimize.orders import ORDERS, SLIDING, distinct, stays
from halidehw.optimize.pieces import OPERANDS, divides, first_piece, several
from halidehw.optimize.registers import filled
from halidehw.optimize.registers import pace as paced
from halidehw.optimize.space import Space
from halidehw.optimize.sums import leaving

AHEAD = 2
"""Tiles of an operand that come in while the array waits for the other one, at most; of rows twice as many."""

ROUND = 4
"""Cycles at least from a step on a tile until one on the tile that comes into the same half of the shared memory."""

WAY = 6
"""Cycles from the last step of a tile until its sums leave, but for their hops, about."""

POINTS = 1 << 17
"""Up to so many tiles each is looked at, of more every few: in steps without a divisor in common with the number of a
loop's sizes, or some of these would never be seen."""

MOST = 2.0**62
"""Cycles that no run takes."""

TRIED = 512
"""Tiles that are looked at with each choice of lanes: those that come in soonest."""

MANY, FEW = 320, 768
"""Choices of lanes that are looked at, at most, and as long as none of so many found is better than all to come."""

TOGETHER = 8
"""Choices of lanes that are looked at together."""

FIRST = 16
"""The part of a first tile, at a guess, that its steps wait for where it comes in by pieces, to one."""

EACH = 96
"""Choices of tiles and orders that are kept for each choice of lanes, by either measure."""

EVERY = list(range(len(DIMS)))
"""All dimensions."""

SUMMED = [dim for dim in EVERY if dim not in OUT]
"""Those of a reduction."""


@dataclass(frozen=True)
class Choice:
    """The lanes and tile of a mapping, which tensor its orders leave in place, about how many cycles it runs at least
    (`estimate`), the array is at work, with what comes into its registers (`pace`), and the run takes when its tiles
    are gone through (`rehearsed`), by pieces with a `loss` (`pieces.slowest`)."""

    estimate: float
    pace: float
    way: int
    tile: int
    inner: int
    outside: int
    rehearsed: float = 0.0
    loss: float = 0.0

    @property
    def times(self) -> tuple[int, int, int]:
        """All that is estimated of it, to a cycle."""
        return round(self.estimate), round(self.pace), round(self.rehearsed)


@dataclass(frozen=True)
class Streams:
    """The mappings of a space that have no loops in the PEs and one shared memory; `only`: those with
    some tiles, int64 (n,), of its grid."""

    space: Space
    only: np.ndarray | None = field(default=None, compare=False)

    @cached_property
    def points(self) -> np.ndarray:
        """int64 (n,): tiles of the shared memory."""
        if self.only is not None:
            return np.intersect1d(self.only, self._fitting)
        fewest, sizes = 1 + len(self._fitting) // POINTS, prod(self.space.grid.shape)
        return self._fitting[:: next(step for step in count(fewest) if gcd(step, sizes) == 1)]

    @cached_property
    def _fitting(self) -> np.ndarray:
        """int64 (n,): all that it holds."""
        return np.flatnonzero(self.space.holds(self.space.arch.levels[self.space.arch.pe_levels]))

    @cached_property
    def tiles(self) -> np.ndarray:
        """int64 (dims, n): their sizes."""
        return self.space.grid.points[:, self.points]

    @cached_property
    def held(self) -> np.ndarray:
        """float64 (3, n): words of each tensor in a tile."""
        return held_words(self.space.layer, self.tiles)

    @cached_property
    def rates(self) -> np.ndarray:
        """float64 (2, n): words of each operand that its port moves in a cycle."""
        space = self.space
        return np.stack([rates(space.layer, self.tiles, tensor, space.arch.port_words[tensor]) for tensor in OPERANDS])

    @cached_property
    def loaded(self) -> np.ndarray:
        """float64 (stationary 3, operands 2, n): how many tiles of each come in."""
        words = self.space.shapes.words[:OUTPUT, self.points]
        return np.asarray(words * self.again[:, :OUTPUT] / self.held[:OUTPUT])

    @cached_property
    def again(self) -> np.ndarray:
        """float64 (outside 3, tensors 3, n): how often all of a tensor passes the port, with the loops outside a tile
        in each order."""
        return np.asarray(self.space.shapes.outer_counts[:, self.points] / self.stay)

    @cached_property
    def stay(self) -> np.ndarray:
        """(outside 3, tensors 3, n): for how many tiles that of a tensor stays."""
        counts = self.space.grid.counts[:, self.points]
        return np.array([[stays(ORDERS[order], tensor, counts) for tensor in range(3)] for order in range(3)])

    @cached_property
    def loading(self) -> np.ndarray:
        """float64 (stationary 3, operands 2, n): cycles of each operand's port."""
        return np.asarray(self.loaded * self.held[:OUTPUT] / self.rates)

    def coming(self, at: np.ndarray) -> np.ndarray:
        """float64 (stationary 3, k): cycles in which all operands of some tiles come in."""
        each = self.loading[:, :, at]
        return np.asarray(each.sum(axis=1) if self.space.arch.shared_port_bits else each.max(axis=1))

    @cached_property
    def ports(self) -> np.ndarray:
        """float64 (stationary 3, operands 2, n): cycles of each operand's port with each tile: a half of the memory is
        used, and comes in again, while the other one is."""
        return np.asarray(np.maximum(self.loading, self.loaded * ROUND / 2))

    def _count(self, dims: list[int]) -> np.ndarray:
        """float64 (n,): how many tiles there are along some dimensions, of the last one only the share that is left,
        where one of them does not divide."""
        extents, counts = np.array(self.space.layer.extents)[dims, None], self.space.grid.counts[:, self.points][dims]
        every, full = counts.prod(axis=0), (extents / self.tiles[dims]).prod(axis=0)
        return np.asarray(np.where(full > every - 1, full, every))

    @cached_property
    def many(self) -> np.ndarray:
        """float64 (n,): how many tiles there are, as `_count` has them."""
        return self._count(EVERY)

    @cached_property
    def outputs(self) -> np.ndarray:
        """float64 (n,): how many tiles of the output there are, as `_count` has them."""
        return self._count(OUT)

    @cached_property
    def reductions(self) -> np.ndarray:
        """float64 (n,): how many tiles there are for each of the output."""
        return np.asarray(self.space.grid.counts[:, self.points][SUMMED].prod(axis=0))

    @cached_property
    def short(self) -> np.ndarray:
        """float64 (n,): the share of its steps that the last tile of a reduction has, where one does not divide."""
        counts, tiles = self.space.grid.counts[:, self.points][SUMMED], self.tiles[SUMMED]
        extents = np.array(self.space.layer.extents)[SUMMED, None]
        return np.asarray(((extents - (counts - 1) * tiles) / tiles).prod(axis=0))

    @cached_property
    def base(self) -> np.ndarray:
        """float64 (n,): cycles at least with each tile, whatever the lanes."""
        shared = self.shared(float(self.space.arch.port_words[OUTPUT]), np.arange(len(self.points)))
        return np.asarray(np.maximum(self.loading.max(axis=1), shared).min(axis=0))

    @cached_property
    def stored(self) -> np.ndarray:
        """float64 (stationary 3, n): words of the output that leave."""
        return np.asarray(self.again[:, OUTPUT] * self.space.layer.words[OUTPUT])

    def shared(self, wide: float | np.ndarray, at: np.ndarray) -> np.ndarray:
        """float64 (stationary 3, k): cycles of the port that all share with some tiles, where so many (`wide`) words of
        the output pass it together; none where each tensor has its own port."""
        if not self.space.arch.shared_port_bits:
            return np.zeros((3, len(at)))
        sums = (2 * self.stored[:, at] - self.space.layer.words[OUTPUT]) / wide
        return np.asarray(self.loading[:, :, at].sum(axis=1) + sums)

    @cached_property
    def fill(self) -> np.ndarray:
        """float64 (n,): cycles until the first tiles are there, both through one port where all share one."""
        each = self.held[:OUTPUT] / self.rates
        return np.asarray(each.sum(axis=0) if self.space.arch.shared_port_bits else each.max(axis=0))

    def choices(self, best: float = inf) -> list[Choice]:
        """Choices by rising estimate, all that are under `best`."""
        space, found = self.space, list[Choice]()
        lanes = space.unrolled.lanes
        steps = space.steps(lanes)
        wide = stored(space.layer, lanes, space.arch.port_words[OUTPUT])
        least = np.maximum(steps, space.layer.words[OUTPUT] / wide)
        least = np.maximum(least, self.base.min(initial=np.inf))
        order = np.lexsort((lanes.prod(axis=0), least))[:MANY]
        lowest, near = np.full(FEW, np.inf), self.base < best
        for first in range(0, len(order), TOGETHER):
            ways = order[first : first + TOGETHER]
            ways = ways[(least[ways] < best) & (least[ways] <= lowest.max())]
            if not len(ways):
                break
            own = self._best(ways, steps[ways].astype(float), wide[ways].astype(float), near, float(lowest.max()))
            found += own
            lowest = np.sort([*lowest, *(each.estimate for each in own)])[:FEW]
        return sorted(found, key=lambda each: each.estimate)

    @cached_property
    def orders(self) -> list[int]:
        """The orders that are looked at, those that slide windows last."""
        return distinct(self.space.layer)

    def _best(
        self, ways: np.ndarray, steps: np.ndarray, wide: np.ndarray, near: np.ndarray, most: float
    ) -> list[Choice]:
        """The best tiles, of those that are `near` (bool), and orders with each of some choices of lanes; of orders
        that may be under `most`."""
        tried = [self._tried(*each, near) for each in zip(ways, steps, strict=True)]
        at, sizes = np.concatenate(tried), np.array([len(each) for each in tried])
        if not len(at):
            return []
        of = np.repeat(np.arange(len(ways)), sizes)
        parts = [slice(end - size, end) for end, size in zip(np.cumsum(sizes), sizes, strict=True)]
        scores, likely, paces = self._scored(ways, of, at, steps[of], wide[of], most)
        found = list[Choice]()
        for way, part in zip(ways.tolist(), parts, strict=True):
            if not (own := scores[:, :, part]).size:
                continue
            flat = np.concatenate([self._least(own), self._least(likely[:, :, part])])
            flat = flat[np.sort(np.unique(flat, return_index=True)[1])]
            flat = flat[np.isfinite(own.ravel()[flat])]
            place, outside, point = np.unravel_index(flat, own.shape)
            every = (own.ravel()[flat], paces[:, part][place, point], at[part][point], np.array(self.orders)[place])
            rows = zip(*(each.tolist() for each in (*every, outside)), strict=True)
            found += [Choice(score, pace, way, tile, inner, outer) for score, pace, tile, inner, outer in rows]
        return found

    def _tried(self, way: int, steps: float, near: np.ndarray) -> np.ndarray:
        """int64 (k,): of the tiles that are `near` (bool) those that are looked at with some lanes."""
        at = self.around(self.space.unrolled.lanes[:, way], near)
        if len(at) <= TRIED:
            return at
        return at[np.argpartition(np.maximum(self.base[at], steps) + self.fill[at] / FIRST, TRIED)[:TRIED]]

    def _scored(
        self, ways: np.ndarray, of: np.ndarray, at: np.ndarray, steps: np.ndarray, wide: np.ndarray, most: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of the tiles `at` with lanes `ways[of]`, whose `steps` and `wide` sums these are: the estimate of each order
        and what it likely is, float64 (orders, stationary 3, n), infinite where none of those lanes is under `most`;
        and the steps with what comes into the registers, (orders, n)."""
        space, lanes = self.space, self.space.unrolled.lanes[:, ways]
        trips, hops = -(-self.tiles[:, at] // lanes[:, of]), lanes.sum(axis=0)[of]
        longest = [self.stay[:, tensor, at].max(axis=0) for tensor in OPERANDS]
        comes = [(words[of], cycles[of]) for words, cycles in filled(lanes)]
        scores, ports = np.full((len(self.orders), 3, len(at)), np.inf), self.ports[:, :, at]
        likely, shared = scores.copy(), self.shared(wide, at)
        paces = np.empty((len(self.orders), len(at)))
        back = np.maximum(self.stored[:, at] - space.layer.words[OUTPUT], 0) / wide
        each = lanes[OUT].prod(axis=0)[of] / wide
        out = self.stored[:, at] / wide
        many, short, coming, busy = self.many[at], self.short[at], self.coming(at), ports.max(axis=1)
        rest = trips[OUT].prod(axis=0) * (many - np.ceil(many) + 1) * each
        every, parts = many * trips.prod(axis=0), np.where(back > 0, 1, self.reductions[at])
        for place, inner in enumerate(self.orders):
            paces[place] = pace = paced(ORDERS[inner], trips, longest, steps, comes)
            slowest = np.maximum(np.minimum(pace, MOST), coming)
            last, before = leaving(inner, trips, each, back > 0, slowest * short / every)
            last = np.minimum(last, rest)
            begin = np.maximum(slowest / many * parts - before, 0)
            alone = np.maximum(np.maximum(np.maximum(pace, busy) + last, out + begin), shared) + hops
            least = np.full(len(ways), np.inf)
            np.minimum.at(least, of, alone.min(axis=0))
            if not len(some := np.flatnonzero(least[of] < most)):
                continue
            begun = self._begun(inner, trips[:, some], at[some], pace[some])
            first = begun.max(axis=0)
            waited = ports[:, :, some] + np.maximum(first - self._ahead(inner, trips[:, some], at[some]), 0)
            late = np.maximum(pace[some] + first, waited.max(axis=1)) + last[:, some]
            scores[place][:, some] = np.maximum(alone[:, some], np.maximum(late, out[:, some] + first) + hops[some])
            held_up = self._held_up(at[some], pace[some], last[:, some], wide[some])
            likely[place][:, some] = scores[place][:, some] + held_up
        return scores, likely, paces

    def paces(self, inner: int, outside: int, ways: np.ndarray, at: np.ndarray) -> np.ndarray:
        """float64 (n,): the steps with what comes into the registers, of lanes and tiles int64 (n,)."""
        lanes = self.space.unrolled.lanes[:, ways]
        steps = self.space.steps(lanes).astype(float)
        beyond = [self.stay[outside, tensor, at] for tensor in OPERANDS]
        return paced(ORDERS[inner], -(-self.tiles[:, at] // lanes), beyond, steps, filled(lanes))

    def _least(self, scores: np.ndarray) -> np.ndarray:
        """int64 (k,): where the least EACH of `scores` (orders, stationary 3, n) lie of the orders that slide windows,
        and of all others."""
        own = sum(ORDERS[number] not in SLIDING for number in self.orders) * scores[0].size
        parts = [(0, scores.ravel()[:own]), (own, scores.ravel()[own:])]
        return np.concatenate(
            [begin + np.argpartition(some, min(EACH, some.size - 1))[:EACH] for begin, some in parts if some.size]
        )

    def _begun(self, inner: int, trips: np.ndarray, at: np.ndarray, pace: np.ndarray) -> np.ndarray:
        """float64 (operands 2, k): by how many cycles the steps of some tiles are late for what comes in first, by
        pieces, through the port of each operand, or the one that all share."""
        order = ORDERS[inner]
        steps = np.minimum(pace, MOST) / self.many[at]
        loads = self.held[:OUTPUT, at] / self.rates[:, at]
        late = [first_piece(self.space.layer, order, trips, each, loads[each], steps)[0] for each in OPERANDS]
        return np.stack([sum(late)] * len(late)) if self.space.arch.shared_port_bits else np.stack(late)

    def _ahead(self, inner: int, trips: np.ndarray, at: np.ndarray) -> np.ndarray:
        """float64 (operands 2, k): cycles of each port in which its operand comes in while the array waits for the
        other one, at most: of two tiles, or of the input of four rows, where these slide."""
        found, alone = AHEAD * self.held[:OUTPUT, at] / self.rates[:, at], divides(self.space.layer, INPUT)
        rows, going = np.ones(len(at)), np.ones(len(at), bool)
        for dim in reversed(several(ORDERS[inner], trips)):
            many = going & (trips[dim] > 1)
            if RELEVANT[INPUT][dim]:
                rows = np.where(many, rows * trips[dim], rows)
                found[INPUT] *= np.where(many & (not alone[dim]), np.minimum(AHEAD / rows, 1), 1)
            going &= (trips[dim] == 1) | (RELEVANT[INPUT][dim] and bool(alone[dim]))
        return np.asarray(found)

    def _held_up(self, at: np.ndarray, pace: np.ndarray, last: np.ndarray, wide: np.ndarray) -> np.ndarray:
        """float64 (stationary 3, k): cycles of a shared port's array when sums leave in bursts of `last` cycles, in
        which nothing comes in, and half of the last tile's, when all has passed."""
        if not self.space.arch.shared_port_bits:
            return np.zeros((3, len(at)))
        many = self.many[at]
        load = self.loading[:, :, at].sum(axis=1) / many
        bursts = self.stored[:, at] / wide / np.maximum(last, 1)
        return np.asarray(bursts * np.maximum(last + load - 2 * pace / many, 0) + pace / many / 2)

    def around(self, lanes: np.ndarray, among: np.ndarray) -> np.ndarray:
        """int64 (k,): of some tiles, bool (n,), those that the lanes together may lie inside."""
        fitting = (self._multiples(int(dim), int(lanes[dim])) for dim in np.flatnonzero(lanes > 1))
        return np.flatnonzero(reduce(np.logical_and, fitting, among))

    def _multiples(self, dim: int, lanes: int) -> np.ndarray:
        """bool (n,): the tiles inside which so many lanes of a loop may lie."""
        if (dim, lanes) not in self._known:
            own = self.tiles[dim]
            self._known[dim, lanes] = (own % lanes == 0) | (own == self.space.layer.extents[dim])
        return self._known[dim, lanes]

    @cached_property
    def _known(self) -> dict[tuple[int, int], np.ndarray]:
        """By loop and its lanes."""
        return {}

    def passed(self, choice: Choice) -> tuple[float, ...]:
        """Cycles of each operand's port, and words of the output that leave."""
        cycles = self.loading[choice.outside, :, choice.tile].tolist()
        return *cycles, float(self.stored[choice.outside, choice.tile])

    def mapping(self, choice: Choice) -> Mapping:
        """What a choice stands for."""
        space, arch, tile = self.space, self.space.arch, self.tiles[:, choice.tile]
        lanes = space.unrolled.lanes[:, choice.way]
        ways, _ = space.unrolled.lay_out(space.rule, np.array([choice.way]))
        extents = np.array(space.layer.extents)
        inside, outside = (
            tuple((DIMS[dim], int(trips[dim])) for dim in ORDERS[order] if trips[dim] > 1)
            for order, trips in ((choice.inner, -(-tile // lanes)), (choice.outside, -(-extents // tile)))
        )
        shared = len(arch.levels) - arch.pe_levels - 1
        spatial = tuple(tuple((DIMS[dim], int(lanes[dim])) for dim in axis) for axis in ways.axes[0])
        return Mapping((*((),) * arch.pe_levels, inside, *((),) * (shared - 1), outside), spatial)
