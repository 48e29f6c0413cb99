"""Figure 14: nine networks on the optimised memories of a small and a large chip, beside the baseline of each.

The optimum has the least energy, the mean of all networks per multiply-accumulate: of the small chip among all memories
that are listed; of the large one such that no level twice as large, or half, is better, from each of its starts.

python examples/figures/figure14.py [--small]
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from common import Claim, architecture, call, energies, network, publish, rows

from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import Network
from halidehw.optimize import Options

NETWORKS = ("alexnet", "vgg16", "mobilenet_v1", "googlenet", "lstm_m", "lstm_l", "rhn", "mlp_m", "mlp_l")
PAPER_TOPS_W = (1.85, 1.42, 0.87, 0.35, 0.49, 0.47, 0.5, 0.46, 0.48)
ASSUMED = ("alexnet", "vgg16", "googlenet", "mobilenet_v1", *NETWORKS[4:])
"""The order in which the paper's nine figures are read here."""

GAINS = {"vgg16": 3.5, "googlenet": 2.7, "mobilenet_v1": 4.2, "lstm_m": 1.6, "mlp_m": 1.8}
NEAR = 0.25
LEAST, MOST = (8, 64), (512, 32 * 1024)
"""Of a register file, and of a shared memory: the sizes that a search grows to."""
OPTIONS = Options("C | K", convention="paper")


@dataclass(frozen=True)
class Sizes:
    """Bytes of the register files in each PE, and KB of the memories that all share, innermost first."""

    registers: tuple[int, ...]
    srams: tuple[int, ...]

    def near(self) -> list[Sizes]:
        """One level twice as large, or half, all from LEAST to MOST and each larger than what it is around."""
        found = []
        for at in range(len(self.registers) + len(self.srams)):
            for shift in (1, -1):
                sizes = [*self.registers, *self.srams]
                sizes[at] = sizes[at] * 2 if shift > 0 else sizes[at] // 2
                many = len(self.registers)
                found.append(Sizes(tuple(sizes[:many]), tuple(sizes[many:])))
        return [each for each in found if each.rising(each.registers, 0) and each.rising(each.srams, 1)]

    def rising(self, sizes: tuple[int, ...], kind: int) -> bool:
        return list(sizes) == sorted(set(sizes)) and LEAST[kind] <= sizes[0] and sizes[-1] <= MOST[kind]


@dataclass(frozen=True)
class Chip:
    """`choices`: memories to choose from; `grow`: and all that are better near a better one; `stated`: the paper's own
    optimum, if it says one."""

    name: str
    baseline: Architecture
    choices: list[Sizes]
    grow: bool = False
    stated: str = ""

    def built(self, sizes: Sizes) -> Architecture:
        return architecture(sizes.registers, sizes.srams, self.baseline.array, double=True)


def small_chip() -> Chip:
    inside = [(32,), (64,), *product((8, 16), (64, 128, 256))]
    choices = [Sizes(registers, (sram,)) for registers in inside for sram in (128, 256, 512)]
    return Chip("16x16", architecture((512,), 128), choices, stated="16 B + 128 B + 256 KB")


def large_chip() -> Chip:
    inside, outside = [(16,), (8, 64)], [(1024,), (256, 4096)]
    choices = [Sizes(registers, srams) for registers in inside for srams in outside]
    return Chip("128x128", architecture((8,), (64, 28 * 1024), (128, 128)), choices, grow=True)


@dataclass(frozen=True)
class Found:
    """pJ of every network on a chip's baseline and on its best memories, and on the paper's own; `tried`: how many."""

    chip: Chip
    best: Architecture
    tried: int
    base: dict[str, float]
    energy: dict[str, float]
    stated: dict[str, float]


def main() -> None:
    given = call()
    networks = [network(name) for name in (NETWORKS[-2:] if given.small else NETWORKS)]
    chips = [small_chip()] if given.small else [small_chip(), large_chip()]
    found = [search(chip, networks, given.small) for chip in chips]
    tables = [table(each, networks) for each in found]
    title = "Figure 14: C | K, the paper's convention, batch 16 (LSTM, RHN, MLP 128)"
    publish(draw(found), "figure14", title, "\n\n".join(tables), claims(found, networks), given.out)


