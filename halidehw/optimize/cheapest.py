"""The hardware of least energy: the optimum of a space, and what takes less than that as it is built."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import product
from math import inf

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import Layer
from halidehw.optimize.built import built_pj
from halidehw.optimize.files import ALL, without
from halidehw.optimize.nearby import nearer, streaming
from halidehw.optimize.options import Options, narrower
from halidehw.optimize.pieces import WHOLE
from halidehw.optimize.result import Result
from halidehw.optimize.rules import EXACT
from halidehw.optimize.shapes import Shapes
from halidehw.optimize.smaller import LOOSER, Known, smaller
from halidehw.optimize.space import Space
from halidehw.optimize.steady import best_of, ported, space_of
from halidehw.optimize.thrifty import least_pj, thriftiest

FAR = 0.95
"""What takes no more than this share of the energy, each memory at the price of its size, takes less in hardware too,
where lanes are the same."""

Rank = Callable[[Result], tuple[float, ...]]
"""The first of some hardware has the least of it."""


@dataclass(frozen=True)
class Part:
    """A part of what was asked for, its optimum by the levels' prices, and the best that was found of it."""

    options: Options
    space: Space
    optimum: Result
    found: tuple[Result, ...]


def hardware_pj(each: Result) -> tuple[float, float]:
    """pJ of its hardware, where that has a price, and as counted."""
    return (inf if each.hardware_pj is None else each.hardware_pj, each.energy_pj)


def cheapest(layer: Layer, arch: Architecture, options: Options, rank: Rank | None = None) -> Result:
    """Of the optimum of the space asked for, of those of parts of it, of what is better than each of these when
    memories are `smaller`, and of what is reached from them (`nearby`), that whose hardware takes the least energy:
    what is counted has one price for all memories of a level, and a word's way to its own lane is not in it. Or, of all
    that was looked at for that in the end, the first one by another `rank`.

    The parts are the spaces without `ragged`, without `replicate`, and with `all_levels`. So more options never make
    the hardware worse, unless there is a time limit: then the space itself is searched alone.
    """
    parts, optima, known, shapes = list[Part](), dict[Options, Result](), Known(), list[Shapes]()
    for part in [options, *_parts(arch, options)]:
        with suppress(CostError) if optima else nullcontext():
            space = space_of(layer, ported(arch, part), part, known=shapes)
            shapes.append(space.shapes)
            optima[part] = _optimum(space, part, optima)
            found = _with_smaller(optima[part], space, part, known)
            parts.append(Part(part, space, optima[part], tuple(found)))
    near = list[Part]()
    for each in reversed(parts):
        near.append(_with_nearer(each, near))
    near.reverse()
    asked, free = optima[options], _own_sizes(arch, options) and not options.all_files
    more = [found for part in near for found in _streaming(part, near)] if free else []
    every = _different([*(each for part in near for each in part.found), *(optima.values() if free else ()), *more])
    every = _as_built(every, rank is not None) if free else every
    best = min(every, key=rank or hardware_pj) if len(every) > 1 else every[0]
    looked = {id(each): each for each in (*optima.values(), *(one for part in near for one in part.found), *more)}
    return replace(best, evaluated=sum(each.evaluated for each in looked.values()), space=_said(best, asked))


def _different(found: Iterable[Result]) -> list[Result]:
    """The first one of each mapping and way in which its tiles come."""
    return list({(each.mapping, each.files, each.cut): each for each in reversed([*found])}.values())[::-1]


def _as_built(found: Iterable[Result], whole: bool) -> list[Result]:
    """The `thriftiest` hardware of each mapping, the `whole` of them or without what takes more than others do."""
    every, best = list[Result](), inf
    for each in found:
        if whole or least_pj(each) < best:
            every.append(thriftiest(each, most=inf if whole else best))
            best = min(best, every[-1].pj)
    return every


def _streaming(part: Part, near: Iterable[Part]) -> list[Result]:
    """What is reached without register files, where that may be, from the best of what is known of a part: so wider
    parts have all that is looked at of narrower ones."""
    arch, every = part.space.arch, _parts(part.space.arch, part.options)
    inside = [other for other in near if other.options in (part.options, *every)]
    best = min((each for other in inside for each in other.found), key=hardware_pj)
    with suppress(CostError):
        if best.hardware_pj is not None and arch.pe_levels < len(arch.levels) - 1:
            return streaming(best, part.space, part.options)
    return []


def _said(best: Result, asked: Result) -> str:
    """What was searched, and where the best comes from, if that is not the optimum of all that was asked for."""
    if (best.mapping, best.files, best.cut) == (asked.mapping, ALL, WHOLE):
        return asked.space
    hardware = f"hardware{past}," if (past := without(best.files)) else "hardware"
    return f"{best.space}; its {hardware} takes less energy than that of the optimum of all that was asked for"


def _optimum(space: Space, options: Options, optima: dict[Options, Result]) -> Result:
    """The optimum of a space, which takes as much as that of a wider one, by what was asked for, that lies in it."""
    wider = [found for whole, found in optima.items() if narrower(options, whole)]
    known = (found.energy_pj for found in wider if found.optimal and space.has(found.mapping))
    return best_of(space, options, under=LOOSER * min(known, default=inf))


def _with_nearer(part: Part, narrow: Iterable[Part]) -> Part:
    """With what is reached from what was found of it, and from the best of narrower parts, each memory at the price of
    its own size, if that takes less."""
    if _own_sizes(part.space.arch, part.options):
        inside = (each for other in narrow if narrower(other.options, part.options) for each in other.found)
        with suppress(CostError):
            best = sorted(inside, key=lambda each: built_pj(each.layer, each.arch, each.mapping))[:1]
            starts = (part.optimum, *part.found, *best)
            return replace(part, found=(*part.found, *nearer(starts, part.space, part.options)))
    return part


def _with_smaller(best: Result, space: Space, options: Options, known: Known) -> list[Result]:
    """The optimum of a space, and what is better than that when memories are smaller; that alone if it is far better,
    as words have the same ways there."""
    if _own_sizes(space.arch, options):
        with suppress(CostError):
            if better := smaller(best, space, options, known):
                before, now = (known.mappings[each.mapping].built.energy_pj for each in (best, better))
                return [best, better] if now > FAR * before else [better]
    return [best]


def _own_sizes(arch: Architecture, options: Options) -> bool:
    """Whether what is better with each memory at the price of its own size is looked for: not where levels must be half
    full."""
    return not (_alone(arch, options) or options.half_full)


def _alone(arch: Architecture, options: Options) -> bool:
    """Whether only what is counted decides: the paper's counts are not the hardware's, nothing prices that, or there is
    no time."""
    return options.convention != EXACT.name or options.time_limit is not None or arch.table is None


def _parts(arch: Architecture, options: Options) -> list[Options]:
    """The narrower spaces, where there are such."""
    if _alone(arch, options):
        return []
    names = ("ragged", "replicate", "all_levels")
    now = [getattr(options, name) for name in names]
    wider = [{False, given} for given in now[:2]]
    every = {now[2], any(level > arch.pe_levels for level in arch.dear) or now[2]}
    choices = sorted(product(*wider, every), reverse=True)
    return [replace(options, **dict(zip(names, each, strict=True))) for each in choices if list(each) != now]
