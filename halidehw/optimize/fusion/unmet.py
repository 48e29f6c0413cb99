"""What an architecture says that no plan of fused layers has: its groups are hardware of their own kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from halidehw.energy_model.costs.parse import Place
from halidehw.energy_model.estimate import DEFAULT_COSTS
from halidehw.mapping.architecture import Architecture
from halidehw.optimize.fusion.bounds import SUMS
from halidehw.optimize.fusion.targets import DELAY, ENERGY


@dataclass(frozen=True)
class Unmet:
    """`place`: the field of the architecture's file, and what it has `said`; `why`: what a plan has instead; `wrong`:
    objectives by which the best plan of hardware with that field is not known: it takes other cycles, or no known
    energy; `legal`: what the field could say that a plan has."""

    place: Place
    said: str
    why: str
    wrong: tuple[str, ...] = ()
    legal: tuple[str, ...] = ()


def unmet(arch: Architecture, bits: int) -> Iterator[Unmet]:
    """All that a plan for an architecture does not have, with words of so many bits."""
    if arch.shared_port_bits:
        why = "each tensor has a port of its own; words are the same, cycles are not those of one port for all"
        said = f"shared_port_bits = {arch.shared_port_bits}"
        yield Unmet(("shared_port_bits",), said, why, wrong=(DELAY,), legal=("shared_port_bits = 0",))
    yield from _array(arch)
    yield from _levels(arch)
    if (sums := SUMS * bits) != arch.sum_bits:
        why = f"sums have {sums} bits, {SUMS} words of {bits}, and stay in the PEs; energy is that of such sums"
        yield Unmet(("sum_bits",), f"sum_bits = {arch.sum_bits}", why, legal=(f"sum_bits = {sums}",))
    if arch.table and arch.table.cells:
        why = "they charge what happens in cells, and know designs of one stage only; there is no energy by them"
        legal = (f'costs = "{DEFAULT_COSTS}"',)
        yield Unmet(("costs",), f"the costs of {arch.costs}", why, wrong=(ENERGY,), legal=legal)


def _array(arch: Architecture) -> Iterator[Unmet]:
    lanes = f"lanes are channels of each layer's result, on any of the {arch.pes} PEs"
    if len(arch.array) > 1:
        sides = " x ".join(map(str, arch.array))
        yield Unmet(("array", "columns"), f"sides of {sides}", lanes)
    if arch.dataflow not in (None, "any"):
        yield Unmet(("dataflow",), f'dataflow = "{arch.dataflow}"', lanes)
    if not arch.links:
        why = "a word for several lanes is read once, and passed on"
        yield Unmet(("array", "links"), "links = false", why, legal=("links = true",))


def _levels(arch: Architecture) -> Iterator[Unmet]:
    shared = {at: level.words for at, level in enumerate(arch.levels) if level.words and not level.per_pe}
    most = max(shared, key=lambda at: shared[at], default=0)
    for at, level in enumerate(arch.levels):
        if level.per_pe:
            why = "weights are read from a shared memory in every step, and PEs hold sums alone"
            yield Unmet(("level", at, "kind"), f"register file {level.name}", why)
        elif at in shared and at != most:
            why = f"tiles lie in memories of their own, together no larger than {arch.levels[most].name}"
            yield Unmet(("level", at, "kind"), f"memory {level.name}", why)
        if at in shared and level.buffers == 1:
            why = "a tile that moves has two halves, which count"
            yield Unmet(("level", at, "double"), f"double = false of {level.name}", why, legal=("double = true",))
        if level.bandwidth is not None:
            said = f"bandwidth = {level.bandwidth:g} word/cycle of {level.name}"
            why = "memories are as fast as ports and lanes; words are the same, cycles may be fewer than behind it"
            yield Unmet(("level", at, "bandwidth"), said, why, wrong=(DELAY,))
        if level.stated and level.words:
            why = f"memories cost what {arch.costs} says of their sizes; words and cycles are the same"
            yield Unmet(("level", at, "energy"), f"energy = {level.energy:g} pJ of {level.name}", why, wrong=(ENERGY,))
