"""Which mappings without register files are lowered, of those that are rehearsed to run shortest."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import ceil, inf

import numpy as np

from halidehw.errors import CostError
from halidehw.mapping.mapping import Mapping
from halidehw.optimize.built import built_pj
from halidehw.optimize.lowered import SAME, by_pieces, without_files
from halidehw.optimize.objective import CLOSE, EXACT, Objective, wanted
from halidehw.optimize.ordered import Order
from halidehw.optimize.ranked import FARTHER, nearest, ranked
from halidehw.optimize.result import Result
from halidehw.optimize.space import Space
from halidehw.optimize.streams import Choice, Streams

LOOKED, FURTHER = 12, 20
"""Mappings without register files that are lowered, at most, and where none of them is near the least run."""

LATE = 0
"""What stands for the run of all that take too long: they are alike."""

SOON, HARDLY = 5, 1.02
"""Where other parts of a space were looked at before, or one is so close to the least run, so many that are no better
are enough."""

NEAR = 1.05
"""What is."""

LONGER = 5
"""So many that run FARTHER than rehearsed, and no others, are enough of those with as many words through each port."""

ENOUGH = 4
"""So many of them are if one is within a hundredth of the least run, or as short as any that is rehearsed."""

CLOSEST, LEFT = 20, 160
"""Of those that may run shorter by their least runs, so many are lowered; and all others that may be over a hundredth
shorter, if they are no more than so many."""

THRIFTY, FEW = 40, 2
"""Of so many choices that are rehearsed to be so close, where one was found that is, and of as many with the lanes of
the best of them, the few of least energy are lowered as well."""

LESS = 0.95
"""If they take at most so much of the energy of what was found."""

DONE = 1.002
"""No more are looked at when one is so close."""

ALMOST = 1.001
"""Nor when, of ENOUGH, one is so close to the shortest rehearsed run, above or below: a rehearsal is no more exact."""


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
    if not _shared(space) or best <= DONE * least:
        return []
    every, tried, ran, before = Streams(space), set[Mapping](), defaultdict[tuple[int, ...], list[int]](list), best
    choices, crowded, found, idle = ranked(every, best, DONE * least), list[Choice](), list[Result](), 0
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
        most = wanted(goal, least, best)
        done = (CLOSE if number else DONE) * least
        if made := by_pieces(without_files(like, space.arch, mapping), best, most, done, choice.rehearsed):
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


def _shared(space: Space) -> bool:
    """Whether a memory on the chip is shared by all lanes."""
    return space.arch.pe_levels < len(space.arch.levels) - 1


@dataclass(frozen=True)
class Closest:
    """What was `found` of the nests that may run shorter, and what each of those that were not built runs at least
    (`left`): infinite where there are none, 0 where it is not known."""

    found: list[Result]
    left: float


def closest(like: Result, space: Space, near: Sequence[Order], best: float, least: int) -> Closest:
    """Where the `best` run is far from the `least` one: of the nests that may run shorter (`nearest`), the few that are
    rehearsed to do so, one of all whose estimates are the same; then all others that may be far shorter, if these are
    few: of each of them it is known then what it runs."""
    every = Streams(space, np.concatenate([each.points for each in near]) if near else None)
    tried, found = set[tuple[int, int, int]](), list[Result]()
    choices = nearest(every, near, best) if _shared(space) else []
    others, known = list(choices), _shared(space) and bool(near)

    def build(choice: Choice) -> float:
        others.remove(choice)
        some = without_files(like, space.arch, every.mapping(choice))
        made = by_pieces(some, best, best, CLOSE * least, choice.rehearsed, choice.loss)
        run = made.run_within(best) if made else inf
        if made and run < best:
            found.append(made)
        return run

    for choice in choices:
        if best <= CLOSE * least or len(tried) == CLOSEST or choice.rehearsed > FARTHER * best:
            break
        if choice.times not in tried:
            tried.add(choice.times)
            best = min(best, build(choice))
    far = [each for each in others if each.estimate * CLOSE < best]
    for choice in far if known and len(far) <= LEFT else ():
        if choice.estimate * CLOSE < best:
            best = min(best, build(choice))
    return Closest(found, min((each.estimate for each in others), default=inf) if known else 0)


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
    every = (without_files(like, space.arch, each) for each in few)
    made = (by_pieces(each, best=longest, most=longest, done=longest, hoped=0) for each in every)
    return [each for each in made if each and each.run_within(longest) <= longest]