def search(chip: Chip, networks: list[Network], few: bool) -> Found:
    """The best memories for all networks together."""
    choices = [each for each in chip.choices if not few or chip.built(each).name in ("32 B + 256 KB", chip.stated)]
    base = energies(networks, [chip.baseline], OPTIONS)[0]
    known = costed(chip, networks, choices)
    for start in choices * chip.grow:
        better: Sizes | None = start
        while better:
            at, near = better, better.near()
            known |= costed(chip, networks, [each for each in near if each not in known])
            least = min([at, *near], key=lambda each: mean(networks, known[each]))
            better = least if least != at else None
    best = min(known, key=lambda each: mean(networks, known[each]))
    names = [net.name for net in networks]
    by_name = {chip.built(each).name: dict(zip(names, row, strict=True)) for each, row in known.items()}
    energy, stated = by_name[chip.built(best).name], by_name.get(chip.stated, {})
    return Found(chip, chip.built(best), len(known), dict(zip(names, base, strict=True)), energy, stated)


def costed(chip: Chip, networks: list[Network], choices: list[Sizes]) -> dict[Sizes, list[float]]:
    """pJ of every network."""
    found = energies(networks, [chip.built(each) for each in choices], OPTIONS) if choices else []
    return dict(zip(choices, found, strict=True))


def mean(networks: list[Network], row: list[float]) -> float:
    """pJ per multiply-accumulate, of all networks alike."""
    work = macs(networks)
    return sum(pj / work[net.name] for net, pj in zip(networks, row, strict=True))


def macs(networks: list[Network]) -> dict[str, int]:
    return {net.name: sum(layer.macs * layer.repeat for layer in net.layers) for net in networks}


def compulsory(net: Network, arch: Architecture) -> float:
    """pJ of moving every word of every layer once from or to DRAM: no mapping takes less."""
    return sum(sum(layer.words) * layer.repeat for layer in net.layers) * arch.levels[-1].energy


def table(found: Found, networks: list[Network]) -> str:
    """Energies, gains and efficiencies; `at most`: with no energy but that of each word's one way to or from DRAM."""
    work, lines = macs(networks), []
    for net in networks:
        old, new, least = found.base[net.name], found.energy[net.name], compulsory(net, found.best)
        stated = [found.stated[net.name] / 1e9, old / found.stated[net.name]] if found.stated else []
        line = [net.name, old / 1e9, new / 1e9, old / new, old / least, 2 * work[net.name] / new]
        lines.append([*line, 2 * work[net.name] / least, *stated])
    memories = f"{found.chip.baseline.name} to {found.best.name}, of {found.tried} tried"
    heads = [f"{found.chip.name}: {memories}", "baseline, mJ", "best, mJ", "gain"]
    more = [f"{found.chip.stated}, mJ", "its gain"] if found.stated else []
    return rows([*heads, "at most", "TOPS/W", "at most", *more], lines)


def claims(found: list[Found], networks: list[Network]) -> list[Claim]:
    small, names = found[0], [net.name for net in networks]
    work, least = macs(networks), {net.name: compulsory(net, small.best) for net in networks}
    pj = small.stated or small.energy
    most = {name: 2 * work[name] / least[name] for name in names}
    tops = {name: 2 * work[name] / pj[name] for name in names}
    gains = [gain_claim(name, small.base[name] / pj[name], small.base[name] / least[name]) for name in names]
    sizes = Claim(
        f"the best memories of 16x16 PEs: {small.chip.stated}", small.best.name, small.best.name == small.chip.stated,
        f"which is {sum(small.stated.values()) / sum(small.energy.values()) - 1:.1%} more energy, of all networks",
    )  # fmt: skip
    return [sizes, *(each for each in gains if each), *efficiency_claims(tops, most)]


def gain_claim(name: str, gain: float, most: float) -> Claim | None:
    if name not in GAINS:
        return None
    why = f"DRAM's compulsory words alone leave {most:.2f}x over the baseline's best mapping"
    near = abs(gain / GAINS[name] - 1) < NEAR
    return Claim(f"{name}: up to {GAINS[name]}x better than the baseline", f"{gain:.2f}x", near, why)


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
        if name in tops
    ]
    third, fourth = NETWORKS[2:4]
    if third not in tops:
        return found
    order = Claim(
        f"listed order: {third} {PAPER_TOPS_W[2]}, {fourth} {PAPER_TOPS_W[3]}",
        f"{tops[third]:.2f} and {tops[fourth]:.2f}",
        tops[third] > tops[fourth],
        f"{third} can reach {most[third]:.2f} at most, whatever is on the chip; exchanged, both agree",
    )
    return [*found, order]


def draw(found: list[Found]) -> object:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5 * len(found), 4))
    for axes, each in zip(figure.subplots(1, len(found), squeeze=False)[0], found, strict=True):
        axes.bar(list(each.base), [each.base[name] / each.energy[name] for name in each.base])
        axes.set(ylabel="energy of the baseline / of the optimum", title=f"{each.chip.name}: {each.best.name}")
        axes.tick_params(axis="x", rotation=60)
    return figure


if __name__ == "__main__":
    main()
