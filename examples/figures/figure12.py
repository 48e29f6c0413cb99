"""Figure 12: AlexNet's energy against register file size, for five sizes of SRAM.

python examples/figures/figure12.py
"""

from __future__ import annotations

import time

from common import Claim, architecture, energies, network, print_claims, save

from halidehw.scheduler.optimize import Options

REGISTERS = (16, 32, 64, 128, 256, 512)
SRAMS = (32, 64, 128, 256, 512)


def main() -> None:
    start = time.perf_counter()
    architectures = [architecture((size,), sram) for sram in SRAMS for size in REGISTERS]
    options = Options(dataflow="C | K", convention="paper")
    flat = [row[0] for row in energies([network("alexnet")], architectures, options)]
    table = {
        (sram, size): flat[s * len(REGISTERS) + r] for s, sram in enumerate(SRAMS) for r, size in enumerate(REGISTERS)
    }
    print(f"AlexNet, batch 16, C | K on 16x16, paper's convention, uJ ({time.perf_counter() - start:.1f} s)")
    print(f"{'SRAM':>8}" + "".join(f"{f'{size} B':>11}" for size in REGISTERS))
    for sram in SRAMS:
        print(f"{f'{sram} KB':>8}" + "".join(f"{table[sram, size] / 1e6:11.0f}" for size in REGISTERS))
    print_claims(claims(table))
    draw(table)


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


def draw(table: dict[tuple[int, int], float]) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    for sram in SRAMS:
        axes.plot(REGISTERS, [table[sram, size] / 1e9 for size in REGISTERS], marker="o", label=f"{sram} KB SRAM")
    axes.set_xscale("log", base=2)
    axes.set_xticks(REGISTERS, [str(size) for size in REGISTERS])
    axes.set_xlabel("register file per PE, bytes")
    axes.set_ylabel("energy, mJ")
    axes.set_ylim(bottom=0)
    axes.set_title("AlexNet, batch 16: energy against memory sizes")
    axes.legend()
    save(figure, "figure12")


if __name__ == "__main__":
    main()
