"""Mappings without register files, by a closed form of how long their hardware runs.

Words go from the shared memory straight into the array, each read when a step wants it; what stays for several steps
lies in a register that the hardware has by itself. So the array need not wait for register files, and a run takes what
its busiest part takes, and the first tile's way in and the last sums' way out besides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from math import gcd, inf, prod

import numpy as np

from halidehw.mapping.counts import INPUT, OUTPUT, WEIGHT
from halidehw.mapping.layer import DIMS, RELEVANT
from halidehw.mapping.mapping import Mapping
from halidehw.microarch.registers import buses
from halidehw.optimize.layout import held_words, rates, stored
from halidehw.optimize.orders import ORDERS, SLIDING, distinct, leaving, stays
from halidehw.optimize.pieces import OPERANDS, first_piece, outermost, reached
from halidehw.optimize.rehearse import FULL, PARTS, Loads, Tiles, rehearse
from halidehw.optimize.space import Space

READ = 2048
"""Words of a tensor that a step of the array reads at once from a shared memory, at most."""

TRIP = 8
"""Cycles from a port's request until the word can be read in the shared memory, about."""

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

FIRST = 16
"""The part of a first tile, at a guess, that its steps wait for where it comes in by pieces, to one."""

NEXT = 512
"""Choices that are rehearsed to be the best, of which the first few that differ are lowered."""

EACH = 96
"""Choices of tiles and orders that are kept for each choice of lanes, by either measure."""


@dataclass(frozen=True)
class Choice:
    """The lanes and tile of a mapping, which tensor its orders leave in place, about how many cycles it runs at least
    (`estimate`), the array is at work, with what comes into its registers (`pace`), and the run takes when its tiles
    are gone through (`rehearsed`)."""

    estimate: float
    pace: float
    way: int
    tile: int
    inner: int
    outside: int
    rehearsed: float = 0.0

    @property
    def times(self) -> tuple[int, int, int]:
        """All that is estimated of it, to a cycle."""
        return round(self.estimate), round(self.pace), round(self.rehearsed)


