"""What a plan is made for, and what it is to have least of: a chain's tilings in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

import numpy as np

from halidehw.energy_model.costs.table import CostTable, load_costs
from halidehw.energy_model.estimate import DEFAULT_COSTS
from halidehw.errors import CostError
from halidehw.microarch.limits import near_ports
from halidehw.microarch.options import WIDEST_PORT, Options
from halidehw.optimize.fusion.bounds import SUMS, least_cycles, least_energy
from halidehw.optimize.fusion.chain import Chain, Counts, row_tilings, tilings
from halidehw.optimize.fusion.ways import APART, NEVER, Group, Way, gpu_way, own_ways

KB = 1024

WORDS, ENERGY, DELAY = "words", "energy", "delay"
OBJECTIVES = (WORDS, ENERGY, DELAY)
"""What a plan has least of: words that pass the ports, pJ, cycles of its groups one after the other."""

ROUNDING = 1e-9
"""By what share a bound may be too large as its terms are rounded."""

MOST_BITS = 64
"""Of a sum of our own hardware, and of a GPU's word."""

GPUS = {"gtx1660": (22, 96), "rtxa4000": (48, 128), "orin": (16, 192)}
"""Multiprocessors and KB of L1 cache. Source: the data sheets, as the paper on fused modules gives them."""

Place = tuple[int, ...]
"""A tiling of a chain: which way, which filters, rows and columns."""


@dataclass(frozen=True)
class Candidate:
    """A tiling, and what it is at least; of the objective's words that is what it has."""

    least: float
    place: Place
    group: Group


