"""What an architecture says that no plan of fused layers has: its groups are hardware of their own kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from halidehw.energy_model.costs.parse import Place
from halidehw.mapping.architecture import Architecture
from halidehw.optimize.fusion.bounds import SUMS


@dataclass(frozen=True)
class Unmet:
    """`place`: the field of the architecture's file; `why`: what a plan has instead; `delays`: whether hardware with
    that field would take other cycles, so that the plan of least delay may be another one; `legal`: what the field
    could say that a plan has."""

    place: Place
    why: str
    delays: bool = True
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
    if (sums := SUMS * bits) != arch.sum_bits:
        why = (
            f"sum_bits = {arch.sum_bits} of {arch.name}: the sums of a plan have {sums} bits, {SUMS} words of {bits}, "
            "and stay in the PEs; its words and cycles are the same, its energy is that of such sums"
        )
        yield Unmet(("sum_bits",), why, delays=False, legal=(f"sum_bits = {sums}",))
