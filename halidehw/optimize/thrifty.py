"""Which hardware of a mapping takes the least energy: with register files for which tensors, and how its tiles come in.

Counts have a register file for each tensor. Where lanes share a word, or a step leaves it in place, it may cost less to
read it from the shared memory each time. What a file saves or costs hardly hangs on those of the other tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from itertools import product
from math import inf, prod

from halidehw.errors import CostError, HalideHWError
from halidehw.mapping.counts import OUTPUT
from halidehw.mapping.evaluate import Evaluation, counted
from halidehw.mapping.layer import DIMS, RELEVANT, TENSORS
from halidehw.mapping.mapping import Mapping
from halidehw.optimize.built import Priced
from halidehw.optimize.files import outside
from halidehw.optimize.lowered import built
from halidehw.optimize.nearby import CLOSER
from halidehw.optimize.pieces import WHOLE, pieces
from halidehw.optimize.registers import READ
from halidehw.optimize.result import Result

HOPELESS = 0.1
"""Of the energy, what an operand takes more by the counts without its file where that is not looked at."""

LOSSES = 0, inf
"""Pieces that lose no cycles of a port, and the smallest; each with room for more at a shared port, and without."""


Score = Callable[[Result], float]
"""What is to be least of some hardware."""


def _pj(found: Result) -> float:
    return found.pj


def no_longer(found: Result) -> Score:
    """pJ of what runs no longer than some hardware; of what does, more than any."""
    most = found.run_cycles
    return lambda each: each.pj if each.run_within(most) <= most else inf


def thriftiest(found: Result, score: Score = _pj) -> Result:
    """The hardware of a mapping that has the least score of what is looked at: without the register files of each
    tensor that is better without, and with operands that come in by pieces, if that is better: memories are smaller, so
    that a file may be worth less. As it is where nothing prices it, no memory is shared, or a level has a bandwidth:
    the cycles of that are known for what is counted, with all files."""
    levels = found.arch.levels
    if found.hardware_pj is None or found.arch.pe_levels == len(levels) - 1 or any(each.bandwidth for each in levels):
        return found
    best = _by_pieces(whole := _fewer(found, score), score)
    return best if best is whole else _fewer(best, score)


def _fewer(found: Result, score: Score) -> Result:
    """Without the register file of each tensor that is better without."""
    best = found
    for tensor in sorted(found.files):
        if _read(found.mapping, tensor) <= READ and not _hopeless(found, tensor):
            best = _less(best, replace(best, files=best.files - {tensor}), score)
    return best


def _by_pieces(found: Result, score: Score) -> Result:
    """With operands that come in by the pieces that are best."""
    layer, arch, mapping = found.layer, found.arch, found.mapping
    ways = product(LOSSES, (False, True))
    cuts = [pieces(layer, arch, mapping, roomy=False, loss=loss, waits=waits) for loss, waits in ways]
    made = (built(found, each, 0) for each in dict.fromkeys(cuts) if each not in (WHOLE, found.cut))
    return reduce(lambda now, other: _less(now, other, score) if other else now, made, found)


def _less(found: Result, other: Result, score: Score) -> Result:
    """The other hardware, if it can be built and its score is less."""
    with suppress(HalideHWError):
        if other.run_within(0) and score(other) < score(found) * CLOSER:
            return other
    return found


def _read(mapping: Mapping, tensor: int) -> int:
    """Words of a tensor that a step reads."""
    lanes = (loop for axis in mapping.spatial for loop in axis)
    return prod(many for dim, many in lanes if RELEVANT[tensor][DIMS.index(dim)])


def _hopeless(found: Result, tensor: int) -> bool:
    """Whether an operand takes far more without its file, by the counts of the mapping without loops in the PEs."""
    if tensor == OUTPUT:
        return False
    with suppress(CostError):
        now, then = (_cost(found, each) for each in (found.mapping, outside(found.arch, found.mapping)))
        more = [sum(level.get(TENSORS[tensor], 0.0) for level in each.parts.values()) for each in (now, then)]
        return more[1] - more[0] > HOPELESS * now.energy_pj
    return True


def _cost(found: Result, mapping: Mapping) -> Evaluation:
    return Priced(found.arch, counted(found.layer, found.arch, mapping)).built