@dataclass(frozen=True)
class Target:
    """`capacity` in bytes; `bytes` of an element; `min_tiles` that there must be; `gpu`: whether tiles are computed
    side by side, each with weights of its own, or by our own hardware, one after the other. Of that: `pes` of all
    layers of a group together (0: one of each), `port_bits` of each port (0: one word), and what energy `costs`."""

    name: str
    capacity: int
    bytes: int = 1
    min_tiles: int = 1
    gpu: bool = False
    objective: str = WORDS
    pes: int = 0
    port_bits: int = 0
    costs: CostTable = field(default_factory=lambda: load_costs(DEFAULT_COSTS), compare=False, repr=False)

    def check(self) -> None:
        """Raises `CostError` for words that a GPU cannot have, and for words or ports that our own hardware cannot."""
        bits, widest = 8 * self.bytes, MOST_BITS // SUMS // 8
        if self.gpu and bits > MOST_BITS:
            why = f"--bytes {self.bytes}: the words of {self.name} have {MOST_BITS // 8} bytes at most"
            raise CostError(why, legal=[f"--bytes {MOST_BITS // 8}"])
        if self.gpu:
            return
        if bits * SUMS > MOST_BITS:
            raise CostError(
                f"--bytes {self.bytes}: {self.name} adds up in {SUMS} times the bits of a word, {bits * SUMS}, and has "
                f"{MOST_BITS} at most",
                legal=[f"--bytes {widest}", *(["--target gpu:gtx1660"] if bits <= MOST_BITS else [])],
            )
        if self.port_bits > WIDEST_PORT:
            why = f"--port-bits {self.port_bits}: more than the {WIDEST_PORT} bits that a port has at most"
            raise CostError(why, legal=[f"--port-bits {WIDEST_PORT}"])
        if near := near_ports(self.port_bits, [bits]):
            raise CostError(
                f"--port-bits {self.port_bits}: ports carry 1, 2, 4, 8 ... words, and those are of {bits} bits",
                legal=[f"--port-bits {each}" for each in near],
            )

    def sizes(self, chain: Chain) -> Sequence[Sequence[int]]:
        """The filters, rows and columns of a tile that are tried: of our own hardware the smallest of each number of
        tiles, of a GPU powers of two, and all; of filters as many units."""
        last, tried = chain.last.layer, _powers if self.gpu else _smallest
        return [[chain.unit * size for size in tried(last.k // chain.unit)], tried(last.oy), tried(last.ox)]

    def allows(self, chain: Chain) -> bool:
        """Whether layers can be computed together, with memory enough. Our own hardware writes one result, makes all of
        what lies between, has a PE for each layer, and no schedule for groups of channels."""
        if self.gpu or len(chain.nodes) == 1:
            return True
        strided = any(side.taps < side.stride for node in chain.nodes[1:] for side in (node.y, node.x))
        grouped = any(node.grouped for node in chain.nodes)
        return not (chain.written or strided or grouped or 0 < self.pes < len(chain.nodes))

    def ways(self, chain: Chain) -> Iterator[Way]:
        """All ways to compute a chain."""
        sizes = self.sizes(chain)
        if self.gpu:
            yield gpu_way(tilings(chain, sizes, padded=False))
        else:
            yield from own_ways(tilings(chain, sizes), row_tilings(chain, sizes))

    def best(self, chain: Chain, tried: Collection[Place] = ()) -> tuple[Candidate | None, int, int]:
        """Of the tilings of a chain that were not tried the one that has least (None: no more fit, or they are too
        few), the bytes that any tile needs, and the most tiles that fit. Of equal ones a GPU's hold least; our own
        hardware's are few, so that they fill an array."""
        ways = tuple(self.ways(chain))
        found = [each for at, way in enumerate(ways) if (each := self._best(at, way, tried))]
        least = min(int(way.held.min()) for way in ways) * self.bytes
        most = max(int(way.tilings.tiles.max(where=self._fits(way), initial=0)) for way in ways)
        return min(found, key=self._rank, default=None), least, most

    def _rank(self, found: Candidate) -> tuple[float, ...]:
        group = found.group
        return (found.least, *((group.capacity, group.tiles) if self.gpu else (group.tiles, group.capacity)))

    def _best(self, at: int, way: Way, tried: Collection[Place]) -> Candidate | None:
        held, tiles = way.held * self.bytes, way.tilings.tiles
        fits = self._fits(way) & (tiles >= self.min_tiles)
        fits[tuple(np.array([place[1:] for place in tried if place[0] == at], int).reshape(-1, 3).T)] = False
        if not fits.any():
            return None
        least = np.where(fits, self._least(way), NEVER)
        for rank in (held, tiles) if self.gpu else (tiles, held):
            fewest = least == least.min()
            least = np.where(fewest & (rank == rank[fewest].min()), least, NEVER)
        place = np.unravel_index(least.argmin(), least.shape)
        return Candidate(least[place].item(), (at, *map(int, place)), way.group(place, self.bytes))

    def _fits(self, way: Way) -> Counts:
        """Whether each tiling fits, however many tiles it has."""
        return (way.held * self.bytes <= self.capacity) & (way.held < APART)

    def _least(self, way: Way) -> Counts:
        """What each tiling has at least of the objective."""
        bits = 8 * self.bytes
        if self.objective == DELAY:
            return least_cycles(way, self.pes or 1, Options(self.port_bits).lanes(bits))
        if self.objective == ENERGY:
            return least_energy(way, self.pes or 1, bits, self.costs) * (1 - ROUNDING)
        return way.words

    def by_size(self, chain: Chain) -> Iterator[Group]:
        """The tilings of a chain, those that hold least first, of as many tiles as there must be, or as it can have."""
        enough, ways = min(self.min_tiles, self.most_tiles(chain)), tuple(self.ways(chain))
        held = [np.where(way.tilings.tiles >= enough, way.held, NEVER).ravel() for way in ways]
        which = np.repeat(np.arange(len(ways)), [len(each) for each in held])
        flat, sizes = np.concatenate([np.arange(len(each)) for each in held]), np.concatenate(held)
        for at in np.argsort(sizes, kind="stable"):
            if sizes[at] >= APART:
                return
            way = ways[which[at]]
            yield way.group(np.unravel_index(flat[at], way.shape), self.bytes)

    def most_tiles(self, chain: Chain) -> int:
        """How many tiles a chain has at most."""
        return max(int(way.tilings.tiles.max()) for way in self.ways(chain))


def _powers(size: int) -> list[int]:
    return [*takewhile(lambda power: power < size, (2**exponent for exponent in range(size.bit_length()))), size]


def _smallest(size: int) -> list[int]:
    return sorted({-(-size // count) for count in range(1, size + 1)})
