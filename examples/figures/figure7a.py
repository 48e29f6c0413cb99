"""Figure 7a: the energy of OS4, OS8 and WS16 by level: the model's counts beside the simulated hardware's counters.

Both are costed by Table 3. The paper compares its model with synthesised designs: what these three take on gates, and
how far off the model is with a table of that technology, `make synth` measures (benchmarks/gate_level.md).

python examples/figures/figure7a.py [--small]
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from common import HERE, Claim, call, publish, rows

import halidehw as hl
from halidehw.driver.draw import random_inputs
from halidehw.energy_model.costs.table import load_costs
from halidehw.energy_model.energy import energies, place
from halidehw.energy_model.traffic import Count, traffic
from halidehw.microarch.network import Network

DESIGNS = ("os4", "os8", "ws16")
LEVELS = {"register_file": "RF", "array": "array", "mac": "MAC", "sram": "SRAM", "dram": "DRAM"}


@dataclass(frozen=True)
class Measured:
    """pJ by level: by the model's counts and by the hardware's counters."""

    design: str
    model: dict[str, float]
    counted: dict[str, float]


def measure(name: str) -> Measured:
    """Simulate a design with all its counters."""
    design = hl.load(HERE.parent / "dataflows" / f"{name}.py")
    compiled = hl.compile(design, counters="all")
    nest, accelerator = compiled.nest, compiled.accelerator
    result = hl.simulate(compiled, random_inputs(nest, 0), once=True)
    assert result.match
    counts = traffic(accelerator, nest)
    counted = [replace(count, words=result.counters[count.name]) for count in counts]
    return Measured(name, by_level(accelerator, counts), by_level(accelerator, counted))


def by_level(accelerator: Network, counts: tuple[Count, ...] | list[Count]) -> dict[str, float]:
    """pJ of each of LEVELS."""
    totals = dict.fromkeys(LEVELS.values(), 0.0)
    for part in energies(accelerator, counts, load_costs("table3")):
        kind = "mac" if part.event == "mac" else part.level
        totals[LEVELS[kind if kind in LEVELS else place(accelerator, kind)[0]]] += part.pj
    return totals


def main() -> None:
    given = call()
    found = [measure(name) for name in (DESIGNS[:1] if given.small else DESIGNS)]
    lines = [
        [f"{each.design}, {how}", sum(pj.values()) / 1e6, *(pj[level] / sum(pj.values()) for level in LEVELS.values())]
        for each in found
        for how, pj in (("model", each.model), ("counters", each.counted))
    ]
    table = rows(["design", "uJ", *LEVELS.values()], lines)
    title = "Figure 7a: energy by level of the validation designs, costed by Table 3"
    publish(draw(found), "figure7a", title, table, claims(found), given.out)


def claims(found: list[Measured]) -> list[Claim]:
    counted = error([each.model for each in found], [each.counted for each in found])
    return [
        Claim(
            "the model's energy is within 2 % of the hardware's, level by level",
            f"{counted:.2%} at most by the hardware's counters",
            counted <= 0.02,
            "on gates, with a table of their technology: benchmarks/gate_level.md",
        )
    ]


def error(ours: list[dict[str, float]], theirs: list[dict[str, float]]) -> float:
    """The greatest relative difference of any level."""
    return max(
        abs(mine[level] / pj - 1) for mine, other in zip(ours, theirs, strict=True) for level, pj in other.items() if pj
    )


def draw(found: list[Measured]) -> object:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4))
    axes = figure.subplots()
    bars = [
        (f"{each.design.upper()}\n{how}", pj)
        for each in found
        for how, pj in (("model", each.model), ("counters", each.counted))
    ]
    base = np.zeros(len(bars))
    for level in LEVELS.values():
        heights = np.array([pj[level] / 1e6 for _, pj in bars])
        axes.bar([name for name, _ in bars], heights, 0.6, base, label=level)
        base = base + heights
    axes.set(ylabel="energy, uJ", title="energy by level: model and hardware")
    axes.legend()
    return figure


if __name__ == "__main__":
    main()
