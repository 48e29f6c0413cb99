"""Figures 8 and 9: every dataflow with its best blocking: energy, and utilization without and with replication.

python examples/figures/figure8.py
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from math import prod

from common import CONV3, REDUCE_4C, Claim, architecture, batch, print_claims, save

from halidehw.errors import CostError
from halidehw.mapping.layer import DIMS, Layer
from halidehw.optimize import Options, optimize_with
from halidehw.optimize.sweep import Task, sweep

SETTINGS = {
    "RF 512 B, links": architecture((512,), 128),
    "RF 512 B, broadcast": architecture((512,), 128, links=False),
    "RF 64 B, links": architecture((64,), 128),
}
SIDE = 16
SAME = 1e-9
LAYERS = [(layer, size) for layer in (CONV3, REDUCE_4C) for size in (16, 1)]


def dataflows(layer: Layer) -> list[str]:
    loops = [dim for dim, extent in zip(DIMS, layer.extents, strict=True) if extent > 1]
    return [f"{u} | {v}" for u, v in combinations(loops, 2)]


def cases() -> Iterator[tuple[str, Layer, int, str]]:
    for setting in SETTINGS:
        for layer, size in LAYERS:
            for flow in dataflows(batch(layer, size)):
                yield setting, layer, size, flow


def main() -> None:
    keys = list(cases())
    tasks = [
        Task(batch(layer, size), SETTINGS[setting], Options(dataflow=flow, convention="paper"))
        for setting, layer, size, flow in keys
    ]
    energy = {key: answer["energy_pj"] for key, answer in zip(keys, sweep(tasks), strict=True)}
    print("paper's convention; least energy of each dataflow, one loop per dimension, over that of the best one")
    found = []
    for setting in SETTINGS:
        for layer, size in LAYERS:
            group = {flow: pj for (s, one, n, flow), pj in energy.items() if (s, one, n) == (setting, layer, size)}
            best = min(group.values())
            spread = sorted(pj / best for pj in group.values())
            print(f"{setting:22}{layer.name:26}batch {size:2}: best {best / 1e6:10.1f} uJ; ", end="")
            print(f"median {spread[len(spread) // 2]:.2f}, worst {spread[-1]:.2f} of {len(group)} dataflows")
            found.append(spread[len(spread) // 2])
    with_links = found[: len(LAYERS)] + found[2 * len(LAYERS) :]
    busy = utilizations()
    rows, columns = busy["K | C"], busy["Y | FY"]
    print_utilizations(busy)
    print_claims(
        [
            Claim(
                "with good blocking the energies of all dataflows lie close together",
                f"median within {max(with_links):.2f}x of the best with links, {max(found):.2f}x with broadcast",
                max(with_links) < 1.25,
                "some pairs of loops share too few words",
            ),
            Claim(
                "CONV3 with replication: C | K about 20 % above FY | Y",
                f"{rows[1]:.0%} against {columns[1]:.0%} of least energy; {rows[2]:.0%} against {columns[2]:.0%} where "
                "named loops go first",
                1.1 <= rows[2] / columns[2] <= 1.35,
                "a second loop may here take a whole dimension, so that energy alone decides how full the array is",
            ),
        ]
    )
    draw(energy, busy)


def print_utilizations(busy: dict[str, tuple[float, ...]]) -> None:
    print("\nutilization of CONV3, batch 16: one loop per dimension; replicated; replicated, named loops first")
    for flow, shares in busy.items():
        print(f"{flow:10}" + "".join(f"{share:8.1%}" for share in shares))


def utilizations() -> dict[str, tuple[float, ...]]:
    """Of CONV3, per dataflow: of the mapping of least energy without and with replication (of equals, the fastest), and
    with replication where the named loops take all the lanes they can.
    """
    found = {}
    for flow in dataflows(CONV3):
        plain, replicated = (
            fastest_of_best(Options(flow, convention="paper", replicate=more)) for more in (False, True)
        )
        found[flow] = (plain, replicated, named_first(flow))
    return found


def fastest_of_best(options: Options) -> float:
    """The utilization of the fastest of all mappings of CONV3 that have the least energy."""
    arch = SETTINGS["RF 512 B, links"]
    best = optimize_with(CONV3, arch, options)
    while True:
        try:
            faster = optimize_with(CONV3, arch, replace(options, max_cycles=best.cycles - 1))
        except CostError:
            return best.utilization
        if faster.energy_pj > best.energy_pj * (1 + SAME):
            return best.utilization
        best = faster


def named_first(flow: str) -> float:
    """The utilization of CONV3 where each named loop fills its dimension as far as it goes, and one more loop what is
    left of it, with the lanes that take the fewest steps; lanes need not divide.
    """
    extents = dict(zip(DIMS, CONV3.extents, strict=True))
    first = flow.split(" | ")
    lanes = {dim: min(extents[dim], SIDE) for dim in first}
    free = [None, *(dim for dim in DIMS if dim not in first)]
    steps = []
    for extra in product(free, repeat=2):
        used = dict(lanes)
        for dim, more in zip(first, extra, strict=True):
            if more:
                used[more] = min(extents[more], SIDE // lanes[dim])
        if None in extra or extra[0] != extra[1]:
            steps.append(prod(-(-extent // used.get(dim, 1)) for dim, extent in extents.items()))
    return CONV3.macs / (min(steps) * SIDE**2)


def draw(energy: dict[tuple[str, Layer, int, str], float], busy: dict[str, tuple[float, ...]]) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 4.5))
    for setting in SETTINGS:
        points = {flow: pj for (s, one, n, flow), pj in energy.items() if (s, one, n) == (setting, CONV3, 16)}
        left.plot(list(points), [pj / 1e9 for pj in points.values()], marker="o", label=setting)
    left.set_ylabel("energy, mJ")
    left.set_ylim(bottom=0)
    left.set_title("AlexNet CONV3, batch 16")
    left.legend()
    for at, label in enumerate(("one loop per dimension", "with replication", "named loops first")):
        positions = [n + 0.27 * at for n in range(len(busy))]
        right.bar(positions, [shares[at] for shares in busy.values()], width=0.27, label=label)
    right.set_xticks(range(len(busy)), list(busy))
    right.set_ylabel("utilization")
    right.legend()
    for axes in (left, right):
        axes.tick_params(axis="x", rotation=70)
    save(figure, "figure8_9")


if __name__ == "__main__":
    main()