@dataclass(frozen=True)
class Streams:
    """The mappings of a space that have no loops in the PEs and one shared memory."""

    space: Space

    @cached_property
    def points(self) -> np.ndarray:
        """int64 (n,): tiles of the shared memory."""
        held = np.flatnonzero(self.space.holds(self.space.arch.levels[self.space.arch.pe_levels]))
        fewest, sizes = 1 + len(held) // POINTS, prod(self.space.grid.shape)
        return held[:: next(step for step in count(fewest) if gcd(step, sizes) == 1)]

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
        counts = self.space.grid.counts[:, self.points]
        stay = [[stays(order, tensor, counts) for tensor in range(3)] for order in range(3)]
        return np.asarray(self.space.shapes.outer_counts[:, self.points] / np.array(stay))

    @cached_property
    def loading(self) -> np.ndarray:
        """float64 (stationary 3, operands 2, n): cycles of each operand's port."""
        return np.asarray(self.loaded * self.held[:OUTPUT] / self.rates)

    def ports(self, steps: float, at: np.ndarray) -> np.ndarray:
        """float64 (stationary 3, k): cycles of the busier operand's port with some tiles, while the array makes so many
        steps: a tile comes in while the one before is used, and with two halves the third waits for the first."""
        both = (steps + self.loading[:, :, at] + self.loaded[:, :, at] * TRIP) / 2
        return np.asarray(np.maximum(self.loading[:, :, at], both).max(axis=1))

    @cached_property
    def many(self) -> np.ndarray:
        """float64 (n,): how many tiles there are, of the last one only the share that is left, where one dimension does
        not divide."""
        extents, counts = np.array(self.space.layer.extents)[:, None], self.space.grid.counts[:, self.points]
        every, full = counts.prod(axis=0), (extents / self.tiles).prod(axis=0)
        return np.asarray(np.where(full > every - 1, full, every))

    @cached_property
    def base(self) -> np.ndarray:
        """float64 (n,): cycles at least with each tile, whatever the lanes."""
        shared = self.shared(float(self.space.arch.port_words[OUTPUT]), np.arange(len(self.points)))
        return np.asarray(np.maximum(self.loading.max(axis=1), shared).min(axis=0))

    @cached_property
    def stored(self) -> np.ndarray:
        """float64 (stationary 3, n): words of the output that leave."""
        return np.asarray(self.again[:, OUTPUT] * self.space.layer.words[OUTPUT])

    def shared(self, wide: float, at: np.ndarray) -> np.ndarray:
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
        order = np.lexsort((lanes.prod(axis=0), least))
        lowest, near = np.full(FEW, np.inf), np.flatnonzero(self.base < best)
        for way in order[:MANY]:
            if least[way] >= best or least[way] > lowest.max():
                break
            own = self._best(int(way), float(steps[way]), float(wide[way]), near, float(lowest.max()))
            found += own
            lowest = np.sort([*lowest, *(each.estimate for each in own)])[:FEW]
        return sorted(found, key=lambda each: each.estimate)

    @cached_property
    def orders(self) -> list[int]:
        """The orders that are looked at, those that slide windows last."""
        return distinct(self.space.layer)

    def rehearsed(self, best: float = inf) -> list[Choice]:
        """Choices whose estimate is under `best`, those first that run shortest when their tiles are gone through; of
        those that take as long to a thousandth, those of the fewest steps, which have the most time left."""
        if not (choices := self.choices(best)):
            return []
        runs = rehearse(self._tiles(choices), bool(self.space.arch.shared_port_bits)) + self._cut_off(choices)
        runs = np.maximum(runs, [each.estimate for each in choices])
        pace = [each.pace for each in choices]
        order = np.lexsort((runs, pace, np.round(runs / runs.min(), 3)))[:NEXT].tolist()
        return [replace(choices[each], rehearsed=float(runs[each])) for each in order]

    def _tiles(self, choices: list[Choice]) -> Tiles:
        """What is gone through of them."""
        space, arch = self.space, self.space.arch
        way, tile, inner, outside = (
            np.array([getattr(each, name) for each in choices]) for name in ("way", "tile", "inner", "outside")
        )
        lanes, outer = space.unrolled.lanes[:, way], space.grid.counts[:, self.points[tile]]
        trips, many = -(-self.tiles[:, tile] // lanes), self.many[tile]
        pace, parts = np.array([each.pace for each in choices]), np.ones(len(choices))
        loads = Loads(*np.zeros((3, 4, len(choices))))
        for order in range(len(ORDERS)):
            at = np.flatnonzero(inner == order)
            parts[at], own = self._loads(order, outside[at], trips[:, at], tile[at], pace[at] / many[at])
            loads.cycles[:, at], loads.late[:, at], loads.left[:, at] = own.cycles, own.late, own.left
        wide, stored_words = stored(space.layer, lanes, arch.port_words[OUTPUT]), self.stored[outside, tile]
        back = np.maximum(stored_words - space.layer.words[OUTPUT], 0) / wide
        every = np.maximum(1, np.rint(many * self.held[OUTPUT, tile] / stored_words))
        last = np.stack([leaving(each, trips, outer) for each in range(len(ORDERS))])[inner, np.arange(len(inner))]
        groups = np.maximum(1, trips[[dim for dim in range(len(DIMS)) if RELEVANT[OUTPUT][dim]]].prod(axis=0) / last)
        sums = (stored_words / wide + back * bool(arch.shared_port_bits)) / many * every
        some = np.minimum(groups, parts)
        steps, every = pace / many / parts, np.maximum(1, np.rint(every * parts / some))
        late = lanes.sum(axis=0) + WAY
        rest, many = many - np.ceil(many) + 1, np.ceil(many)
        return Tiles(many, parts, steps, loads, sums / some, every, groups / some, late, back, rest)

    def _cut_off(self, choices: list[Choice]) -> np.ndarray:
        """float64 (n,): about how many cycles the array waits for a shared port in the tiles that are cut off along a
        dimension, of which there are several: they have fewer steps, but all words that it does not move."""
        tile, outside = (np.array([getattr(each, name) for each in choices]) for name in ("tile", "outside"))
        counts, held = self.space.grid.counts[:, self.points[tile]], self.tiles[:, tile]
        many, late = counts.prod(axis=0), np.zeros(len(choices))
        loads = self.loading[outside, :, tile].T / many
        lanes = self.space.unrolled.lanes[:, [each.way for each in choices]]
        sums = self.stored[outside, tile] / stored(self.space.layer, lanes, self.space.arch.port_words[OUTPUT]) / many
        steps = np.array([each.pace for each in choices]) / self.many[tile]
        for dim, extent in enumerate(self.space.layer.extents if self.space.arch.shared_port_bits else ()):
            left = (extent - (counts[dim] - 1) * held[dim]) / held[dim]
            share = [np.where(RELEVANT[tensor][dim], left, 1) for tensor in range(3)]
            wait = loads[INPUT] * share[INPUT] + loads[WEIGHT] * share[WEIGHT] + sums * share[OUTPUT] - steps * left
            late += np.where(counts[dim] < many, np.maximum(wait, 0) * many / counts[dim], 0) * (left < 1)
        return late

    def _loads(
        self, inner: int, outside: np.ndarray, trips: np.ndarray, at: np.ndarray, steps: np.ndarray
    ) -> tuple[np.ndarray, Loads]:
        """The parts of some tiles, float64 (k,), and what comes in with each; `steps` of a tile."""
        order, both = ORDERS[inner], np.sum if self.space.arch.shared_port_bits else np.max
        first, all_ = outermost(order, trips), np.arange(len(at))
        parts = np.array(PARTS, float)[np.searchsorted(PARTS, trips[first, all_], side="right") - 1]
        inner_trips = trips.astype(float)
        inner_trips[first, all_] /= parts
        many = self.many[at]
        fill = self.held[:OUTPUT, at] / self.rates[:, at]
        later = np.maximum(self.loading[outside, :, at].T - fill, 0) / np.where(many > 1, many - 1, 1)
        cycles, late, left = np.zeros((3, 4, OUTPUT, len(at)))
        for tensor in OPERANDS:
            port = self.space.arch.port_words[tensor]
            stay = [stays(each, tensor, self.space.grid.counts[:, self.points[at]]) for each in range(3)]
            kept = np.stack(stay)[outside, all_] > 1
            outer = reached(self.space.layer, order, self.tiles[:, at], trips, tensor, port, kept)
            moved = np.array(RELEVANT[tensor], bool)[first] & outer[first, all_]
            for tile, load in enumerate((fill[tensor], later[tensor])):
                cycles[2 * tile, tensor] = np.where(moved, load / parts, load)
                cycles[2 * tile + 1, tensor] = np.where(moved, load / parts, 0)
                for part in (2 * tile, 2 * tile + 1):
                    own = cycles[part, tensor]
                    found = first_piece(self.space.layer, order, inner_trips, tensor, own, steps / parts, outer)
                    late[part, tensor], left[part, tensor] = found[0], np.where(own > 0, found[1], 0)
        return parts, Loads(both(cycles, axis=1), both(late, axis=1), left.max(axis=1))

    def _best(self, way: int, steps: float, wide: float, near: np.ndarray, most: float) -> list[Choice]:
        """The best tiles, of those that are `near`, and orders with some lanes; of orders that may be under `most`."""
        space, lanes = self.space, self.space.unrolled.lanes[:, way]
        at = self.around(lanes, near)
        if not len(at):
            return []
        if len(at) > TRIED:
            at = at[np.argpartition(np.maximum(self.base[at], steps) + self.fill[at] / FIRST, TRIED)[:TRIED]]
        trips = -(-self.tiles[:, at] // lanes[:, None])
        outer = space.grid.counts[:, self.points[at]]
        words = [np.prod(lanes[list(map(bool, RELEVANT[tensor]))]) for tensor in range(3)]
        scores, ports = np.full((len(self.orders), 3, len(at)), np.inf), self.ports(steps, at)
        likely, shared = scores.copy(), self.shared(wide, at)
        paces, outs = np.empty((len(self.orders), len(at))), np.flatnonzero(RELEVANT[OUTPUT])
        back = np.maximum(self.stored[:, at] - space.layer.words[OUTPUT], 0) / wide
        rest = trips[outs].prod(axis=0) * (self.many[at] - np.ceil(self.many[at]) + 1)
        filled = [words[tensor] // self._bus(lanes, tensor) for tensor in OPERANDS]
        for place, inner in enumerate(self.orders):
            pace = np.full(len(at), steps)
            for tensor in OPERANDS:
                stay = stays(inner, tensor, trips)
                late = np.where(stay > 1, filled[tensor] / stay, 1 if words[tensor] <= READ else np.inf)
                pace = np.maximum(pace, steps * np.maximum(late, 1))
            paces[place] = pace
            last = np.minimum(leaving(inner, trips, outer), rest) * words[OUTPUT] / wide
            busy = np.maximum(pace, np.maximum(ports, self.stored[:, at] / wide))
            alone = np.maximum(busy + last, shared) + lanes.sum()
            if alone.min() >= most:
                continue
            scores[place] = np.maximum(alone, busy + self._begun(inner, trips, at, pace) + last + lanes.sum())
            waited = np.where((back > 0) & (shared > FULL * pace), back + self.many[at] * (lanes.sum() + WAY), 0)
            likely[place] = scores[place] + self._held_up(at, pace, last, wide) + waited
        flat = np.concatenate([self._least(scores), self._least(likely)])
        flat = flat[np.sort(np.unique(flat, return_index=True)[1])]
        flat = flat[np.isfinite(scores.ravel()[flat])]
        place, outside, point = np.unravel_index(flat, scores.shape)
        found = (scores.ravel()[flat], paces[place, point], at[point], np.array(self.orders)[place], outside)
        every = zip(*(each.tolist() for each in found), strict=True)
        return [Choice(score, pace, way, tile, inner, outer) for score, pace, tile, inner, outer in every]

    def _least(self, scores: np.ndarray) -> np.ndarray:
        """int64 (k,): where the least EACH of `scores` (orders, stationary 3, n) lie of the orders that slide windows,
        and of all others."""
        own = sum(ORDERS[number] not in SLIDING for number in self.orders) * scores[0].size
        parts = [(0, scores.ravel()[:own]), (own, scores.ravel()[own:])]
        return np.concatenate(
            [begin + np.argpartition(some, min(EACH, some.size - 1))[:EACH] for begin, some in parts if some.size]
        )

    def _begun(self, inner: int, trips: np.ndarray, at: np.ndarray, pace: np.ndarray) -> np.ndarray:
        """float64 (k,): by how many cycles the steps of some tiles are late for what comes in first, by pieces."""
        order, both = ORDERS[inner], np.sum if self.space.arch.shared_port_bits else np.max
        steps = np.minimum(pace, MOST) / self.many[at]
        loads = self.held[:OUTPUT, at] / self.rates[:, at]
        late = [first_piece(self.space.layer, order, trips, each, loads[each], steps)[0] for each in OPERANDS]
        return np.asarray(both(late, axis=0))

    def _held_up(self, at: np.ndarray, pace: np.ndarray, last: np.ndarray, wide: float) -> np.ndarray:
        """float64 (stationary 3, k): cycles of a shared port's array when sums leave in bursts of `last` cycles, in
        which nothing comes in, and half of the last tile's, when all has passed."""
        if not self.space.arch.shared_port_bits:
            return np.zeros((3, len(at)))
        many = self.many[at]
        load = self.loading[:, :, at].sum(axis=1) / many
        bursts = self.stored[:, at] / wide / np.maximum(last, 1)
        return np.asarray(bursts * np.maximum(last + load - 2 * pace / many, 0) + pace / many / 2)

    def _bus(self, lanes: np.ndarray, tensor: int) -> int:
        """Words that come into the registers of a tensor at once, at most."""
        own = {name: int(lanes[dim]) for dim, name in enumerate(DIMS) if RELEVANT[tensor][dim] and lanes[dim] > 1}
        return prod(own[name] for name in buses(own, ())[1])

    def around(self, lanes: np.ndarray, among: np.ndarray) -> np.ndarray:
        """int64 (k,): of some tiles those that the lanes together may lie inside."""
        extents = self.space.layer.extents
        for dim in np.flatnonzero(lanes > 1):
            own = self.tiles[dim, among]
            among = among[(own % lanes[dim] == 0) | (own == extents[dim])]
        return among

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
