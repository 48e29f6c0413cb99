"""Figure 1: the three choices of a design, and what each of them is worth by itself.

Dataflow, loop blocking and memory sizes for AlexNet CONV3 on 16x16 PEs, by the paper's convention: of each choice all
that are tried, with the best of what the other figures search: dataflows with their best blocking (as Figure 8),
blockings of C | K (as Figure 10), memories with the best blocking (as Figure 12).

The drawing is ours: of the paper's Figure 1 nothing is known here but its number. The first two statements are those
of its abstract (with proper blocking many dataflows have similar efficiency; how memories are allocated matters most),
the third is what our figure adds.

python examples/figures/figure1.py [--small]
"""

from __future__ import annotations

from dataclasses import replace

import figure8
import figure10
import numpy as np
from common import CONV3, Claim, architecture, call, publish, rows
from figure12 import REGISTERS, SRAMS

from halidehw.mapping.layer import Layer
from halidehw.optimize import Options
from halidehw.optimize.sweep import Task, sweep

DATAFLOW, BLOCKING, MEMORIES = "dataflow", "loop blocking", "memory sizes"


def main() -> None:
    given = call()
    layer, srams = CONV3, SRAMS
    if given.small:
        layer, srams = replace(CONV3, b=1, k=96, name="a quarter of CONV3, batch 1"), SRAMS[:1]
    found = spreads(layer, srams)
    lines = [[name, len(each), each[0] / 1e6, *(float(q / each[0]) for q in quantiles(each))]
             for name, each in found.items()]  # fmt: skip
    table = rows(["choice", "tried", "best, uJ", "a quarter within", "half within", "worst"], lines)
    title = f"Figure 1: {layer.name}: energy over the best one's, by what is chosen"
    publish(draw(found), "figure1", title, table, claims(found), given.out)


def spreads(layer: Layer, srams: tuple[int, ...]) -> dict[str, np.ndarray]:
    """pJ of all that are tried of each choice, in rising order."""
    base = architecture((512,), srams[0] if len(srams) == 1 else 128)
    paper = Options("C | K", convention="paper")
    flows = [Task(layer, base, replace(figure8.FULL, dataflow=flow)) for flow in figure8.dataflows(layer)]
    sizes = [Task(layer, architecture((size,), sram), paper) for sram in srams for size in REGISTERS]
    answers = iter([answer["energy_pj"] for answer in sweep([*flows, *sizes])])
    return {
        DATAFLOW: np.sort([next(answers) for _ in flows]),
        BLOCKING: np.sort(figure10.energies(layer, base).min(axis=0)),
        MEMORIES: np.sort([next(answers) for _ in sizes]),
    }


def quantiles(energies: np.ndarray) -> tuple[float, float, float]:
    """What a quarter, half and all of them are within."""
    quarter, half = np.quantile(energies, (0.25, 0.5))
    return float(quarter), float(half), float(energies[-1])


def claims(found: dict[str, np.ndarray]) -> list[Claim]:
    half = {name: quantiles(each)[1] / each[0] for name, each in found.items()}
    return [
        Claim(
            "with proper loop blocking many dataflows have similar energy", f"half within {half[DATAFLOW]:.2f}x",
            half[DATAFLOW] < 1.25, "too few loops are left to share words along",
        ),
        Claim(
            "memory sizes have a larger effect than the dataflow", f"half within {half[MEMORIES]:.2f}x",
            half[MEMORIES] > half[DATAFLOW], "of few sizes that are tried here most are near the best",
        ),
        Claim(
            "(ours) loop blocking is what has to be right first", f"half within {half[BLOCKING]:.2f}x, "
            f"the worst {found[BLOCKING][-1] / found[BLOCKING][0]:.1f}x",
            half[BLOCKING] > half[DATAFLOW], "only blockings that fill half of each memory are counted",
        ),
    ]  # fmt: skip


def draw(found: dict[str, np.ndarray]) -> object:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4))
    axes = figure.subplots()
    for name, each in found.items():
        axes.plot(np.linspace(0, 100, len(each)), each / each[0], label=f"{name} ({len(each)})")
    axes.set(xlabel="% of what is tried", ylabel="energy over that of the best", title="what each choice is worth")
    axes.set_yscale("log")
    axes.legend()
    return figure


if __name__ == "__main__":
    main()
