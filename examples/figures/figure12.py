"""Figure 12: AlexNet's energy against register file size, for five sizes of SRAM.

python examples/figures/figure12.py [--small]
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from common import Claim, architecture, call, energies, network, publish, rows

from halidehw.optimize import Options

REGISTERS = (16, 32, 64, 128, 256, 512)
SRAMS = (32, 64, 128, 256, 512)


def main() -> None:
    given = call()
    net = network("alexnet")
    if given.small:
        net = replace(net, layers=tuple(layer for layer in net.layers if layer.name == "conv3"))
    architectures = [architecture((size,), sram) for sram in SRAMS for size in REGISTERS]
    options = Options(dataflow="C | K", convention="paper")
    flat = [row[0] for row in energies([net], architectures, options)]
    table = dict(zip(product(SRAMS, REGISTERS), flat, strict=True))
    lines = [[f"{sram} KB", *(round(table[sram, size] / 1e6) for size in REGISTERS)] for sram in SRAMS]
    numbers = rows(["uJ under", *(f"{size} B" for size in REGISTERS)], lines)
    title = "Figure 12: AlexNet, batch 16, C | K on 16x16 PEs, the paper's convention"
    publish(draw(table), "figure12", title, numbers, claims(table), given.out)


def claims(table: dict[tuple[int, int], float]) -> list[Claim]:
    best = {sram: min(REGISTERS, key=lambda size: table[sram, size]) for sram in SRAMS}
    gain = max(table[sram, 512] / min(table[sram, 32], table[sram, 64]) for sram in SRAMS)
    at_256, at_512 = (min(table[sram, size] for size in REGISTERS) for sram in (256, 512))
    return [
        Claim(
            "32-64 B of RF is best",
            ", ".join(f"{size} B under {sram} KB" for sram, size in best.items()),
            all(size in (32, 64) for size in best.values()),
            "the optimum of our larger space (any number of lanes) shifts by one size",
        ),
        Claim(
            "up to 2.6x better than 512 B", f"up to {gain:.2f}x", 2.2 <= gain <= 3.0, "our search finds other blockings"
        ),
        Claim(
            "beyond 256 KB little is gained", f"{at_256 / at_512 - 1:+.1%} from 256 to 512 KB", at_256 / at_512 < 1.1
        ),
    ]


def draw(table: dict[tuple[int, int], float]) -> object:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    for sram in SRAMS:
        axes.plot(REGISTERS, [table[sram, size] / 1e9 for size in REGISTERS], marker="o", label=f"{sram} KB SRAM")
    axes.set_xscale("log", base=2)
    axes.set_xticks(REGISTERS, [str(size) for size in REGISTERS])
    axes.set(xlabel="register file per PE, bytes", ylabel="energy, mJ")
    axes.set_ylim(bottom=0)
    axes.set_title("AlexNet, batch 16: energy against memory sizes")
    axes.legend()
    return figure


if __name__ == "__main__":
    main()
