"""A gate-level run as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from halidehw.synthesis.calibrate import Part, total
from halidehw.synthesis.measure import Measured, Unit


def as_text(found: Measured, parts: tuple[Part, ...], costs: str, modules: int, period_ns: float) -> str:
    """Area, critical path, the parts beside the model's, and the modules that take most."""
    whole = _together(found.units)
    lines = [
        f"{found.name}: {whole.cells} cells, {whole.registers} of them registers, {whole.area / 1e6:.4g} mm2, "
        f"{len(found.accesses)} macros",
        f"  critical path {found.critical_ns:.2f} ns; power at {period_ns:g} ns",
        f"  {found.cycles} cycles, word for word what the Verilog writes",
        f"  clock pins {found.clock_pj:.2f} pJ per cycle, leakage {whole.leakage * 1e6:.3f} uW: not in the parts",
        "",
        f"  {'pJ per cycle':24} {'gate level':>12} {'model':>12} {'error':>9}    model: {costs}",
    ]
    lines += [
        f"  {part.name:24} {part.measured / found.cycles:>12.2f} {part.model / found.cycles:>12.2f} {part.error:>+9.2%}"
        for part in (*parts, total(parts))
        if part.measured or part.model
    ]
    lines += [
        "",
        f"  {'module':40} {'cells':>7} {'registers':>9} {'area um2':>10} {'dynamic mW':>10} {'leakage nW':>10}",
    ]
    milliwatt = 1 / (found.cycles * period_ns)
    ranked = sorted(found.units, key=lambda unit: -unit.pj)
    rows = [("/".join(unit.path) or "top", unit) for unit in ranked[:modules]]
    if rest := ranked[modules:]:
        rows.append((f"{len(rest)} more", _together(rest)))
    lines += [
        f"  {name:40} {unit.cells:>7} {unit.registers:>9} {unit.area:>10.0f} {unit.pj * milliwatt:>10.4f} "
        f"{unit.leakage * 1e9:>10.2f}"
        for name, unit in [*rows, ("all", whole)]
    ]
    return "\n".join(lines) + "\n"


def as_json(found: Measured, parts: tuple[Part, ...], costs: str) -> dict[str, Any]:
    """All of it, with stable keys."""
    whole = _together(found.units)
    every = (*parts, total(parts))
    return {
        "name": found.name,
        "cycles": found.cycles,
        "critical_ns": found.critical_ns,
        "cells": whole.cells,
        "registers": whole.registers,
        "area_um2": whole.area,
        "leakage_w": whole.leakage,
        "clock_pj_per_cycle": found.clock_pj,
        "costs": costs,
        "parts_pj": {p.name: {"gate_level": p.measured, "model": p.model, "error": p.error} for p in every},
        "modules": [
            {"path": "/".join(unit.path), "cells": unit.cells, "registers": unit.registers, "area_um2": unit.area,
             "pj": unit.pj, "leakage_w": unit.leakage}
            for unit in found.units
        ],
        "macros": {
            path: {"reads": access.reads, "writes": access.writes, "bits": bits}
            for path, (access, bits) in found.accesses.items()
        },
    }  # fmt: skip


def _together(units: Iterable[Unit]) -> Unit:
    every = tuple(units)
    return Unit(
        (), sum(unit.cells for unit in every), sum(unit.registers for unit in every),
        sum(unit.area for unit in every), sum(unit.pj for unit in every), sum(unit.leakage for unit in every),
    )  # fmt: skip
