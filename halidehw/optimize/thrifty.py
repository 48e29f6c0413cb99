"""Which hardware of a mapping takes the least energy: with register files for which tensors, and how its tiles come in.

Counts have a register file for each tensor. Where lanes share a word, or a step leaves it in place, it may cost less to
read it from the shared memory each time. What a file saves or costs hardly hangs on those of the other tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from math import inf, prod

from halidehw.errors import CostError, HalideHWError
from halidehw.mapping.counts import INPUT, OUTPUT
from halidehw.mapping.evaluate import Evaluation, counted
from halidehw.mapping.layer import DIMS, RELEVANT, TENSORS
from halidehw.mapping.mapping import Mapping
from halidehw.microarch.stores import Memory
from halidehw.optimize.built import Priced
from halidehw.optimize.chains import REDUCED
from halidehw.optimize.files import ALL, outside
from halidehw.optimize.lowered import built
from halidehw.optimize.nearby import CLOSER
from halidehw.optimize.pieces import OPERANDS, WHOLE, pieces
from halidehw.optimize.priced import memories
from halidehw.optimize.registers import READ
from halidehw.optimize.result import Result

HOPELESS = 0.1
"""Of the energy, what an operand takes more by the counts without its file where that is not looked at."""

LOSSES = 0, inf
"""Pieces that lose no cycles of a port, and the smallest."""


@dataclass(frozen=True)
class Score:
    """What is to be least of some hardware. `waits`: whether the array may wait for pieces while sums leave at a shared
    port, or has room for those as well, each is tried; `only_pj`: whether what takes more energy has no lower score."""

    of: Callable[[Result], float]
    waits: tuple[bool, ...] = (False, True)
    only_pj: bool = False


ENERGY = Score(lambda found: found.pj, waits=(True,), only_pj=True)


def no_longer(found: Result) -> Score:
    """pJ of what runs no longer than some hardware; of what does, more than any."""
    most = found.run_cycles
    return Score(lambda each: each.pj if each.run_within(most) <= most else inf, only_pj=True)


def least_pj(found: Result) -> float:
    """pJ that the hardware of a mapping takes at least, whatever it has on the chip: its words outside and its MACs; 0
    where these have costs of cells, which are not those that are counted."""
    if found.arch.table and found.arch.table.cells:
        return 0.0
    return sum(found.parts[found.arch.levels[-1].name].values()) + sum(found.parts["mac"].values())


def thriftiest(found: Result, score: Score = ENERGY, most: float = inf) -> Result:
    """The hardware of a mapping that has the least score of what is looked at: without the register files of each
    tensor that is better without, and with operands that come in by pieces, if that is better, and may take no more
    than `most` pJ: memories are smaller, so that a file may be worth less. As it is where nothing prices it, no memory
    is shared, or a level has a bandwidth: the cycles of that are known for what is counted, with all files."""
    levels = found.arch.levels
    if found.hardware_pj is None or found.arch.pe_levels == len(levels) - 1 or any(each.bandwidth for each in levels):
        return found
    whole = _fewer(found, ALL, score)
    if most < inf and _least_by_pieces(whole) > most:
        return whole
    best = _by_pieces(whole, score)
    smaller = [tensor for tensor in OPERANDS if best.cut[tensor] != whole.cut[tensor]]
    return _fewer(best, smaller, score)


def _fewer(found: Result, tensors: Iterable[int], score: Score) -> Result:
    """Without the register file of each of some tensors that is better without."""
    best, some = found, sorted(found.files.intersection(tensors))
    dearer = _dearer(found) if some and some != [OUTPUT] else {}
    for tensor in some:
        hopeless = dearer[tensor] > HOPELESS if tensor != OUTPUT else score.only_pj and _spared(best) <= 0
        if _read(found.mapping, tensor) <= READ and not hopeless:
            best = _less(best, replace(best, files=best.files - {tensor}), score)
    return best


def _by_pieces(found: Result, score: Score) -> Result:
    """With operands that come in by the pieces that are best, one after the other. Those of a tile that is kept as a
    whole only shorten the run, but where its memory has more room than the tile: its banks are others then."""
    layer, arch, mapping, best = found.layer, found.arch, found.mapping, found
    kept = [not score.only_pj or _wasteful(found, tensor) for tensor in OPERANDS]
    ways = product((False, True) if any(kept) else (False,), LOSSES, score.waits)
    every = [(keeps, pieces(layer, arch, mapping, roomy=False, loss=loss, waits=waits, keeps=keeps))
             for keeps, loss, waits in ways]  # fmt: skip
    for tensor in OPERANDS:
        for cut in dict.fromkeys(cuts[tensor] for keeps, cuts in every if kept[tensor] or not keeps):
            both = (cut, best.cut[1]) if tensor == INPUT else (best.cut[0], cut)
            if both not in (WHOLE, best.cut) and (made := built(best, both, 0)):
                best = _less(best, made, score)
    return best


def _wasteful(found: Result, tensor: int) -> bool:
    """Whether the outermost memory of an operand on the chip has more words than its tiles."""
    held = found.hardware[1].store.get(f"{TENSORS[tensor]}_in")
    return isinstance(held, Memory) and held.size > held.halves * held.words * held.instances


def _least_by_pieces(found: Result) -> float:
    """pJ that hardware takes at least when its operands come in by pieces: memories of one word have the least price,
    and a register file may then be worth nothing."""
    arch, outer = found.arch, found.arch.levels[-2]
    if not arch.table or arch.table.cells:
        return 0.0
    shared = {name for name, level in memories(arch, found.schedule).items() if level is outer}
    operands = [each for each in found.priced if each[0].tensor in (TENSORS[tensor] for tensor in OPERANDS)]
    own = [(count, pj) for count, pj in operands if count.level in shared]
    words = sum(count.words * count.bits / arch.word_bits for count, _ in own)
    least = words * outer.price(arch.table, arch.word_bits / 8)
    files = (pj for count, pj in operands if count.level not in shared and count.level != "memory")
    return found.pj - max(sum(pj for _, pj in own) - least, 0.0) - sum(files)


def _less(found: Result, other: Result, score: Score) -> Result:
    """The other hardware, if it can be built and its score is less."""
    with suppress(HalideHWError):
        if score.of(other) < score.of(found) * CLOSER and other.run_within(0):
            return other
    return found


def _read(mapping: Mapping, tensor: int) -> int:
    """Words of a tensor that a step reads."""
    lanes = (loop for axis in mapping.spatial for loop in axis)
    return prod(many for dim, many in lanes if RELEVANT[tensor][DIMS.index(dim)])


def _dearer(found: Result) -> dict[int, float]:
    """Of the energy, what each operand takes more without its file, by the counts of the mapping without loops in the
    PEs; infinite where no level holds that."""
    with suppress(CostError):
        now, then = (_cost(found, each) for each in (found.mapping, outside(found.arch, found.mapping)))
        pj = [[sum(level.get(TENSORS[tensor], 0.0) for level in each.parts.values()) for tensor in OPERANDS]
              for each in (now, then)]  # fmt: skip
        return {tensor: (after - before) / now.energy_pj for tensor, before, after in zip(OPERANDS, *pj, strict=True)}
    return dict.fromkeys(OPERANDS, inf)


def _spared(found: Result) -> float:
    """pJ that sums take less without their register files, at most: what these take, and the shared memory that they
    go through, unless loops outside come back to it; but for what accumulators take more, which then hold all sums that
    loops of their reduction come back to, up to the innermost shared memory, twice where sums leave the chip there."""
    arch, nest = found.arch, found.mapping.temporal
    if not arch.table or arch.table.cells:
        return inf
    outer = (loop for level in nest[arch.pe_levels + 1 :] for loop in level)
    again = any(trips > 1 and DIMS.index(dim) in REDUCED for dim, trips in outer)
    levels = memories(arch, found.schedule)
    stays = {name for name, level in levels.items() if name == "memory" or (again and not level.per_pe)}
    own = [each for each in found.priced if each[0].tensor == TENSORS[OUTPUT] and each[0].level in levels]
    added = sum(count.words * count.bits for count, _ in own if count.level == "accumulator")
    price = arch.levels[0].price(arch.table, (2 - again) * _open_sums(found) * arch.sum_bits / 8)
    return sum(pj for count, pj in own if count.level not in stays) - price * added / arch.word_bits


def _open_sums(found: Result) -> int:
    """How many sums of a lane loops of their reduction come back to, up to the innermost shared memory."""
    nest = [loop for level in found.mapping.temporal[: found.arch.pe_levels + 1] for loop in level if loop[1] > 1]
    last = max((at for at, (dim, _) in enumerate(nest) if DIMS.index(dim) in REDUCED), default=0)
    return prod(trips for dim, trips in nest[:last] if DIMS.index(dim) not in REDUCED)


def _cost(found: Result, mapping: Mapping) -> Evaluation:
    return Priced(found.arch, counted(found.layer, found.arch, mapping)).built

