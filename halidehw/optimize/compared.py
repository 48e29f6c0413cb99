"""Which energies and cycles of several answers can be compared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from halidehw.optimize.rules import EXACT

SAID = {
    "energy_pj": "uJ",
    "counted_pj": "uJ as counted",
    "cycles": "cycles",
    "steady_cycles": "cycles of the steady state",
}
"""What each of them is said to be, energies in uJ."""


def compared(answers: Iterable[dict[str, Any]]) -> tuple[str, str]:
    """The keys of energy and of cycles: those of the hardware; where some of it has no price, the energy as counted;
    and by the paper's convention, which has no hardware, what is counted, in the steady state."""
    every = list(answers)
    if any(answer["convention"] != EXACT.name for answer in every):
        return "counted_pj", "steady_cycles"
    priced = all(answer["hardware_pj"] is not None for answer in every)
    return "energy_pj" if priced else "counted_pj", "cycles"
