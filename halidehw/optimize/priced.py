"""What the generated hardware's own words cost by the prices that an architecture has."""

from __future__ import annotations

from collections.abc import Iterator

from halidehw.energy_model.energy import cost
from halidehw.energy_model.traffic import Count, traffic
from halidehw.ir.nest import Nest
from halidehw.mapping.architecture import Architecture, Level
from halidehw.microarch.network import Network


def memories(arch: Architecture, schedule: str) -> dict[str, Level]:
    """The level of each memory of a printed schedule, which its comments say, and of what sums are added up in."""
    levels = {level.name: level for level in arch.levels}
    found = {"memory": arch.levels[-1], "accumulator": arch.levels[0]}
    for line in schedule.splitlines():
        if "compute_at" in line:
            buffer, name = line.split(".in()")[0] + "_in" * line.count(".in()"), line.split("// ")[1]
            found[buffer] = levels[name]
    return found


def priced(
    arch: Architecture, schedule: str, nest: Nest, network: Network, whole: bool = True
) -> Iterator[tuple[Count, float]]:
    """All counts of the hardware that a printed schedule became, and pJ of each. A memory's words cost what its level
    does, as a `whole`, or else where the architecture states that; what has no such price costs what the cost table
    says of its own size. The architecture has one."""
    assert arch.table
    levels = {name: level for name, level in memories(arch, schedule).items() if whole or level.stated}
    for count in traffic(network, nest):
        if count.event in ("read", "write") and count.level in levels:
            each = levels[count.level].energy * count.bits / arch.word_bits
        else:
            each = cost(network, count, arch.table)
        yield count, each * count.words
