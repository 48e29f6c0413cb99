"""Mappings near one that was found, each memory at the price of its own size.

A search has one price for a level, whatever its memories hold. Of what it has found, one part after the other is
therefore replaced by the best there is for the rest: the tiles of one level, or the lanes together with the tile in a
PE, each time in all loop orders; as long as that takes less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import cycle, product
from math import inf

import numpy as np

from halidehw.mapping.counts import INPUT, OUTPUT
from halidehw.mapping.evaluate import counted
from halidehw.mapping.layer import DIMS, Layer
from halidehw.mapping.mapping import Axes, Mapping, tiling
from halidehw.optimize.built import Priced, held_tiles, prices
from halidehw.optimize.chains import Chains
from halidehw.optimize.files import outside
from halidehw.optimize.layout import held_words
from halidehw.optimize.lowered import without_files
from halidehw.optimize.options import Options
from halidehw.optimize.pieces import OPERANDS, divides
from halidehw.optimize.result import Result
from halidehw.optimize.rules import EXACT, least_spreads, spreads
from halidehw.optimize.space import Space

CLOSER = 1 - 1e-9
"""What is better is so by more than rounding."""

PAIRS = 1 << 17
"""Of lanes and tiles, that are looked at together: of more, the lanes of which fewest loops are other than now."""

BATCH = 1 << 13
"""Mappings that are costed at a time."""

ALIKE = 1.01
"""Of what is reached, what takes no more than this times the least may take less in hardware."""

FARTHEST = 1.15
"""Without register files, what takes more than this times the least by its counts is not built: of 200 drawn layers
none took less so."""

PIECED = 1.3
"""Where whole tiles without register files take more than this times what is known with them, pieces are not looked
at: of 200 drawn layers none took less so."""

LAID = 256
"""Fillings of the least energy, if their words went the shortest way, that are laid out."""


REACHED = "from what is best by these prices to what takes less near it, each memory at the price of its own size"
STREAMED = "from there, without register files, to what takes less near it"
"""What is said of such mappings."""


@dataclass(frozen=True)
class Place:
    """A mapping: `held[level]`, int64 (dims,), of each level on the chip; `lanes` (dims,) on `axes`; the tensor that
    stays in each level, and pJ."""

    held: tuple[np.ndarray, ...]
    lanes: np.ndarray
    axes: Axes
    orders: tuple[int, ...]
    pj: float


def nearer(starts: Iterable[Result], space: Space, options: Options) -> list[Result]:
    """What is reached from mappings of a space and takes less than they do, each memory at the price of its own size:
    the best, and what takes about as much. Raises CostError when the architecture's cost table lacks a level."""
    near, reached = Nearby(space), dict[Mapping, tuple[float, Result]]()
    for start in {each.mapping: each for each in starts}.values():
        mappings, costed = near.reached(start.mapping)
        own, *every = (
            Priced(space.arch, counted(space.layer, space.arch, each)) for each in (start.mapping, *mappings)
        )
        said = replace(start, arch=space.arch, evaluated=costed, space=f"{start.space}; {REACHED}")
        for mapping, priced in zip(mappings, every, strict=True):
            cost, pj = priced.counted.cost(space.arch), priced.built.energy_pj
            if pj < own.built.energy_pj * CLOSER and cost.cycles <= options.max_cycles:
                parts = replace(said, energy_pj=cost.energy_pj, cycles=cost.cycles, parts=cost.parts, mapping=mapping)
                reached[mapping] = pj, parts
    least = min((pj for pj, _ in reached.values()), default=0.0)
    return [found for pj, found in reached.values() if pj <= ALIKE * least]


def streaming(start: Result, space: Space, options: Options) -> list[Result]:
    """What is reached from a mapping of a space without register files, its loops there outside them, with whole tiles,
    and from there with an operand that comes in by pieces, each way that there is; without what takes FARTHEST more
    than the least by its counts, or too many cycles. Raises CostError when the architecture's cost table lacks a level.
    """
    table = space.arch.table
    known = inf if table and table.cells else start.pj
    found = _streamed(space, outside(space.arch, start.mapping), PIECED * known)
    most = FARTHEST * min(known, *(pj for pj, _ in found.values()))
    said = replace(start, space=f"{start.space}; {STREAMED}")
    close = ((mapping, costed) for mapping, (pj, costed) in found.items() if pj <= most)
    made = (without_files(replace(said, evaluated=costed), space.arch, mapping) for mapping, costed in close)
    return [each for each in made if each.cycles <= options.max_cycles]


