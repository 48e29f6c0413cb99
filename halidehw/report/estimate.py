"""An estimate as text and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from halidehw.energy_model.cycles import Culprit, Cycles
from halidehw.energy_model.estimate import Estimate
from halidehw.notation import counted


def as_json(found: Estimate) -> dict[str, Any]:
    """All of an estimate, as JSON types with stable keys."""
    return {
        "name": found.name,
        "pes": found.pes,
        "macs": found.macs,
        "cycles": asdict(found.cycles),
        "ideal_cycles": found.ideal_cycles,
        "utilization": found.utilization,
        "gap": found.gap(),
        "counts": {count.name: count.words for count in found.counts},
        "ports": [asdict(port) for port in found.ports],
        "roofline": {
            "peak_macs_per_cycle": found.pes,
            "macs_per_word": found.intensity,
            "attainable_macs_per_cycle": found.roof,
            "achieved_macs_per_cycle": found.macs / found.cycles.total,
        },
        "costs": found.costs,
        "technology": found.technology,
        "energy_pj": found.energy_pj,
        "pj_per_mac": found.pj_per_mac,
        "tops_per_watt": found.tops_per_watt,
        "energy_by_level_pj": found.by("level"),
        "energy_by_tensor_pj": found.by("tensor"),
        "energy": [asdict(part) for part in found.energy],
        "area_um2": found.area,
    }


def as_text(found: Estimate) -> str:
    """A page: cycles and the cause of every one beyond the ideal, energy by level and tensor, area, traffic."""
    parts = _cycles(found), _energy(found), _area(found), _traffic(found)
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def _cycles(found: Estimate) -> list[str]:
    total = found.cycles.total
    lines = [
        f"{found.name}: {found.macs} iterations on {counted(found.pes, 'PE')} in {total} cycles",
        f"  {'ideal':38} {found.ideal_cycles:>14.1f}  utilization {found.utilization:.4f}",
    ]
    for cause, lost in found.gap().items():
        if lost:
            lines.append(f"  {cause:38} {lost:>14.1f}  {100 * lost / total:5.2f} %")
        late = [culprit for culprit in found.cycles.culprits if cause == f"stalls by {culprit.buffer}"]
        lines += [_late(found, culprit) for culprit in late]
    lines += _stages(found.cycles)
    bound = "the PEs" if found.roof >= found.pes else "the ports"
    lines.append(f"  roof {found.roof:.3f} MACs a cycle, set by {bound}; {found.intensity:.2f} MACs a word")
    return lines


def _stages(found: Cycles) -> list[str]:
    """Of several stages what each waits for, and which one sets the pace."""
    if len(found.stages) < 2:
        return []
    slowest, lines = found.slowest, list[str]()
    for stage in found.stages:
        waits = [f"{name} {late}" for name, late in stage.stalls.items() if late]
        waited = f", waits for {', '.join(waits)}" if waits else ""
        lines.append(f"  stage {stage.name}: {stage.busy} steps from cycle {stage.fill + 1} on{waited}")
    return [*lines, f"  slowest stage {slowest.name}: {slowest.busiest} takes {slowest.steps} cycles"]


def _late(found: Estimate, culprit: Culprit) -> str:
    """What made the array wait, and how many of the words at that port were there before."""
    again = sum(port.again for port in found.ports if port.tensor == culprit.tensor and culprit.level == "memory")
    note = f"  {100 * again:.0f} % of its words are refetches" if again else ""
    return f"    {f'{culprit.tensor}: {culprit.cause} of {culprit.level}':36} {culprit.cycles:>14.1f}{note}"


def _energy(found: Estimate) -> list[str]:
    """Energy by level (rows) and tensor (columns)."""
    cells: dict[tuple[str, str], float] = {}
    for part in found.energy:
        row, column = ("mac", "") if part.event == "mac" else (part.level, part.tensor)
        cells[row, column] = cells.get((row, column), 0.0) + part.pj
    rows, columns = list(dict.fromkeys(row for row, _ in cells)), list(dict.fromkeys(c for _, c in cells if c))
    lines = [
        f"energy by {found.costs} ({found.technology}): {found.energy_pj:.6g} pJ, {found.pj_per_mac:.4g} pJ per MAC, "
        f"{found.tops_per_watt:.4g} TOPS/W",
        f"  {'pJ':24}" + "".join(f" {column:>14}" for column in [*columns, "total"]),
    ]
    for row in rows:
        shown = [f"{cells[row, c]:>14.6g}" if (row, c) in cells else " " * 14 for c in columns]
        lines.append(f"  {row:24} {' '.join(shown)} {sum(v for (r, _), v in cells.items() if r == row):>14.6g}")
    return lines


def _area(found: Estimate) -> list[str]:
    if found.area is None or found.area_mm2 is None:
        return [f"area: {found.costs} has no areas"]
    lines = [f"area by {found.costs} ({found.technology}): {found.area_mm2:.4g} mm2"]
    return lines + [f"  {level:24} {um2:>14.6g} um2" for level, um2 in found.area.items()]


def _traffic(found: Estimate) -> list[str]:
    lines = [f"  {'port':24} {'words':>14} {'at least':>14} {'each':>8}"]
    for port in found.ports:
        times = f"{port.words / port.least:>8.2f}" if port.least else ""
        lines.append(f"  {port.tensor:24} {port.words:>14} {port.least:>14} {times}")
    lines.append("")
    lines += [f"  {count.name:38} {count.words:>16}" for count in found.counts]
    return lines
