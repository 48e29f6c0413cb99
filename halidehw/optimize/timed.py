"""The best hardware of a layer where time matters: narrow spaces first, wider ones as long as they may run shorter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product
from math import ceil, inf

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture, doubled
from halidehw.mapping.layer import Layer
from halidehw.optimize.cheapest import cheapest
from halidehw.optimize.described import described
from halidehw.optimize.fastest import (
    Bound,
    Further,
    More,
    Search,
    as_built,
    better,
    chosen,
    fastest,
    improved,
    in_pieces,
    least_product,
    proven,
    said,
)
from halidehw.optimize.files import ALL, without
from halidehw.optimize.least import Least
from halidehw.optimize.objective import CLOSE, EXACT, Objective, objective
from halidehw.optimize.options import Options, flows
from halidehw.optimize.ordered import Ordered
from halidehw.optimize.result import Hardware, Result
from halidehw.optimize.space import Space
from halidehw.optimize.steady import ported, space_of, steady
from halidehw.optimize.streamed import streams
from halidehw.optimize.thrifty import Score, no_longer, thriftiest
from halidehw.optimize.unrolling import unrollings

MOST = 1 << 14
"""Partial mappings that a search for the steady state looks at, where the generated hardware decides."""

POINTS, STEP, APART = 12, 1.02, 1.1
"""Mappings on the way from the least energy to the fewest steady cycles that are looked at, at most, how much faster
each is than the one before, and how far from the least run the shortest one is, where any are."""

SOONEST, CHEAPEST = "what runs shortest", "one that takes little energy"
"""Whose product may be lower than that of what was searched for."""

WORTH = 1.05
"""Ragged tiles are searched too, where time matters and the array may be so much faster with them."""


def in_time(layer: Layer, arch: Architecture, options: Options, known: Hardware) -> Result:
    """The answer where time matters; of ragged tiles as well, where that may be worth while. The product of energy and
    run is no more than that of what takes the least energy, and where its gap is over a hundredth, than that of what
    runs shortest. What has register files has none that only cost energy (`thriftiest`)."""
    best, goal = _in_time(layer, arch, options, known), objective(options.objective)
    if options.time_limit is not None:
        return best
    space, others = best.space, list[tuple[str, Result]]()
    if goal.name == "edp" and best.gap > CLOSE - 1:
        others.append((SOONEST, _in_time(layer, arch, replace(options, objective="delay"), known)))
    if goal.name == "edp":
        with suppress(CostError):
            energy = replace(options, objective="energy")
            others.append((CHEAPEST, cheapest(layer, arch, energy, lambda each: (_energy_delay(each),))))
    for whose, other in others:
        what = f"{whose}{without(other.files)}{',' * (other.files < ALL)} has a lower product"
        best = improved(best, other, goal, f"{space}; {what} than all others that were found")
    if options.all_files or not best.files:
        return best
    score = no_longer(best) if goal.name == "delay" else Score(_energy_delay)
    some = thriftiest(best, score)
    return improved(best, some, goal, f"{best.space}{without(some.files)}")


def _energy_delay(each: Result) -> float:
    """The hardware's energy times its run; of what the model of runs does not have, more than any."""
    with suppress(CostError):
        return each.pj * each.run_cycles
    return inf


def _in_time(layer: Layer, arch: Architecture, options: Options, known: Hardware) -> Result:
    """As `in_time`, of what is looked at for the goal alone."""
    least, goal = Least(space_of(layer, arch, options)), objective(options.objective)
    if _wider(least, arch, options):
        options = replace(options, ragged=True)
        least = Least(space_of(layer, arch, options))
    if goal.name == "delay" and options.ragged and options.time_limit is None:
        best, fewest = _narrow_first(least, arch, options, known)
    else:
        best, fewest = _timed(least, arch, options, _narrower(options), known)
    single, ragged = replace(options, replicate=False), replace(options, ragged=True)
    if best.gap > CLOSE - 1 and options.replicate and _wider(Least(space_of(layer, arch, single)), arch, single):
        least, parts = Least(space_of(layer, arch, ragged)), [replace(single, ragged=True)]
        starts = [best] * (goal.name == "delay")
        other, own = _timed(least, arch, ragged, parts, known, best.run_cycles, starts=starts)
        if goal.name != "delay":
            best, fewest = better(best, other, goal), min(fewest, own)
        elif other.gap < proven(other, fewest).gap:
            best, fewest = replace(other, space=described(least.space, ragged, other.mapping)), own
        else:
            best = replace(proven(other, fewest), space=best.space)
    if goal.name == "delay":
        best, fewest = as_built(best, fewest)
    return replace(best, space=f"{best.space}; {said(goal, fewest)}")


