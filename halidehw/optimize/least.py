"""What every mapping of a space runs at least: besides its steps and its ports' words, the first tile's way in and the
last sums' way out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from halidehw.mapping.counts import OUTPUT
from halidehw.optimize.layout import held_words, rates, stored
from halidehw.optimize.space import Space

WAY = 8
"""Cycles at least from the array's last step until its sum is full where the writer takes it, without hops: three until
its operands reach the first PE, three to the old sum, two into the memory (`microarch.derive`, `microarch.stores`)."""

WORK = 1 << 24
"""Pairs of lanes and a tile that are looked at, at most; of lanes beyond these only the steps and words count."""


@dataclass(frozen=True)
class Least:
    """The least run of all mappings of a space, register files or none, memories of one half or two.

    A *tile* is what the outermost memory on the chip which is built holds. It is one of the grid's and fits a level as
    it is stated, full or not, as two halves hold no more, or where none is shared each lane's part of it fits a PE's;
    it holds the words of all lanes of a step, so the lanes of a loop divide it or it is the loop. It may come in by
    pieces, or row by row, but nothing is read before it is there. Hence, with `steps` of the array whatever is in the
    PEs, `last` of them in the last tile, and `end` cycles from the last step to the end of the run:

    1. begun = fill + steps - last: the last tile's steps begin after the words of the first step have come, as many in
       a cycle as a port has, and after all other steps.
    2. loaded + 1 + end: the last step comes after all tiles of each operand, of which a cycle of the port brings
       neighbours only. Of all loops outside a tile the innermost leaves one tensor in place, so there are three ways to
       count the tiles, as in `Floors`.
    3. begun + last + end, and begun + left + end: each word of the output under the last tile is summed there, and then
       leaves with those that the port takes together.
    4. fill + stored + end: no word of the output leaves before the first step.
    5. loaded + all that is stored, and of what comes back also that, through a port that all tensors share.

    `end` is WAY, the hops from the first PE to the last where words hop, and a word that leaves. The least over all
    tiles and lanes that go together is at most the run of any mapping, as each has one tile and one choice of lanes.
    """

    space: Space

    @cached_property
    def busy(self) -> np.ndarray:
        """float64 (lanes,): the array's steps, or the cycles in which the words of the output leave."""
        space = self.space
        return np.asarray(np.maximum(space.steps(space.unrolled.lanes), self.leaving[1]))

    @property
    def steps(self) -> int:
        """Cycles at least whatever the tiles: the array's steps, each operand's words through its port, and those of
        the output, of which lanes that are neighbours leave together."""
        return int(max(self.space.port_cycles, self.busy.min()))

    @cached_property
    def leaving(self) -> tuple[np.ndarray, np.ndarray]:
        """Words of the output that leave in a cycle with each choice of lanes, int64 (lanes,), and cycles of all."""
        wide = stored(self.space.layer, self.space.unrolled.lanes, self.space.arch.port_words[OUTPUT])
        return wide, -(-self.space.layer.words[OUTPUT] // wide)

    @cached_property
    def end(self) -> np.ndarray:
        """int64 (lanes,): cycles from the last step to the end of the run."""
        hops = (self.space.unrolled.lanes - 1).sum(axis=0)
        return np.asarray(WAY + 1 + hops * self.space.arch.links)

    @cached_property
    def tiles(self) -> tuple[np.ndarray, ...]:
        """Of each tile its sizes and those of the last one (dims, n), the last one's words of the output (n,),
        `loaded`, words stored, and all of the output's words at a shared port, each (stationary 3, n); and which of the
        grid it is, int64 (n,)."""
        space, arch, extents = self.space, self.space.arch, np.array(self.space.layer.extents)[:, None]
        every_fill = replace(space, half_full=False)
        held = np.any([every_fill.holds(level) for level in arch.levels[:-1]], axis=0)
        every = space.grid.points
        at = np.flatnonzero(held | self._spread_out(every, space.unrolled.lanes.max(axis=1)) if self.spread else held)
        tiles, both = every[:, at], np.sum if arch.shared_port_bits else np.max
        last = extents - (-(-extents // tiles) - 1) * tiles
        ports = np.array(arch.port_words[:OUTPUT])
        moved = [rates(space.layer, tiles, tensor, port) for tensor, port in zip(range(OUTPUT), ports, strict=True)]
        alike = np.where((last == tiles).all(axis=0), moved, ports[:, None])
        loaded = both(space.shapes.words[:OUTPUT, at] * space.shapes.trips[:, :OUTPUT, at] / alike, axis=1)
        stored = space.layer.words[OUTPUT] * space.shapes.trips[:, OUTPUT, at]
        sums = (2 * stored - space.layer.words[OUTPUT]) * bool(arch.shared_port_bits)
        left = held_words(space.layer, last)[OUTPUT]
        return tiles, last, left, loaded, stored, sums, at

    @property
    def spread(self) -> bool:
        """Whether the chip has the PEs' files alone, which then hold a tile together."""
        return all(level.per_pe for level in self.space.arch.levels[:-1])

    def _spread_out(self, tiles: np.ndarray, lanes: np.ndarray) -> np.ndarray:
        """bool (n,): whether a file holds what a PE has of `tiles` (dims, n), when `lanes` (dims,) share them."""
        most = max(level.words // level.buffers for level in self.space.arch.levels[:-1] if level.words)
        return np.asarray(self.space.shapes.footprint(-(-tiles // lanes[:, None])) <= most)

    @cached_property
    def fill(self) -> np.ndarray:
        """float64 (lanes,): cycles of the ports in which the words of a step come."""
        arch, both = self.space.arch, np.sum if self.space.arch.shared_port_bits else np.max
        words = held_words(self.space.layer, self.space.unrolled.lanes)[:OUTPUT]
        return np.asarray(both(words / np.array(arch.port_words[:OUTPUT])[:, None], axis=0))

    @cached_property
    def soonest(self) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
        """Of each tile the cycles that it runs at least with any lanes, float64 (n,), rising, and `tiles` so."""
        wide, (_, _, _, loaded, _, sums, _) = self.leaving[0], self.tiles
        found = np.maximum(self.early.min(), (loaded + sums / wide.max()).min(axis=0))
        order = np.argsort(found, kind="stable")
        return found[order], tuple(each[..., order] for each in self.tiles)

    @cached_property
    def early(self) -> np.ndarray:
        """float64 (lanes,): cycles at least with any tiles."""
        return np.asarray(self.busy + self.end + self.fill)

    @cached_property
    def run(self) -> int:
        """Cycles at least, with the way in of the tiles and the way out of the sums."""
        least, room = np.inf, WORK
        for way in np.argsort(self.early, kind="stable"):
            if self.early[way] >= least or room < 0:
                least = min(least, float(self.early[way]))
                break
            near = int(np.searchsorted(self.soonest[0], least))
            room -= near
            _, runs = self._with(int(way), near)
            least = min(least, float(runs.min(initial=np.inf)))
        return max(int(np.ceil(min(least, 2.0**62) - 1e-6)), self.space.port_cycles)

    def pairs(self, under: float, most: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Lanes, and tiles of the grid, that go together, int64 (n,), of which these runs are `under` that; None if
        there are over `most`, or too many to look at."""
        near, room, found = int(np.searchsorted(self.soonest[0], under)), WORK, list[tuple[int, np.ndarray]]()
        many = 0
        for way in np.flatnonzero(self.early < under).tolist():
            at, runs = self._with(way, near)
            found.append((way, at[runs < under]))
            room, many = room - near, many + len(found[-1][1])
            if many > most or room < 0:
                return None
        ways = np.repeat([way for way, _ in found], [len(own) for _, own in found]).astype(int)
        at = np.concatenate([own for _, own in found]) if found else ways
        return ways, self.soonest[1][-1][at]

    def _with(self, way: int, near: int) -> tuple[np.ndarray, np.ndarray]:
        """Of so many tiles that are the soonest those that go with some lanes, int64 (k,), and the cycles that they run
        at least, float64 (k,)."""
        space, own, wide = self.space, self.space.unrolled.lanes[:, way], self.leaving[0][way]
        tiles, fits = self.soonest[1][0], np.ones(near, bool)
        for dim in np.flatnonzero(own > 1):
            fits &= (tiles[dim, :near] % own[dim] == 0) | (tiles[dim, :near] == space.layer.extents[dim])
        if self.spread:
            fits &= self._spread_out(tiles[:, :near], own)
        at = np.flatnonzero(fits)
        _, last, left, loaded, stored, sums, _ = (each[..., at] for each in self.soonest[1])
        steps, end, fill = float(space.steps(own[:, None])[0]), float(self.end[way]), float(self.fill[way])
        ends = np.prod(-(-last // own[:, None]), axis=0)
        run = np.maximum(fill + steps - ends + np.maximum(left / wide, ends), fill + stored / wide)
        run = np.maximum(run, loaded + 1) + end
        return at, np.maximum(run, loaded + sums / wide).min(axis=0)
