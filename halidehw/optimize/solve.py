"""`optimize`: the best mapping of a layer on an architecture."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from math import inf
from pathlib import Path

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture, doubled, load_architecture
from halidehw.mapping.evaluate import evaluate
from halidehw.mapping.layer import Layer
from halidehw.mapping.mapping import Mapping
from halidehw.optimize.described import described
from halidehw.optimize.fastest import chosen, fastest
from halidehw.optimize.least import least_run, least_steps
from halidehw.optimize.objective import Objective
from halidehw.optimize.objective import objective as objective_named
from halidehw.optimize.options import Options, check, flows
from halidehw.optimize.result import Result
from halidehw.optimize.rules import EXACT, rules
from halidehw.optimize.search import Found, Search
from halidehw.optimize.space import Space, build_space
from halidehw.optimize.unrolling import Unrollings, unrollings

MOST = 1 << 17
"""Partial mappings that a search for the steady state looks at, where the generated hardware decides."""

WORTH = 1.05
"""Ragged tiles are searched too, where time matters and the array may be so much faster with them."""

SHIPPED = Path(__file__).parent / "arch"
"""The architectures that come with the package."""


def architecture(file: str | Path) -> Architecture:
    """The architecture in a TOML file, or a shipped one by name."""
    return load_architecture(file, SHIPPED)


def optimize(
    layer: Layer,
    arch: Architecture,
    dataflow: str | None = None,
    objective: str = "energy",
    convention: str = "exact",
    time_limit: float | None = None,
    **more: bool | float,
) -> Result:
    """The mapping of `layer` on `arch` of least energy, delay or energy-delay product (`edp`).

    `convention`: `exact` or `paper`; the rest as in Options. The answer is the same in every run, unless
    the time limit cuts it off. Raises CostError when nothing is feasible, or on an unknown name.
    """
    return optimize_with(layer, arch, Options(dataflow, objective, convention, time_limit, **more))  # type: ignore[arg-type]


def optimize_with(layer: Layer, arch: Architecture, options: Options) -> Result:
    """As `optimize`, the options in one value.

    What is generated decides, for energy as `cheapest` says. Where time matters, memories with one half are tried with
    two as well, and so are mappings without register files, and ragged lanes where they may save much: while its only
    half is filled or drained, the array waits, or the port.
    """
    check(arch, options)
    arch = ported(arch, options)
    goal = objective_named(options.objective)
    if not (goal.timed and options.convention == "exact"):
        found = cheapest(layer, arch, options) if goal.name == "energy" else steady(layer, arch, options)
        return replace(found, warning=_lonely(found, options))
    space = space_of(layer, arch, options)
    if not options.ragged and options.time_limit is None:
        wider = replace(options, ragged=True)
        lanes = unrollings(layer, arch.array, flows(layer, arch, wider), True, wider.share)
        if WORTH * least_steps(replace(space, unrolled=lanes)) < least_steps(space):
            return optimize_with(layer, arch, wider)
    parts = [space_of(layer, arch, replace(options, ragged=False))] if options.ragged else []
    for twice in doubled(arch):
        if twice.levels[arch.pe_levels] != arch.levels[arch.pe_levels]:
            with suppress(CostError):
                parts.append(space_of(layer, twice, options, space.unrolled))
    fewest = least_run(space)
    files = with_files(layer, arch, options, space.unrolled, MOST, fewest)
    more = partial(small_tiles, layer, arch, options, space.unrolled)
    best = fastest(files, (space, *parts), fewest, goal, more)
    return replace(best, warning=_lonely(best, options))


def cheapest(layer: Layer, arch: Architecture, options: Options) -> Result:
    """Of the optimum of the space asked for, and of those of parts of it, that whose hardware takes the least energy:
    what is counted has one price for all memories of a level, and a word's way to its own lane is not in it.

    The parts are the spaces without `ragged`, without `replicate`, and with `all_levels`. So more options never make
    the hardware worse, unless there is a time limit: then the space itself is searched alone.
    """
    found = [steady(layer, arch, options)]
    if options.convention == EXACT.name and options.time_limit is None and found[0].hardware_pj is not None:
        for part in _parts(arch, options):
            with suppress(CostError):
                found.append(steady(layer, arch, part))
    several = {each.mapping: each for each in reversed(found)}.values()
    best = min(several, key=lambda each: (inf if each.hardware_pj is None else each.hardware_pj, each.energy_pj))
    evaluated, seconds = (sum(getattr(each, name) for each in found) for name in ("evaluated", "seconds"))
    said = f"{best.space}; its hardware takes less energy than that of the optimum of all that was asked for"
    return replace(best, evaluated=evaluated, seconds=seconds, space=best.space if best is found[0] else said)


def _parts(arch: Architecture, options: Options) -> list[Options]:
    """The narrower spaces."""
    names = ("ragged", "replicate", "all_levels")
    now = [getattr(options, name) for name in names]
    wider = [{False, given} for given in now[:2]]
    every = {now[2], any(level > arch.pe_levels for level in arch.dear) or now[2]}
    choices = product(*wider, every)
    return [replace(options, **dict(zip(names, each, strict=True))) for each in choices if list(each) != now]


def with_files(
    layer: Layer, arch: Architecture, options: Options, unrolled: Unrollings | None = None, most: float = inf,
    fewest: int = 0,
) -> list[Result]:  # fmt: skip
    """What is best in the steady state, with memories as they are and, where they have room, of two halves: register
    files alone, and all; or best among `most` partial mappings that each search looks at. As in `steady`: `fewest`."""
    arch = ported(arch, options)
    found = [steady(layer, arch, options, unrolled, most, fewest)]
    for twice in doubled(arch):
        with suppress(CostError):
            found.append(steady(layer, twice, options, unrolled, most, fewest))
    return found


def small_tiles(layer: Layer, arch: Architecture, options: Options, unrolled: Unrollings) -> list[Result]:
    """What is best in the steady state with a third of the shared memories: tiles whose first ones are soon there."""
    roomy, at = (arch, *doubled(arch))[-1], arch.pe_levels
    with suppress(CostError):
        third = (replace(each, words=each.words and each.words // 3) for each in roomy.levels[at:])
        found = steady(layer, replace(roomy, levels=(*roomy.levels[:at], *third)), options, unrolled, MOST)
        return [replace(found, arch=roomy)]
    return []


def filed(layer: Layer, arch: Architecture, options: Options) -> Result:
    """The better hardware of those with register files, for the goal of the options."""
    found = with_files(layer, arch, options)
    return replace(chosen(found, objective_named(options.objective)), evaluated=sum(each.evaluated for each in found))


def ported(arch: Architecture, options: Options) -> Architecture:
    """With the ports that the options ask for. Raises CostError for one that no tensor can use."""
    asked = {name: getattr(options, name) for name in ("port_bits", "shared_port_bits")}
    try:
        return replace(arch, **{name: bits for name, bits in asked.items() if bits is not None})
    except CostError as problem:
        flags = [f"--{line.replace('_', '-').replace(' = ', ' ')}" for line in problem.proposed]
        raise CostError(problem.message, legal=flags) from None


def space_of(layer: Layer, arch: Architecture, options: Options, unrolled: Unrollings | None = None) -> Space:
    """The mappings that are searched, of those lanes if they are known. Raises CostError when a level takes no tile."""
    unrolled = unrolled or unrollings(layer, arch.array, flows(layer, arch, options), options.ragged, options.share)
    rule, half_full, ragged = rules(options.convention), options.half_full, options.ragged
    return build_space(layer, arch, rule, unrolled, half_full, ragged, options.all_levels)


def steady(
    layer: Layer, arch: Architecture, options: Options, unrolled: Unrollings | None = None, most: float = inf,
    fewest: int = 0,
) -> Result:  # fmt: skip
    """The best mapping on an architecture as it is, by its counts and its steady state, or where `most` partial ones
    are looked at, the best of them. In a product fewer cycles than `fewest` count as so many: nothing runs shorter."""
    start = time.perf_counter()
    arch = ported(arch, options)
    goal, rule = objective_named(options.objective, fewest), rules(options.convention)
    space = space_of(layer, arch, options, unrolled)
    deadline = start + (options.time_limit or float("inf"))
    found = least(space, options.convention, goal, options.max_cycles, deadline, most)
    if found.mapping is None:
        raise CostError(_nothing(space, options.max_cycles))
    optimal, gap, evaluated = found.bound == found.score, 1 - found.bound / found.score, found.evaluated
    if goal.name == "delay":
        energy = objective_named("energy")
        found = least(space, options.convention, energy, found.cycles, deadline, most, found.mapping)
        optimal, evaluated = optimal and found.bound == found.score, evaluated + found.evaluated
    assert found.mapping is not None
    cost = evaluate(layer, arch, found.mapping, options.convention)
    seconds = time.perf_counter() - start
    return Result(
        layer, arch, goal.name, rule.name, cost.energy_pj, cost.cycles, found.mapping, cost.parts, optimal, gap,
        evaluated, seconds, described(space, options, found.mapping),
    )  # fmt: skip


def least(
    space: Space, counting: str, goal: Objective, max_cycles: float, deadline: float, most: float,
    start: Mapping | None = None,
) -> Found:  # fmt: skip
    """The best mapping of a space, one that leaves levels without loops included: those are not built, so such a
    mapping is found, and bounded, where the architecture does not have them. Required levels are left out only where
    no mapping has loops for them."""
    found = Search(goal, counting, max_cycles, deadline, start, most).run(space)
    for levels in _left_out(space):
        if found.mapping and not set(levels).isdisjoint(space.required):
            break
        search = Search(goal, counting, max_cycles, deadline, None, most, found)
        fewer = search.run(_without(space, levels))
        mapping, evaluated = fewer.mapping, found.evaluated + fewer.evaluated
        if mapping and mapping is not found.mapping:
            mapping = mapping.with_empty(levels)
        found = replace(fewer, mapping=mapping, bound=min(found.bound, fewer.bound), evaluated=evaluated)
    return found


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


def _lonely(result: Result, options: Options) -> str:
    """What is said of a dataflow that leaves a single PE at work, where another one would not."""
    layer, arch, flow = result.layer, result.arch, options.flow(result.arch)
    if arch.pes == 1 or flow == "any" or result.used:
        return ""
    other = optimize_with(layer, arch, replace(options, dataflow="any", max_cycles=float("inf")))
    if not other.used:
        return ""
    return (
        f"1 of {arch.pes} PEs is at work under {flow}; {result.cycles / other.cycles:.1f} times fewer "
        f'cycles and {other.energy_pj / result.energy_pj:.2f} of the energy with --dataflow "{other.used}"'
    )


def _nothing(space: Space, max_cycles: float) -> str:
    fastest = space.steps(space.unrolled.lanes).min()
    if fastest > max_cycles:
        return f"no mapping takes at most {max_cycles:.0f} cycles: the array alone needs {fastest}"
    return f"{space.layer.title} on {space.arch.name}: no tiles and lanes fit together within the limits"