def _narrow_first(least: Least, arch: Architecture, options: Options, known: Hardware) -> tuple[Result, Bound]:
    """As `_timed`, for the delay of ragged tiles, whose space is that of `least`: what runs shortest without them, if
    it may be close to the least of all, takes a fraction of the time to find; no more is looked for if it is."""
    narrow, starts, space, best = replace(options, ragged=False), list[Result](), least.space, inf
    with suppress(CostError):
        own = Least(space_of(space.layer, arch, narrow))
        if own.steps <= CLOSE * least.steps:
            starts.append(_timed(own, arch, narrow, _narrower(narrow), known)[0])
            best = starts[0].run_cycles
        else:
            starts += _filed(arch, narrow, own.space, own.run, known)
    starts = [replace(each, space=described(space, options, each.mapping)) for each in starts]
    fewest = Bound(least.steps if best <= CLOSE * least.steps else least.run)
    if best <= CLOSE * fewest.cycles:
        return proven(starts[0], fewest), fewest
    parts = [replace(options, replicate=False)] * options.replicate
    return _timed(least, arch, options, parts, known, best, starts=starts)


def _timed(
    least: Least, arch: Architecture, options: Options, parts: Iterable[Options], known: Hardware,
    best: float = inf, under: float = inf, starts: Sequence[Result] = (),
) -> tuple[Result, Bound]:  # fmt: skip
    """The best hardware where time matters, and the cycles that all of the space of the options run at `least`; of it,
    and as long as that is far from the least, of `parts` of it. `best`: as in `fastest`. `starts`: what of the space is
    known; what is best in its steady state is then looked for last, if one of these has register files. Raises
    CostError where the steady state takes no less than `under`."""
    space, goal, fewest = least.space, objective(options.objective), least.run
    files, later = partial(_filed, arch, options, space, fewest, known), list[More]()
    first = list(starts) or files(under)
    pace = least.steps
    if goal.name == "delay" and not starts and (steady_least := _steady_least(first, options)) > fewest:
        fewest = pace = steady_least
    if any(each.files for each in first):
        by_pieces_too = _within(partial(in_pieces, first, fewest, goal))
        later.append(partial(_later, files, options, fewest, goal) if starts else by_pieces_too)
        later += [_within(partial(small_tiles, arch, options, space, fewest))] * (goal.name == "delay")
    tails = partial(_tails, first[0], least, arch, options)
    whole = goal.name == "delay" and options.time_limit is None and best == inf
    later += [partial(_between, arch, options, space, fewest, known, pace)] * (options.time_limit is None)
    later += [_within(partial(_part, space.layer, arch, each, known)) for each in parts]
    least_of_all = least_product(first[0], space, fewest) if goal.name == "edp" else 0.0
    ordered = Ordered(least) if goal.name == "delay" else None
    outside = tails if whole else None
    part = best < inf and not starts
    return fastest(first, _spaces(space), Bound(fewest), goal, later, ordered, best, least_of_all, outside, part)


def _filed(
    arch: Architecture, options: Options, space: Space, fewest: int, known: Hardware, under: float = inf
) -> list[Result]:
    """What is best in the steady state of a space; the rest as in `with_files`."""
    found = with_files(space.layer, arch, options, space, MOST, fewest, under)
    return [replace(each, known=known) for each in found]


def _steady_least(files: list[Result], options: Options) -> int:
    """Cycles that each mapping of a space takes at least, by what is best in its steady state: the first one's memories
    are as they are, which hold most. Nothing is said where they must be half full, as halves of them are sooner so."""
    return 0 if options.half_full else ceil(files[0].cycles * (1 - files[0].gap) - EXACT)


def _later(files: Search, options: Options, least: int, goal: Objective, best: float, _: float) -> Further:
    """What is best in the steady state where it takes less than the `best` run, and that by pieces."""
    with suppress(CostError):
        found = files(best)
        return Further([*found, *in_pieces(found, least, goal, best)], proven=_steady_least(found, options))
    return Further([])


def _tails(like: Result, least: Least, arch: Architecture, options: Options, best: float) -> Further:
    """Mappings without register files whose last tiles are small, which may run shorter than the `best`: what comes of
    the last tile leaves when nothing else is left to do. What is proven is of these mappings and all others without
    register files, if any was found."""
    space = space_of(like.layer, arch, options, least.space.unrolled, tails=True)
    if space.grid == least.space.grid:
        return Further([])
    found, goal = list[Result](), objective(options.objective)
    for each in _spaces(space):
        found += streams(like, each, least.run, min([best, *(one.run_cycles for one in found)]), goal)
    shortest = min((each.run_cycles for each in found), default=best)
    return Further(found, proven=ceil(Ordered(Least(space))(shortest) - EXACT) if shortest < best else 0)


