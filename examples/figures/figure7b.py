"""Figure 7b: AlexNet by level on Eyeriss' sizes and relative costs, beside what is told of Eyeriss' own.

Row stationary is FY | Y with a second loop on each dimension of 16x16 PEs, 512 B in each under 128 KB, batch 16. An
access of a register file costs as much as a MAC, a hop 2, an access of the buffer 6, of the DRAM 200 times that.

Of the sources, Eyeriss' rule for its memories (512 B of register file and of buffer for each PE) and a table of costs
relative to a MAC are stated in public; its entries, the batch and the four statements below stand as they are commonly
told of its bars, and could not be checked against the paper itself.

python examples/figures/figure7b.py [--small]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import Claim, call, network, publish, rows

from halidehw.mapping.architecture import Architecture, Level
from halidehw.mapping.layer import Layer
from halidehw.optimize import Options
from halidehw.optimize.sweep import Task, sweep

LEVELS = ("RF", "array", "SRAM", "DRAM")
EYERISS = Architecture(
    "Eyeriss", "relative", "a MAC's", 16, (16, 16),
    (Level("RF", "register_file", 256, 1.0), Level("SRAM", "sram", 65536, 6.0), Level("DRAM", "dram", None, 200.0)),
    hop=2.0, mac=1.0,
)  # fmt: skip
SMALL = ("conv3", "fc8")


def main() -> None:
    given = call()
    layers = [layer for layer in network("alexnet").layers if not given.small or layer.name in SMALL]
    options = Options(dataflow="FY | Y", convention="paper", replicate=True)
    answers = sweep([Task(layer, EYERISS, options) for layer in layers])
    found = np.array([[*by_level(answer), layer.macs] for layer, answer in zip(layers, answers, strict=True)])
    shares = found / found.sum(axis=1, keepdims=True)
    lines = [
        [layer.name, float(all_of_it) / layer.macs, *map(float, share)]
        for layer, all_of_it, share in zip(layers, found.sum(axis=1), shares, strict=True)
    ]
    table = rows(["layer", "MACs' worth each", *LEVELS, "MAC"], lines)
    title = "Figure 7b: AlexNet, batch 16, FY | Y, relative costs of Eyeriss: share of the energy by level"
    publish(draw(layers, found), "figure7b", title, table, claims(layers, found), given.out)


def by_level(answer: dict[str, Any]) -> list[float]:
    """The energy of each of LEVELS, in MACs; the convention has none of the MACs themselves."""
    return [sum(answer["parts"][level].values()) for level in LEVELS]


def claims(layers: list[Layer], found: np.ndarray) -> list[Claim]:
    is_conv = np.array([layer.name.startswith("conv") for layer in layers])
    convs, others = found[is_conv].sum(axis=0), found[~is_conv].sum(axis=0)
    shares = dict(zip(LEVELS, convs / convs.sum(), strict=False))
    ratio = shares["RF"] / (shares["array"] + shares["SRAM"])
    outside, of_all = others[LEVELS.index("DRAM")] / others.sum(), convs.sum() / found.sum()
    better = "the search over all blockings reuses more in the PEs than the mapping that was measured"
    return [
        Claim(
            "the register files dominate the energy of convolutions", f"{shares['RF']:.0%} of it", shares["RF"] > 0.5,
            "the largest part is another one",
        ),
        Claim(
            "there they take about 4 times what array and buffer do together", f"{ratio:.1f} times", 3 <= ratio <= 5.5,
            better,
        ),
        Claim("DRAM dominates that of fully connected layers", f"{outside:.0%} of it", outside > 0.5, better),
        Claim(
            "convolutions take about 80 % of the whole", f"{of_all:.0%}", 0.7 <= of_all <= 0.9,
            "the share depends on how well fully connected layers reuse their weights over a batch of 16",
        ),
    ]  # fmt: skip


def draw(layers: list[Layer], found: np.ndarray) -> object:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4))
    axes = figure.subplots()
    names, base = [layer.name for layer in layers], np.zeros(len(layers))
    for at, level in enumerate((*LEVELS, "MAC")):
        axes.bar(names, found[:, at] / 1e9, 0.6, base / 1e9, label=level)
        base = base + found[:, at]
    axes.set(ylabel="energy, 10^9 MACs", title="AlexNet, batch 16, row stationary, Eyeriss' relative costs")
    axes.legend()
    return figure


if __name__ == "__main__":
    main()
