"""Figure 14: nine networks on the optimised architecture, beside the Eyeriss-like baseline.

python examples/figures/figure14.py
"""

from __future__ import annotations

from dataclasses import replace

from common import Claim, architecture, energies, network, print_claims, save

from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import Network
from halidehw.optimize import Options

NETWORKS = ("alexnet", "vgg16", "mobilenet_v1", "googlenet", "lstm_m", "lstm_l", "rhn", "mlp_m", "mlp_l")
PAPER_TOPS_W = (1.85, 1.42, 0.87, 0.35, 0.49, 0.47, 0.5, 0.46, 0.48)
ASSUMED = ("alexnet", "vgg16", "googlenet", "mobilenet_v1", *NETWORKS[4:])
"""The order in which the paper's nine figures are read here."""

GAINS = {"vgg16": 3.5, "googlenet": 2.7, "mobilenet_v1": 4.2, "lstm_m": 1.6, "mlp_m": 1.8}
NEAR = 0.25


def double_buffered(arch: Architecture) -> Architecture:
    """With its SRAM holding every tile twice."""
    return replace(arch, levels=tuple(replace(each, buffers=2 if each.kind == "sram" else 1) for each in arch.levels))


def compulsory(net: Network, arch: Architecture) -> float:
    """pJ of moving every word of every layer once from or to DRAM: no mapping takes less."""
    return sum(sum(layer.words) * layer.repeat for layer in net.layers) * arch.levels[-1].energy


def main() -> None:
    networks = [network(name) for name in NETWORKS]
    options = Options(dataflow="C | K", convention="paper")
    baseline, optimum = architecture((512,), 128), double_buffered(architecture((16, 128), 256))
    base, best = energies(networks, [baseline, optimum], options)
    macs = [sum(layer.macs * layer.repeat for layer in net.layers) for net in networks]
    least = [compulsory(net, optimum) for net in networks]
    gains = {name: old / new for name, old, new in zip(NETWORKS, base, best, strict=True)}
    tops = {name: 2 * n / pj for name, n, pj in zip(NETWORKS, macs, best, strict=True)}
    most = {name: 2 * n / pj for name, n, pj in zip(NETWORKS, macs, least, strict=True)}
    most_gains = {name: old / pj for name, old, pj in zip(NETWORKS, base, least, strict=True)}
    print("paper's convention, C | K, 16x16; baseline RF 512 B + 128 KB, optimum 16 B + 128 B + 256 KB double buffer;")
    print("'at most': with no energy but that of each word's one way to or from DRAM")
    print(f"{'network':14}{'baseline mJ':>13}{'optimum mJ':>12}{'gain':>7}{'at most':>9}", end="")
    print(f"{'TOPS/W':>9}{'at most':>9}{'paper, in the order assumed':>29}")
    for name, old, new in zip(NETWORKS, base, best, strict=True):
        print(f"{name:14}{old / 1e9:13.2f}{new / 1e9:12.2f}{gains[name]:7.2f}{most_gains[name]:9.2f}", end="")
        print(f"{tops[name]:9.2f}{most[name]:9.2f}{PAPER_TOPS_W[ASSUMED.index(name)]:29.2f}")
    print_claims([*gain_claims(gains, most_gains), *efficiency_claims(tops, most)])
    draw(gains, tops)


def gain_claims(gains: dict[str, float], most: dict[str, float]) -> list[Claim]:
    return [
        Claim(
            f"{name}: up to {gain}x better than the baseline",
            f"{gains[name]:.2f}x",
            abs(gains[name] / gain - 1) < NEAR,
            f"DRAM's compulsory words alone leave {most[name]:.2f}x over the baseline's best mapping, "
            "so the paper's baseline was mapped worse than its best",
        )
        for name, gain in GAINS.items()
    ]


def efficiency_claims(tops: dict[str, float], most: dict[str, float]) -> list[Claim]:
    """The figures in the assumed order, and what speaks for it."""
    found = [
        Claim(
            f"{name}: {value} TOPS/W",
            f"{tops[name]:.2f}",
            abs(tops[name] / value - 1) < NEAR,
            f"with its fully connected layers DRAM alone limits it to {most[name]:.2f}",
        )
        for name, value in zip(ASSUMED, PAPER_TOPS_W, strict=True)
    ]
    third, fourth = NETWORKS[2:4]
    order = Claim(
        f"listed order: {third} {PAPER_TOPS_W[2]}, {fourth} {PAPER_TOPS_W[3]}",
        f"{tops[third]:.2f} and {tops[fourth]:.2f}",
        tops[third] > tops[fourth],
        f"{third} can reach {most[third]:.2f} at most, whatever is on the chip; exchanged, both agree",
    )
    return [*found, order]


def draw(gains: dict[str, float], tops: dict[str, float]) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    left.bar(list(gains), list(gains.values()))
    left.set_ylabel("energy of the baseline / of the optimum")
    right.bar(list(tops), list(tops.values()), color="tab:green")
    right.set_ylabel("TOPS/W")
    for axes in (left, right):
        axes.tick_params(axis="x", rotation=60)
    save(figure, "figure14")


if __name__ == "__main__":
    main()
