"""The best mapping of a layer by its counts and its steady state."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from math import inf

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.evaluate import evaluate
from halidehw.mapping.layer import Layer
from halidehw.mapping.mapping import Mapping
from halidehw.optimize.candidates import Candidates
from halidehw.optimize.described import described
from halidehw.optimize.objective import Objective
from halidehw.optimize.objective import objective as objective_named
from halidehw.optimize.options import Options, flows
from halidehw.optimize.result import Result
from halidehw.optimize.rules import EXACT, rules
from halidehw.optimize.search import NOTHING, Found, Search
from halidehw.optimize.shapes import Shapes
from halidehw.optimize.space import Space, build_space
from halidehw.optimize.unrolling import Unrollings, unrollings

Floors = dict[tuple[int, ...], float]
"""By levels that are left out."""

SHARES = 0.9, 0.75, 0.5, 0.25, 0.1, 0.05, 0.01
"""Of the array's lanes, those that are proposed where more do not fit."""

SLACK = 1.003
"""Of what takes no more than so many times the cycles that every run takes, that of least energy is the fastest."""


def ported(arch: Architecture, options: Options) -> Architecture:
    """With the ports that the options ask for. Raises CostError for one that no tensor can use."""
    asked = {name: getattr(options, name) for name in ("port_bits", "shared_port_bits")}
    try:
        return replace(arch, **{name: bits for name, bits in asked.items() if bits is not None})
    except CostError as problem:
        raise CostError(problem.message, legal=[line.replace(" = ", "=") for line in problem.proposed]) from None


def space_of(
    layer: Layer, arch: Architecture, options: Options, unrolled: Unrollings | None = None,
    known: Iterable[Shapes] = (), tails: bool = False,
) -> Space:  # fmt: skip
    """The mappings that are searched, of those lanes and with those shapes if they are known; `tails`: as in `lattice`.
    Raises CostError when a level takes no tile."""
    unrolled = unrolled or unrollings(layer, arch.array, flows(layer, arch, options), options.ragged, options.share)
    rule, half_full, ragged = rules(options.convention), options.half_full, options.ragged
    return build_space(layer, arch, rule, unrolled, half_full, ragged, options.all_levels, known, tails)


def steady(
    layer: Layer, arch: Architecture, options: Options, like: Space | None = None, most: float = inf,
    fewest: int = 0, under: float = inf,
) -> Result:  # fmt: skip
    """The best mapping on an architecture as it is, by its counts and its steady state, or where `most` partial ones
    are looked at, the best of them. `like`: a space of the same lanes, for another architecture. Where time matters
    fewer cycles than `fewest` count as so many: nothing runs shorter. `under`: as in `best_of`."""
    lanes, shapes = (like.unrolled, [like.shapes]) if like else (None, [])
    return best_of(space_of(layer, ported(arch, options), options, lanes, shapes), options, most, fewest, under)


def best_of(
    space: Space, options: Options, most: float = inf, fewest: int = 0, under: float = inf,
    floors: Floors | None = None,
) -> Result:  # fmt: skip
    """As `steady`, of the mappings of a space. Raises CostError where there are none whose score is `under` that,
    and where scores are 0. `floors`: as in `least`."""
    start, layer, arch = time.perf_counter(), space.layer, space.arch
    goal, rule = objective_named(options.objective, fewest), rules(options.convention)
    deadline = start + (options.time_limit or inf)
    found = least(space, options.convention, goal, options.max_cycles, deadline, most, None, under, floors)
    if found.mapping is None:
        raise _nothing(space, options)
    if not found.score:
        why = f"{layer.title} on {arch.name}: there are mappings of 0 pJ at its prices, so that energy decides nothing"
        raise CostError(why, legal=['objective="delay"'])
    optimal, gap, evaluated = found.bound == found.score, 1 - found.bound / found.score, found.evaluated
    if goal.name == "delay":
        energy = objective_named("energy")
        bound, cycles = found.bound, max(found.cycles, SLACK * fewest)
        found = least(space, options.convention, energy, cycles, deadline, most, found.mapping)
        optimal, evaluated = optimal and found.bound == found.score, evaluated + found.evaluated
        gap = max(0.0, 1 - bound / found.cycles)
    assert found.mapping is not None
    cost = evaluate(layer, arch, found.mapping, options.convention)
    seconds = time.perf_counter() - start
    return Result(
        layer, arch, goal.name, rule.name, cost.energy_pj, cost.cycles, found.mapping, cost.parts, optimal, gap,
        evaluated, seconds, described(space, options, found.mapping),
    )  # fmt: skip


