"""The hardware of a mapping for run time: what comes in by pieces, as far as that can be built."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import product
from math import inf

from halidehw.errors import HalideHWError, RefusedPieces
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.counts import OUTPUT
from halidehw.mapping.evaluate import evaluate
from halidehw.mapping.mapping import Mapping
from halidehw.optimize.files import NONE
from halidehw.optimize.objective import CLOSE
from halidehw.optimize.pieces import LOSS, WHOLE, Cut, Pieces, pieces
from halidehw.optimize.ranked import FARTHER
from halidehw.optimize.result import Result
from halidehw.optimize.sums import sums_cut

SAME = 1.0005
"""Where whole tiles take so little longer than pieces, they are built."""


def without_files(like: Result, arch: Architecture, mapping: Mapping) -> Result:
    """A mapping without register files, with its counts."""
    cost = evaluate(like.layer, arch, mapping)
    return replace(
        like, arch=arch, energy_pj=cost.energy_pj, cycles=cost.cycles, mapping=mapping, parts=cost.parts, files=NONE
    )


def by_pieces(
    found: Result, best: float = 0, most: float = inf, done: float = 0, hoped: float = inf, loss: float = 0
) -> Result | None:
    """The hardware of a mapping whose operands come in by pieces, as far as that can be; with whole tiles where not.
    Where the run is shorter than `best`, and longer than what is `done`, a whole input is tried as well, if both
    operands come so; where it is no shorter and windows come in row by row, so are their tiles; where it is shorter, or
    was `hoped` to be and is far from that, what takes neighbours of an operand along one dimension only. Pieces without
    a loss come first, those with one are tried as well, if they are others; with a `loss`, the other way round. The
    fastest one is taken, None where nothing can be built; any, where all take more than `most`. Where the run is
    FARTHER from the `best`, nothing else is tried."""
    losses = (LOSS, 0) if loss else (0, LOSS)
    cut, other = (pieces(found.layer, found.arch, found.mapping, loss=each) for each in losses)
    made = built(found, cut, most)
    run = made.run_within(most) if made else inf
    if made and (run <= done or run > FARTHER * best > 0):
        return made
    shorter, others = run < best, [other] * (other != cut)
    if made and shorter:
        others += [(Cut(), cut[1])] if all(each != Cut() for each in made.cut) else []
    elif cut[0].slides:
        others.append(pieces(found.layer, found.arch, found.mapping, rows=False))
    if made and (shorter or (hoped < best and run > CLOSE * hoped)):
        alone = tuple(replace(each, unjoined=True) for each in made.cut)
        others += [(alone[0], made.cut[1]), (made.cut[0], alone[1])]
    every = [made, *(built(found, each, most) for each in others)]
    return min((each for each in every if each), key=lambda each: each.run_within(most), default=None)


def built(found: Result, cut: Pieces, most: float) -> Result | None:
    """The hardware with pieces, of one operand where not of both, or none; sums leave by pieces where they can. A line
    of a schedule that was refused for its pieces is refused whatever the others say."""
    ways, refused = dict.fromkeys((cut, (cut[0], Cut()), (Cut(), cut[1]), WHOLE)), set[str]()
    sums = 0 if OUTPUT in found.files else sums_cut(found.layer, found.arch, found.mapping)
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


def simpler(found: Result, close: float = inf) -> Result:
    """With whole tiles where that takes no longer, or with sums that leave as a whole and room for fewer pieces; what
    is `close`, runs no longer than that, stays so."""
    most = SAME * found.run_cycles
    most = min(most, close) if found.run_cycles <= close else most
    cut = Cut(unjoined=found.cut[0].unjoined), Cut(unjoined=found.cut[1].unjoined)
    if whole := _as_fast(replace(found, cut=cut, sums_cut=0), found, most):
        return whole
    found = _as_fast(replace(found, sums_cut=0), found, most) or found
    few = pieces(found.layer, found.arch, found.mapping, roomy=False)
    rooms = [min(own.room, each.room) if own.loops == each.loops else own.room
             for own, each in zip(found.cut, few, strict=True)]  # fmt: skip
    tight = replace(found.cut[0], room=rooms[0]), replace(found.cut[1], room=rooms[1])
    return _as_fast(replace(found, cut=tight), found, most) or found


def _as_fast(other: Result, found: Result, most: float) -> Result | None:
    """Other hardware of what was found, if it is that and takes no more than `most` cycles."""
    with suppress(HalideHWError):
        if (other.cut, other.sums_cut) != (found.cut, found.sums_cut) and other.run_within(most) <= most:
            return other
    return None
