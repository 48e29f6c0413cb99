"""What holds of every estimate."""

from __future__ import annotations

from math import isclose

from halidehw.energy_model.estimate import Estimate
from halidehw.microarch.taps import FileTap
from halidehw.report.estimate import as_json, as_text


def check_invariants(found: Estimate) -> None:
    """Nothing is negative, only what costs something is told of, no level moves less than it must, everything adds up,
    the table is named."""
    assert all(count.words >= 0 for count in found.counts)
    assert all(part.each > 0 for part in found.energy)
    cycles = found.cycles
    assert min(cycles.fill, cycles.busy, cycles.drain, *cycles.stalls.values(), 0) == 0 < cycles.total
    least: dict[str, int] = {}  # of an input that several stages read, what the one needs that needs least
    memories = {memory.tensor for memory in found.accelerator.memories}
    made = {stage.name for stage in found.accelerator.stages}
    for port in found.ports:
        # of an output that another stage reads it may read less, and of partial sums there is no least
        if port.tensor not in made or (port.least and port.tensor not in memories):
            least[port.tensor] = min(port.least, least.get(port.tensor, port.least))
    names = {count.name for count in found.counts}
    taps = [operand.source for stage in found.accelerator.stages for operand in stage.compute.operands]
    at_data = {tap.file for tap in taps if isinstance(tap, FileTap) and tap.data}
    at_data |= {f"{stage.label}accumulator" for stage in found.accelerator.stages if stage.sums[0].scattered}
    for count in found.counts:
        if count.event in ("read", "write") and count.tensor in least and "partial" not in count.name:
            shifted = sum(other.words for other in found.counts if other.name == f"{count.name[:-5]}_shifted")
            moved = count.words + (shifted if count.event == "read" else 0)
            read_again = f"{count.name[:-5]}_drained" in names or count.level in at_data
            assert read_again or moved >= least[count.tensor], count
    assert found.costs and found.costs in as_text(found) and as_json(found)["costs"] == found.costs
    assert 0 < found.utilization <= 1
    assert isclose(sum(found.gap().values()), found.cycles.total - found.ideal_cycles, abs_tol=1e-6)
    assert all(port.words >= port.least for port in found.ports)
    for stage in found.accelerator.stages:
        macs, slots, steps = (found.count(f"{stage.label}{name}") for name in ("macs", "pe_slots", "steps"))
        assert macs <= slots == steps * stage.pes
    first = max(port.lanes for port in found.accelerator.interface.ports)
    slowest = max(((port.words - first) / port.bandwidth for port in found.ports), default=0)
    assert found.cycles.total >= max(slowest, found.macs / found.pes) * (1 - 1e-9)
    assert isclose(sum(found.by("level").values()), found.energy_pj)
    assert isclose(sum(found.by("tensor").values()), found.energy_pj)