def least(
    space: Space, counting: str, goal: Objective, max_cycles: float, deadline: float, most: float,
    start: Mapping | None = None, under: float = inf, floors: Floors | None = None,
) -> Found:  # fmt: skip
    """The best mapping of a space whose score is `under` that, one that leaves levels without loops included: those are
    not built, so such a mapping is found, and bounded, where the architecture does not have them. Required levels are
    left out only where no mapping has loops for them. `floors`: scores that none without some levels is below."""
    found = Search(goal, counting, max_cycles, deadline, start, most, replace(NOTHING, score=under)).run(space)
    for levels in _left_out(space):
        if found.mapping and not set(levels).isdisjoint(space.required):
            break
        without = _without(space, levels)
        if not without.unrolled.lanes.size or (floors or {}).get(levels, -inf) >= found.score:
            continue
        search = Search(goal, counting, max_cycles, deadline, None, most, found)
        fewer = search.run(without)
        mapping, evaluated = fewer.mapping, found.evaluated + fewer.evaluated
        if mapping and mapping is not found.mapping:
            mapping = mapping.with_empty(levels)
        found = replace(fewer, mapping=mapping, bound=min(found.bound, fewer.bound), evaluated=evaluated)
    return found


def left_out_pj(space: Space, options: Options) -> Floors:
    """What no mapping takes less than without each set of levels that need not exist."""
    energy = objective_named("energy")
    without = ((levels, _without(space, levels)) for levels in _left_out(space))
    return {levels: Candidates(each, energy, options.max_cycles).least for levels, each in without}


def _left_out(space: Space) -> list[tuple[int, ...]]:
    """The sets of levels that need not exist, rising, and then those with required levels; the paper's convention
    counts all."""
    inner = range(1, len(space.arch.levels) - 1) if space.rule is EXACT else ()
    sets = (levels for many in range(1, len(inner) + 1) for levels in combinations(inner, many))
    return sorted(sets, key=lambda levels: not set(levels).isdisjoint(space.required))


def _without(space: Space, levels: tuple[int, ...]) -> Space:
    """The space without some levels. The innermost shared one is there in any case, but for one PE alone."""
    kept = tuple(level for at, level in enumerate(space.arch.levels) if at not in levels)
    unrolled = space.unrolled.single() if space.arch.pe_levels in levels else space.unrolled
    return replace(space, arch=replace(space.arch, levels=kept), unrolled=unrolled)


def _nothing(space: Space, options: Options) -> CostError:
    """What is said where no mapping is within the options, with the shares of the array that would be."""
    layer, arch, lanes = space.layer, space.arch, space.unrolled.lanes
    fastest, most = space.steps(lanes).min(), options.max_cycles
    if fastest > most:
        return CostError(f"no mapping takes at most {most:.0f} cycles: the array alone needs {fastest}")
    level = arch.levels[arch.pe_levels]
    words, need = level.words or inf, int(space.shapes.footprint(lanes).min()) * level.buffers
    why = f"{layer.title} on {arch.name}: no tiles and lanes fit together within the limits"
    if need <= words:
        return CostError(why, legal=["half_full=False"] if options.half_full else [])
    lower = [each for each in SHARES if each < options.share and _fits(space, options, each)][:2]
    legal = [f"utilization={each}" for each in lower] if not options.half_full else []
    return CostError(f"{why}: {level.name} has {words} words, those of a step need {need}", legal=legal)


def _fits(space: Space, options: Options, share: float) -> bool:
    """Whether the innermost shared memory holds the words of a step, if only a `share` of the lanes must be in use."""
    arch, level = space.arch, space.arch.levels[space.arch.pe_levels]
    lanes = unrollings(space.layer, arch.array, flows(space.layer, arch, options), options.ragged, share).lanes
    return bool((space.shapes.footprint(lanes) * level.buffers <= (level.words or inf)).any())
