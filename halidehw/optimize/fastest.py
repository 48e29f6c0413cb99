"""What runs fastest: of what is best in the steady state and of mappings without register files, by the hardware's own
cycles, and how far from any other it can be.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, product
from math import ceil, inf

import numpy as np

from halidehw.errors import CostError, HalideHWError, RefusedPieces
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.counts import touched
from halidehw.mapping.evaluate import evaluate
from halidehw.mapping.mapping import Mapping
from halidehw.optimize.built import built_pj
from halidehw.optimize.objective import Objective
from halidehw.optimize.pieces import WHOLE, Cut, Pieces, pieces
from halidehw.optimize.ranked import FARTHER, ranked
from halidehw.optimize.result import Result
from halidehw.optimize.space import Space
from halidehw.optimize.streams import Choice, Streams
from halidehw.optimize.sums import sums_cut

LOOKED, FURTHER = 12, 20
"""Mappings without register files that are lowered, at most, and where none of them is near the least run."""

LATE = 0
"""What stands for the run of all that take too long: they are alike."""

SOON, HARDLY = 5, 1.02
"""Where other parts of a space were looked at before, or one is so close to the least run, so many that are no better
are enough."""

GAINED = 1.15
"""What pieces save where there are register files, at a guess, at most."""

NEAR = 1.05
"""What is."""

LONGER = 5
"""So many that run FARTHER than rehearsed, and no others, are enough of those with as many words through each port."""

ENOUGH = 4
"""So many of them are if one is within a hundredth of the least run, or as short as any that is rehearsed."""

CLOSE = 1.01
"""Of all whose run is so close to the least possible the one of least energy is taken."""

THRIFTY, FEW = 40, 2
"""Of so many choices that are rehearsed to be so close, where one was found that is, and of as many with the lanes of
the best of them, the few of least energy are lowered as well."""

LESS = 0.95
"""If they take at most so much of the energy of what was found."""

EXACT = 1e-6
"""Cycles by which a whole number may be missed."""

SAME = 1.0005
"""Where whole tiles take so little longer than pieces, they are built."""

DONE = 1.002
"""No more are looked at when one is so close."""

ALMOST = 1.001
"""Nor when, of ENOUGH, one is so close to the shortest rehearsed run, above or below: a rehearsal is no more exact."""


@dataclass(frozen=True, order=True)
class Bound:
    """Cycles that each mapping of a space runs at least, or, of `streams`, each without register files."""

    cycles: int
    streams: bool = False


@dataclass(frozen=True)
class Further:
    """What a search `found`, and the cycles that each mapping of the space runs at least, as far as that is `proven`
    now."""

    found: list[Result]
    proven: int = 0


Search = Callable[[float], list[Result]]
"""Answers, by the shortest run of those before."""

Outside = Callable[[float], Further]
"""As Search, with what is proven."""

More = Callable[[float, float], Further]
"""Further ones of a space, as in Search, by the least product of counted energy and run, too."""


def least_energy(space: Space) -> float:
    """pJ that every mapping takes at least: each iteration, and each word outside the chip once."""
    words = np.array(touched(space.layer)) * [1, 1, space.arch.sum_width]
    return float(space.layer.macs * space.arch.mac + words.sum() * space.arch.levels[-1].energy)


def fastest(
    starts: list[Result], spaces: Sequence[Space], least: Bound, goal: Objective, more: Iterable[More],
    ordered: Callable[[float], float] | None, best: float = inf, product: float = 0.0, outside: Outside | None = None,
) -> tuple[Result, Bound]:  # fmt: skip
    """The best, by the hardware's run, of the `starts` and of mappings without register files, of each of the `spaces`,
    and of what is `outside` of these and `more`, each told the best that was found before it, as long as the gap is
    over a hundredth; of what is outside, where that is over the least of all lanes and tiles.

    With it the cycles that each of the first of the spaces, in which the others are, runs at least: the `least` run, or
    more if that is proven. `ordered`: the least run without register files, by the shortest one, for delay. `product`:
    counted energy times run that each takes at least. `best`: the shortest run that is known of a space of which this
    is a part; for delay what runs longer is hardly looked at."""
    best = best if goal.name == "delay" else inf
    found, patience = list(starts), FURTHER if best == inf else SOON
    for each in spaces:
        shown = _by_order(found, least, ordered).cycles if ordered else least.cycles
        found += streams(starts[0], each, shown, min(best, _shortest(found)), goal, patience, ordered)
    known, every, own = starts[0].known, least.cycles, found[len(starts) :]
    if ordered:
        least = _by_order(found, least, ordered)
        _check(own, least.cycles)
        _check([each for each in starts if each.files], every)
    if outside and _shortest(found) > CLOSE * every:
        others = outside(min(best, _shortest(found)))
        found += [replace(each, known=known) for each in others.found]
        if _shortest(found) < least.cycles:
            least = max(Bound(every), Bound(others.proven, streams=True), key=lambda each: each.cycles)
    score = (lambda each: each.run_cycles) if goal.name == "delay" else _product
    for search in more:
        if min(map(score, found)) <= CLOSE * (least.cycles if goal.name == "delay" else product):
            break
        others = search(min(best, _shortest(found)), min(map(_product, found)))
        _check(others.found if ordered else [], every)
        least = max(least, Bound(others.proven), key=lambda each: each.cycles)
        found += [replace(each, known=known) for each in others.found]
    answer = _simpler(chosen(found, goal, every if least.streams else least.cycles))
    evaluated = sum(each.evaluated for each in starts) + len(found)
    if goal.name == "delay":
        return proven(replace(answer, objective=goal.name, evaluated=evaluated), least), least
    fewest = min(map(_product, found))
    gap = _gap(product, fewest)
    optimal = gap == 0 and _product(answer) == fewest
    return replace(answer, objective=goal.name, gap=gap, optimal=optimal, evaluated=evaluated), least


def _by_order(found: Sequence[Result], least: Bound, ordered: Callable[[float], float]) -> Bound:
    """What each mapping without register files runs at least, where the best of those `found` is one of them and far
    from the least of all."""
    best = min(found, key=lambda each: each.run_cycles)
    if best.files or best.run_cycles <= CLOSE * least.cycles:
        return least
    return max(least, Bound(ceil(ordered(best.run_cycles) - EXACT), streams=True), key=lambda each: each.cycles)


def proven(answer: Result, least: Bound) -> Result:
    """An answer for delay, and how far it is from what is bounded; optimal if that is all of a space, and it in it."""
    gap = max(0.0, 1 - least.cycles / answer.run_cycles)
    return replace(answer, gap=gap, optimal=answer.run_cycles == least.cycles and not least.streams)


def _check(found: Sequence[Result], least: int) -> None:
    """What was found in a space runs no less than all of it."""
    for each in found:
        assert each.run_cycles >= least, f"{each.run_cycles} cycles are less than the least, {least}"


def _shortest(found: Sequence[Result]) -> int:
    return min(each.run_cycles for each in found)


def _wanted(goal: Objective, least: int, best: float) -> float:
    """Cycles of the longest run that may be chosen, where the `best` is the shortest one: for delay one that is close
    to the `least`."""
    return max(CLOSE * least, best) if goal.name == "delay" else inf


def in_pieces(files: list[Result], least: int, goal: Objective, best: float) -> list[Result]:
    """Those of `files` by pieces that may so be better than the `best` run, where that is far from the `least`."""
    near = [each for each in files if best > CLOSE * least and each.run_cycles < GAINED * best]
    most = _wanted(goal, least, best)
    every = [made for each in near if (made := by_pieces(each, most=most)) and made.cut != WHOLE]
    return [each for each in every if each.run_within(most) <= most]


def least_product(steady: Result, space: Space, least: int) -> float:
    """What counted energy times run takes at least: no mapping has a lower product of counted energy and cycles, those
    of its steady state or the least run, than that proven for `steady`, with memories of one half as they hold most.
    Where they must be half full, halves of them are sooner so, and it has no part in that."""
    if space.half_full:
        return least_energy(space) * least
    proven = steady.energy_pj * max(steady.cycles, least) * (1 - steady.gap)
    return max(proven, least_energy(space) * least)


def _gap(proven: float, taken: float) -> float:
    """How much of what is `taken` could be saved at most."""
    assert taken >= proven * (1 - EXACT), f"{taken} is less than the least, {proven}"
    return max(0.0, 1 - proven / taken)


def _product(each: Result) -> float:
    """Counted energy times run."""
    return each.energy_pj * each.run_cycles


def said(goal: Objective, least: Bound) -> str:
    """What was searched, and over what the gap is."""
    taken = (
        "with register files what is best in the steady state, and without them, from one shared memory, what is "
        "estimated to run shortest"
    )
    if goal.name == "delay":
        whose = "without register files, in the orders that are tried," if least.streams else "of this space"
        return f"{taken}; gap over {least.cycles} cycles, which each {whose} takes at least"
    product = f"the least counted energy times steady cycles of this space, none fewer than {least.cycles}"
    return f"{taken}; gap in counted energy times run, over {product}"


def chosen(found: list[Result], goal: Objective, least: int = 0) -> Result:
    """The best hardware; of the fastest, which run at most a hundredth longer than `least`, that of least energy."""
    if goal.name == "delay":
        most = max(CLOSE * least, _shortest(found))
        return min((each for each in found if each.run_cycles <= most), key=lambda each: (each.pj, each.run_cycles))
    return min(found, key=lambda each: (_score(each, goal), each.pj))


def better(one: Result, other: Result, goal: Objective) -> Result:
    """The better hardware of two answers, and how far it can be from what is least in the space of either."""
    score = (lambda each: each.run_cycles) if goal.name == "delay" else _product
    proven = min(score(each) * (1 - each.gap) for each in (one, other))
    best = chosen([one, other], goal)
    gap = max(0.0, 1 - proven / score(best))
    return replace(best, gap=gap, optimal=best.optimal and gap <= EXACT, evaluated=one.evaluated + other.evaluated)


def sooner(best: Result, soonest: Result, goal: Objective) -> Result:
    """The better of the least product that was found and of what runs shortest, with its gap over what is proven for
    the product."""
    if chosen([best, soonest], goal) is best:
        return best
    gap = max(0.0, 1 - _product(best) * (1 - best.gap) / _product(soonest))
    space = f"{best.space}; what runs shortest has a lower product than all others that were found"
    return replace(soonest, objective=goal.name, gap=gap, optimal=False, space=space)


def _score(each: Result, goal: Objective) -> float:
    return float(goal.score(np.array(each.pj), np.array(each.run_cycles)))


def streams(
    like: Result, space: Space, least: int, best: float, goal: Objective, patience: int = SOON,
    ordered: Callable[[float], float] | None = None,
) -> list[Result]:  # fmt: skip
    """Mappings without register files, in the order of their rehearsed runs; none that cannot be better than `best`,
    and none whose run is too long to be chosen; no more where the last few (`patience`) were no better. Of those with
    the same estimates more are lowered only where the last one is the best so far, none when two ran as long as each
    other; those with the same lanes come after all others when that was so twice, and those with as many words through
    each port when a few ran so much longer than rehearsed. Then a few of less energy that may be about as fast as those
    near the `least` run. `ordered`: the least run of all without register files, if that is known by the shortest one;
    where what was best before has files, what is found here is to be better than that."""
    if space.arch.pe_levels == len(space.arch.levels) - 1 or best <= DONE * least:
        return []
    every, tried, ran, before = Streams(space), set[Mapping](), defaultdict[tuple[int, ...], list[int]](list), best
    choices, crowded, found, idle = ranked(every, best), list[Choice](), list[Result](), 0
    shortest, longer = min((each.rehearsed for each in choices), default=inf), Counter[tuple[float, ...]]()
    for at, choice in enumerate(chain(choices, crowded)):
        mapping, number = every.mapping(choice), len(tried)
        runs = ran[choice.times], ran[(choice.way,)]
        again = [len(each) - len(set(each)) for each in runs]
        if choice.estimate >= best or mapping in tried or again[0] > 0 or (runs[0] and runs[0][-1] != best):
            continue
        if (again[1] > 1 or longer[every.passed(choice)] >= LONGER) and at < len(choices):
            crowded.append(choice)
            continue
        if number >= ENOUGH and ordered and CLOSE * least < best < before:
            least, ordered = max(least, ceil(ordered(best) - EXACT)), None
        near = DONE if number < ENOUGH else CLOSE if number < LOOKED else NEAR
        enough = SOON if best <= HARDLY * least else patience
        agrees = number >= ENOUGH and shortest / ALMOST <= best <= shortest * ALMOST
        if best <= near * least or agrees or number == FURTHER or idle >= enough or choice.rehearsed > FARTHER * best:
            break
        tried.add(mapping)
        most = _wanted(goal, least, best)
        done = (CLOSE if number else DONE) * least
        if made := by_pieces(_without_files(like, space.arch, mapping), best, most, done, choice.rehearsed):
            run = made.run_within(most)
            for some in runs:
                some.append(run if run <= most else LATE)
            longer[every.passed(choice)] += 1 if run > FARTHER * choice.rehearsed else -LOOKED
            idle = 0 if SAME * run < best else idle + 1
            best = min(best, run)
            found += [made] if run <= most else []
    with suppress(CostError):
        found += _thrifty(like, every, choices, found, CLOSE * least)
    return found


def _thrifty(
    like: Result, streams: Streams, choices: list[Choice], found: list[Result], longest: float
) -> list[Result]:
    """Where something was `found` that runs no longer than `longest`: of every few choices that are rehearsed to do so,
    too, those that take least energy, each memory at the price of its own size. Raises CostError where the
    architecture's cost table lacks a level."""
    space, near = streams.space, [each.mapping for each in found if each.run_cycles <= longest]
    if space.arch.table is None or not near:
        return []
    pj = partial(built_pj, space.layer, space.arch)
    most = LESS * min(map(pj, near))
    close, costs = [each for each in choices if each.rehearsed <= longest], dict[Mapping, float]()
    while close:
        some = {streams.mapping(each): each for each in close[:: ceil(len(close) / THRIFTY)]}
        costs |= {each: pj(each) for each in some if each not in costs}
        lanes = some[min(some, key=lambda each: costs[each])].way
        close = [each for each in close if each.way == lanes] if any(each.way != lanes for each in close) else []
    few = sorted((each for each, cost in costs.items() if cost < most), key=lambda each: costs[each])[:FEW]
    every = (_without_files(like, space.arch, each) for each in few)
    made = (by_pieces(each, best=longest, most=longest, done=longest, hoped=0) for each in every)
    return [each for each in made if each and each.run_within(longest) <= longest]


