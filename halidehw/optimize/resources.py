"""Memory sizes and array shapes of least cost for a whole network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Any

import numpy as np

from halidehw.energy_model.costs.table import CostTable
from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture, sized
from halidehw.mapping.layer import Network
from halidehw.optimize.budget import Budget
from halidehw.optimize.compared import compared
from halidehw.optimize.objective import Objective
from halidehw.optimize.options import Options
from halidehw.optimize.sweep import Task

SUMS = "energy_pj", "cycles", "counted_pj", "steady_cycles"
"""What is summed over the layers of a network."""


def repriced(base: Architecture, costs: CostTable) -> Architecture:
    """`base` with its memories as they are, by the prices of another table where it states none."""
    return sized(base, costs, tuple((level.words or 0) * base.word_bits / 8 for level in base.levels[:-1]))


def with_arrays(base: Architecture, arrays: Sequence[tuple[int, ...]]) -> list[Architecture]:
    """`base` with each array shape, its memories as they are."""
    sizes = tuple((level.words or 0) * base.word_bits // 8 for level in base.levels[:-1])
    return [replace(base, array=array, name=_name(base, sizes, array)) for array in arrays]


def candidates(
    base: Architecture, costs: CostTable, sizes: Sequence[Sequence[int]], arrays: Sequence[tuple[int, ...]]
) -> list[Architecture]:
    """`base` with every choice of bytes per on-chip level (`sizes[level]`) and array shape."""
    if len(sizes) != len(base.levels) - 1:
        raise CostError(f"sizes for {len(sizes)} levels, {base.name} has {len(base.levels) - 1} on chip")
    return [
        replace(sized(base, costs, choice), array=array, name=_name(base, choice, array))
        for array in arrays
        for choice in product(*sizes)
    ]


def affordable(choices: list[Architecture], budget: Budget) -> list[Architecture]:
    """Those within a budget. Raises CostError when there are none."""
    found = [arch for arch in choices if not budget.exceeded(arch.pes, on_chip_bytes(arch))]
    if not found:
        raise budget.refusal((arch.pes, on_chip_bytes(arch)) for arch in choices)
    return found


def network_tasks(network: Network, architectures: list[Architecture], options: Options) -> list[Task]:
    """One task per architecture and layer; equal ones are searched once."""
    return [Task(layer, arch, options) for arch in architectures for layer in network.layers]


@dataclass(frozen=True)
class Ranked:
    """An architecture with a whole network on it: of all layers the sums of what their answers say, by its names;
    `by`: the names of the energy and the cycles that count."""

    arch: Architecture
    energy_pj: float
    cycles: int
    counted_pj: float
    steady_cycles: int
    by: tuple[str, str]

    @property
    def figures(self) -> tuple[float, int]:
        """The energy in pJ and the cycles that count."""
        energy, run = (getattr(self, name) for name in self.by)
        return float(energy), int(run)

    def score(self, goal: Objective) -> float:
        return float(goal.score(*map(np.array, self.figures)))


def rank(
    network: Network, architectures: list[Architecture], answers: list[dict[str, Any]], goal: Objective
) -> tuple[list[Ranked], list[tuple[Architecture, str]]]:
    """The architectures that can run every layer, best first, by what is `compared`; of equally good ones those of less
    energy, then of fewer cycles. And those that cannot, each with the first reason.

    `answers`: of the tasks of every layer, architecture by architecture. Raises CostError when there are none.
    """
    found, left_out, legal = list[Ranked](), list[tuple[Architecture, str]](), ()
    able = [answer for answer in answers if "infeasible" not in answer]
    for at, arch in enumerate(architectures):
        own = answers[at * len(network.layers) : (at + 1) * len(network.layers)]
        refused = [answer for answer in own if "infeasible" in answer]
        if refused:
            left_out.append((arch, refused[0]["infeasible"]))
            legal = legal or tuple(refused[0].get("legal", ()))
            continue
        repeats = [layer.repeat for layer in network.layers]
        sums = {key: sum(answer[key] * n for answer, n in zip(own, repeats, strict=True)) for key in SUMS}
        found.append(Ranked(arch, **sums, by=compared(able)))
    if not found:
        raise CostError(f"no choice can run all of {network.name}: {left_out[0][1]}", legal=legal)
    return sorted(found, key=lambda each: (each.score(goal), *each.figures, each.arch.name)), left_out


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