def _streamed(space: Space, mapping: Mapping, most: float) -> dict[Mapping, tuple[float, int]]:
    """What is reached from a mapping without register files, its pJ, and how many were costed: with sums where they
    lie, and as if they lay in the shared memory too, which leads elsewhere; by pieces where whole tiles take no more
    than `most` pJ."""
    near, found = Nearby(space, alone=True), dict[Mapping, tuple[float, int]]()

    def reach(near: Nearby, now: Mapping) -> Mapping:
        (_, mapping), costed = near.reached(now)
        found.setdefault(mapping, (replace(near, stored=False).place(mapping).pj, costed))
        return mapping

    starts = [(each, reach(each, mapping)) for each in (near, replace(near, stored=False))]
    ways = _ways(space.layer) if min(pj for pj, _ in found.values()) <= most else []
    for (each, whole), pieced in product(starts, ways):
        reach(replace(each, pieced=pieced), whole)
    return found


@dataclass(frozen=True)
class Pieced:
    """How an operand's tile of the outermost level on the chip comes in: by all that is inside of the level's loops,
    where it `stays` in it, or by `rows` of windows, which another tensor's loops go through one after the other."""

    tensor: int
    stays: tuple[int, ...]
    rows: bool = False

    def words(self, layer: Layer, inner: np.ndarray, tile: np.ndarray) -> np.ndarray:
        """float64 (n,): those that are there at least, of tiles (dims, n) and what is inside of their loops: two
        pieces, or what the windows of a row have and as many rows as the next one brings."""
        if not self.rows:
            return np.asarray(2 * held_words(layer, inner)[self.tensor])
        own = np.broadcast_to(tile, np.broadcast_shapes(inner.shape, tile.shape)).copy()
        for dim in ("B", "G"):
            own[DIMS.index(dim)] = inner[DIMS.index(dim)]
        row = DIMS.index("Y")
        own[row] = np.minimum(tile[row], 2 * inner[row])
        return np.asarray(held_words(layer, own)[self.tensor])


def _ways(layer: Layer) -> list[Pieced]:
    """How the operands of a layer may come in by pieces: single ones where none have words in common, else by rows of
    two dimensions."""
    found = [Pieced(tensor, (tensor,)) for tensor in OPERANDS if divides(layer, tensor).all()]
    windows = not divides(layer, INPUT).all() and layer.oz == 1
    return [*found, *([Pieced(INPUT, (INPUT, OUTPUT), rows=True)] if windows else [])]


