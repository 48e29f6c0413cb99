"""Figure 13: the best memory sizes and energy against the size of the array, for AlexNet.

python examples/figures/figure13.py
"""

from __future__ import annotations

from itertools import pairwise

from common import Claim, architecture, energies, network, print_claims, save

from halidehw.optimize import Options

ARRAYS = (8, 16, 32, 64)
REGISTERS = (16, 32, 64, 128)
SRAMS = (64, 128, 256, 512, 1024)


def main() -> None:
    sizes = [(size, sram) for size in REGISTERS for sram in SRAMS]
    architectures = [architecture((size,), sram, (side, side)) for side in ARRAYS for size, sram in sizes]
    flat = [row[0] for row in energies([network("alexnet")], architectures, Options("C | K", convention="paper"))]
    best = {}
    print("AlexNet, batch 16, C | K, paper's convention")
    print(f"{'array':>8}{'RF per PE':>12}{'SRAM':>10}{'energy mJ':>12}")
    for at, side in enumerate(ARRAYS):
        pj, (size, sram) = min(zip(flat[at * len(sizes) :][: len(sizes)], sizes, strict=True))
        best[side] = (size, sram, pj)
        print(f"{f'{side}x{side}':>8}{f'{size} B':>12}{f'{sram} KB':>10}{pj / 1e9:12.2f}")
    growth = best[ARRAYS[-1]][1] / best[ARRAYS[0]][1]
    falls = all(best[b][2] <= best[a][2] for a, b in pairwise(ARRAYS))
    change = best[ARRAYS[-1]][2] / best[ARRAYS[0]][2] - 1
    pes = (ARRAYS[-1] / ARRAYS[0]) ** 2
    print_claims(
        [
            Claim("sizes grow sub-linearly", f"{pes:.0f} times the PEs, {growth:.0f} times the SRAM", growth < pes),
            Claim(
                "energy falls slightly", f"{change:+.1%}", falls, "lanes may stay unused, so it never rises by itself"
            ),
        ]
    )
    draw(best)


def draw(best: dict[int, tuple[int, int, float]]) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    labels = [f"{side}x{side}\n{size} B, {sram} KB" for side, (size, sram, _) in best.items()]
    axes.bar(labels, [pj / 1e9 for *_, pj in best.values()])
    axes.set_ylabel("energy, mJ")
    axes.set_title("AlexNet: best sizes against the array")
    save(figure, "figure13")


if __name__ == "__main__":
    main()
