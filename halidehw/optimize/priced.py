"""What the generated hardware's own words cost at the prices of an architecture's levels."""

from __future__ import annotations

from collections.abc import Iterator

from halidehw.energy_model.energy import cost
from halidehw.energy_model.traffic import Count, traffic
from halidehw.ir.nest import Nest
from halidehw.mapping.architecture import Architecture
from halidehw.microarch.network import Network


def priced(arch: Architecture, schedule: str, nest: Nest, network: Network) -> Iterator[tuple[Count, float]]:
    """All counts of the hardware that a printed schedule became, and pJ of each. A memory's words cost what the
    schedule's comment says of its level; what has no level, what the cost table says. The architecture has one."""
    assert arch.table
    energies = {level.name: level.energy for level in arch.levels}
    prices = {"memory": arch.levels[-1].energy, "accumulator": arch.levels[0].energy}
    for line in schedule.splitlines():
        if "compute_at" in line:
            buffer, level = line.split(".in()")[0] + "_in" * line.count(".in()"), line.split("// ")[1]
            prices[buffer] = energies[level]
    for count in traffic(network, nest):
        each = cost(network, count, arch.table)
        if count.event in ("read", "write") and count.level in prices:
            each = prices[count.level] * count.bits / arch.word_bits
        yield count, each * count.words