def _without_files(like: Result, arch: Architecture, mapping: Mapping) -> Result:
    """A mapping without register files, with its counts."""
    cost = evaluate(like.layer, arch, mapping)
    return replace(
        like, arch=arch, energy_pj=cost.energy_pj, cycles=cost.cycles, mapping=mapping, parts=cost.parts, files=False
    )


def by_pieces(
    found: Result, best: float = 0, most: float = inf, done: float = 0, hoped: float = inf
) -> Result | None:
    """The hardware of a mapping whose operands come in by pieces, as far as that can be; with whole tiles where not.
    Where the run is shorter than `best`, and longer than what is `done`, a whole input is tried as well, if both
    operands come so; where it is no shorter and windows come in row by row, so are their tiles; where it is shorter, or
    was `hoped` to be and is far from that, what takes neighbours of an operand along one dimension only. The fastest
    one is taken, None where nothing can be built; any, where all take more than `most`. Where the run is FARTHER from
    the `best`, nothing else is tried."""
    cut = pieces(found.layer, found.arch, found.mapping)
    made, others = _built(found, cut, most), list[Pieces]()
    run = made.run_within(most) if made else inf
    if made and (run <= done or run > FARTHER * best > 0):
        return made
    shorter = run < best
    if made and shorter:
        others += [(Cut(), cut[1])] if all(each != Cut() for each in made.cut) else []
    elif cut[0].slides:
        others.append(pieces(found.layer, found.arch, found.mapping, rows=False))
    if made and (shorter or (hoped < best and run > CLOSE * hoped)):
        alone = tuple(replace(each, unjoined=True) for each in made.cut)
        others += [(alone[0], made.cut[1]), (made.cut[0], alone[1])]
    every = [made, *(_built(found, each, most) for each in others)]
    return min((each for each in every if each), key=lambda each: each.run_within(most), default=None)


