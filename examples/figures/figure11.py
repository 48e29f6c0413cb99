"""Figure 11: where AlexNet's energy goes, layer by layer, with 512 B and with 64 B of registers a PE.

Every layer in its best blocking for C | K on 16x16 PEs under 128 KB, batch 16, by the paper's convention.

python examples/figures/figure11.py [--small]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import Claim, architecture, call, network, publish, rows

from halidehw.mapping.layer import Layer
from halidehw.optimize import Options
from halidehw.optimize.sweep import Task, sweep

REGISTERS = (512, 64)
LEVELS = ("RF", "array", "SRAM", "DRAM")
SMALL = ("conv3", "fc8")


def main() -> None:
    given = call()
    layers = [layer for layer in network("alexnet").layers if not given.small or layer.name in SMALL]
    options = Options(dataflow="C | K", convention="paper")
    tasks = [Task(layer, architecture((size,), 128), options) for size in REGISTERS for layer in layers]
    energies = np.array([by_level(answer) for answer in sweep(tasks)]).reshape(len(REGISTERS), len(layers), -1)
    lines = [
        [f"{layer.name}, {size} B", float(pj.sum() / 1e6), *(float(share) for share in pj / pj.sum())]
        for i, layer in enumerate(layers)
        for size, pj in zip(REGISTERS, energies[:, i], strict=True)
    ]
    table = rows(["layer, registers", "uJ", *LEVELS], lines)
    title = "Figure 11: AlexNet, batch 16, C | K: share of the energy by level"
    publish(draw(layers, energies), "figure11", title, table, claims(layers, energies), given.out)


def by_level(answer: dict[str, Any]) -> list[float]:
    """pJ of each of LEVELS."""
    return [
        sum(sum(part.values()) for name, part in answer["parts"].items() if name.split()[0] == level)
        for level in LEVELS
    ]


def claims(layers: list[Layer], energies: np.ndarray) -> list[Claim]:
    convs = [i for i, layer in enumerate(layers) if layer.name.startswith("conv")]
    share = energies / energies.sum(axis=2, keepdims=True)
    large, tiny = share[0, convs, 0], share[1, convs, 0]
    each = np.array([pj / costs(size) for size, pj in zip(REGISTERS, energies, strict=True)])
    accesses = each[0, convs, 0] / each[0][convs][:, [0, 2, 3]].sum(axis=1)
    outside = [float(share[r, i, 3]) for r in range(2) for i in range(len(layers)) if i not in convs]
    return [
        Claim(
            "with 512 B the registers dominate the energy of convolutions",
            f"{large.min():.0%} to {large.max():.0%} of it",
            bool((large > 0.5).all()),
            f"not of {', '.join(layers[i].name for i in convs if share[0, i, 0] <= 0.5)}",
        ),
        Claim(
            "98 % of their accesses are at the registers",
            f"{accesses.min():.1%} to {accesses.max():.1%}",
            bool((accesses > 0.97).all()),
            "where a layer has few channels, its best blocking reuses less in the PEs",
        ),
        Claim(
            "with 64 B they no longer do",
            f"{tiny.min():.0%} to {tiny.max():.0%} of the energy",
            bool((tiny < 0.5).all()),
            f"they still do in {', '.join(layers[i].name for i in convs if share[1, i, 0] >= 0.5)}",
        ),
        Claim(
            "fully connected layers are dominated by DRAM",
            f"{min(outside):.0%} to {max(outside):.0%} of the energy",
            min(outside) > 0.5,
            "with 512 B an access of the registers costs more than a 200th of one of the DRAM, and there are more",
        ),
    ]


def costs(size: int) -> np.ndarray:
    """pJ per access, or hop, of each of LEVELS."""
    arch = architecture((size,), 128)
    registers, sram, dram = (level.energy for level in arch.levels)
    return np.array([registers, arch.hop, sram, dram])


def draw(layers: list[Layer], energies: np.ndarray) -> object:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5))
    axes = figure.subplots()
    places = np.arange(len(layers))
    for row, size in enumerate(REGISTERS):
        base = np.zeros(len(layers))
        for level, name in enumerate(LEVELS):
            heights = energies[row, :, level] / 1e9
            label = name if row == 0 else None
            axes.bar(places + 0.4 * row - 0.2, heights, 0.36, base, color=f"C{level}", label=label)
            base = base + heights
        for place, top in zip(places, base, strict=True):
            axes.text(place + 0.4 * row - 0.2, top, f"{size} B", ha="center", va="bottom", fontsize=7)
    axes.set_xticks(places, [layer.name for layer in layers])
    axes.set(ylabel="energy, mJ", title="AlexNet, batch 16, C | K: energy by level")
    axes.legend()
    return figure


if __name__ == "__main__":
    main()
