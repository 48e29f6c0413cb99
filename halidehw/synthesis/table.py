"""A calibrated cost table as a file."""

from __future__ import annotations

from pathlib import Path

from halidehw.energy_model.costs.table import CellTable, Curve, load_costs

SCALE = (180 / 28) * (1.8 / 0.9) ** 2
"""From Table 3's technology (28 nm, 0.9 V) to osu018's (180 nm, 1.8 V): capacitance by length, energy by voltage
squared."""


def osu018(cells: CellTable) -> str:
    """The TOML file of the built-in table `osu018`.

    Its plain fields serve what has no use for cells: a MAC with its addition, and a register file's read with the clock
    of all its bits.
    """
    paper = load_costs("table3")
    files = tuple((size, pj + 8 * size * cells.each["register"]) for size, pj in cells.curves["read"])
    lines = [
        "# Energies at gate level, calibrated by benchmarks/gate_level.py: see docs/synthesis.md.",
        "# SRAM: Table 3 of Interstellar (ASPLOS 2020, 28 nm), scaled by length and by voltage squared.",
        'name = "osu018, calibrated at gate level"',
        'technology = "180 nm, 1.8 V"',
        'word = "16 bit"',
        f'mac = "{_number(cells.each["mac"] + cells.each["add"])} pJ"',
        f'hop = "{_number(cells.each["hop"])} pJ"',
        f'dram = "{_number(paper.dram)} pJ"',
        "",
        *_curve("register_file", files),
        *_curve("sram", tuple((size, pj * SCALE) for size, pj in paper.sram)),
        "# pJ of what happens in cells, and bytes above which a memory is a macro.",
        "[cells]",
        f'macro = "{cells.macro:.12g} B"',
        *(f'{event} = "{_number(pj)} pJ"' for event, pj in cells.each.items()),
        "",
        *(line for event, curve in cells.curves.items() for line in _curve(f"cells.{event}", curve)),
    ]
    return "\n".join(lines).rstrip() + "\n"


def write_osu018(cells: CellTable, folder: Path) -> Path:
    path = folder / "osu018.toml"
    path.write_text(osu018(cells))
    return path


def _curve(name: str, curve: Curve) -> list[str]:
    return [f"[{name}]", *(f'"{size:.12g} B" = "{_number(pj)} pJ"' for size, pj in curve), ""]


def _number(value: float) -> str:
    """Five digits, without an exponent."""
    return f"{float(f'{value:.5g}'):f}".rstrip("0").rstrip(".")
