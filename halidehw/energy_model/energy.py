"""Energy: counts times a cost table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from halidehw.energy_model.costs.table import CostTable
from halidehw.energy_model.traffic import MOVES, Count, Event
from halidehw.microarch.network import Network
from halidehw.microarch.stores import Memory, RegisterFile, Sums


@dataclass(frozen=True)
class Energy:
    """pJ of one count. `each`: pJ of one of its words, hops or iterations; `event`: which of them it counts."""

    level: str
    tensor: str
    count: str
    event: Event
    each: float
    pj: float


def energies(accelerator: Network, counts: Iterable[Count], costs: CostTable) -> tuple[Energy, ...]:
    """The energy of each count that costs any.

    A word of b bits costs b / `word_bits` of the table's energy. A memory's or register file's energy is that of its
    size: all its parts and banks together. An iteration is one MAC; a hop, a receiver of a broadcast and a partial sum
    that moves on cost a hop for each PE they pass; idle PEs and masked lanes cost nothing.
    """
    return tuple(
        Energy(count.level, count.tensor, count.name, count.event, each, each * count.words)
        for count in counts
        if (each := cost(accelerator, count, costs)) > 0
    )


def cost(accelerator: Network, count: Count, costs: CostTable) -> float:
    """pJ of one of a count's words."""
    if count.event in ("mac", "work"):
        return costs.mac if count.event == "mac" else 0.0
    width = count.bits / costs.word_bits
    if count.event in MOVES:
        return costs.hop * count.distance * width
    return costs.access(*place(accelerator, count.level), count.level) * width


def place(accelerator: Network, level: str) -> tuple[str, float]:
    """The kind of a level's memory in a cost table, and its bytes."""
    if level == "memory":
        return "dram", 0.0
    accumulators = {f"{stage.label}accumulator": stage.sums[0] for stage in accelerator.stages}
    match accumulators.get(level) or accelerator.store[level]:
        case Sums(inside=False) as sums:
            return "sram", sums.lanes * _bytes(sums)
        case Memory() as memory:
            return "sram", memory.size * memory.type.bits / 8 / memory.instances
        case Sums() | RegisterFile() as held:
            return "register_file", _bytes(held)


def _bytes(held: Sums | RegisterFile) -> float:
    """All parts of one lane's or PE's memory."""
    return held.halves * held.words * held.type.bits / 8
