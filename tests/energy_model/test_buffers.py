"""A larger buffer never raises the traffic above it, but for words of its box that nothing reads, or that several lanes
have: buffers of random designs and of plain ones, moved out loop by loop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from halidehw import Func
from halidehw.energy_model.traffic import traffic
from halidehw.errors import HalideHWError
from halidehw.frontend.directives import ComputeAt
from halidehw.ir.bounds import refills
from halidehw.ir.nest import Buffer, Nest
from halidehw.microarch.derive import derive
from halidehw.microarch.travel import plain
from halidehw.scheduler import lower
from tests.energy_model.designs import conv, padded, product, spilling
from tests.fuzz.choices import seeded
from tests.fuzz.designs import design


def places(func: Func) -> list[tuple[Func, int, ComputeAt]]:
    """The buffers of inputs: whose directive, which one, and the directive."""
    owners = [func, *(source for source in func.sources if isinstance(source, Func))]
    every = [(owner, at, each) for owner in owners for at, each in enumerate(owner.directives)]
    names = [owner.name for owner in owners]
    return [(o, at, each) for o, at, each in every if isinstance(each, ComputeAt) and each.tensor not in names]


def nests(func: Func, owner: Func, at: int) -> Iterator[tuple[Nest, Buffer]]:
    """The nest with one of the buffers inside each loop in which it can be, the outermost first."""
    before = owner.directives[at]
    assert isinstance(before, ComputeAt)
    for loop in lower(func).loops:
        owner.directives[at] = replace(before, var=loop.name)
        try:
            nest = lower(func)
            derive(nest)
            yield nest, nest.levels(before.tensor)[before.level - 1]
        except HalideHWError:
            continue
        finally:
            owner.directives[at] = before


def counts(nest: Nest) -> dict[str, int]:
    return {count.name: count.words for count in traffic(derive(nest), nest)}


def above(nest: Nest, buffer: Buffer) -> int:
    """Words that come from the level outside a buffer, those that its lanes pass on included."""
    levels, found = nest.levels(buffer.tensor), counts(nest)
    place = levels.index(buffer)
    if place == 0:
        return found[f"{buffer.tensor}_words"]
    level = plain(levels[place - 1].name)
    return found[f"{level}_read"] + found.get(f"{level}_shifted", 0)


def visited(nest: Nest, buffer: Buffer) -> int:
    """Words of all tiles of a buffer, its lanes together, that some iteration reads: every iteration is looked at."""
    offsets = np.indices([loop.extent for loop in nest.loops]).reshape(len(nest.loops), -1)
    place = {loop.name: row for loop, row in zip(nest.loops, offsets, strict=True)}
    run = np.ones(offsets.shape[1], bool)
    for constraint in nest.domain:
        run &= sum(weight * place[name] for name, weight in constraint.terms) <= constraint.limit
    tile = [place[loop.name] // loop.lanes for loop in refills(nest, buffer)]
    found = set()
    for access in nest.reads:
        if access.tensor == buffer.tensor:
            forms = access.indices
            index = [sum(c * (place[n] + nest.loop[n].min) for n, c in f.terms) + f.constant + 0 * run for f in forms]
            found |= set(map(tuple, np.stack([*tile, *index])[:, run].T.tolist()))
    return len(found)


@pytest.mark.parametrize("func", [conv(filters=2), conv(17, 13, 2, 3), padded(), product(), spilling()])
def test_buffers_of_plain_designs(func: Func):
    checked = 0
    for owner, at, _ in places(func):
        words = [above(nest, buffer) for nest, buffer in nests(func, owner, at)]
        assert words == sorted(words)
        checked += len(words)
    assert checked or not places(func)


@pytest.mark.parametrize(("designs", "least"), [(24, 60), pytest.param(40, 100, marks=pytest.mark.soak)])
def test_buffers_of_random_designs(designs: int, least: int):
    pairs, exceptions = 0, 0
    for seed in range(designs):
        func = design(seeded(seed)).func
        try:
            found = [list(nests(func, owner, at)) for owner, at, _ in places(func)]
        except HalideHWError:
            continue
        for (larger, buffer), (smaller, inner) in (pair for each in found for pair in pairwise(each)):
            pairs += 1
            if above(larger, buffer) > above(smaller, inner):
                exceptions += 1
                assert counts(larger)[f"{plain(buffer.name)}_written"] > visited(larger, buffer), seed
    assert pairs > least
    assert exceptions < pairs / 20
