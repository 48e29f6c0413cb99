"""What is minimised: energy, delay or their product."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np

from halidehw.errors import CostError

NAMES = ("energy", "delay", "edp")

ABOUT = {"energy": "counted energy", "delay": "run time", "edp": "counted energy times run time"}
"""What is proven of the best for each, the run being that of the hardware."""

CLOSE = 1.01
"""Of all whose run is so close to the least possible the one of least energy is taken."""

EXACT = 1e-6
"""Cycles by which a whole number may be missed."""


@dataclass(frozen=True)
class Objective:
    """`score(energy_pj, cycles)`, rising in both, for floats or arrays; `timed`, `priced`: whether cycles and energy
    matter.

    `within(score, cycles)`: the pJ below which the score is lower.
    """

    name: str
    score: Callable[[np.ndarray, np.ndarray], np.ndarray]
    within: Callable[[float, np.ndarray], np.ndarray]
    timed: bool
    priced: bool = True


def objective(name: str, least: float = 0) -> Objective:
    """The objective `energy`, `delay` or `edp`, of which cycles below `least` count as so many. Raises CostError on any
    other name."""
    known = (
        Objective(
            "energy", lambda energy, cycles: energy + 0.0 * cycles, lambda score, cycles: score + 0.0 * cycles, False
        ),
        Objective(
            "delay",
            lambda energy, cycles: np.maximum(cycles, least) + 0.0 * np.isfinite(energy),
            lambda score, cycles: np.where(np.maximum(cycles, least) < score, np.inf, -np.inf),
            True,
            priced=False,
        ),
        Objective(
            "edp",
            lambda energy, cycles: energy * np.maximum(cycles, least),
            lambda score, cycles: score / np.maximum(cycles, least),
            True,
        ),
    )
    for each in known:
        if each.name == name:
            return each
    raise CostError(f"unknown objective {name!r}", legal=[f'objective="{each.name}"' for each in known])


def wanted(goal: Objective, least: int, best: float) -> float:
    """Cycles of the longest run that may be chosen, where the `best` is the shortest one: for delay one that is close
    to the `least`."""
    return max(CLOSE * least, best) if goal.name == "delay" else inf
