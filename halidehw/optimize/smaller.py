"""Smaller memories: what is built of a level is as large as its tiles, and costs what a memory of that size does.

A level has one price, that of all its bytes. By it the best mapping fills them, though another one with smaller tiles
moves more words of memories that cost a fraction. So the same lanes are searched with levels of fewer bytes at the
price of these, a half at a time, as long as that is better; each mapping that was found is counted once more, each of
its memories at the price of its own size, and the best one is the answer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture, sized
from halidehw.mapping.evaluate import Prices, evaluate
from halidehw.mapping.layer import TENSORS, Layer
from halidehw.mapping.mapping import Mapping, Tiling, tiling
from halidehw.optimize.layout import held_words
from halidehw.optimize.options import Options
from halidehw.optimize.result import Result
from halidehw.optimize.space import Space
from halidehw.optimize.steady import best_of, space_of

Halvings = tuple[int, ...]
"""Of each level on the chip: how often its bytes are halved."""

CLOSER = 1 - 1e-9
"""What is better is so by more than rounding."""

WORK, LEAST = 1 << 16, 3
"""Points of all the grids that are searched, and searches at least."""


@dataclass(frozen=True)
class Halved:
    """The optima of a space when levels have fewer bytes, at the prices of these: each is searched once."""

    space: Space
    options: Options
    known: dict[Halvings, tuple[float, Result | None]] = field(default_factory=dict)

    def best(self, halvings: Halvings, limit: float) -> Result | None:
        """The optimum with levels of fewer bytes, if it takes less than `limit` pJ."""
        under, found = self.known.get(halvings, (-inf, None))
        if found is None and under < limit:
            with suppress(CostError):
                found = best_of(replace(self.space, arch=halved(self.space.arch, halvings)), self.options, under=limit)
            self.known[halvings] = limit, found
        return found if found and found.energy_pj < limit else None


Known = dict[tuple[tuple[int, ...], Options], Halved]
"""By lanes, and what was asked for but for ragged tiles."""


def smaller(found: Result, space: Space, options: Options, known: Known) -> Result | None:
    """What is better than `found`, the optimum of `space` for energy, when every memory is priced by its own size; None
    where nothing is that was looked at. Raises CostError where the architecture's cost table lacks a level.
    """
    arch, start = space.arch, time.perf_counter()
    lanes, options = tiling(found.layer, found.mapping).lanes[:, 0], replace(options, ragged=False)
    key = tuple(lanes.tolist()), options
    if key not in known:
        known[key] = Halved(space_of(found.layer, arch, options, space.unrolled.only(lanes)), options)
    looked = list(_descent(known[key], found))
    least = min((found, *looked), key=lambda each: built_pj(found.layer, arch, each.mapping))
    if least is found:
        return None
    cost = evaluate(found.layer, arch, least.mapping)
    return replace(
        least, arch=arch, energy_pj=cost.energy_pj, cycles=cost.cycles, parts=cost.parts,
        evaluated=sum(each.evaluated for each in looked), seconds=time.perf_counter() - start,
        space=f"{least.space}; lanes as in the optimum by the levels' prices; {_said(least.arch)}",
    )  # fmt: skip


def built_pj(layer: Layer, arch: Architecture, mapping: Mapping) -> float:
    """pJ of a mapping, each memory that is built at the price of its own size."""
    return evaluate(layer, arch, mapping, prices=_prices(arch, tiling(layer, mapping))).energy_pj


def _prices(arch: Architecture, nest: Tiling) -> Prices:
    """Those of memories that hold the tiles of a nest, of each level and tensor."""
    assert arch.table
    bits = arch.word_bits * np.array([1, 1, arch.sum_width])
    found = []
    for level, tiles in zip(arch.levels[:-1], _tiles(arch, nest), strict=True):
        sizes = held_words(nest.layer, tiles)[:, 0] * level.buffers * bits / 8
        found.append([arch.table.access(level.kind, float(size), level.name) for size in sizes])
    return [*found, [arch.levels[-1].energy] * len(TENSORS)]


def _tiles(arch: Architecture, nest: Tiling) -> list[np.ndarray]:
    """Of each level on the chip: what one of its memories holds."""
    return [(nest.tiles if level.per_pe else nest.array_tiles)[at] for at, level in enumerate(arch.levels[:-1])]


def _fitting(layer: Layer, arch: Architecture, mapping: Mapping) -> Halvings:
    """The smallest levels that hold a mapping."""
    held = (held_words(layer, tiles)[:, 0] for tiles in _tiles(arch, tiling(layer, mapping)))
    needs = [float(words @ [1, 1, arch.sum_width]) for words in held]
    halvings = []
    for level, need in zip(arch.levels, needs, strict=False):
        assert level.words
        halvings.append(int(np.log2(level.words / (need * level.buffers))))
    return tuple(max(0, each) for each in halvings)


def _said(arch: Architecture) -> str:
    """The levels of an architecture and their sizes."""
    sizes = [f"{level.words * arch.word_bits // 8} B of {level.name}" for level in arch.levels if level.words]
    return f"{', '.join(sizes)} at the price of so many"


def _descent(smaller: Halved, found: Result) -> Iterator[Result]:
    """What takes less energy than what was found before, with levels of ever fewer bytes at their prices: the fewest
    that hold that, and one level halved once more. No more than `WORK` allows."""
    space = smaller.space
    at: Halvings = (0,) * (len(space.arch.levels) - 1)
    searches, known = max(LEAST, WORK // (space.grid.top + 1)), at
    while True:
        at = tuple(map(max, known, _fitting(space.layer, space.arch, found.mapping)))
        limit = evaluate(space.layer, halved(space.arch, at), found.mapping).energy_pj * CLOSER
        nearer = [at] * (at != known) + [(*at[:level], more + 1, *at[level + 1 :]) for level, more in enumerate(at)]
        for each in nearer[:searches]:
            searches -= 1
            if better := smaller.best(each, limit):
                known, found = each, better
                yield found
                break
        else:
            return


def halved(arch: Architecture, halvings: Halvings) -> Architecture:
    """With levels of fewer bytes. Raises CostError where one is too small for a word of each tensor."""
    assert arch.table
    levels = zip(arch.levels, halvings, strict=False)
    return sized(arch, arch.table, tuple((level.words or 0) * arch.word_bits // 8 >> each for level, each in levels))
