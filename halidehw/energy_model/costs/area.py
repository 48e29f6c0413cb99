"""Area: what a design is made of, times the areas of a cost table."""

from __future__ import annotations

from collections.abc import Iterator

from halidehw.energy_model.costs.table import AreaTable, CostTable
from halidehw.energy_model.energy import place
from halidehw.microarch.network import Network, Stage


def areas(acc: Network, costs: CostTable) -> dict[str, float] | None:
    """um2 by memory, register file (of all PEs), "accumulator", "mac" and "pe"; None if the table has no areas.

    A memory has all its parts and banks; of the accumulators there is one per output lane. Sums outside the lanes are a
    memory.
    """
    table = costs.area
    if table is None:
        return None
    found = {"mac": acc.pes * table.mac, "pe": acc.pes * table.pe}
    return {level: um2 for stage in acc.stages for level, um2 in _stage(acc, stage, table)} | found


def _stage(acc: Network, stage: Stage, table: AreaTable) -> Iterator[tuple[str, float]]:
    for memory in stage.memories:
        if not memory.home:
            yield memory.name, table.bits("sram", memory.size * memory.type.bits)
    for file in stage.files:
        bits = file.halves * file.words * file.type.bits * file.reads
        yield file.name, stage.pes * table.bits("register_file", bits)
    for sums in stage.sums:
        each = table.bits(place(acc, sums.name)[0], sums.halves * sums.words * sums.type.bits)
        yield f"{stage.label}accumulator" if sums is stage.sums[0] else sums.name, sums.lanes * each
