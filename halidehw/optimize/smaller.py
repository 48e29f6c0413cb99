"""Smaller memories: what is built of a level is as large as its tiles, and costs what a memory of that size does.

A level has one price, that of all its bytes. By it the best mapping fills them, though another one with smaller tiles
moves more words of memories that cost a fraction. So levels of fewer bytes are searched at the price of these, one
level after the other halved ever more often. What is found is counted once more, each of its memories at the price of
its own size.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from math import inf

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture, sized
from halidehw.mapping.evaluate import Evaluation, counted
from halidehw.mapping.mapping import Mapping
from halidehw.optimize.built import Priced
from halidehw.optimize.options import Options, narrower
from halidehw.optimize.result import Result
from halidehw.optimize.space import Space
from halidehw.optimize.steady import Floors, best_of, left_out_pj

Halvings = tuple[int, ...]
"""Of each level on the chip: how often its bytes are halved."""

CLOSER, LOOSER = 1 - 1e-9, 1 + 1e-6
"""What is better is so by more than rounding; and what is as good is found below that."""

MOST = 1 << 11
"""Partial mappings that a quick search looks at, about."""

STEPS = (2, 2), (1, 1), (-1, 1)
"""By how many halvings more a level is tried next, and after how many that do not help no further ones."""

HOPE = 1.2
"""What takes more than the best so far by this, each at the prices of its levels, is none that takes less in memories
as large as their tiles: with two halvings of a level nothing was that took 1.1 times as much."""

SHARE = 0.03
"""Of the energy, what a level takes at least that is halved."""

TILES, PAIRS, FEW, MANY = 1 << 19, 1 << 26, 1, 6
"""Quick searches may fail until they had so many tiles, or pairs of lanes and a tile, together; how many may at least,
and at most."""


@dataclass(frozen=True)
class Halved:
    """The optima of a space when levels have fewer bytes, at the prices of these: each is searched once, or known from
    `wider` spaces."""

    space: Space
    options: Options
    most: float = inf
    wider: tuple[Halved, ...] = ()
    mappings: dict[Mapping, Priced] = field(default_factory=dict)
    known: dict[Halvings, tuple[float, Result | None]] = field(default_factory=dict)

    def best(self, halvings: Halvings, limit: float) -> Result | None:
        """The optimum with levels of fewer bytes, if it takes less than `limit` pJ."""
        under, found = self.known.get(halvings, (-inf, None))
        if found is None and under < limit:
            under, most = self._from_wider(halvings)
            if under < limit:
                with suppress(CostError):
                    own = replace(self.space, arch=halved(self.space.arch, halvings))
                    floors = self._floors(own.arch)
                    found = best_of(own, self.options, self.most, under=min(limit, most), floors=floors)
            self.known[halvings] = limit, found
        return found if found and found.energy_pj < limit else None

    def _from_wider(self, halvings: Halvings) -> tuple[float, float]:
        """pJ that nothing takes less than, by the wider spaces, and more than the optimum if theirs lies in this."""
        least, most = -inf, inf
        for each in self.wider:
            under, found = each.known.get(halvings, (-inf, None))
            if found and found.optimal:
                least = max(least, found.energy_pj)
                most = min(most, found.energy_pj * LOOSER) if self.space.has(found.mapping) else most
            elif not found:
                least = max(least, under)
        return least, most

    @cached_property
    def _left_out(self) -> Floors:
        """Sets of levels that need not exist, and pJ at least without them, with all bytes of the others; where lanes
        are few, a search knows that as soon."""
        if self.space.unrolled.lanes.shape[1] == 1:
            return {}
        return self.wider[0]._left_out if self.wider else left_out_pj(self.space, self.options)

    def _floors(self, arch: Architecture) -> Floors:
        """As `_left_out`, for an architecture with levels of fewer bytes: by the price that falls most."""
        pairs = [*zip(self.space.arch.levels, arch.levels, strict=True)]
        shares = [now.energy / before.energy if before.energy else 1.0 for before, now in pairs]
        kept = {levels: [share for at, share in enumerate(shares) if at not in levels] for levels in self._left_out}
        return {levels: least * min(1.0, *kept[levels]) for levels, least in self._left_out.items()}

    def feasible(self, halvings: Halvings) -> bool:
        """Whether levels of fewer bytes take any tile."""
        if min(halvings) < 0:
            return False
        with suppress(CostError):
            return all(self.space.holds(level).any() for level in halved(self.space.arch, halvings).levels[:-1])
        return False

    def counted_pj(self, halvings: Halvings, mapping: Mapping) -> float:
        """pJ of a mapping with levels of fewer bytes at their prices; infinite where they do not hold it."""
        with suppress(CostError):
            return self.priced(mapping).counted_pj(halved(self.space.arch, halvings))
        return inf

    def priced(self, mapping: Mapping) -> Priced:
        """A mapping, counted once."""
        if mapping not in self.mappings:
            self.mappings[mapping] = Priced(self.space.arch, counted(self.space.layer, self.space.arch, mapping))
        return self.mappings[mapping]


@dataclass(frozen=True)
class Known:
    """What was found of parts of a space: `halved` by the partial mappings that a search looks at, and what was asked
    for."""

    halved: dict[tuple[float, Options], Halved] = field(default_factory=dict)
    mappings: dict[Mapping, Priced] = field(default_factory=dict)

    def of(self, space: Space, options: Options, most: float = inf) -> Halved:
        """The optima of a part when levels have fewer bytes; what wider ones have is taken."""
        if (most, options) not in self.halved:
            alike = [(whole, each) for (many, whole), each in self.halved.items() if many == most]
            wider = tuple(each for whole, each in alike if narrower(options, whole))
            self.halved[most, options] = Halved(space, options, most, wider, self.mappings)
        return self.halved[most, options]


def smaller(found: Result, space: Space, options: Options, known: Known) -> Result | None:
    """What is better than `found`, the optimum of `space` for energy, when every memory is priced by its own size; None
    where nothing is that was looked at. Raises CostError where the architecture's cost table lacks a level.
    """
    arch = space.arch
    best = None if options.ragged else of_all_lanes(space, options, found, known)
    if best is None:
        return None
    before, now = (known.of(space, options).priced(each.mapping) for each in (found, best))
    if now.built.energy_pj >= before.built.energy_pj:
        return None
    cost = now.counted.cost(arch)
    return replace(
        best, arch=arch, energy_pj=cost.energy_pj, cycles=cost.cycles, parts=cost.parts,
        space=f"{best.space}; {_said(best.arch)}",
    )  # fmt: skip


def _said(arch: Architecture) -> str:
    """The levels of an architecture and their sizes."""
    sizes = [f"{level.words * arch.word_bits // 8} B of {level.name}" for level in arch.levels if level.words]
    return f"{', '.join(sizes)} at the price of so many"


def of_all_lanes(space: Space, options: Options, found: Result, known: Known) -> Result | None:
    """The optimum of all lanes with levels of fewer bytes at their prices; how few, a walk of quick searches says. None
    where that says that none are better with fewer."""
    quick, whole = known.of(space, options, MOST), known.of(space, options)
    sizes, near = _walk(quick, found)
    if not any(sizes):
        return None
    if near.optimal:
        whole.known[sizes] = quick.known[sizes]
    return whole.best(sizes, whole.counted_pj(sizes, near.mapping) * LOOSER)


def _walk(quick: Halved, found: Result) -> tuple[Halvings, Result]:
    """How often to halve each level: one after the other, that of the most energy first, as long as that helps each
    memory at its own price, by STEPS; and what says so. As many searches may fail as `PAIRS` allows."""
    space, best, near = quick.space, (0,) * (len(quick.space.arch.levels) - 1), found
    tiles = space.grid.top + 1
    room = min(TILES // tiles, PAIRS // (1 + space.unrolled.lanes.shape[1] * tiles))
    least, failures, tried = quick.priced(near.mapping).built, max(FEW, min(MANY, room)), {best}
    names = [level.name for level in space.arch.levels[:-1]]
    shares = [max(_share(each, name) for each in (found, least)) for name in names]
    for (step, misses), level in product(STEPS, sorted(range(len(names)), key=lambda level: -shares[level])):
        if max(shares[level], _share(least, names[level])) < SHARE:
            continue
        at, missed = best, 0
        while missed < misses and failures:
            at, missed = (*at[:level], at[level] + step, *at[level + 1 :]), missed + 1
            if not quick.feasible(at):
                break
            if at in tried:
                continue
            tried.add(at)
            known = (quick.counted_pj(at, each.mapping) for each in (found, near))
            each = quick.best(at, min(CLOSER * min(known), HOPE * quick.counted_pj(best, near.mapping)))
            now = quick.priced(each.mapping).built if each else least
            if each and now.energy_pj < least.energy_pj * CLOSER:
                best, near, least, missed = at, each, now, 0
            else:
                failures -= 1
    return best, near


def _share(of: Result | Evaluation, name: str) -> float:
    """Of the energy, what a level takes."""
    return sum(of.parts[name].values()) / of.energy_pj


def halved(arch: Architecture, halvings: Halvings) -> Architecture:
    """With levels of fewer bytes. Raises CostError where one is too small for a word of each tensor."""
    assert arch.table
    levels = zip(arch.levels, halvings, strict=False)
    sizes = tuple((level.words or 0) * arch.word_bits // 8 >> each for level, each in levels)
    if not all(sizes):
        raise CostError(f"{arch.name}: a level would have no byte")
    return sized(arch, arch.table, sizes)
