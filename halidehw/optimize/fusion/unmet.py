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
    """`place`: the field of the architecture's file; `why`: what a plan has instead; `wrong`: objectives by which the
    best plan of hardware with that field is not known: it takes other cycles, or no known energy; `legal`: what the
    field could say that a plan has."""

    place: Place
    why: str
    wrong: tuple[str, ...] = (DELAY,)
    legal: tuple[str, ...] = ()


def unmet(arch: Architecture, bits: int) -> Iterator[Unmet]:
    """All that a plan for an architecture does not have, with words of so many bits."""
    if arch.shared_port_bits:
        why = (
            f"shared_port_bits = {arch.shared_port_bits} of {arch.name}: each tensor of a plan has a port of its own; "
            "its words are the same, its cycles are not those of one port for all"
        )
        yield Unmet(("shared_port_bits",), why, legal=("shared_port_bits = 0",))
    for at, level in enumerate(arch.levels):
        if level.bandwidth is not None:
            why = (
                f"bandwidth = {level.bandwidth:g} word/cycle of {arch.name}, level {level.name}: the memories of a "
                "plan are as fast as its ports and lanes; its words are the same, its cycles may be fewer than behind "
                "such a memory"
            )
            yield Unmet(("level", at, "bandwidth"), why)
        if level.stated and level.words:
            why = (
                f"energy = {level.energy:g} pJ of {arch.name}, level {level.name}: the memories of a plan cost what "
                f"{arch.costs} says of their sizes; its words and cycles are the same"
            )
            yield Unmet(("level", at, "energy"), why, wrong=(ENERGY,))
    if (sums := SUMS * bits) != arch.sum_bits:
        why = (
            f"sum_bits = {arch.sum_bits} of {arch.name}: the sums of a plan have {sums} bits, {SUMS} words of {bits}, "
            "and stay in the PEs; its words and cycles are the same, its energy is that of such sums"
        )
        yield Unmet(("sum_bits",), why, wrong=(), legal=(f"sum_bits = {sums}",))
    if arch.table and arch.table.cells:
        why = (
            f"the costs of {arch.name} ({arch.costs}) charge what happens in cells, and know designs of one stage "
            "only; groups of a plan have several, and no energy by them"
        )
        yield Unmet(("costs",), why, wrong=(ENERGY,), legal=(f'costs = "{DEFAULT_COSTS}"',))
