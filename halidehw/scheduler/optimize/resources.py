"""Memory sizes and array shapes of least cost for a whole network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise, product
from math import prod

from halidehw.energy_model.architecture import Architecture, sized
from halidehw.energy_model.costs import CostTable
from halidehw.energy_model.layer import Network
from halidehw.errors import CostError
from halidehw.scheduler.optimize.solve import Options
from halidehw.scheduler.optimize.sweep import Task


@dataclass(frozen=True)
class Budget:
    """Limits: `pes`, and `on_chip` bytes of all memories together, register files in every PE (None: no limit)."""

    pes: int | None = None
    on_chip: int | None = None


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
    found = [
        replace(sized(base, costs, choice), array=array, name=_name(base, choice, array))
        for array in arrays
        for choice in product(*sizes)
        if _within(base, choice, array, budget) and (ratio is None or _in_ratio(base, choice, array, ratio))
    ]
    if not found:
        smallest = tuple(min(level) for level in sizes)
        array = min(arrays, key=prod)
        raise CostError(
            f"no choice is within the budget of {budget.pes or 'any'} PEs and {budget.on_chip or 'any'} bytes: "
            f"the smallest has {prod(array)} PEs and {_bytes(base, smallest, array)} bytes on chip"
        )
    return found


def network_tasks(network: Network, architectures: list[Architecture], options: Options) -> list[Task]:
    """One task per architecture and distinct layer."""
    return [Task(layer, arch, options) for arch in architectures for layer in dict.fromkeys(network.layers)]


def _bytes(base: Architecture, choice: tuple[int, ...], array: tuple[int, ...]) -> int:
    per_pe = [level.per_pe for level in base.levels]
    return sum(size * (prod(array) if inside else 1) for size, inside in zip(choice, per_pe, strict=False))


def _within(base: Architecture, choice: tuple[int, ...], array: tuple[int, ...], budget: Budget) -> bool:
    if budget.pes is not None and prod(array) > budget.pes:
        return False
    return budget.on_chip is None or _bytes(base, choice, array) <= budget.on_chip


def _in_ratio(base: Architecture, choice: tuple[int, ...], array: tuple[int, ...], ratio: tuple[float, float]) -> bool:
    held = [size * (prod(array) if level.per_pe else 1) for size, level in zip(choice, base.levels, strict=False)]
    return all(ratio[0] <= outer / inner <= ratio[1] for inner, outer in pairwise(held))


def _name(base: Architecture, choice: tuple[int, ...], array: tuple[int, ...]) -> str:
    sizes = " + ".join(f"{size // 1024} KB" if size >= 1024 and size % 1024 == 0 else f"{size} B" for size in choice)
    return f"{base.name} {'x'.join(map(str, array))}, {sizes}"