@dataclass(frozen=True)
class Nearby:
    """The mappings of a space; `alone`: of one step in the PEs. `pieced`: how an operand comes in by pieces, each of
    them once. `stored`: as in Chains. `known`: tiles that go together, by what is around them."""

    space: Space
    alone: bool = False
    pieced: Pieced | None = None
    stored: bool = True
    known: dict[tuple[object, ...], np.ndarray] = field(default_factory=dict, compare=False, repr=False)

    def reached(self, mapping: Mapping) -> tuple[list[Mapping], int]:
        """What is reached from a mapping with its own lanes, and from there with any; and how many were costed."""
        start = self.place(mapping)
        levels = range(self.space.arch.pe_levels if self.alone else 0, len(start.held))
        tiles = [partial(self._other_tiles, level=level) for level in levels]
        own, first = _settled(start, tiles)
        every, more = _settled(own, [self._other_filling, *tiles], idle=len(tiles))
        found = [self.space.mapping(each.held, each.lanes, each.axes, each.orders) for each in (own, every)]
        return found, first + more

    def place(self, mapping: Mapping) -> Place:
        """A mapping's tiles and lanes, in their best orders."""
        nest = tiling(self.space.layer, mapping)
        held = tuple(tiles[:, 0] for tiles in held_tiles(self.space.arch, nest))
        return self._place(held, nest.lanes[:, 0], nest.axes)

    def _place(self, held: tuple[np.ndarray, ...], lanes: np.ndarray, axes: Axes) -> Place:
        """A mapping in its best orders."""
        hops = spreads(EXACT, axes, lanes[:, None])
        pj, orders = self._chains(held, 0, held[0][:, None], lanes[:, None], hops).least()
        return Place(held, lanes, axes, tuple(orders[:, 0].tolist()), float(pj[0]))

    def _chains(
        self, held: tuple[np.ndarray, ...], level: int, tiles: np.ndarray, lanes: np.ndarray, hops: np.ndarray
    ) -> Chains:
        """With other `tiles` (dims, n) of a level, `lanes` (dims, n) and `hops` (3, n)."""
        every = tuple(tiles if at == level else own[:, None] for at, own in enumerate(held))
        layer, arch, pieced = self.space.layer, self.space.arch, self.pieced
        if pieced is None:
            return Chains(layer, arch, every, tuple(prices(arch, layer, every)), lanes, hops, stored=self.stored)
        inner = every[-2] * (lanes if arch.pe_levels == len(every) - 1 else 1)
        words = pieced.words(layer, np.minimum(inner, np.array(layer.extents)[:, None]), every[-1])
        costs = prices(arch, layer, every, (pieced.tensor, words))
        return Chains(layer, arch, every, tuple(costs), lanes, hops, (pieced.tensor, pieced.stays), self.stored)

    def _other_tiles(self, now: Place, level: int) -> tuple[Place, int]:
        """With the best tiles of a level, if these take less; and how many were costed."""
        key = level, *(each.tobytes() for each in (*self._around(now, level), now.lanes))
        if key not in self.known:
            own = now.lanes if level == self.space.arch.pe_levels - 1 else np.ones_like(now.lanes)
            self.known[key] = self._points(now, level, own)
        points = self.known[key]
        if not len(points):
            return now, 0
        hops, best = spreads(EXACT, now.axes, now.lanes[:, None]), now
        for first in range(0, len(points), BATCH):
            tiles = self.space.grid.points[:, points[first : first + BATCH]]
            pj, orders = self._chains(now.held, level, tiles, now.lanes[:, None], hops).least()
            at = int(pj.argmin())
            if pj[at] < min(best.pj, now.pj * CLOSER):
                held = (*now.held[:level], tiles[:, at], *now.held[level + 1 :])
                best = replace(now, held=held, orders=tuple(orders[:, at].tolist()), pj=float(pj[at]))
        return best, len(points)

    def _around(self, now: Place, level: int) -> tuple[np.ndarray, np.ndarray]:
        """What a tile of a level holds, and what holds it."""
        layer, held = self.space.layer, (*now.held, np.array(self.space.layer.extents))
        if level == self.space.arch.pe_levels:
            return np.minimum(held[level - 1] * now.lanes, layer.extents), held[level + 1]
        return held[level - 1] if level else np.ones_like(now.lanes), held[level + 1]

    def _points(self, now: Place, level: int, lanes: np.ndarray) -> np.ndarray:
        """The tiles of a level that go with the others of a mapping, so many `lanes` (dims,) of them together."""
        grid, (inner, outer) = self.space.grid, self._around(now, level)
        points = np.zeros(1, np.int64)
        for each, own, many, out in zip(grid.sizes, inner, lanes, outer, strict=True):
            sizes = np.array(each)
            holds = (sizes % own == 0) | (sizes == sizes[-1])
            places = np.flatnonzero(holds & _held(each, many, out))
            points = np.add.outer(points * len(sizes), places).ravel()
        return points[self._allowed(level, points, inner, outer)]

    def _allowed(self, level: int, points: np.ndarray, inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
        """bool (n,): whether a level takes the tiles at `points`, or need not be there, as the next one inside holds
        the same; and whether the next one outside is there if it must be."""
        grid, between = self.space.grid, self.space.arch.pe_levels
        same, next_ = (points == grid.index(tile[:, None]) for tile in (inner, outer))
        found = self._holds[level][points]
        if 0 < level != between:
            found = found & ~same if level in self.space.required else found | same
        if level + 1 != between and level + 1 in self.space.required:
            found = found & ~next_
        return np.asarray(found)

    @cached_property
    def _holds(self) -> list[np.ndarray]:
        step = self.space.grid.points.prod(axis=0) == 1
        levels = self.space.arch.levels[:-1]
        return [self.space.holds(level) & (step | (not (self.alone and level.per_pe))) for level in levels]

    def _other_filling(self, now: Place) -> tuple[Place, int]:
        """With the best lanes and tile in a PE, if these take less: of those that might, the best are laid out. And how
        many were costed."""
        level, unrolled = self.space.arch.pe_levels - 1, self.space.unrolled
        way, point = self._fillings(now, self._points(now, level, np.ones_like(now.lanes)))
        shortest = least_spreads(EXACT, unrolled.lanes)
        least = self._filled(now, point, unrolled.lanes[:, way], shortest[:, way])
        few = np.flatnonzero(least < now.pj * CLOSER)
        few = few[np.argsort(least[few], kind="stable")[:LAID]]
        if not len(few):
            return now, len(way)
        chosen, own = np.unique(way[few], return_inverse=True)
        ways, places = unrolled.lay_out(EXACT, chosen)
        pair, laid = np.nonzero(own[:, None] == places)
        pj = self._filled(now, point[few[pair]], ways.lanes[:, laid], ways.hops[:, laid])
        at = int(pj.argmin())
        costed = len(way) + len(pair)
        if pj[at] >= now.pj * CLOSER:
            return now, costed
        tile = self.space.grid.points[:, point[few[pair[at]]]]
        held = (*now.held[:level], tile, *now.held[level + 1 :])
        return self._place(held, ways.lanes[:, laid[at]], ways.axes[laid[at]]), costed

    def _filled(self, now: Place, points: np.ndarray, lanes: np.ndarray, hops: np.ndarray) -> np.ndarray:
        """float64 (n,): pJ with tiles in the PEs at `points` (n,), `lanes` (dims, n) and `hops` (3, n)."""
        found, level = [np.zeros(0)], self.space.arch.pe_levels - 1
        for first in range(0, len(points), BATCH):
            some = slice(first, first + BATCH)
            tiles = self.space.grid.points[:, points[some]]
            found.append(self._chains(now.held, level, tiles, lanes[:, some], hops[:, some]).least()[0])
        return np.concatenate(found)

    def _fillings(self, now: Place, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """int64 (n,), (n,): lanes, and tiles of the outermost level in the PEs among `points`, that go together and
        with the tile outside."""
        grid, every = self.space.grid, self.space.unrolled.lanes
        _, outer = self._around(now, self.space.arch.pe_levels - 1)
        others = (every != now.lanes[:, None]).sum(axis=0)
        way = np.sort(np.argsort(others, kind="stable")[: PAIRS // max(1, len(points))])
        fits = np.ones((len(way), len(points)), bool)
        for each, lanes, places, out in zip(grid.sizes, every[:, way], grid.places[:, points], outer, strict=True):
            many, which = np.unique(lanes, return_inverse=True)
            if many[-1] > 1:
                fits &= np.stack([_held(each, own, out) for own in many.tolist()])[which[:, None], places]
        lane, tile = np.nonzero(fits)
        return way[lane], points[tile]


def _settled(
    now: Place, steps: Sequence[Callable[[Place], tuple[Place, int]]], idle: int = 0
) -> tuple[Place, int]:  # fmt: skip
    """What is reached when none of the steps finds anything better, and how many mappings they costed; `idle`: so many
    of them, the last ones, find nothing better at first."""
    costed = 0
    for step in cycle(steps):
        better, many = step(now)
        now, idle, costed = better, idle + 1 if better is now else 1, costed + many
        if idle == len(steps):
            break
    return now, costed


def _held(sizes: tuple[int, ...], lanes: int, outer: int) -> np.ndarray:
    """bool (n,): of the tile sizes of a loop, whether so many together are one of them, each with work, and lie inside
    an `outer` tile."""
    together, able = _together(sizes, int(lanes))
    return np.asarray(able & ((outer % together == 0) | (outer == sizes[-1])))


@lru_cache(maxsize=1 << 10)
def _together(sizes: tuple[int, ...], lanes: int) -> tuple[np.ndarray, np.ndarray]:
    """int64 (n,), bool (n,): so many tiles of each size together, and whether that is a size and each one has work."""
    own, most = np.array(sizes), sizes[-1]
    together = np.minimum(own * lanes, most)
    return together, (own * (lanes - 1) < most) & np.isin(together, own)