def _built(found: Result, cut: Pieces, most: float) -> Result | None:
    """The hardware with pieces, of one operand where not of both, or none; sums leave by pieces where they can. A line
    of a schedule that was refused for its pieces is refused whatever the others say."""
    ways, refused = dict.fromkeys((cut, (cut[0], Cut()), (Cut(), cut[1]), WHOLE)), set[str]()
    sums = 0 if found.files else sums_cut(found.layer, found.arch, found.mapping)
    for each, loops in product(ways, dict.fromkeys((sums, 0))):
        made = replace(found, cut=each, sums_cut=loops)
        if refused.isdisjoint(made.schedule.splitlines()):
            try:
                if made.run_within(most):
                    return made
            except RefusedPieces as error:
                refused |= {error.source.text} if error.source else set()
            except HalideHWError:
                continue
    return None


def _simpler(found: Result) -> Result:
    """With whole tiles where that takes no longer, or with sums that leave as a whole and room for fewer pieces."""
    cut = Cut(unjoined=found.cut[0].unjoined), Cut(unjoined=found.cut[1].unjoined)
    if whole := _as_fast(replace(found, cut=cut, sums_cut=0), found):
        return whole
    found = _as_fast(replace(found, sums_cut=0), found) or found
    few = pieces(found.layer, found.arch, found.mapping, roomy=False)
    rooms = [min(own.room, each.room) if own.loops == each.loops else own.room
             for own, each in zip(found.cut, few, strict=True)]  # fmt: skip
    tight = replace(found.cut[0], room=rooms[0]), replace(found.cut[1], room=rooms[1])
    return _as_fast(replace(found, cut=tight), found) or found


def _as_fast(other: Result, found: Result) -> Result | None:
    """Other hardware of what was found, if it is that and takes no longer, or hardly so."""
    most = SAME * found.run_cycles
    with suppress(HalideHWError):
        if (other.cut, other.sums_cut) != (found.cut, found.sums_cut) and other.run_within(most) <= most:
            return other
    return None