def _spaces(space: Space) -> list[Space]:
    """A space, and that with two halves of the memories that all lanes share."""
    shared = space.arch.pe_levels
    twice = (each for each in doubled(space.arch) if each.levels[shared] != space.arch.levels[shared])
    return [space, *(replace(space, arch=each) for each in twice)]


def _wider(least: Least, arch: Architecture, options: Options) -> bool:
    """Whether the array could be so much faster with lanes that do not divide that ragged tiles are searched, if there
    is time; `least`: of the space of the options."""
    if options.ragged or options.time_limit is not None:
        return False
    space, wider = least.space, replace(options, ragged=True)
    lanes = unrollings(space.layer, arch.array, flows(space.layer, arch, wider), True, wider.share)
    return WORTH * Least(replace(space, unrolled=lanes)).steps < least.steps


def _narrower(options: Options) -> list[Options]:
    """The parts of a space, whose answers those of the `options` must not be worse than: without `ragged`, without
    `replicate`; none if there is no time."""
    if options.time_limit is not None:
        return []
    choices = product(*({False, given} for given in (options.ragged, options.replicate)))
    every = [replace(options, ragged=ragged, replicate=replicate) for ragged, replicate in choices]
    return [each for each in every if each != options]


def _within(search: Search) -> More:
    """A search of a part of the space."""
    return lambda best, _: Further(search(best))


def _between(
    arch: Architecture, options: Options, like: Space, fewest: int, known: Hardware, pace: int, best: float,
    product: float,
) -> Further:  # fmt: skip
    """What takes the least energy of all whose steady state is short enough to be better than the `best` run, or for
    `edp` the least `product`, and then of those that take fewer cycles, down to the `pace`, which all take at least:
    where files are waited for, it may be better than what is best in its steady state. As in `steady`: `like`,
    `fewest`."""
    timed, found, energy = options.objective == "delay", list[Result](), replace(options, objective="energy")
    for each in dict.fromkeys((arch, *doubled(arch))):
        within = min(options.max_cycles, best - 1 if timed else inf)
        with suppress(CostError):
            for _ in range(POINTS * (best > APART * fewest)):
                limited = replace(energy, max_cycles=within)
                point = replace(steady(like.layer, each, limited, like, MOST, fewest), known=known)
                found.append(point)
                best, product = min(best, point.run_cycles), min(product, point.energy_pj * point.run_cycles)
                within = min(point.cycles / STEP, best - 1 if timed else product / point.energy_pj)
                if within < STEP * pace:
                    break
    return Further([*found, *in_pieces(found, fewest, objective(options.objective), best)])


def _part(layer: Layer, arch: Architecture, options: Options, known: Hardware, best: float) -> list[Result]:
    """The best hardware of a part alone, if it has any, and for delay any that may run shorter than the `best`."""
    with suppress(CostError):
        least = Least(space_of(layer, arch, options))
        under = best if options.objective == "delay" else inf
        if least.steps < under and least.run < under:
            return [_timed(least, arch, options, (), known, best, under)[0]]
    return []


def with_files(
    layer: Layer, arch: Architecture, options: Options, like: Space | None = None, most: float = inf, fewest: int = 0,
    under: float = inf,
) -> list[Result]:  # fmt: skip
    """What is best in the steady state, with memories as they are and, where they have room, of two halves: register
    files alone, and all; or best among `most` partial mappings that each search looks at. As in `steady`: `like`,
    `fewest`, `under`."""
    arch = ported(arch, options)
    found = [steady(layer, arch, options, like, most, fewest, under)]
    for twice in doubled(arch):
        with suppress(CostError):
            found.append(steady(layer, twice, options, like, most, fewest, under))
    return found


def small_tiles(arch: Architecture, options: Options, like: Space, fewest: int, best: float) -> list[Result]:
    """What is best in the steady state with a third of the shared memories: tiles whose first ones are soon there; of
    what takes fewer cycles than the `best` run. As in `steady`: `like`, `fewest`."""
    roomy, at = (arch, *doubled(arch))[-1], arch.pe_levels
    with suppress(CostError):
        third = (replace(each, words=each.words and each.words // 3) for each in roomy.levels[at:])
        small = replace(roomy, levels=(*roomy.levels[:at], *third))
        return [replace(steady(like.layer, small, options, like, MOST, fewest, best), arch=roomy)]
    return []


def filed(layer: Layer, arch: Architecture, options: Options) -> Result:
    """The better hardware of those with register files, for the goal of the options."""
    found = with_files(layer, arch, options)
    return replace(chosen(found, objective(options.objective)), evaluated=sum(each.evaluated for each in found))
