"""Figure 13: the best memory sizes and energy against the size of the array, for AlexNet.

python examples/figures/figure13.py [--small]
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from common import Claim, architecture, call, energies, network, publish, rows

from halidehw.optimize import Options

ARRAYS = (8, 16, 32, 64)
REGISTERS = (16, 32, 64, 128)
SRAMS = (64, 128, 256, 512, 1024)

Best = dict[int, tuple[int, int, float]]


def main() -> None:
    given = call()
    net = network("alexnet")
    if given.small:
        net = replace(net, layers=tuple(layer for layer in net.layers if layer.name == "conv3"))
    sizes = [(size, sram) for size in REGISTERS for sram in SRAMS]
    architectures = [architecture((size,), sram, (side, side)) for side in ARRAYS for size, sram in sizes]
    flat = [row[0] for row in energies([net], architectures, Options("C | K", convention="paper"))]
    best: Best = {}
    for at, side in enumerate(ARRAYS):
        pj, (size, sram) = min(zip(flat[at * len(sizes) :][: len(sizes)], sizes, strict=True))
        best[side] = (size, sram, pj)
    lines = [[f"{side}x{side}", size, sram, pj / 1e9] for side, (size, sram, pj) in best.items()]
    table = rows(["array", "registers a PE, B", "SRAM, KB", "mJ"], lines)
    title = "Figure 13: AlexNet, batch 16, C | K, the paper's convention: the best sizes by array"
    publish(draw(best), "figure13", title, table, claims(best), given.out)


def claims(best: Best) -> list[Claim]:
    first, last = best[ARRAYS[0]], best[ARRAYS[-1]]
    growth, pes = last[1] / first[1], (ARRAYS[-1] / ARRAYS[0]) ** 2
    falls = all(best[b][2] <= best[a][2] for a, b in pairwise(ARRAYS))
    return [
        Claim("sizes grow sub-linearly", f"{pes:.0f} times the PEs, {growth:.0f} times the SRAM", growth < pes),
        Claim(
            "energy falls slightly",
            f"{last[2] / first[2] - 1:+.1%}",
            falls,
            "lanes may stay unused, so it never rises by itself",
        ),
    ]


def draw(best: Best) -> object:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    labels = [f"{side}x{side}\n{size} B, {sram} KB" for side, (size, sram, _) in best.items()]
    axes.bar(labels, [pj / 1e9 for *_, pj in best.values()])
    axes.set(ylabel="energy, mJ", title="AlexNet: best sizes against the array")
    return figure


if __name__ == "__main__":
    main()
