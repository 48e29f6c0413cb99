"""What runs fastest: of what is best in the steady state and of mappings without register files, by the hardware's own
cycles, and how far from any other it can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf

import numpy as np

from halidehw.mapping.counts import touched
from halidehw.optimize.lowered import by_pieces, simpler
from halidehw.optimize.objective import CLOSE, EXACT, Objective, wanted
from halidehw.optimize.ordered import Ordered
from halidehw.optimize.pieces import WHOLE
from halidehw.optimize.result import Result
from halidehw.optimize.space import Space
from halidehw.optimize.streamed import FURTHER, SOON, closest, streams

WIDE = 1.1
"""Where the best of a space is so far from the least run, its parts are looked at as long as it was."""

GAINED = 1.15
"""What pieces save where there are register files, at a guess, at most."""


@dataclass(frozen=True, order=True)
class Bound:
    """Cycles that each mapping of a space runs at least, or, of `streams`, each without register files. `built`: those
    that each of these runs at least or ran as it was built, if that is known."""

    cycles: int
    streams: bool = False
    built: int = 0


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
    ordered: Ordered | None, best: float = inf, product: float = 0.0, outside: Outside | None = None,
    part: bool = False,
) -> tuple[Result, Bound]:  # fmt: skip
    """The best, by the hardware's run, of the `starts` and of mappings without register files, of each of the `spaces`,
    and of what is `outside` of these and `more`, each told the best that was found before it, as long as the gap is
    over a hundredth; of what is outside, where that is over the least of all lanes and tiles.

    With it the cycles that each of the first of the spaces, in which the others are, runs at least: the `least` run,
    or more if that is proven. `ordered`: the least run without register files, by the shortest one, for delay.
    `product`: counted energy times run that each takes at least. `best`: the shortest run that is known, of a space
    of which this is a `part` or of part of this one; for delay what runs longer is hardly looked at. Of what may run
    shorter in a part by its least run no more is built than of the whole."""
    best = best if goal.name == "delay" else inf
    found = list(starts)
    for each in spaces:
        shown = _by_order(found, least, ordered).cycles if ordered else least.cycles
        patience = FURTHER if best > WIDE * shown else SOON
        found += streams(starts[0], each, shown, min(best, _shortest(found)), goal, patience,
                         ordered and ordered.hint)  # fmt: skip
    known, every, own = starts[0].known, least.cycles, found[len(starts) :]
    if ordered:
        least = _by_order(found, least, ordered)
        left = list[float]()
        for each in spaces if not part and _shortest(found) > CLOSE * least.cycles else ():
            close = closest(starts[0], each, ordered.near, _shortest(found), least.cycles)
            left.append(close.left)
            own += close.found
            found = [*starts, *own]
        if left and not min(found, key=lambda each: each.run_cycles).files:
            least = replace(least, built=ceil(min(_shortest(found), *left) - EXACT))
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
    answer = chosen(found, goal, every if least.streams else least.cycles)
    answer = simpler(answer, CLOSE * max(least.cycles, least.built) if goal.name == "delay" else inf)
    evaluated = sum(each.evaluated for each in starts) + len(found)
    if goal.name == "delay":
        return proven(replace(answer, objective=goal.name, evaluated=evaluated), least), least
    fewest = min(map(_product, found))
    gap = _gap(product, fewest)
    optimal = gap == 0 and _product(answer) == fewest
    return replace(answer, objective=goal.name, gap=gap, optimal=optimal, evaluated=evaluated), least


def _by_order(found: Sequence[Result], least: Bound, ordered: Ordered) -> Bound:
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


def as_built(answer: Result, least: Bound) -> tuple[Result, Bound]:
    """An answer for delay and what is bounded, with what was built, where the answer has no register files and runs no
    shorter than that. Only in the end: whether other spaces are searched, bounds alone say."""
    if answer.files or not least.cycles < least.built <= answer.run_cycles:
        return answer, replace(least, built=0)
    least = Bound(least.built, streams=True, built=least.built)
    return proven(answer, least), least


def _check(found: Sequence[Result], least: int) -> None:
    """What was found in a space runs no less than all of it."""
    for each in found:
        assert each.run_cycles >= least, f"{each.run_cycles} cycles are less than the least, {least}"


def _shortest(found: Sequence[Result]) -> int:
    return min(each.run_cycles for each in found)


def in_pieces(files: list[Result], least: int, goal: Objective, best: float) -> list[Result]:
    """Those of `files` by pieces that may so be better than the `best` run, where that is far from the `least`."""
    near = [each for each in files if best > CLOSE * least and each.run_cycles < GAINED * best]
    most = wanted(goal, least, best)
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
        built = ", or took as it was built" * (least.built > 0)
        return f"{taken}; gap over {least.cycles} cycles, which each {whose} takes at least{built}"
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


def improved(best: Result, other: Result, goal: Objective, space: str) -> Result:
    """The better of what was found and of other hardware, with its gap over what is proven for the goal, and its
    `space`."""
    if chosen([best, other], goal) is best:
        return best
    score = (lambda each: each.run_cycles) if goal.name == "delay" else _product
    gap = max(0.0, 1 - score(best) * (1 - best.gap) / score(other))
    return replace(other, objective=goal.name, gap=gap, optimal=best.optimal and gap <= EXACT, space=space)


def _score(each: Result, goal: Objective) -> float:
    return float(goal.score(np.array(each.pj), np.array(each.run_cycles)))
