"""Memory sizes and array shapes of least cost for a whole network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Any

import numpy as np

from halidehw.energy_model.costs.table import CostTable
from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture, sized
from halidehw.mapping.layer import Network
from halidehw.notation import counted
from halidehw.optimize.objective import Objective
from halidehw.optimize.options import Options
from halidehw.optimize.sweep import Task


@dataclass(frozen=True)
class Budget:
    """Limits (None: no limit): `pes`; `on_chip` bytes of all memories together, register files in every PE; `area` in
    um2, at `pe_area` a PE without its memories and `byte_area` a byte of memory.
    """

    pes: int | None = None
    on_chip: int | None = None
    area: float | None = None
    pe_area: float = 0.0
    byte_area: float = 0.0

    def allows(self, pes: int, on_chip: int) -> bool:
        within = self.area is None or self.area_of(pes, on_chip) <= self.area
        return within and pes <= (self.pes or pes) and on_chip <= (self.on_chip or on_chip)

    def area_of(self, pes: int, on_chip: int) -> float:
        """In um2."""
        return pes * self.pe_area + on_chip * self.byte_area

    def __str__(self) -> str:
        limits = [f"{counted(self.pes, 'PE')}"] if self.pes else []
        limits += [f"{self.on_chip} bytes"] if self.on_chip else []
        return " and ".join(limits + ([f"{self.area:g} um2"] if self.area is not None else []))


def candidates(
    base: Architecture,
    costs: CostTable,
    sizes: list[tuple[int, ...]],
    arrays: list[tuple[int, ...]],
    budget: Budget,
    ratio: tuple[float, float] | None = None,
) -> list[Architecture]:
    """`base` with every choice of bytes per on-chip level (`sizes[level]`) and array shape within the budget.

    `ratio`: adjacent on-chip levels (a level's size in all of the array) differ by a factor within it: the paper's
    observation 2 keeps 4 to 16, which only prunes. Raises CostError when nothing is within the budget.
    """
    if len(sizes) != len(base.levels) - 1:
        raise CostError(f"sizes for {len(sizes)} levels, {base.name} has {len(base.levels) - 1} on chip")
    choices = [
        replace(sized(base, costs, choice), array=array, name=_name(base, choice, array))
        for array in arrays
        for choice in product(*sizes)
    ]
    found = [
        arch
        for arch in choices
        if budget.allows(arch.pes, on_chip_bytes(arch)) and (ratio is None or in_ratio(arch, ratio))
    ]
    if not found:
        least = min(choices, key=lambda arch: (on_chip_bytes(arch), arch.pes))
        size = on_chip_bytes(least)
        area = f" and {budget.area_of(least.pes, size):g} um2" if budget.area is not None else ""
        between = f" with ratios of {ratio[0]:g} to {ratio[1]:g}" if ratio else ""
        raise CostError(
            f"no choice{between} is within the budget of {str(budget) or 'any size'}: "
            f"the smallest has {counted(least.pes, 'PE')} and {size} bytes on chip{area}",
            legal=_enough(budget, least.pes, size),
        )
    return found


def _enough(budget: Budget, pes: int, on_chip: int) -> list[str]:
    """The budget's options, each as large as an architecture needs."""
    options = [f"--max-pes {pes}"] if budget.pes is not None else []
    options += [f"--max-memory {on_chip}B"] if budget.on_chip is not None else []
    return options + ([f"--max-area {budget.area_of(pes, on_chip):g}um2"] if budget.area is not None else [])


def network_tasks(network: Network, architectures: list[Architecture], options: Options) -> list[Task]:
    """One task per architecture and layer; equal ones are searched once."""
    return [Task(layer, arch, options) for arch in architectures for layer in network.layers]


@dataclass(frozen=True)
class Ranked:
    """An architecture with a whole network on it: steady cycles of all layers, and pJ at the levels' prices."""

    arch: Architecture
    energy_pj: float
    cycles: int

    def score(self, goal: Objective) -> float:
        return float(goal.score(np.array(self.energy_pj), np.array(self.cycles)))


def rank(
    network: Network, architectures: list[Architecture], answers: list[dict[str, Any]], goal: Objective
) -> list[Ranked]:
    """The architectures that can run every layer, best first.

    `answers`: of the tasks of every layer, architecture by architecture. Raises CostError when there are none.
    """
    found, reasons = [], []
    for at, arch in enumerate(architectures):
        own = answers[at * len(network.layers) : (at + 1) * len(network.layers)]
        refused = [answer for answer in own if "infeasible" in answer]
        if refused:
            reasons.append(refused[0])
            continue
        repeats = [layer.repeat for layer in network.layers]
        energy, cycles = (
            sum(answer[key] * n for answer, n in zip(own, repeats, strict=True))
            for key in ("counted_pj", "steady_cycles")
        )
        found.append(Ranked(arch, energy, cycles))
    if not found:
        first = reasons[0]
        raise CostError(f"no choice can run all of {network.name}: {first['infeasible']}", legal=first.get("legal", ()))
    return sorted(found, key=lambda each: (each.score(goal), each.arch.name))


def on_chip_bytes(arch: Architecture) -> int:
    """Bytes of all memories on the chip."""
    return sum(_held(arch))


def in_ratio(arch: Architecture, ratio: tuple[float, float]) -> bool:
    """Whether adjacent on-chip levels, in all of the array, differ by a factor within `ratio`."""
    least, most = ratios(arch)
    return ratio[0] <= least and most <= ratio[1]


def ratios(arch: Architecture) -> tuple[float, float]:
    """The least and the greatest factor between adjacent on-chip levels, in all of the array; 1 for one level."""
    found = [outer / inner for inner, outer in pairwise(_held(arch))] or [1.0]
    return min(found), max(found)


def _held(arch: Architecture) -> list[int]:
    """Bytes of each on-chip level, in all of the array."""
    return [(level.words or 0) * arch.word_bits // 8 * (arch.pes if level.per_pe else 1) for level in arch.levels[:-1]]


def _name(base: Architecture, choice: tuple[int, ...], array: tuple[int, ...]) -> str:
    sizes = " + ".join(f"{size // 1024} KB" if size >= 1024 and size % 1024 == 0 else f"{size} B" for size in choice)
    return f"{base.name} {'x'.join(map(str, array))}, {sizes}"
